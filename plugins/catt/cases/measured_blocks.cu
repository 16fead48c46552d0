// gpu: h200; learn: on
// run: grid=528 block=64 n=8 a=33792 y=33792
// The next place is computed from what was read: fewer resident blocks are measured, of the kernel as it is.
__global__ void gather(const float *a, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned all = gridDim.x * blockDim.x;
    unsigned at = i;
    float sum = 0;
    for (int j = 0; j < n; ++j) {
        sum += a[at];
        at = (at * 1664525u + (unsigned)(a[at] * a[at] * 1024.0f)) % all;
    }
    y[i] = sum;
}

void all(int blocks, const float *a, float *y, int n)
{
    gather<<<blocks, 64>>>(a, y, n);
}
