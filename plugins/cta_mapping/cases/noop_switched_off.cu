// gpu: h200; policy: direction="none"
__global__ void kernel(int n, const float *x, float *y)
{
    float s = 0;
    for (int k = 0; k < n; k++) s += x[k];
    y[blockIdx.x * 64 + threadIdx.x] = s;
}
void run(int n, const float *x, float *y) { kernel<<<4, 64>>>(n, x, y); }
