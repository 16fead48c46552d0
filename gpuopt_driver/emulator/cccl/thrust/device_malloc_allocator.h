#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/device_malloc_allocator.h>
#include <gpuopt_thrust.h>
