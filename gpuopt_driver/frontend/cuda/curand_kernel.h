#pragma once
#include "gpuopt_cuda.h"
#pragma clang force_cuda_host_device begin

struct curandStateXORWOW { unsigned d, v[5]; };
typedef curandStateXORWOW curandState, curandState_t, curandStateXORWOW_t;
struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned STATE;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
struct curandStateMRG32k3a { unsigned s[12]; };
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
struct curandStateMtgp32 { unsigned s[1024]; };
typedef curandStateMtgp32 curandStateMtgp32_t;
struct curandStateSobol32 { unsigned i, x, c, directions[32]; };
typedef curandStateSobol32 curandStateSobol32_t;

template <class S> void curand_init(unsigned long long, unsigned long long, unsigned long long, S*);
template <class S> unsigned curand(S*);
template <class S> uint4 curand4(S*);
template <class S> float curand_uniform(S*);
template <class S> float4 curand_uniform4(S*);
template <class S> double curand_uniform_double(S*);
template <class S> double2 curand_uniform2_double(S*);
template <class S> float curand_normal(S*);
template <class S> float2 curand_normal2(S*);
template <class S> float4 curand_normal4(S*);
template <class S> double curand_normal_double(S*);
template <class S> float curand_log_normal(S*, float, float);
template <class S> unsigned curand_poisson(S*, double);
template <class S> void skipahead(unsigned long long, S*);

#pragma clang force_cuda_host_device end
