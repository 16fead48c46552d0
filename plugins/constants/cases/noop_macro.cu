// gpu: h200; learn: on
// The launch comes out of a macro, which is no place for an edit.
#define LAUNCH(kernel, ...) kernel<<<8, 32>>>(__VA_ARGS__)
__global__ void rows(int *x, int width)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = i / width;
}

void all(int *x)
{
    LAUNCH(rows, x, 8);
}
