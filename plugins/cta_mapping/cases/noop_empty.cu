// gpu: h200; policy: form="agents", direction="x"
// Stubs for other architectures, and what all blocks do alike.
__global__ void stub(int n, const float *a, float *o) {}

template <class T> __global__ void noted(int n, const T *a, T *o) {/* for sm_70 */}

__global__ void alike(int n, const float *a, float *o)
{
    if (threadIdx.x < n)
        o[threadIdx.x] = a[threadIdx.x];
}

void run(int n, const float *a, float *o)
{
    dim3 grid(n), block(128);
    stub<<<grid, block>>>(n, a, o);
    noted<<<grid, block>>>(n, a, o);
    alike<<<grid, block>>>(n, a, o);
}
