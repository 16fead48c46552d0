// What nvcc includes before every CUDA source: types, the runtime API with its C++ overloads, the device language.
#ifndef GPUOPT_CUDA_RUNTIME_H
#define GPUOPT_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ /* as programs ask for it */

// memcpy and its like are the compiler's own: check mode watches them where they are called, not in functions around them.
#undef _FORTIFY_SOURCE

#include "host_defines.h"
#include "cuda_runtime_api.h"
#include "vector_functions.h"
#include "driver_functions.h"

#ifdef __cplusplus
#include <utility> /* as CUDA's does it, in host sources, too */

#include "gpuopt_emu/runtime_templates.h"
#include "gpuopt_emu/graph_templates.h"
#include "gpuopt_emu/texture_templates.h"
#endif

#ifdef __CUDACC__
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <new>
#include <utility>

#include "gpuopt_emu/cccl.h"
#include "gpuopt_emu/conversions.h"
#include "gpuopt_emu/elements.h"
#include "gpuopt_emu/launch.h"
#include "gpuopt_emu/products_of_vectors.h"
#ifdef GPUOPT_EMU_FAST_MATH
#include "gpuopt_emu/quotients.h"
#endif
#include "gpuopt_emu/shared.h"
#include "gpuopt_emu/shifts.h"
#include "gpuopt_emu/sync.h"
#include "gpuopt_emu/warp.h"
#include "gpuopt_emu/meetings.h"
#include "gpuopt_emu/atomics.h"
#include "gpuopt_emu/intrinsics.h"
#include "gpuopt_emu/maths.h"
#include "gpuopt_emu/device_names.h"
#include "gpuopt_emu/memory.h"
#include "gpuopt_emu/ptx.h"
#include "gpuopt_emu/scoped_atomics.h"

static const int warpSize = 32;
#endif

#endif
