// gpu: h200; policy: pick="always", form="capped"
// The kernel has a bound of its own, and blocks of 1024 threads leave no room for a second one.
__global__ void __launch_bounds__(256) bound(int *x, int width) { x[threadIdx.x] = threadIdx.x / width; }

__global__ void large(int *x, int width) { x[threadIdx.x] = threadIdx.x / width; }

void all(int *x)
{
    bound<<<1, 256>>>(x, 8);
    large<<<1, 1024>>>(x, 8);
}
