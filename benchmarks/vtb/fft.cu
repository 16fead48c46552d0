// FFT: 1024 points per block of 64 threads, 16 each, five radix-4 steps; points lie in digit-reversed order in memory,
// and threads exchange real and imaginary parts through shared memory. With -DPAPER points lie in a row, as the paper's do.
#include "bench.h"
#ifdef PAPER
#define PLACE(i) (i)
#else
#define PLACE(i) order[i]
#endif

struct complex { float x, y; };
// Device compilers put these functions where they are called; g++ must be told.
#define INLINED __device__ inline __attribute__((always_inline))
INLINED complex operator+(complex a, complex b) { return {a.x + b.x, a.y + b.y}; }
INLINED complex operator-(complex a, complex b) { return {a.x - b.x, a.y - b.y}; }
INLINED complex times(complex a, complex b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
INLINED complex turned(complex a) { return {a.y, -a.x}; }
INLINED void fft4(complex &a, complex &b, complex &c, complex &d)
{
    complex s = a + c, t = a - c, u = b + d, v = turned(b - d);
    a = s + u; b = t + v; c = s - u; d = t - v;
}

// Step of stride `s`, 2 to the power of `bits`: elements j, j + 256, j + 512, j + 768 (Stockham), for j = t, t + 64, t + 128, t + 192.
INLINED void step(complex *r, int bits, int t)
{
#ifdef PAPER  // as device compilers do by themselves
#pragma GCC unroll 4
#endif
    for (int q = 0; q < 4; ++q) {
        complex *g = r + 4 * q;
        int j = t + 64 * q, p = j >> bits << bits;
        fft4(g[0], g[1], g[2], g[3]);
        float angle = -6.2831853f * p / 1024;
#ifdef PAPER  // as device compilers do by themselves
#pragma GCC unroll 4
#endif
        for (int k = 1; k < 4; ++k) {
            complex w;
            __sincosf(angle * k, &w.y, &w.x);
            g[k] = times(g[k], w);
        }
    }
}

__global__ void fft(const float2 *in, const int *order, float2 *out)
{
    __shared__ float re[1024 + 32 + 36], im[1024 + 68];
    int t = threadIdx.x;
    size_t base = (size_t)blockIdx.x * 1024;
    complex r[16];
    for (int i = 0; i < 16; ++i) {
        int j = t + 64 * (i / 4) + 256 * (i % 4);
        float2 v = in[PLACE(base + j)];
        r[i] = {v.x, v.y};
    }
    for (int bits = 0; bits < 10; bits += 2) {
        step(r, bits, t);
        for (int i = 0; i < 16; ++i) {
            int j = t + 64 * (i / 4), low = j & ((1 << bits) - 1), at = (j - low) * 4 + low + ((i % 4) << bits);
            re[at] = r[i].x;
            im[at] = r[i].y;
        }
        __syncthreads();
        for (int i = 0; i < 16; ++i) {
            int j = t + 64 * (i / 4) + 256 * (i % 4);
            r[i] = {re[j], im[j]};
        }
        __syncthreads();
    }
    for (int i = 0; i < 16; ++i) out[base + t + 64 * (i / 4) + 256 * (i % 4)] = make_float2(r[i].x, r[i].y);
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    int blocks = blocks_or(8192);
    size_t n = (size_t)blocks * 1024;
    unsigned mask = 1;
    while (mask * 2 <= n) mask *= 2;
    --mask;
    float2 *in = filled<float2>(n, [](unsigned i) { return make_float2(small(i), small(i + 9)); });
    int *order = filled<int>(n, [=](unsigned i) { return (int)(mixed(i) & mask); });
    float2 *out = filled<float2>(n, [](unsigned) { return make_float2(0, 0); });
    std::vector<float2> got = measured("fft", out, n, [=] { fft<<<blocks, 64>>>(in, order, out); });
    const int samples[] = {0, 1, 517};
    for (int k : samples) {
        double x = 0, y = 0;
        for (int j = 0; j < 1024; ++j) {
            unsigned i = (unsigned)(n - 1024) + j;
#ifndef PAPER
            i = mixed(i) & mask;
#endif
            double a = -6.283185307179586 * k * j / 1024, c = cos(a), s = sin(a);
            x += small(i) * c - small(i + 9) * s;
            y += small(i) * s + small(i + 9) * c;
        }
        float2 g = got[n - 1024 + k];
        must(fabs(x - g.x) < 0.05 && fabs(y - g.y) < 0.05, "a frequency");
    }
}
