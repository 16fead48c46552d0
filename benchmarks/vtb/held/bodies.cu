// Held out: forces of all bodies on all bodies, 256 at a time through shared memory: computes.
#include "../bench.h"

__global__ void forces(const float4 *bodies, int n, float4 *out)
{
    __shared__ float4 tile[256];
    float4 me = bodies[blockIdx.x * 256 + threadIdx.x], sum = make_float4(0, 0, 0, 0);
    for (int base = 0; base < n; base += 256) {
        tile[threadIdx.x] = bodies[base + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; ++k) {
            float x = tile[k].x - me.x, y = tile[k].y - me.y, z = tile[k].z - me.z;
            float r = rsqrtf(x * x + y * y + z * z + 0.01f), f = tile[k].w * r * r * r;
            sum.x += x * f; sum.y += y * f; sum.z += z * f;
        }
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int blocks = blocks_or(256), n = blocks * 256;
    float4 *bodies = filled<float4>(n, [](unsigned i) { return make_float4(small(i), small(i + 1), small(i + 2), 1); });
    float4 *out = filled<float4>(n, [](unsigned) { return make_float4(0, 0, 0, 0); });
    measured("bodies", out, n, [=] { forces<<<blocks, 256>>>(bodies, n, out); });
}
