// run: grid=3,2 block=16,8 m=20 n=40 k=33 a=m*k b=k*n c=m*n
// A product of matrices that is added up in memory; an early return bounds the indices.
__global__ void product(int m, int n, int k, const double *a, const double *b, double *c)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= n || row >= m)
        return;
    for (int l = 0; l < k; l++)
        c[row * n + column] += a[row * k + l] * b[l * n + column];
}

void all(int m, int n, int k, const double *a, const double *b, double *c)
{
    product<<<dim3(3, 2), dim3(16, 8)>>>(m, n, k, a, b, c);
}
