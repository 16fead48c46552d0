#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/device_vector.h>
#include <gpuopt_thrust.h>
#ifndef GPUOPT_EMU_IN_THRUST
#include <thrust/mr/host_memory_resource.h>
#endif
