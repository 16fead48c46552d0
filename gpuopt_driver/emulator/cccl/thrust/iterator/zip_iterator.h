#include_next <thrust/iterator/zip_iterator.h>
#ifndef GPUOPT_EMU_IN_THRUST
#include <thrust/advance.h>
#include <thrust/pair.h>
#include <thrust/tuple.h>
#include <thrust/type_traits/integer_sequence.h>
#endif
