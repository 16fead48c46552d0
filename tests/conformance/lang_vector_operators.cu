// Products and sums of float2, float3, float4 and double3 by operators that the program defines: what is rounded once.
#include <cstring>
#include "words.h"

#define BOTH inline __host__ __device__
BOTH float3 operator*(float3 a, float3 b) { return make_float3(a.x * b.x, a.y * b.y, a.z * b.z); }
BOTH float3 operator*(float3 a, float s) { return make_float3(a.x * s, a.y * s, a.z * s); }
BOTH float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }
BOTH float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
BOTH float3 operator+(float3 a, float s) { return make_float3(a.x + s, a.y + s, a.z + s); }
BOTH float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
BOTH float3 operator-(float3 a) { return make_float3(-a.x, -a.y, -a.z); }
BOTH void operator+=(float3 &a, float3 b)
{
    a.x += b.x;
    a.y += b.y;
    a.z += b.z;
}
BOTH void operator-=(float3 &a, const float3 &b)
{
    a.x -= b.x;
    a.y -= b.y;
    a.z -= b.z;
}
BOTH float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
BOTH float3 cross(float3 a, float3 b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

__device__ float4 operator*(const float4 &a, const float4 &b) { return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w); }
__device__ float4 operator+(const float4 &a, const float4 &b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
__device__ float4 operator-(const float4 &a, const float4 &b) { return make_float4(a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w); }

// Complex numbers: a product of these is none member by member, one with a number is.
__device__ float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ float2 operator*(float2 a, float s) { return make_float2(a.x * s, a.y * s); }
__device__ float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 operator-(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }

__device__ double3 operator*(double3 a, double s) { return make_double3(a.x * s, a.y * s, a.z * s); }
__device__ double3 operator+(double3 a, double3 b) { return make_double3(a.x + b.x, a.y + b.y, a.z + b.z); }

__device__ void put(float *&o, float3 v)
{
    *o++ = v.x;
    *o++ = v.y;
    *o++ = v.z;
}

__global__ void of_three(const float3 *v, const float *s, float *o)
{
    const float3 a = v[0], b = v[1], c = v[2];
    const float p = s[0], q = s[1], r = s[2];
    put(o, a * p + b * q);
    put(o, b * q + a * p);
    put(o, a * p - b * q);
    put(o, a * p + b * q + c * r);
    put(o, a * b + c);
    put(o, c - a * b);
    put(o, p * a + q);
    put(o, 2.5f * a * dot(a, b) - c);
    put(o, a * p * q + b);
    put(o, -(a * p) + b);
    put(o, a * b - c * b + cross(a, c));
    float3 d = c;
    d += a * p;
    put(o, d);
    d -= b * q;
    put(o, d);
    d += a * b * r;
    put(o, d);
}
__global__ void in_turns(const float3 *v, const float *s, int n, float *o)
{
    float3 place = v[0], speed = v[1];
    for (int i = 0; i < n; ++i) {
        const float3 force = v[2] * s[0] - place * s[1];
        speed += force * s[2];
        place += speed * s[2];
        if (dot(place, place) > 4.0f) speed = speed * -0.5f + v[2];
    }
    put(o, place);
    put(o, speed);
}
__global__ void of_four(const float4 *v, float4 *o)
{
    const float4 a = v[0], b = v[1], c = v[2];
    o[0] = a * b + c;
    o[1] = c - a * b;
    o[2] = a * b + b * c;
    o[3] = a * b - b * c + c * a;
}
__global__ void of_complex(const float2 *v, const float *s, float2 *o)
{
    const float2 a = v[0], b = v[1], c = v[2];
    o[0] = a * s[0] + b;
    o[1] = a * b;
    o[2] = b - a * s[0];
}
__global__ void of_doubles(const double3 *v, const double *s, double3 *o)
{
    o[0] = v[0] * s[0] + v[1] * s[1];
    o[1] = v[2] + v[0] * s[2];
}

static double *doubles()
{
    double *found = nullptr;
    cudaMallocManaged(&found, 16 * sizeof(double));
    for (int i = 0; i < 16; ++i) found[i] = (double)((seed = seed * 1664525u + 1013904223u) >> 3) / 123456789.0 - 2.0;
    return found;
}

int main()
{
    seed = 11;
    float *out = nullptr;
    cudaMallocManaged(&out, 1024);
    for (int turn = 0; turn < 6; ++turn) {
        const float3 *three = (const float3 *)floats();
        const float4 *four = (const float4 *)floats();
        const float2 *two = (const float2 *)floats();
        const float *scalars = floats();
        const double3 *wide = (const double3 *)doubles();
        memset(out, 0, 1024);
        of_three<<<1, 1>>>(three, scalars, out);
        show("three", out, 42);
        in_turns<<<1, 1>>>(three, scalars, 7, out);
        show("turns", out, 6);
        of_four<<<1, 1>>>(four, (float4 *)out);
        show("four", out, 16);
        of_complex<<<1, 1>>>(two, scalars, (float2 *)out);
        show("complex", out, 6);
        of_doubles<<<1, 1>>>(wide, (const double *)(wide + 3), (double3 *)out);
        show("doubles", out, 12);
    }
    return 0;
}
