// gpu: h200; policy: factor=2
struct queue {
    int items[64];
    __device__ int flush() { __syncthreads(); return items[63 - threadIdx.x]; }
};
__global__ void kernel(int *x)
{
    __shared__ queue q;
    q.items[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    x[blockIdx.x * 64 + threadIdx.x] = q.flush();
}
void run(int *x) { kernel<<<100, 64>>>(x); }
