// gpu: h200; learn: on
// Which kernel is launched is not seen here.
__global__ void rows(int *x, int width)
{
    x[threadIdx.x] = threadIdx.x / width;
}
void run(void (*kernel)(int *, int), int *x) { kernel<<<1, 64>>>(x, 3); }
