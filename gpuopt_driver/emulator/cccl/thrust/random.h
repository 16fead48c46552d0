#include_next <thrust/random.h>
#ifndef GPUOPT_EMU_IN_THRUST
#include <thrust/pair.h>
#endif
