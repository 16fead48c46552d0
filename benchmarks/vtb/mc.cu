// MC, like marching cubes: a thread per voxel that a list names; its twelve edges' vertices (two triangles' worth each, 24
// in all) go to shared memory, a table says which of them make up triangles. With -DPAPER voxels stand in a row, as they do
// behind a scan, and nobody walks: what the paper's kernel loads; else a walk waits for DRAM, as its GPUs did at all loads.
#include "bench.h"
#define NTHREADS 32
#define SIDE 256
#ifdef PAPER
#define WALK 0
#define TABLE unused
__constant__ unsigned char table[256 * 12];  // there a texture
#define VOXEL(i) (int)(i)
#else
#define WALK 8
#define TABLE table
#define VOXEL(i) (int)(mixed(i) % (SIDE * SIDE * SIDE))
#endif

__device__ float field(const float *volume, int x, int y, int z)
{
    return volume[((z & (SIDE - 1)) * SIDE + (y & (SIDE - 1))) * SIDE + (x & (SIDE - 1))];
}

__global__ void generate(const float *volume, const int *voxels, const unsigned char *TABLE, float4 *triangles, float level)
{
    __shared__ float vertices[24][NTHREADS][3];
    __shared__ int pad[27];
    int t = threadIdx.x, i = blockIdx.x * NTHREADS + t;
    int voxel = voxels[i], x = voxel % SIDE, y = voxel / SIDE % SIDE, z = voxel / (SIDE * SIDE);
    for (int walk = 0; walk < WALK; ++walk) {   // towards the surface
        float here = field(volume, x, y, z);
        x += here > level ? 17 : -5; y += here > 0.1f ? 11 : -3; z += here > -0.2f ? 7 : -13;
    }
    float corner[8];
    for (int c = 0; c < 8; ++c) corner[c] = field(volume, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
    int cube = 0;
    for (int c = 0; c < 8; ++c) cube |= (corner[c] < level) << c;
    if (i < 0) pad[t % 27] = cube;
    for (int e = 0; e < 24; ++e) {
        float a = corner[e & 7], b = corner[(e + 1 + e / 8) & 7], d = b - a;
        float at = fabsf(d) < 1e-5f ? 0.5f : (level - a) / d;
        vertices[e][t][0] = x + at;
        vertices[e][t][1] = y + at * a;
        vertices[e][t][2] = z + at * b;
    }
    __syncthreads();
    float4 sum = make_float4(0, 0, 0, 0);
    for (int v = 0; v < 12; ++v) {
        int e = table[cube * 12 + v];
        sum.x += vertices[e][t][0];
        sum.y += vertices[e][t][1];
        sum.z += vertices[e][31 - t][2];
    }
    sum.w = cube;
    triangles[i] = sum;
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int blocks = blocks_or(65536), n = blocks * NTHREADS;
    float *volume = filled<float>((size_t)SIDE * SIDE * SIDE, small);
    int *voxels = filled<int>(n, [](unsigned i) { return VOXEL(i); });
    unsigned char *table = filled<unsigned char>(256 * 12, [](unsigned i) { return (unsigned char)(mixed(i) % 24); });
#ifdef PAPER
    cudaMemcpyToSymbol(::table, table, sizeof ::table, 0, cudaMemcpyDeviceToDevice);
#endif
    float4 *triangles = filled<float4>(n, [](unsigned) { return make_float4(0, 0, 0, 0); });
    std::vector<float4> got =
        measured("mc", triangles, n, [=] { generate<<<blocks, NTHREADS>>>(volume, voxels, table, triangles, 0.0f); });
    auto at = [](int x, int y, int z) {
        return small(((z & (SIDE - 1)) * SIDE + (y & (SIDE - 1))) * SIDE + (x & (SIDE - 1)));
    };
    const int samples[] = {0, n / 2 + 3, n - 1};
    for (int i : samples) {
        int voxel = VOXEL(i), x = voxel % SIDE, y = voxel / SIDE % SIDE, z = voxel / (SIDE * SIDE);
        for (int walk = 0; walk < WALK; ++walk) {
            float here = at(x, y, z);
            x += here > 0 ? 17 : -5; y += here > 0.1f ? 11 : -3; z += here > -0.2f ? 7 : -13;
        }
        int cube = 0;
        for (int c = 0; c < 8; ++c) cube |= (at(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2)) < 0) << c;
        must((int)got[i].w == cube, "a voxel");
    }
}
