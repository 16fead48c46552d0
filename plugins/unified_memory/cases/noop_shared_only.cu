// gpu: h200
// Nothing is read in a loop through L1.
__global__ void kernel(const float *a, float *y)
{
    __shared__ float tile[256];
    tile[threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x];
    for (int s = 128; s > 0; s /= 2) {
        __syncthreads();
        if (threadIdx.x < s)
            tile[threadIdx.x] += tile[threadIdx.x + s];
    }
    y[blockIdx.x] = tile[0];
}

void run(float *a, float *y) { kernel<<<528, 256>>>(a, y); }
