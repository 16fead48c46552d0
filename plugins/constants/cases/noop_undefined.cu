// gpu: h200; learn: on
// A GPU shifts everything out by 32, and divides by 0: what nvcc sees of such constants it leaves out.
__device__ unsigned turned(unsigned x, int by) { return x << by | x >> (32 - by); }

__global__ void rotate(const unsigned *x, unsigned *y, int bits)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = (x[i] << bits | x[i] >> (32 - bits)) % (7 + bits);
}
__global__ void rotate_by_call(const unsigned *x, unsigned *y, int bits)
{
    for (int k = 0; k < bits; ++k) y[blockIdx.x * blockDim.x + threadIdx.x] += turned(x[k], bits);
}
__global__ void fields(const unsigned *x, unsigned *y, const int width, int left)
{
    const int kept = width - left;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = kept > 0 ? x[i] % kept : x[i] / kept;
}
void run(const unsigned *x, unsigned *y)
{
    rotate<<<64, 128>>>(x, y, 0);
    rotate_by_call<<<64, 128>>>(x, y, 32);
    fields<<<64, 128>>>(x, y, 7, 7);
}
