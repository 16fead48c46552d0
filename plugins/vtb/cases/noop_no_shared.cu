// gpu: h200; policy: factor=2
__global__ void kernel(int n, float *x) { x[blockIdx.x * 64 + threadIdx.x] *= n; }
void run(int n, float *x) { kernel<<<n, 64>>>(n, x); }
