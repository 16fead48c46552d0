// What thrust's headers bring along where its algorithms run on a GPU, and not with the backend for CPUs that they have
// here: programs count on it. It comes behind the outermost of them, so that none is read in the middle of another one.
// The headers in thrust/ stand before CCCL's own.
#ifdef GPUOPT_EMU_IN_THRUST
#include_next GPUOPT_EMU_THRUST
#else
#define GPUOPT_EMU_IN_THRUST
#include_next GPUOPT_EMU_THRUST
#include <array>
#include <atomic>
#include <chrono>
#include <iostream>
#include <thrust/advance.h>
#include <thrust/distance.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#if __has_include(<thrust/iterator/tabulate_output_iterator.h>)  // since CCCL 2.6
#include <thrust/iterator/tabulate_output_iterator.h>
#endif
#include <thrust/iterator/zip_iterator.h>
#include <thrust/pair.h>
#include <thrust/swap.h>
#include <thrust/system_error.h>
#include <thrust/tuple.h>
#include <thrust/type_traits/integer_sequence.h>
#include <thrust/type_traits/is_contiguous_iterator.h>
#include <thrust/type_traits/is_trivially_relocatable.h>
#if __has_include(<thrust/type_traits/unwrap_contiguous_iterator.h>)  // since CCCL 3.0
#include <thrust/type_traits/unwrap_contiguous_iterator.h>
#endif
#include <thrust/zip_function.h>
#undef GPUOPT_EMU_IN_THRUST
#ifndef GPUOPT_EMU_THRUST_NOTED
#define GPUOPT_EMU_THRUST_NOTED
extern "C" {
__attribute__((weak)) int gpuopt_emu_thrust = 1;  // for the runtime: thrust's vectors lie in the program's own memory
}
#endif
#endif
