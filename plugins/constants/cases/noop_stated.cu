// gpu: h200; learn: on; policy: known=["n = 1000, width = 12"]
// What the policy states spares nothing: a long loop stays one.
__global__ void sum(const int *x, int *y, int n, int width)
{
    int sum = 0;
    for (int k = 0; k < n; ++k) sum += x[k * width];
    y[threadIdx.x] = sum;
}

void all(const int *x, int *y, int n, int width, int threads)
{
    sum<<<1, threads>>>(x, y, n, width);
}
