#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/universal_vector.h>
#include <gpuopt_thrust.h>
