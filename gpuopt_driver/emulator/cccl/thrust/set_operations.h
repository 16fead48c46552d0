#undef GPUOPT_EMU_THRUST
#define GPUOPT_EMU_THRUST <thrust/set_operations.h>
#include <gpuopt_thrust.h>
#ifndef GPUOPT_EMU_IN_THRUST
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/generate.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/memory.h>
#include <thrust/merge.h>
#include <thrust/reduce.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/transform_reduce.h>
#include <thrust/uninitialized_fill.h>
#endif
