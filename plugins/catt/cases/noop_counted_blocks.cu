// gpu: titan-v; policy: model="paper", margin=1.0
// run: grid=2560 block=32 A=81920*64 B=81920*64 x=64 tmp=81920
// Fewer resident blocks would do, but the program asks how many there are, and may count on the answer.
#define NY 64

__global__ void kernel(float *A, float *B, float *x, float *tmp)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < NY; j++) {
        tmp[i] += A[i * NY + j] * x[j] + B[i * NY + j];
    }
}

void run(float *A, float *B, float *x, float *tmp)
{
    int blocks;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32, 0);
    kernel<<<80 * 32, 32>>>(A, B, x, tmp);
}
