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

template <class Use, int Mm, int Nn, int Kk> struct Extent;
template <int Mm, int Nn, int Kk> struct Extent<matrix_a, Mm, Nn, Kk> { enum { rows = Mm, columns = Kk }; };
template <int Mm, int Nn, int Kk> struct Extent<matrix_b, Mm, Nn, Kk> { enum { rows = Kk, columns = Nn }; };
template <int Mm, int Nn, int Kk> struct Extent<accumulator, Mm, Nn, Kk> { enum { rows = Mm, columns = Nn }; };

template <int Mm, int Nn, int Kk, class T> struct Known { enum { value = 0 }; };
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

template <class Use, int Mm, int Nn, int Kk, class T, class Layout = void> class fragment {
  static_assert(Known<Mm, Nn, Kk, T>::value, "the emulator has no fragments of this shape and type");

 public:
  enum { rows = Extent<Use, Mm, Nn, Kk>::rows, columns = Extent<Use, Mm, Nn, Kk>::columns, num_elements = rows * columns / 32 };
  typedef T element_type;
  typedef typename Stored<T>::type storage_element_type;
  storage_element_type x[num_elements];
};

// Where a lane's element lies in memory.
template <class Ff> static inline unsigned at(int element, unsigned stride, bool by_rows) {
  const unsigned index = (unsigned)element * 32 + gpuopt_emu::lane(), row = index / Ff::columns, column = index % Ff::columns;
  return by_rows ? row * stride + column : column * stride + row;
}

template <class Use, int Mm, int Nn, int Kk, class T, class Layout>
static inline void fill_fragment(fragment<Use, Mm, Nn, Kk, T, Layout> &f, const typename Stored<T>::type &value) {
  for (int i = 0; i < f.num_elements; ++i) f.x[i] = value;
}

template <class Ff, class T> static inline void load_elements(Ff &f, const T *from, unsigned stride, bool by_rows) {
  __syncwarp();
  for (int i = 0; i < Ff::num_elements; ++i) f.x[i] = from[at<Ff>(i, stride, by_rows)];
  __syncwarp();
}
template <class Use, int Mm, int Nn, int Kk, class T>
static inline void load_matrix_sync(fragment<Use, Mm, Nn, Kk, T, row_major> &f, const typename Stored<T>::type *from,
                                    unsigned stride) {
  load_elements(f, from, stride, true);
}
template <class Use, int Mm, int Nn, int Kk, class T>
static inline void load_matrix_sync(fragment<Use, Mm, Nn, Kk, T, col_major> &f, const typename Stored<T>::type *from,
                                    unsigned stride) {
  load_elements(f, from, stride, false);
}
template <int Mm, int Nn, int Kk, class T>
static inline void load_matrix_sync(fragment<accumulator, Mm, Nn, Kk, T> &f, const T *from, unsigned stride,
                                    layout_t layout) {
  load_elements(f, from, stride, layout == mem_row_major);
}
template <int Mm, int Nn, int Kk, class T>
static inline void store_matrix_sync(T *to, const fragment<accumulator, Mm, Nn, Kk, T> &f, unsigned stride,
                                     layout_t layout) {
  typedef fragment<accumulator, Mm, Nn, Kk, T> Ff;
  __syncwarp();
  for (int i = 0; i < Ff::num_elements; ++i) to[at<Ff>(i, stride, layout == mem_row_major)] = f.x[i];
  __syncwarp();
}

// d = a * b + c, each element summed exactly (nearly so, in double) and rounded once.
template <int Mm, int Nn, int Kk, class Aa, class Bb, class Cc, class Dd, class LayoutA, class LayoutB>
static inline void mma_sync(fragment<accumulator, Mm, Nn, Kk, Dd> &d, const fragment<matrix_a, Mm, Nn, Kk, Aa, LayoutA> &a,
                            const fragment<matrix_b, Mm, Nn, Kk, Bb, LayoutB> &b,
                            const fragment<accumulator, Mm, Nn, Kk, Cc> &c, bool saturate = false) {
  typedef typename Stored<Aa>::type Left;
  typedef typename Stored<Bb>::type Right;
  struct Both {
    const Left *a;
    const Right *b;
  };
  Both mine = {a.x, b.x}, all[32];
  for (unsigned from = 0; from < 32; ++from)
    all[from] = gpuopt_emu::shuffle(gpuopt_emu::Shuffle::index, ~0u, mine, from, 32, 0);
  typename Stored<Dd>::sum sums[fragment<accumulator, Mm, Nn, Kk, Dd>::num_elements];
  for (int i = 0; i < d.num_elements; ++i) {
    const unsigned index = (unsigned)i * 32 + gpuopt_emu::lane(), row = index / Nn, column = index % Nn;
    sums[i] = Stored<Cc>::get(c.x[i]);
    for (unsigned k = 0; k < (unsigned)Kk; ++k) {
      const unsigned left = row * Kk + k, right = k * Nn + column;
      sums[i] += Stored<Aa>::get(all[left % 32].a[left / 32]) * Stored<Bb>::get(all[right % 32].b[right / 32]);
    }
  }
  __syncwarp();
  for (int i = 0; i < d.num_elements; ++i) d.x[i] = Stored<Dd>::put(sums[i], saturate);
}

static inline float __float_to_tf32(float value) {
  return gpuopt_emu::ptx::as<float>((gpuopt_emu::ptx::as<unsigned>(value) + 0x1000u) & ~0x1fffu);
}

}  // namespace wmma
}  // namespace nvcuda

#endif
