// gpu: h200; policy: carveout=25
// run: grid=2 block=64 a=128 y=128
// A percentage for every launch.
__global__ void kernel(const float *a, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a[i] + 1;
}

void run(float *a, float *y) { kernel<<<2, 64>>>(a, y); }
