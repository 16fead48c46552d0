// gpu: h200; policy: fixed_tlp=[2, 1]
// run: grid=140 block=128 n=24 A=17920*n x=n y=17920
// Best fixed throttling: a TLP that the policy names, whatever the model says.
__global__ void kernel(int n, const float *A, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int j = 0; j < n; j++)
        sum += A[i * n + j] * x[j];
    y[i] = sum;
}

void run(int n, float *A, float *x, float *y)
{
    kernel<<<140, 128>>>(n, A, x, y);
}
