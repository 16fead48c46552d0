// gpu: h200
// Nobody knows whether it pays, and nobody measures it.
__global__ void rows(float *x, int width)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    x[i] = i / width;
}

void all(float *x)
{
    rows<<<4096, 256>>>(x, 1920);
}
