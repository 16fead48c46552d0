// gpu: h200; policy: pick="always", form="capped"
// run: grid=2 block=dim3(16,16) x=512 n=8
// At most as many registers as four blocks on a multiprocessor leave to each thread.
namespace m { __global__ void kernel(int *x, int n); }

__global__ void m::kernel(int *x, int n)
{
    const int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    x[i] = x[i] % n;
}

void run(int *x)
{
    m::kernel<<<2, dim3(16, 16)>>>(x, 8);
}
