// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=(n+255)/256 block=256 n=300 A=n*n x=n y=n
// Counting loops of other kinds, and tabs.
__global__ void kernel(int n, float *A, float *x, float *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		int j = 0;
		while (j < n) {
			y[i] += A[i * n + j] * x[j];
			j++;
		}
	}
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<(n + 255) / 256, 256>>>(n, A, x, y);
}
