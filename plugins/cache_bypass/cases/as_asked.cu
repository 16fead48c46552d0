// gpu: h200; policy: method="bypass-all", operator="no_allocate_l2_first"
// run: kernel=types grid=2 block=64 n=40 a=128*n b=128*n o=128*n i=128*n h=128 res=128
// run: kernel=nested grid=1 block=64 n=33 p=64 q=4096 r=4096 res=64
// Every type; what is updated in place, shared or called stays as it is.
struct Odd { float x; int y; char z; };
struct __align__(16) Even { double d[2]; };

__global__ void types(int n, const float4 *a, const double2 *__restrict__ b, const Odd *o, const short *i, Even *h,
                      float *res)
{
    __shared__ float tile[64];
    const int t = blockIdx.x * blockDim.x + threadIdx.x, m = gridDim.x * blockDim.x;
    tile[threadIdx.x] = h[t].d[0];
    __syncthreads();
    int sum = 0;
    for (int j = 0; j < n; ++j) {
        const float4 v = a[j * m + t];
        const Odd whole = o[j * m + t];
        sum += (int)v.x + (int)b[j * m + t].y + whole.y + o[j * m + t].z + i[j * m + t] + (int)tile[(t + j) % 64];
        res[t] += 1;
    }
    res[t] += sum;
}

__global__ void nested(int n, const int *p, const int *q, int *r, int *res)
{
    for (int j = 0; j < n; ++j) {
        const int &entry = p[threadIdx.x];
        res[threadIdx.x] += q[(entry & 63) * 32 + (p[j % 64] & 31)] - *(q + j) + r[j]++;
    }
}

void run(int n, float4 *a, double2 *b, Odd *o, short *i, Even *h, float *out, int *p)
{
    types<<<2, 64>>>(n, a, b, o, i, h, out);
    nested<<<1, 64>>>(n, p, p, p, p);
}
