// gpu: h200; policy: method="bypass-all", operator="cs", rounding="any"
// What names an element or takes the address of some is no load: names of parts stand for memory, copies take pointers.
struct pair { float a, b; };
__global__ void parts(const pair *x, pair *y, float *z, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < n; ++j) {
        auto &&[a, b] = y[j * 4096 + i];
        sum += a;
        b = sum;
    }
    z[i] = sum;
}
__global__ void copies(const float *x, float *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; ++j)
        memcpy(y + j * 4096 + i, x + j * 4096 + i, sizeof(float));
}
void all(pair *x, pair *y, float *z, int n)
{
    parts<<<1056, 256>>>(x, y, z, n);
    copies<<<1056, 256>>>((float *)x, z, n);
}
