#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/device_new_allocator.h>
#include <gpuopt_thrust.h>
