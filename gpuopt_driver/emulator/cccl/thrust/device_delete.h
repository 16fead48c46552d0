#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/device_delete.h>
#include <gpuopt_thrust.h>
