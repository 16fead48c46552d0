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

template <class State_> void curand_init(unsigned long long, unsigned long long, unsigned long long, State_*);
template <class State_> unsigned curand(State_*);
template <class State_> uint4 curand4(State_*);
template <class State_> float curand_uniform(State_*);
template <class State_> float4 curand_uniform4(State_*);
template <class State_> double curand_uniform_double(State_*);
template <class State_> double2 curand_uniform2_double(State_*);
template <class State_> float curand_normal(State_*);
template <class State_> float2 curand_normal2(State_*);
template <class State_> float4 curand_normal4(State_*);
template <class State_> double curand_normal_double(State_*);
template <class State_> float curand_log_normal(State_*, float, float);
template <class State_> unsigned curand_poisson(State_*, double);
template <class State_> void skipahead(unsigned long long, State_*);

#pragma clang force_cuda_host_device end
