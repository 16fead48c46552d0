// Matrix fragments of a warp, declared where no toolkit has them.
#ifndef GPUOPT_MMA_DECLARATIONS
#define GPUOPT_MMA_DECLARATIONS
#if __has_include_next(<mma.h>)
#include_next <mma.h>
#else

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

template <class T> struct stored { typedef T type; };
template <> struct stored<precision::tf32> { typedef float type; };
template <class Use, int M, int N, int K> struct extent { enum { elements = M * N / 32 }; };
template <int M, int N, int K> struct extent<matrix_a, M, N, K> { enum { elements = M * K / 32 }; };
template <int M, int N, int K> struct extent<matrix_b, M, N, K> { enum { elements = K * N / 32 }; };

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment {
 public:
  enum { num_elements = extent<Use, M, N, K>::elements };
  typedef T element_type;
  typedef typename stored<T>::type storage_element_type;
  storage_element_type x[num_elements];
};

template <class Use, int M, int N, int K, class T, class Layout, class V>
__device__ void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, const V &value);
template <class Use, int M, int N, int K, class T, class Layout>
__device__ void load_matrix_sync(fragment<Use, M, N, K, T, Layout> &f, const typename stored<T>::type *from, unsigned stride);
template <int M, int N, int K, class T>
__device__ void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *from, unsigned stride, layout_t layout);
template <int M, int N, int K, class T>
__device__ void store_matrix_sync(T *to, const fragment<accumulator, M, N, K, T> &f, unsigned stride, layout_t layout);
template <int M, int N, int K, class A, class B, class C, class D, class LayoutA, class LayoutB>
__device__ void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, A, LayoutA> &a,
                         const fragment<matrix_b, M, N, K, B, LayoutB> &b, const fragment<accumulator, M, N, K, C> &c,
                         bool saturate = false);
__device__ float __float_to_tf32(float value);

}  // namespace wmma
}  // namespace nvcuda

#endif
#endif
