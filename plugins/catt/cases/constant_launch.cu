// gpu: titan-v; policy: model="paper", margin=1.0
// Launch and sizes are constants: decided here, and again where it runs.
// run: grid=320 block=256 A=81920*64 x=64 tmp=81920
#define NY 64

__global__ void kernel(float *A, float *x, float *tmp)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < NY; j++) {
        tmp[i] += A[i * NY + j] * x[j];
    }
}

void run(float *A, float *x, float *tmp)
{
    kernel<<<80 * 4, 256>>>(A, x, tmp);
}
