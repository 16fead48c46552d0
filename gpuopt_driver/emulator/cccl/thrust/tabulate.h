#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/tabulate.h>
#include <gpuopt_thrust.h>
