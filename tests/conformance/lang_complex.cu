// Complex numbers: which product of a sum is rounded once depends on what a function is called with, once it is inlined.
#include "words.h"

struct Complex {
    float re, im;
};
typedef double2 Wide;

__host__ __device__ inline float2 operator*(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__host__ __device__ inline float2 operator*(float2 a, float b) { return make_float2(b * a.x, b * a.y); }
__host__ __device__ inline float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ inline float2 product(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ float2 turned(const float2 &a, const float2 &b) { return make_float2(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y); }
__device__ Complex times(Complex a, Complex b)
{
    Complex c;
    c.re = a.re * b.re - a.im * b.im;
    c.im = a.re * b.im + a.im * b.re;
    return c;
}
__device__ inline Wide wide(Wide a, Wide b) { return make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ inline float inner(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ inline void of_two(float &sum, float &rest, float a, float b, float c)
{
    const float d = a / b - c;
    sum = a * d - b * c * d;
    rest = b * c * (1.0f - d) - a * (1.0f - d);
}

__global__ void of_loads(const float2 *p, float2 *o)
{
    const float2 a = p[0], b = p[1];
    o[0] = product(a, b);
    o[1] = a * b;
    o[2] = turned(a, b);
}
__global__ void made(const float2 *p, const float *x, float2 *o)
{
    const float2 a = p[0];
    o[0] = product(a, make_float2(x[0], x[1]));
    o[1] = make_float2(x[2], x[3]) * a;
    o[2] = turned(a, make_float2(x[4], x[5]));
}
__global__ void by_members(const float2 *p, const float *x, float2 *o)
{
    const float2 a = p[0];
    float2 b;
    b.x = x[0];
    b.y = x[1];
    o[0] = product(a, b);
}
__global__ void of_angles(const float2 *p, const float *x, float2 *o)
{
    const float2 a = p[0];
    o[0] = a * make_float2(cosf(x[0]), sinf(x[0]));
    o[1] = a * make_float2(sin(x[1]), cos(x[1]));
}
__global__ void of_products(const float2 *p, const float *x, float2 *o)
{
    const float2 a = p[0] * p[1];
    o[0] = a * p[2] + p[3];
    o[1] = product(a, a * x[0]);
}
__global__ void in_turns(const float2 *p, int n, float2 *o)
{
    float2 a = p[0], sum = make_float2(0, 0);
    for (int i = 1; i < n; ++i) {
        a = a * p[i];
        sum = sum + product(a, p[i]);
    }
    o[0] = a;
    o[1] = sum;
}
__global__ void of_class(const Complex *p, Complex *o) { o[0] = times(p[0], p[1]); }
__global__ void of_doubles(const Wide *p, const double *x, Wide *o)
{
    o[0] = wide(p[0], p[1]);
    o[1] = wide(p[0], make_double2(x[0], x[1]));
}
__global__ void stored_together(const float2 *p, float2 *o, float2 *q)
{
    float s, t, r, w;
    of_two(s, r, p[0].x, p[1].x, p[2].x);
    of_two(t, w, p[0].y, p[1].y, p[2].y);
    o[0] = make_float2(s, t);
    q[0] = make_float2(r, w);
}
__global__ void of_three(const float3 *p, float *o)
{
    const float3 a = p[0], b = p[1];
    o[0] = inner(a, b);
    o[1] = inner(b, a) + a.x * b.x;
}

int main()
{
    seed = 3;
    float *out = nullptr;
    double *doubles = nullptr;
    cudaMallocManaged(&out, 256);
    cudaMallocManaged(&doubles, 128);
    for (int turn = 0; turn < 6; ++turn) {
        const float *x = floats();
        const float2 *p = (const float2 *)floats();
        for (int i = 0; i < 16; ++i) doubles[i] = x[i] + 1e-9 * x[15 - i];
        float2 *o = (float2 *)out;
        of_loads<<<1, 1>>>(p, o);
        show("loads", out, 6);
        made<<<1, 1>>>(p, x, o);
        show("made", out, 6);
        by_members<<<1, 1>>>(p, x, o);
        show("members", out, 2);
        of_angles<<<1, 1>>>(p, x, o);
        show("angles", out, 4);
        of_products<<<1, 1>>>(p, x, o);
        show("products", out, 4);
        in_turns<<<1, 1>>>(p, 8, o);
        show("turns", out, 4);
        of_class<<<1, 1>>>((const Complex *)p, (Complex *)out);
        show("class", out, 2);
        of_doubles<<<1, 1>>>((const Wide *)doubles, doubles + 8, (Wide *)out);
        show("doubles", out, 8);
        stored_together<<<1, 1>>>(p, o, o + 1);
        show("together", out, 4);
        of_three<<<1, 1>>>((const float3 *)p, out);
        show("three", out, 2);
    }
}
