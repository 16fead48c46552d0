// gpu: h200; policy: order="tile", tile=[2, 2, 0], axes="yxz zxy", float_atomics=true
// run: grid=dim3(3,5,2) block=dim3(8,4) n=5 a=960 b=960 total=1
// Three dimensions, axes in another order, and sums by atomics, which the policy allows.
__global__ void kernel(int n, const float *a, float *b, float *total)
{
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z;
    b[(z * 20 + y) * 24 + x] = a[(z * 20 + y) * 24 + x] * n;
    atomicAdd(total, 1.0f);
}

void run(int n, float *a, float *b, float *total)
{
    kernel<<<dim3(3, 5, 2), dim3(8, 4)>>>(n, a, b, total);
}
