#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/device_ptr.h>
#include <gpuopt_thrust.h>
#ifndef GPUOPT_EMU_IN_THRUST
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/generate.h>
#include <thrust/transform.h>
#include <thrust/uninitialized_fill.h>
#endif
