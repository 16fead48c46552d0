// Matrix fragments of a warp. A fragment's elements lie one after another over the lanes, row by row; CUDA leaves the
// order open, so that programs can count on nothing but that equal fragments have equal orders.
#ifndef GPUOPT_MMA_H
#define GPUOPT_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}

// How elements are stored, and with what products and sums of them are computed.
template <class T> struct Stored;
template <> struct Stored<__half> {
  typedef __half type;
  typedef double sum;
  static double get(__half v) { return __half2float(v); }
  static __half put(double v, bool) { return __float2half((float)v); }
};
template <> struct Stored<__nv_bfloat16> {
  typedef __nv_bfloat16 type;
  static double get(__nv_bfloat16 v) { return __bfloat162float(v); }
};
template <> struct Stored<precision::tf32> {
  typedef float type;
  static double get(float v) { return gpuopt_emu::ptx::as<float>(gpuopt_emu::ptx::as<unsigned>(v) & ~0x1fffu); }
};
template <> struct Stored<float> {
  typedef float type;
  typedef double sum;
  static double get(float v) { return v; }
  static float put(double v, bool) { return (float)v; }
};
template <> struct Stored<double> {
  typedef double type;
  typedef double sum;
  static double get(double v) { return v; }
  static double put(double v, bool) { return v; }
};
template <> struct Stored<signed char> {
  typedef signed char type;
  static int get(signed char v) { return v; }
};
template <> struct Stored<unsigned char> {
  typedef unsigned char type;
  static int get(unsigned char v) { return v; }
};
template <> struct Stored<int> {
  typedef int type;
  typedef long long sum;
  static long long get(int v) { return v; }
  static int put(long long v, bool saturate) {
    return saturate && v > 0x7fffffffll ? 0x7fffffff : saturate && v < -0x80000000ll ? (int)0x80000000 : (int)v;
  }
};

template <class Use, int M, int N, int K> struct Extent;
template <int M, int N, int K> struct Extent<matrix_a, M, N, K> { enum { rows = M, columns = K }; };
template <int M, int N, int K> struct Extent<matrix_b, M, N, K> { enum { rows = K, columns = N }; };
template <int M, int N, int K> struct Extent<accumulator, M, N, K> { enum { rows = M, columns = N }; };

template <int M, int N, int K, class T> struct Known { enum { value = 0 }; };
#define GPUOPT_EMU_KNOWN(m, n, k, T) template <> struct Known<m, n, k, T> { enum { value = 1 }; }
#define GPUOPT_EMU_KNOWN_16(T)     \
  GPUOPT_EMU_KNOWN(16, 16, 16, T); \
  GPUOPT_EMU_KNOWN(32, 8, 16, T);  \
  GPUOPT_EMU_KNOWN(8, 32, 16, T)
GPUOPT_EMU_KNOWN_16(__half);
GPUOPT_EMU_KNOWN_16(__nv_bfloat16);
GPUOPT_EMU_KNOWN_16(signed char);
GPUOPT_EMU_KNOWN_16(unsigned char);
GPUOPT_EMU_KNOWN_16(float);
GPUOPT_EMU_KNOWN_16(int);
GPUOPT_EMU_KNOWN(16, 16, 8, precision::tf32);
GPUOPT_EMU_KNOWN(16, 16, 8, float);
GPUOPT_EMU_KNOWN(8, 8, 4, double);
#undef GPUOPT_EMU_KNOWN
#undef GPUOPT_EMU_KNOWN_16

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment {
  static_assert(Known<M, N, K, T>::value, "the emulator has no fragments of this shape and type");

 public:
  enum { rows = Extent<Use, M, N, K>::rows, columns = Extent<Use, M, N, K>::columns, num_elements = rows * columns / 32 };
  typedef T element_type;
  typedef typename Stored<T>::type storage_element_type;
  storage_element_type x[num_elements];
};

// Where a lane's element lies in memory.
template <class F> static inline unsigned at(int element, unsigned stride, bool by_rows) {
  const unsigned index = (unsigned)element * 32 + gpuopt_emu::lane(), row = index / F::columns, column = index % F::columns;
  return by_rows ? row * stride + column : column * stride + row;
}

template <class Use, int M, int N, int K, class T, class Layout>
static inline void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, const typename Stored<T>::type &value) {
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = value;
}

template <class F, class T> static inline void load_elements(F &f, const T *from, unsigned stride, bool by_rows) {
  __syncwarp();
  for (int i = 0; i < F::num_elements; ++i) f.x[i] = from[at<F>(i, stride, by_rows)];
  __syncwarp();
}
template <class Use, int M, int N, int K, class T>
static inline void load_matrix_sync(fragment<Use, M, N, K, T, row_major> &f, const typename Stored<T>::type *from,
                                    unsigned stride) {
  load_elements(f, from, stride, true);
}
template <class Use, int M, int N, int K, class T>
static inline void load_matrix_sync(fragment<Use, M, N, K, T, col_major> &f, const typename Stored<T>::type *from,
                                    unsigned stride) {
  load_elements(f, from, stride, false);
}
template <int M, int N, int K, class T>
static inline void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *from, unsigned stride,
                                    layout_t layout) {
  load_elements(f, from, stride, layout == mem_row_major);
}
template <int M, int N, int K, class T>
static inline void store_matrix_sync(T *to, const fragment<accumulator, M, N, K, T> &f, unsigned stride,
                                     layout_t layout) {
  typedef fragment<accumulator, M, N, K, T> F;
  __syncwarp();
  for (int i = 0; i < F::num_elements; ++i) to[at<F>(i, stride, layout == mem_row_major)] = f.x[i];
  __syncwarp();
}

// d = a * b + c, each element summed exactly (nearly so, in double) and rounded once.
template <int M, int N, int K, class A, class B, class C, class D, class LayoutA, class LayoutB>
static inline void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, A, LayoutA> &a,
                            const fragment<matrix_b, M, N, K, B, LayoutB> &b,
                            const fragment<accumulator, M, N, K, C> &c, bool saturate = false) {
  typedef typename Stored<A>::type Left;
  typedef typename Stored<B>::type Right;
  struct Both {
    const Left *a;
    const Right *b;
  };
  Both mine = {a.x, b.x}, all[32];
  for (unsigned from = 0; from < 32; ++from)
    all[from] = gpuopt_emu::shuffle(gpuopt_emu::Shuffle::index, ~0u, mine, from, 32, 0);
  typename Stored<D>::sum sums[fragment<accumulator, M, N, K, D>::num_elements];
  for (int i = 0; i < d.num_elements; ++i) {
    const unsigned index = (unsigned)i * 32 + gpuopt_emu::lane(), row = index / N, column = index % N;
    sums[i] = Stored<C>::get(c.x[i]);
    for (unsigned k = 0; k < (unsigned)K; ++k) {
      const unsigned left = row * K + k, right = k * N + column;
      sums[i] += Stored<A>::get(all[left % 32].a[left / 32]) * Stored<B>::get(all[right % 32].b[right / 32]);
    }
  }
  __syncwarp();
  for (int i = 0; i < d.num_elements; ++i) d.x[i] = Stored<D>::put(sums[i], saturate);
}

static inline float __float_to_tf32(float value) {
  return gpuopt_emu::ptx::as<float>((gpuopt_emu::ptx::as<unsigned>(value) + 0x1000u) & ~0x1fffu);
}

}  // namespace wmma
}  // namespace nvcuda

#endif
