// gpu: h200; learn: on
// Another file launches it.
__global__ void rows(int *x, int width)
{
    x[threadIdx.x] = threadIdx.x / width;
}
