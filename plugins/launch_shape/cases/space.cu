// gpu: h200; learn: on
// run: grid=70,3,2 block=8,4,4 out=70*3*2*128
// Blocks in three dimensions: split along z, joined above each other where their depth is a power of two.
__global__ void places(int *out)
{
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[block * 128 + thread] = ((block * 8 + threadIdx.x) * 4 + threadIdx.y) * 4 + threadIdx.z + gridDim.z * blockDim.z;
}

void all(int *out)
{
    places<<<dim3(70, 3, 2), dim3(8, 4, 4)>>>(out);
}
