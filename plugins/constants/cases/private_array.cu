// gpu: h200; learn: on
// run: grid=2 block=64 x=128*12 y=128*12 n=12
// A thread's own array is in registers once its loops are unrolled: versions with fewer of them, too.
__global__ void sort_rows(const int *x, int *y, int n)
{
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * n;
    int row[40];
    for (int i = 0; i < n; ++i) row[i] = x[first + i];
    for (int i = 0; i < n; ++i)
        for (int j = 0; j + 1 < n; ++j)
            if (row[j] > row[j + 1]) {
                const int swapped = row[j];
                row[j] = row[j + 1];
                row[j + 1] = swapped;
            }
    for (int i = 0; i < n; ++i) y[first + i] = row[i];
}

void all(const int *x, int *y)
{
    sort_rows<<<2, 64>>>(x, y, 12);
}
