// gpu: h200; policy: order="none"
__global__ void kernel(int n, const float *A, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < n; k++) s += A[i * n + k] * x[k];
    y[i] = s;
}
void run(int n, float *A, float *x, float *y) { kernel<<<n / 64, 64>>>(n, A, x, y); }
