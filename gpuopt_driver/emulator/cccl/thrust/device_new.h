#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/device_new.h>
#include <gpuopt_thrust.h>
