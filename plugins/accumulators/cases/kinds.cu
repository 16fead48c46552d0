// run: kernel=fold<char> grid=2 block=96 n=150 m=9 x=m*n y=2*n
// run: kernel=fold<float> grid=2 block=96 n=150 m=9 x=m*n y=2*n
// A template; small integers wrap in a register as they do in memory. Two elements of one array that cannot be the same.
template <class T> __global__ void fold(unsigned n, unsigned m, const T *x, T *y)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned j = 0;
        do {
            y[2 * i] += x[j * n + i];
            y[2 * i + 1] = y[2 * i + 1] * x[j * n + i] - y[2 * i];
            j = j + 1;
        } while (j < m);
        for (unsigned k = 1; k < m; k += 2)
            y[2 * i]++;
    }
}

void all(unsigned n, unsigned m, const char *c, char *d, const float *f, float *g)
{
    fold<char><<<2, 96>>>(n, m, c, d);
    fold<float><<<2, 96>>>(n, m, f, g);
}
