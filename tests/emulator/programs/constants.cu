// Sums, products and quotients in constant expressions, and what is stored where no reference can be bound.
#include "check.h"

#ifndef D
#define D 8
#endif
template <int N> __global__ void of_template(float *p)
{
    constexpr float inverse = 1.0f / float(N);
    if constexpr (1.0f / float(N) < 0.5f) p[0] = inverse;
}
__device__ constexpr float ratio(float a, float b) { return a / b; }
__device__ constexpr float fill(float *p, float a, float b)
{
    p[0] = a + b;
    return p[0];
}
__device__ constexpr float filled()
{
    float v[2] = {};
    return fill(v, 1.0f, 2.0f);
}
__device__ constexpr float fused(float a) { return a * a + a; }
__host__ __device__ constexpr float inverse_of(float a) { return 1.0f / a; }
__device__ constexpr float in_a_loop(int n)
{
    float sum = 0;
    for (int i = 1; i <= n; ++i) {
        sum += 1.0f / i;
        sum /= 2.0f + i;
    }
    return sum;
}
template <class T> struct Of {
    static constexpr T third = T(1) / T(3);
    static __device__ constexpr T half(T x) { return x / T(2); }
};
__global__ void of_values(float *p, int n)
{
    constexpr int d = D;
    constexpr float t = float(D), s = 1.0f / d, u = 1.0f / t;
    static_assert(1.0f / t < 1, "");
    constexpr float a = ratio(1.0f, 4.0f), b = filled(), c = fused(3.0f), e = inverse_of(4), f = in_a_loop(4);
    constexpr float size = 1.0f / sizeof(float), g = Of<float>::half(3.0f);
    p[1] = s + u;
    p[2] = a;
    p[3] = b;
    p[4] = c;
    p[5] = e + inverse_of(n);
    p[6] = f - in_a_loop(n);
    p[7] = size;
    p[8] = g + Of<float>::third;
}

typedef unsigned u32;
typedef double f64;
struct Bits {
    u32 f : 8;
    unsigned u : 12;
};
struct __attribute__((packed)) Packed {
    char c;
    f64 d;
};
struct Pair {
    u32 x, y;
};
template <class T> __global__ void of_members(u32 *words, T *p, Pair pair, T a, T b)
{
    Bits bits;
    bits.f = pair.x + pair.y;
    bits.u = a * b;
    words[0] = bits.f;
    p[9] = bits.u;
    Packed packed;
    packed.d = a * a;
    p[10] = packed.d;
}

int main()
{
    float *p = device_array<float>(16);
    u32 *words = device_array<u32>(1);
    of_template<8><<<1, 1>>>(p);
    of_values<<<1, 1>>>(p, 4);
    of_members<float><<<1, 1>>>(words, p, Pair{250, 9}, 3.5f, 3.0f);
    finish();
    const float expected[] = {0.125f, 0.25f, 0.25f, 3, 12, 0.5f, 0, 0.25f, 1.5f + 1.0f / 3, 10, 12.25f};
    for (int i = 0; i < 11; ++i) EXPECT(p[i] - expected[i] < 1e-6f && expected[i] - p[i] < 1e-6f, true);
    EXPECT(words[0], 3);
    return verdict();
}
