// cuRAND's device generators. Integers and uniform numbers are printed to the last bit, normal ones with four digits.
#include "api_print.h"
#include <curand_kernel.h>

struct Results {
    unsigned state[6], integers[6], poisson[6], four[4];
    float uniform[4], normal[4], log_normal;
    double uniform_double[2], normal_double[2];
};

template <class State> __device__ void common(State *s, Results *r)
{
    for (int i = 0; i < 6; ++i) r->integers[i] = curand(s);
    for (int i = 0; i < 4; ++i) r->uniform[i] = curand_uniform(s);
    for (int i = 0; i < 2; ++i) r->uniform_double[i] = curand_uniform_double(s);
    for (int i = 0; i < 3; ++i) r->normal[i] = curand_normal(s);
    r->normal[3] = curand_normal2(s).y;
    for (int i = 0; i < 2; ++i) r->normal_double[i] = curand_normal_double(s);
    r->log_normal = curand_log_normal(s, 1.0f, 0.5f);
    for (int i = 0; i < 6; ++i) r->poisson[i] = curand_poisson(s, 0.5 + 5 * i);
}
__global__ void xorwow(unsigned long long seed, unsigned long long sequence, unsigned long long offset, Results *r)
{
    curandStateXORWOW_t s;
    curand_init(seed, sequence, offset, &s);
    r->state[0] = s.d;
    for (int i = 0; i < 5; ++i) r->state[i + 1] = s.v[i];
    common(&s, r);
    skipahead(5ull, &s);
    r->four[0] = curand(&s);
    skipahead_sequence(3ull, &s);
    r->four[1] = curand(&s);
}
__global__ void philox(unsigned long long seed, unsigned long long sequence, unsigned long long offset, Results *r)
{
    curandStatePhilox4_32_10_t s;
    curand_init(seed, sequence, offset, &s);
    common(&s, r);
    const uint4 four = curand4(&s);
    const float4 u = curand_uniform4(&s);
    skipahead(7ull, &s);
    r->state[0] = curand(&s);
    skipahead_sequence(9ull, &s);
    r->state[1] = curand(&s);
    r->state[2] = r->state[3] = r->state[4] = r->state[5] = 0;
    r->four[0] = four.x, r->four[1] = four.y, r->four[2] = four.z, r->four[3] = four.w;
    r->uniform[0] = u.x, r->uniform[3] = u.w;
}
static void show(const char *name, unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                 const Results &r)
{
    printf("%s %llu %llu %llu:", name, seed, sequence, offset);
    for (unsigned x : r.state) printf(" %u", x);
    printf(" |");
    for (unsigned x : r.integers) printf(" %u", x);
    printf(" |");
    for (float x : r.uniform) printf(" %a", x);
    for (double x : r.uniform_double) printf(" %a", x);
    printf(" |");
    for (float x : r.normal) printf(" %.3e", x);
    for (double x : r.normal_double) printf(" %.10e", x);
    printf(" %.3e |", r.log_normal);
    for (unsigned x : r.poisson) printf(" %u", x);
    printf(" |");
    for (unsigned x : r.four) printf(" %u", x);
    printf("\n");
}

int main()
{
    const unsigned long long cases[][3] = {{0, 0, 0},    {1, 0, 0},           {2, 0, 0},       {1234, 0, 0},
                                           {1234, 1, 0}, {1234, 2, 0},        {1234, 1000, 0}, {1234, 1ull << 40, 0},
                                           {1234, 0, 1}, {1234, 3, 1000},     {7, 5, 1ull << 33}, {0xdeadbeefcafebabeull, 0, 0},
                                           {1ull << 32, 17, 5}};
    Results *r;
    MUST(cudaMallocManaged(&r, sizeof *r));
    for (const auto &c : cases) {
        memset(r, 0, sizeof *r);
        xorwow<<<1, 1>>>(c[0], c[1], c[2], r);
        MUST(cudaDeviceSynchronize());
        show("xorwow", c[0], c[1], c[2], *r);
        memset(r, 0, sizeof *r);
        philox<<<1, 1>>>(c[0], c[1], c[2], r);
        MUST(cudaDeviceSynchronize());
        show("philox", c[0], c[1], c[2], *r);
    }
}
