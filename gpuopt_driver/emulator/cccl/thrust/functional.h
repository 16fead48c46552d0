#include_next <thrust/functional.h>
#ifndef GPUOPT_EMU_IN_THRUST
#include <thrust/tuple.h>
#endif
