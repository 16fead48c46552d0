// gpu: h200; learn: on; policy: watch=true
// Nothing is watched where numbers spare nothing, and where no version could be made of them.
#define LAUNCH(kernel, x, n, t) kernel<<<1, t>>>(x, n)
__global__ void scale(float *x, int n) { x[threadIdx.x] = n; }
__global__ void rounded(float *x, int n) { x[threadIdx.x / n] = expf(-n); }
__global__ void counts(int *x, int n) { static __device__ int calls; x[threadIdx.x / n] = calls++; }
__global__ void hidden(float *x, int n) { x[threadIdx.x / n] = n; }
__global__ void given(float *x, int n) { x[threadIdx.x / n] = n; }

void all(float *x, int *y, int n, int threads)
{
    scale<<<1, threads>>>(x, n);
    rounded<<<1, threads>>>(x, n);
    counts<<<1, threads>>>(y, n);
    LAUNCH(hidden, x, n, threads);
}
