// The kernels of the bypassing paper's table III, written anew from what they compute, small enough for the emulator.
//
//     paper KERNEL [MASK [SHARED [TIMES [SEED]]]]
//
// Bit k of MASK: load k goes past L1; SHARED: bytes of shared memory that every block gets besides; TIMES: 1 or 8 times
// as many threads; SEED: of the random input. Prints the kernel's name and a checksum.
//
// Loads are numbered by L(k, ...) in every kernel, one to a line, so that a profile tells them apart.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define L(k, place) ((mask >> (k)&1) ? __ldcg(&(place)) : (place))
#define ID const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

struct Data {
    float *a, *b, *c, *d, *e, *f, *out;
    int *index, *start;
    float4 *quads;
};

// backprop: a block of 16 x 16 threads sums inputs times weights in shared memory.
__global__ void BAA(unsigned mask, Data D)
{
    __shared__ float node[16], sum[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.x * 16 + ty;
    if (tx == 0) {
        const float input = L(0, D.a[row]);
        node[ty] = input;
    }
    __syncthreads();
    float w = 0;
    for (int layer = 0; layer < 4; ++layer) {
        const float weight = L(1, D.b[layer * gridDim.x * 256 + row * 17 + tx]);
        const float old = L(2, D.c[layer * gridDim.x * 256 + row * 17 + tx]);
        w += weight + 0.3f * old;
    }
    sum[ty][tx] = w * node[ty];
    __syncthreads();
    for (int step = 8; step; step /= 2) {
        if (ty < step) sum[ty][tx] += sum[ty + step][tx];
        __syncthreads();
    }
    if (ty == 0) D.out[blockIdx.x * 16 + tx] = sum[0][tx];
}
// bfs: a node's edges, and what is known of their ends.
__global__ void BFS(unsigned mask, Data D)
{
    ID
    const int first = L(0, D.start[i]);
    const int last = L(1, D.start[i + 1]);
    float cost = 0;
    for (int e = first; e < last; ++e) {
        const int other = L(2, D.index[e]);
        const float known = L(3, D.a[other]);
        cost += known;
    }
    D.out[i] = cost;
}
// euler3d: fluxes of mass, momentum and energy over the four faces of an element (a gas of gamma 1.4, with artificial
// viscosity); the energy beside the kinetic one is stored, so that pressure is positive.
struct Gas {
    float density, x, y, z, energy, pressure, fastest;
    __device__ Gas(float mass, float momentum_x, float momentum_y, float momentum_z, float inner)
    {
        density = 1 + mass, x = momentum_x / density, y = momentum_y / density, z = momentum_z / density;
        const float squared = x * x + y * y + z * z;
        pressure = 0.4f * inner, energy = inner + 0.5f * density * squared;
        fastest = sqrtf(squared) + sqrtf(1.4f * pressure / density);
    }
};
__global__ void EUF(unsigned mask, Data D)
{
    ID
    const float mass = L(0, D.a[i]);
    const float along_x = L(1, D.b[i]);
    const float along_y = L(2, D.c[i]);
    const float along_z = L(3, D.d[i]);
    const float inner = L(4, D.e[i]);
    const Gas here(mass, along_x, along_y, along_z, inner);
    float flux[5] = {};
    for (int face = 0; face < 4; ++face) {
        const int other = L(5, D.index[i + face * n]);
        const float normal_x = L(6, D.f[i + face * n]);
        const float normal_y = L(7, D.f[i + (face + 4) * n]);
        const float normal_z = L(8, D.f[i + (face + 8) * n]);
        const float its_mass = L(9, D.a[other]);
        const float its_x = L(10, D.b[other]);
        const float its_y = L(11, D.c[other]);
        const float its_z = L(12, D.d[other]);
        const float its_inner = L(13, D.e[other]);
        const Gas there(its_mass, its_x, its_y, its_z, its_inner);
        const float area = sqrtf(normal_x * normal_x + normal_y * normal_y + normal_z * normal_z);
        const float viscous = 0.1f * area * (here.fastest + there.fastest);
        const float out = 0.5f * (normal_x * here.x + normal_y * here.y + normal_z * here.z);
        const float in = 0.5f * (normal_x * there.x + normal_y * there.y + normal_z * there.z);
        const float mine = out * here.density, its = in * there.density, push = 0.5f * (here.pressure + there.pressure);
        flux[0] += mine + its + viscous * (here.density - there.density);
        flux[1] += mine * here.x + its * there.x + normal_x * push + viscous * (along_x - its_x);
        flux[2] += mine * here.y + its * there.y + normal_y * push + viscous * (along_y - its_y);
        flux[3] += mine * here.z + its * there.z + normal_z * push + viscous * (along_z - its_z);
        const float work = out * (here.energy + here.pressure) + in * (there.energy + there.pressure);
        flux[4] += work + viscous * (here.energy - there.energy);
    }
    for (int k = 0; k < 5; ++k) D.out[i + k * n] = flux[k];
}
// kmeans: distance of a point (row by row) to a few centres.
__global__ void KMI(unsigned mask, Data D)
{
    ID
    float best = 1e30f;
    for (int k = 0; k < 4; ++k) {
        float distance = 0;
        for (int j = 0; j < 16; ++j) {
            const float feature = L(0, D.a[i * 16 + j]);
            const float centre = L(1, D.b[k * 16 + j]);
            distance += (feature - centre) * (feature - centre);
        }
        best = fminf(best, distance);
    }
    D.out[i] = best;
}
// particle filter: likelihood of a particle from the pixels around it.
__global__ void PFFL(unsigned mask, Data D)
{
    ID
    const float x = L(0, D.a[i]);
    const float y = L(1, D.b[i]);
    float likely = 0;
    for (int p = 0; p < 12; ++p) {
        const float shape = L(2, D.c[p]);
        const int moved = L(3, D.index[i * 12 + p]);
        const float pixel = L(4, D.d[moved]);
        likely += (pixel - 100) * (pixel - 100) - (pixel - 228) * shape + x * y;
    }
    D.out[i] = likely;
}
// srad: sums to be reduced.
__global__ void SRP(unsigned mask, Data D)
{
    ID
    for (int j = 0; j < 4; ++j) {
        const float v = L(0, D.a[j * n + i]);
        D.out[j * n + i] = v;
        D.e[j * n + i] = v * v;
    }
}
// srad: reduction.
__global__ void SRR(unsigned mask, Data D)
{
    __shared__ float sum[256];
    ID
    float one = 0;
    for (int j = 0; j < 4; ++j) {
        const float v = L(0, D.a[(j * n + i) * 2]);
        const float w = L(1, D.b[(j * n + i) * 2]);
        one += v + w;
    }
    sum[threadIdx.x] = one;
    __syncthreads();
    for (int step = 128; step; step /= 2) {
        if (threadIdx.x < step) sum[threadIdx.x] += sum[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) D.out[blockIdx.x] = sum[0];
}
// srad: a pixel and its neighbours, whose places stand in arrays.
__global__ void SRS(unsigned mask, Data D)
{
    ID
    const int row = i % 128, column = i / 128;
    const int north = L(0, D.start[row]) % 128;
    const int east = L(1, D.start[column]) % 128;
    const float here = L(2, D.a[i]);
    const float up = L(3, D.a[north + 128 * column]);
    const float right = L(4, D.a[row + 128 * east]);
    const float left = L(5, D.b[i]);
    D.out[i] = (up - here) + (right - here) - left;
}
// sparse matrix times vector, rows by threads.
__global__ void SPM(unsigned mask, Data D)
{
    ID
    float sum = 0;
    const int first = L(0, D.start[i]);
    const int last = L(1, D.start[i + 1]);
    for (int e = first; e < last; ++e) {
        const int column = L(2, D.index[e]);
        const float value = L(3, D.b[e]);
        const float x = L(4, D.a[column]);
        sum += value * x;
    }
    D.out[i] = sum;
}
// gridding: the samples of the bins around a cell.
__global__ void MGR(unsigned mask, Data D)
{
    ID
    float sum = 0;
    for (int bin = 0; bin < 6; ++bin) {
        const int first = L(0, D.index[(i / 32 + bin) % 1024]) % 16384;
        for (int s = 0; s < 4; ++s) {
            const float real = L(1, D.a[(first + s) * 4]);
            const float imaginary = L(2, D.a[(first + s) * 4 + 1]);
            const float density = L(3, D.b[first + s]);
            sum += density * (real - imaginary);
        }
    }
    D.out[i] = sum;
}
// 3D convolution, layer by layer.
template <int N>
__global__ void TDC(unsigned mask, Data D)
{
    ID
    const int row = i + 64;
    for (int z = 1; z < 7; ++z) {
        const float *layer = D.a + z * N;
        const float below = L(0, layer[row - N]);
        const float above = L(1, layer[row + N]);
        const float left = L(2, layer[row - 1]);
        const float right = L(3, layer[row + 1]);
        const float north = L(4, layer[row - 64]);
        const float south = L(5, layer[row + 64]);
        D.out[z * N + row] = 2 * below - above + 5 * left - right + 3 * north + south;
    }
}
// syrk: A times its transpose.
__global__ void SRK(unsigned mask, Data D)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 48; ++k) {
        const float mine = L(0, D.a[y * 48 + k]);
        const float other = L(1, D.a[x * 48 + k]);
        sum += mine * other;
    }
    const float before = L(2, D.c[y * 128 + x]);
    D.out[y * 128 + x] = sum + before;
}
// matrix product.
__global__ void GEM(unsigned mask, Data D)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 48; ++k) {
        const float mine = L(0, D.a[y * 48 + k]);
        const float other = L(1, D.b[k * 128 + x]);
        sum += mine * other;
    }
    const float before = L(2, D.c[y * 128 + x]);
    D.out[y * 128 + x] = sum + before;
}
// copies of records of 16 bytes, field by field and whole.
__global__ void ALT(unsigned mask, Data D)
{
    ID
    for (int j = 0; j < 4; ++j) {
        const float4 whole = L(0, D.quads[j * n + i]);
        const float red = L(1, D.a[(j * n + i) * 4]);
        const float blue = L(2, D.a[(j * n + i) * 4 + 2]);
        D.out[j * n + i] = whole.x + red + blue;
    }
}
// reconstruction: every point with every sample.
__global__ void MRQ(unsigned mask, Data D)
{
    ID
    const float x = L(0, D.a[i]);
    const float y = L(1, D.b[i]);
    float sum = 0;
    for (int k = 0; k < 48; ++k) {
        const float kx = L(2, D.c[k * 4]);
        const float ky = L(3, D.c[k * 4 + 1]);
        const float phi = L(4, D.d[k]);
        sum += phi * (kx * x + ky * y);
    }
    D.out[i] = sum;
}

// An array that begins at a line of its own of 1024, by the input: where arrays lie must not decide either.
template <class T> static void allocate(T **array, int count, unsigned &place)
{
    const size_t line = 128 / sizeof(T);
    cudaMallocManaged(array, (count + 1024 * line) * sizeof(T));
    place = place * 1664525u + 1013904223u;
    *array += (place >> 22) * line;
}
static unsigned next(unsigned &state) { return (state = state * 1664525u + 1013904223u) >> 8; }

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "SPM";
    const unsigned mask = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    const size_t shared = argc > 3 ? (size_t)atoi(argv[3]) : 0;
    const int times = argc > 4 ? atoi(argv[4]) : 1;
    const unsigned seed = argc > 5 ? (unsigned)atoi(argv[5]) : 7;
    const int words = times << 19, threads = times * 16384;
    Data D;
    float **arrays[] = {&D.a, &D.b, &D.c, &D.d, &D.e, &D.f, &D.out};
    unsigned state = seed, place = seed;
    for (float **one : arrays) {
        allocate(one, words, place);
        for (int k = 0; k < words; ++k) (*one)[k] = one == &D.out ? 0 : (float)(next(state) % 256);
    }
    allocate(&D.index, words, place);
    allocate(&D.start, words, place);
    allocate(&D.quads, words, place);
    for (int k = 0; k < words; ++k) {
        D.index[k] = (int)(next(state) % 4 ? (k / 24 + next(state) % 64) % threads : next(state) % threads);
        D.start[k] = k == 0 ? 0 : D.start[k - 1] + (k <= threads ? (int)(next(state) % 13) : 0);
        D.quads[k] = make_float4((float)(k % 9), 0, 1, 0);
    }
    const dim3 square(16, 16);
    if (!strcmp(name, "BAA")) BAA<<<256 * times, square, shared>>>(mask, D);
    if (!strcmp(name, "BFS")) BFS<<<threads / 256, 256, shared>>>(mask, D);
    if (!strcmp(name, "EUF")) EUF<<<threads / 192, 192, shared>>>(mask, D);
    if (!strcmp(name, "KMI")) KMI<<<threads / 256, 256, shared>>>(mask, D);
    if (!strcmp(name, "PFFL")) PFFL<<<threads / 256, 256, shared>>>(mask, D);
    if (!strcmp(name, "SRP")) SRP<<<threads / 256, 256, shared>>>(mask, D);
    if (!strcmp(name, "SRR")) SRR<<<threads / 256, 256, shared>>>(mask, D);
    if (!strcmp(name, "SRS")) SRS<<<threads / 256, 256, shared>>>(mask, D);
    if (!strcmp(name, "SPM")) SPM<<<threads / 256, 256, shared>>>(mask, D);
    if (!strcmp(name, "MGR")) MGR<<<threads / 256, 256, shared>>>(mask, D);
    if (!strcmp(name, "3DC")) (times > 1 ? TDC<8 * 8192> : TDC<8192>)<<<(times > 1 ? 8 : 1) * 8192 / 256 - 1, 256, shared>>>(mask, D);
    if (!strcmp(name, "SRK")) SRK<<<dim3(8, 8 * times), square, shared>>>(mask, D);
    if (!strcmp(name, "GEM")) GEM<<<dim3(8, 8 * times), square, shared>>>(mask, D);
    if (!strcmp(name, "ALT")) ALT<<<threads / 256, 256, shared>>>(mask, D);
    if (!strcmp(name, "MRQ")) MRQ<<<threads / 256, 256, shared>>>(mask, D);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    double sum = 0;
    for (int k = 0; k < words; ++k) sum += D.out[k] * (k % 31 + 1);
    std::printf("%s %.17g\n", name, sum);
    return 0;
}
