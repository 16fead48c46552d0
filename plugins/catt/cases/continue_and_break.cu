// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1, fixed_tlp=[2, 0]
// run: grid=(n+255)/256 block=256 n=300 A=n*n x=n y=n
// Jumps that stay inside what runs in groups.
__global__ void kernel(int n, float *A, float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int j = 0; j < n; j++) {
            if (j % 5 == i % 5)
                continue;
            y[i] += A[i * n + j] * x[j];
        }
        for (int j = 0; j < n; j++) {
            if (y[i] > 100.0f)
                break;
            y[i] += 1.0f;
        }
    }
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<(n + 255) / 256, 256>>>(n, A, x, y);
}
