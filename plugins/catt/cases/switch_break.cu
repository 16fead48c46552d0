// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: grid=1 block=256 n=100 mode=1 A=256*n y=256
// run: grid=1 block=256 n=100 mode=0 A=256*n y=256
// break leaves the if, so the whole switch runs in groups.
__global__ void kernel(int n, int mode, float *A, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (mode) {
    case 1:
        if (i % 3 == 0) {
            for (int j = 0; j < n; j++)
                y[i] += A[i * n + j];
            break;
        }
        y[i] += 1.0f;
    default:
        y[i] *= 0.5f;
    }
}

void run(int n, int mode, float *A, float *y)
{
    kernel<<<1, 256>>>(n, mode, A, y);
}
