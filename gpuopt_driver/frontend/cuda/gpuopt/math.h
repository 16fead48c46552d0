// Mathematical functions that only CUDA has; the standard ones come from the host's headers or from no_host.h.
#pragma once

#define GPUOPT_CUDA_MATH1(NAME) \
    GPUOPT_F1(float, float, NAME##f) \
    GPUOPT_F1(float, float, NAME) \
    GPUOPT_F1(double, double, NAME)
GPUOPT_CUDA_MATH1(rsqrt)
GPUOPT_CUDA_MATH1(rcbrt)
GPUOPT_CUDA_MATH1(sinpi)
GPUOPT_CUDA_MATH1(cospi)
GPUOPT_CUDA_MATH1(erfinv)
GPUOPT_CUDA_MATH1(erfcinv)
GPUOPT_CUDA_MATH1(erfcx)
GPUOPT_CUDA_MATH1(normcdf)
GPUOPT_CUDA_MATH1(normcdfinv)
GPUOPT_CUDA_MATH1(cyl_bessel_i0)
GPUOPT_CUDA_MATH1(cyl_bessel_i1)
GPUOPT_F2(float, float, rhypotf)
GPUOPT_F2(double, double, rhypot)
GPUOPT_F3(float, float, norm3df)
GPUOPT_F3(double, double, norm3d)
GPUOPT_F3(float, float, rnorm3df)
GPUOPT_F3(double, double, rnorm3d)
__device__ double norm4d(double, double, double, double);
__device__ double rnorm4d(double, double, double, double);
__device__ double norm(int, const double*);
__device__ double rnorm(int, const double*);
__device__ float normf(int, const float*);
__device__ float rnormf(int, const float*);
__device__ float norm4df(float, float, float, float);
__device__ float rnorm4df(float, float, float, float);
__device__ double fdivide(double, double);
__device__ void sincos(float, float*, float*);
__device__ void sincospi(float, float*, float*);
__device__ void sincospif(float, float*, float*);
__device__ void sincospi(double, double*, double*);

// glibc declares functions of these names too, hence the exact language linkage.
extern "C" {
float __expf(float) noexcept;
float __exp10f(float) noexcept;
float __logf(float) noexcept;
float __log2f(float) noexcept;
float __log10f(float) noexcept;
float __sinf(float) noexcept;
float __cosf(float) noexcept;
float __tanf(float) noexcept;
float __tanhf(float) noexcept;
float __powf(float, float) noexcept;
void __sincosf(float, float*, float*) noexcept;
}
float __saturatef(float);
float saturate(float);
float __fdividef(float, float);
float fdividef(float, float);
