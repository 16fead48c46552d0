// Another thread reads the sum behind each barrier.
__global__ void k(int n, const float *x, float *y)
{
    for (int j = 0; j < n; ++j) {
        y[threadIdx.x] += x[j];
        __syncthreads();
    }
}
void all(int n, const float *x, float *y) { k<<<1, 64>>>(n, x, y); }
