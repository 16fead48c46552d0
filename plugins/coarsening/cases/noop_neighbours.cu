// gpu: h200; policy: form="neighbours"; learn: on
// No element that neighbours would have together, or not for certain, or whose load or store would pass another access.
#define AT (blockIdx.x * blockDim.x + threadIdx.x)
#define IF_LARGE if (a[AT] > 3)
#define UNLESS(condition) (condition) ||
struct Rows { float *first, *second; };
__device__ void zero(int *where) { *where = 0; }
__global__ void data(const int *a, float *x) { IF_LARGE x[AT] = 1; if (a[AT / 2]) x[AT] = 2; }
__global__ void chosen(int a, float *x) { a > 2 ? x[AT] = 1 : 0; a && (x[AT] = 2); UNLESS(a) (x[AT] = 3); }
__global__ void looped(float *x, int n) { for (int k = 0; k < n; k++) x[AT] += k; }
__global__ void behind(const int *a, float *x)
{
    if (a[AT / 4] == 0)
        return;
    x[AT] = 1;
}
__global__ void equal(float *x, int n) { if (AT == n) x[AT] = 1; if (AT > 3) x[AT] = 2; if (AT < n || n < 0) x[AT] = 3; }
__global__ void strided(float *x) { x[2 * AT] = 1; x[AT + 1] = 1; x[63 - threadIdx.x] = 1; }
__global__ void rows(float *x, unsigned w) { x[w * AT] = 1; x[blockIdx.y * w + AT / 2] = 2; }
__global__ void moved(float *x) { x += threadIdx.y; x[AT] = 1; }
__global__ void address(int *x) { x[AT] = 1; zero(&x[AT]); zero(x + AT); }
__global__ void members(Rows r) { r.first[AT] = r.second[AT]; }
__global__ void seen(volatile int *x, int *hits) { x[AT] = 1; atomicAdd(&hits[AT], 1); }
__global__ void mirrored(float *x, unsigned n) { if (AT < n) x[AT] = x[n - 1 - AT]; x[AT / 2] = 2; }
__global__ void scattered(const int *to, float *x, const float *y) { x[to[AT / 2]] = 0; if (y[AT] > 0) x[0] = 1; }
__global__ void narrow(unsigned char *x, int n) { unsigned char i = AT; if (i < n) x[i] = 1; }
__global__ void tables(float x[][256], float (*y)[256]) { x[0][AT] = 1; y[0][AT] = 2; (*y)[AT] = 3; }
__global__ void products(float4 *x) { x[AT].x = 1; }

void all(int *i, float *x, unsigned char *c, float4 *v, Rows r, int n)
{
    data<<<300, 64>>>(i, x);
    chosen<<<300, 64>>>(n, x);
    looped<<<300, 64>>>(x, n);
    behind<<<300, 64>>>(i, x);
    equal<<<300, 64>>>(x, n);
    strided<<<300, 64>>>(x);
    rows<<<dim3(300, 3), 64>>>(x, n);
    moved<<<300, 64>>>(x);
    address<<<300, 64>>>(i);
    members<<<300, 64>>>(r);
    seen<<<300, 64>>>(i, i);
    mirrored<<<300, 64>>>(x, n);
    scattered<<<300, 64>>>(i, x, x);
    narrow<<<300, 64>>>(c, n);
    tables<<<300, 64>>>((float (*)[256])x, (float (*)[256])x);
    products<<<300, 64>>>(v);
}
