// gpu: h200; learn: on
// nvcc gives expf of a constant, and a constant number of taps makes constants of k.
__device__ float weight(int k)
{
    return expf(-0.125f * k * k);
}

__global__ void smooth(const float *x, float *y, int taps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < taps; ++k)
        sum += x[i + k] * weight(k);
    y[i] = sum;
}

void all(const float *x, float *y)
{
    smooth<<<64, 128>>>(x, y, 5);
}
