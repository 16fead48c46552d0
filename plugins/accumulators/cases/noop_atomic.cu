// Others add to the sums meanwhile.
__global__ void k(int n, const int *x, int *y, int *all)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; ++j) {
        y[i] += x[j];
        atomicAdd(all, x[j]);
    }
}
void all(int n, const int *x, int *y, int *sum) { k<<<1, 64>>>(n, x, y, sum); }
