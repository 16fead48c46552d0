#include "gpuopt_cuda.h"
