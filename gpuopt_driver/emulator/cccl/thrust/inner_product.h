#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/inner_product.h>
#include <gpuopt_thrust.h>
