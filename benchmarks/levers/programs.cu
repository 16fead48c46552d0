// One kernel for each lever: `./programs [LAUNCHES]`. One line per kernel: name, median of the last launches in ms, checksum.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        const cudaError_t error = (call);                                                                              \
        if (error != cudaSuccess) {                                                                                    \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));                        \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

// launch_shape: an SM holds 32 blocks, which are 1024 threads of the 2048 here.
__global__ void small_blocks(int n, const float *g, float *m, float *v, float *p)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float a = 0.9f * m[i] + 0.1f * g[i];
    const float b = 0.999f * v[i] + 0.001f * g[i] * g[i];
    m[i] = a;
    v[i] = b;
    p[i] -= 0.001f * a / (sqrtf(b) + 1e-8f);
}

// launch_shape: 20 blocks of 1024 threads leave most SMs without work.
__global__ void few_blocks(int n, int steps, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float z = x[i], c = z;
    for (int k = 0; k < steps; ++k)
        z = z * z - 0.5f * c / (1.0f + z * z);
    y[i] = z;
}

// coarsening: every thread loads the same positions; two threads in one load them once.
__global__ void forces(int n, const float4 *body, float4 *force)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 me = body[i];
    float fx = 0, fy = 0, fz = 0;
    for (int j = 0; j < n; ++j) {
        const float4 other = body[j];
        const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        const float r = dx * dx + dy * dy + dz * dz + 0.01f;
        const float w = other.w / (r * r);
        fx += w * dx;
        fy += w * dy;
        fz += w * dz;
    }
    force[i] = make_float4(fx, fy, fz, 0);
}

// read_only: the store of one row stands in the way of the loads of the next.
__global__ void rows_in_turn(int n, int m, const float *x, const float *w, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < m; ++j)
            y[(size_t)j * n + i] = x[(size_t)j * n + i] * w[j] + 1.0f;
}

// constants: taps and a width that the launch below gives as numbers.
__global__ void taps(int count, int width, int radius, const float *x, const float *w, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const int row = i / width, column = i % width;
    float sum = 0;
    for (int k = -radius; k <= radius; ++k)
        sum += w[k + radius] * x[row * width + (column + k + width) % width];
    y[i] = sum;
}

static float *filled(size_t count, unsigned seed)
{
    std::vector<float> host(count);
    for (float &one : host) {
        seed = seed * 1664525u + 1013904223u;
        one = (float)(seed >> 16) / 65536.0f - 0.5f;
    }
    float *device = nullptr;
    CHECK(cudaMalloc(&device, count * sizeof(float)));
    CHECK(cudaMemcpy(device, host.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    return device;
}

static uint64_t checksum(const float *device, size_t count)
{
    uint64_t sum = 0;
    std::vector<uint32_t> host(count);
    CHECK(cudaMemcpy(host.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost));
    for (uint32_t one : host) sum = (sum ^ one) * 1099511628211ull;
    return sum;
}

int main(int argc, char **argv)
{
    const int launches = argc > 1 ? std::atoi(argv[1]) : 400;
    const int n = 1 << 24;
    float *x = filled(n, 1), *y = filled(n, 2), *z = filled(n, 3), *w = filled(n, 4);
    const auto timed = [&](const char *name, const float *result, size_t count, auto launch) {
        cudaEvent_t begin, end;
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
        std::vector<float> times;
        for (int turn = 0; turn < launches; ++turn) {
            float ms = 0;
            CHECK(cudaEventRecord(begin));
            launch();
            CHECK(cudaEventRecord(end));
            CHECK(cudaEventSynchronize(end));
            CHECK(cudaEventElapsedTime(&ms, begin, end));
            if (turn >= launches * 3 / 4) times.push_back(ms);
        }
        std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
        std::printf("%s %.4f %016llx\n", name, times[times.size() / 2], (unsigned long long)checksum(result, count));
        std::fflush(stdout);
    };
    timed("small_blocks", w, n, [&] { small_blocks<<<n / 32, 32>>>(n, x, y, z, w); });
    timed("few_blocks", y, 20000, [&] { few_blocks<<<20, 1024>>>(20000, 2000, x, y); });
    timed("forces", z, 4 * 32768, [&] { forces<<<128, 256>>>(32768, (const float4 *)x, (float4 *)z); });
    timed("rows_in_turn", y, n, [&] { rows_in_turn<<<64, 256>>>(16384, 1024, x, w, y); });
    timed("taps", y, 1920 * 1080, [&] { taps<<<8100, 256>>>(1920 * 1080, 1920, 4, x, w, y); });
    return 0;
}
