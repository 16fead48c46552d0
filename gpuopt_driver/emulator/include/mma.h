// Matrix fragments of a warp. A fragment's elements lie one after another over the lanes, row by row; CUDA leaves the
// order open, so that programs can count on nothing but that equal fragments have equal orders.
#ifndef GPUOPT_MMA_H
#define GPUOPT_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "gpuopt_emu/tensor.h"

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

// How elements are stored, what they are summed as, and a sum made one of them. `least`: the power of two of subnormal numbers.
template <class T> struct Stored;
struct OfFloats {
  typedef double sum;
  enum { terms = 16 };  // so many products are summed at once
};
template <> struct Stored<__half> : OfFloats {
  typedef __half type;
  static double get(__half v) { return __half2float(v); }
  static __half put(double v, bool) { return __ushort_as_half(gpuopt_emu::tensor::nearest_half(v)); }
  static double least() { return gpuopt_emu::tensor::HALF_LEAST; }
};
template <> struct Stored<__nv_bfloat16> : OfFloats {
  typedef __nv_bfloat16 type;
  static double get(__nv_bfloat16 v) { return __bfloat162float(v); }
  static double least() { return gpuopt_emu::tensor::FLOAT_LEAST; }
};
template <> struct Stored<precision::tf32> : OfFloats {
  typedef float type;
  enum { terms = 4 };
  static double get(float v) { return gpuopt_emu::ptx::as<float>(gpuopt_emu::ptx::as<unsigned>(v) & ~0x1fffu); }
  static double least() { return gpuopt_emu::tensor::FLOAT_LEAST; }
};
template <> struct Stored<float> : OfFloats {
  typedef float type;
  static double get(float v) { return v; }
  static float put(double v, bool) { return gpuopt_emu::tensor::cut(v); }
  static double least() { return gpuopt_emu::tensor::FLOAT_LEAST; }
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

// What a lane brings to an operation of the warp, and whether it was done for it: whoever goes on first does it for all.
template <class Ff> struct Part {
  Ff *f;
  bool done;
};
// Calls what is to be done with each lane's part, once for the warp.
template <class Mine, class Do> static inline __attribute__((always_inline)) void once(Mine &mine, Do do_it) {
  gpuopt_emu::Group *const group =
      gpuopt_emu::meet(gpuopt_emu::Meeting::shuffle, ~0u, (unsigned long long)reinterpret_cast<size_t>(&mine), 0);
  if (!mine.done) {
    const gpuopt_emu::Busy busy(gpuopt_emu::current->block);  // no other lane goes on meanwhile
    Mine *all[32];
    for (unsigned lane = 0; lane < 32; ++lane)
      all[lane] = group->arrived >> lane & 1 ? reinterpret_cast<Mine *>((size_t)group->value[lane]) : nullptr;
    do_it(all);
    for (Mine *one : all)
      if (one) one->done = true;
  }
  gpuopt_emu::part(group);
}

// Visits a fragment's elements in the order in which they lie over the lanes.
template <class Ff, class Visit>
static inline __attribute__((always_inline)) void each_element(unsigned stride, bool by_rows, Visit visit) {
  for (unsigned row = 0; row < (unsigned)Ff::rows; ++row)
    for (unsigned column = 0; column < (unsigned)Ff::columns; ++column)
      visit(row * Ff::columns + column, by_rows ? row * stride + column : column * stride + row);
}

template <class Ff, class T> static inline void load_elements(Ff &f, const T *from, unsigned stride, bool by_rows) {
  if (gpuopt_emu::INSTRUMENTED) {  // each lane's accesses are its own
    __syncwarp();
    for (int i = 0; i < Ff::num_elements; ++i) f.x[i] = from[at<Ff>(i, stride, by_rows)];
    __syncwarp();
    return;
  }
  Part<Ff> mine = {&f, false};
  once(mine, [=](Part<Ff> **all) {
    each_element<Ff>(stride, by_rows, [=](unsigned e, unsigned place) {
      if (all[e % 32]) all[e % 32]->f->x[e / 32] = from[place];
    });
  });
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
  if (gpuopt_emu::INSTRUMENTED) {
    __syncwarp();
    for (int i = 0; i < Ff::num_elements; ++i) to[at<Ff>(i, stride, layout == mem_row_major)] = f.x[i];
    __syncwarp();
    return;
  }
  Part<const Ff> mine = {&f, false};
  once(mine, [=](Part<const Ff> **all) {
    each_element<Ff>(stride, layout == mem_row_major, [=](unsigned e, unsigned place) {
      if (all[e % 32]) to[place] = all[e % 32]->f->x[e / 32];
    });
  });
}

// What mma_sync works on, in one lane.
template <class Left, class Right, class Third, class Result> struct Operands {
  const Left *a;
  const Right *b;
  const Third *c;
  Result *d;
  bool done;
};

// sums[row][column] += left[row][k] * right[k][column], of the types that As and Cs store.
template <class As, class Cs, int Mm, int Nn, int Kk, class Left, class Right, class Sum>
static inline void add_products(const Left *left, const Right *right, Sum *sums, std::false_type) {
  for (int row = 0; row < Mm; ++row)
    for (int k = 0; k < Kk; ++k)
      for (int column = 0; column < Nn; ++column)
        sums[row * Nn + column] = gpuopt_emu::tensor::add_product(left[row * Kk + k], right[k * Nn + column], sums[row * Nn + column]);
}
template <class As, class Cs, int Mm, int Nn, int Kk>
static inline void add_products(const double *left, const double *right, double *sums, std::true_type) {
  double left_power[Mm * Kk], right_power[Kk * Nn];
  const bool finite = gpuopt_emu::tensor::powers<Mm * Kk>(left, left_power, As::least()) &
                      gpuopt_emu::tensor::powers<Kk * Nn>(right, right_power, As::least()) &
                      gpuopt_emu::tensor::all_finite<Mm * Nn>(sums);
  enum { step = As::terms < Kk ? As::terms : Kk };
  for (int row = 0; row < Mm; ++row)
    for (int k = 0; k < Kk; k += step) {
      const double *const a = left + row * Kk + k, *const a_power = left_power + row * Kk + k;
      const double *const b = right + k * Nn, *const b_power = right_power + k * Nn;
      double *const c = sums + row * Nn;
      if (k)
        for (int column = 0; column < Nn; ++column) c[column] = gpuopt_emu::tensor::cut(c[column]);
      if (finite)
        gpuopt_emu::tensor::add_products<step, Nn>(a, a_power, b, b_power, c, Cs::least());
      else
        gpuopt_emu::tensor::add_any_products<step, Nn>(a, a_power, b, b_power, c, Cs::least());
    }
}

// d = a * b + c, as tensor cores sum (gpuopt_emu/tensor.h): for the whole warp.
template <int Mm, int Nn, int Kk, class Aa, class Bb, class Cc, class Dd, class Mine>
GPUOPT_EMU_DEVICE static __attribute__((noinline)) void multiply(Mine *const *all, bool saturate) {
  typedef typename Stored<Dd>::sum Sum;
  decltype(Stored<Aa>::get(*all[0]->a)) left[Mm * Kk];
  decltype(Stored<Bb>::get(*all[0]->b)) right[Kk * Nn];
  for (unsigned e = 0; e < (unsigned)(Mm * Kk); ++e) left[e] = all[e % 32] ? Stored<Aa>::get(all[e % 32]->a[e / 32]) : 0;
  for (unsigned e = 0; e < (unsigned)(Kk * Nn); ++e) right[e] = all[e % 32] ? Stored<Bb>::get(all[e % 32]->b[e / 32]) : 0;
  Sum sums[Mm * Nn];
  for (unsigned e = 0; e < (unsigned)(Mm * Nn); ++e) sums[e] = all[e % 32] ? (Sum)Stored<Cc>::get(all[e % 32]->c[e / 32]) : 0;
  add_products<Stored<Aa>, Stored<Cc>, Mm, Nn, Kk>(left, right, sums, std::is_base_of<OfFloats, Stored<Aa>>());
  for (unsigned e = 0; e < (unsigned)(Mm * Nn); ++e)
    if (all[e % 32]) all[e % 32]->d[e / 32] = Stored<Dd>::put(sums[e], saturate);
}

// The same for one lane's elements, of what all lanes have of a and b.
template <int Mm, int Nn, int Kk, class Aa, class Bb, class Cc, class Dd, class Left, class Right>
static inline void multiply_own(typename Stored<Dd>::type *d, const Left *a, const Right *b, const typename Stored<Cc>::type *c,
                                bool saturate) {
  enum { a_count = Mm * Kk / 32, b_count = Kk * Nn / 32 };
  struct Both {
    Left a[a_count];
    Right b[b_count];
  };
  enum { words = (sizeof(Both) + 7) / 8 };
  Both both;
  for (int i = 0; i < a_count; ++i) both.a[i] = a[i];
  for (int i = 0; i < b_count; ++i) both.b[i] = b[i];
  unsigned long long mine[words] = {}, given[32][words];
  memcpy(mine, &both, sizeof both);
  gpuopt_emu::exchange(mine, given);
  Both all[32];
  for (int from = 0; from < 32; ++from) memcpy((void *)&all[from], given[from], sizeof both);
  for (unsigned i = 0; i < (unsigned)(Mm * Nn / 32); ++i) {
    const unsigned index = i * 32 + gpuopt_emu::lane(), row = index / Nn, column = index % Nn;
    typename Stored<Dd>::sum sum = Stored<Cc>::get(c[i]);
    decltype(Stored<Aa>::get(*a)) left[Kk];
    decltype(Stored<Bb>::get(*b)) right[Kk];
    for (unsigned k = 0; k < (unsigned)Kk; ++k) {
      const unsigned of_a = row * Kk + k, of_b = k * Nn + column;
      left[k] = Stored<Aa>::get(all[of_a % 32].a[of_a / 32]);
      right[k] = Stored<Bb>::get(all[of_b % 32].b[of_b / 32]);
    }
    add_products<Stored<Aa>, Stored<Cc>, 1, 1, Kk>(left, right, &sum, std::is_base_of<OfFloats, Stored<Aa>>());
    d[i] = Stored<Dd>::put(sum, saturate);
  }
}

template <int Mm, int Nn, int Kk, class Aa, class Bb, class Cc, class Dd, class LayoutA, class LayoutB>
static inline void mma_sync(fragment<accumulator, Mm, Nn, Kk, Dd> &d, const fragment<matrix_a, Mm, Nn, Kk, Aa, LayoutA> &a,
                            const fragment<matrix_b, Mm, Nn, Kk, Bb, LayoutB> &b,
                            const fragment<accumulator, Mm, Nn, Kk, Cc> &c, bool saturate = false) {
  typedef Operands<typename Stored<Aa>::type, typename Stored<Bb>::type, typename Stored<Cc>::type, typename Stored<Dd>::type> Mine;
  if (gpuopt_emu::INSTRUMENTED)  // in model mode lanes have one stack, on which none finds what is another's
    return multiply_own<Mm, Nn, Kk, Aa, Bb, Cc, Dd>(d.x, a.x, b.x, c.x, saturate);
  Mine mine = {a.x, b.x, c.x, d.x, false};
  once(mine, [=](Mine **all) { multiply<Mm, Nn, Kk, Aa, Bb, Cc, Dd>(all, saturate); });
}

static inline float __float_to_tf32(float value) {
  return gpuopt_emu::ptx::as<float>((gpuopt_emu::ptx::as<unsigned>(value) + 0x1000u) & ~0x1fffu);
}

}  // namespace wmma
}  // namespace nvcuda

#endif
