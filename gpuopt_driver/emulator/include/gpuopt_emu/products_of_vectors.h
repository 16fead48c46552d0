// Sums of float3 and its kind with a * fuse * b, rounded once where the program's own operators work member by member.
#ifndef GPUOPT_EMU_PRODUCTS_OF_VECTORS_H
#define GPUOPT_EMU_PRODUCTS_OF_VECTORS_H

#include "products.h"

namespace gpuopt_emu {

#define GPUOPT_EMU_SUM(op, code, minus_right, minus_added)                                                               \
  template <class Ss, class R, typename std::enable_if<IsMemberWise<*#op, R, Ss, R>::value, int>::type = 0>                \
  GPUOPT_EMU_AT_ONCE R operator op(const Ss &s, VectorProduct<R> p) {                                                     \
    return Members<R>::sum(minus_right(p.x), p.y, as_vector<R>(s));                                                      \
  }                                                                                                                      \
  template <class Ss, class R, typename std::enable_if<IsMemberWise<*#op, R, R, Ss>::value, int>::type = 0>                \
  GPUOPT_EMU_AT_ONCE R operator op(VectorProduct<R> p, const Ss &s) {                                                     \
    return Members<R>::sum(p.x, p.y, minus_added(as_vector<R>(s)));                                                      \
  }                                                                                                                      \
  template <class Ss, class R, typename std::enable_if<!IsMemberWise<*#op, R, Ss, R>::value, int>::type = 0>               \
  GPUOPT_EMU_AT_ONCE auto operator op(Ss &&s, VectorProduct<R> p) -> decltype(static_cast<Ss &&>(s) op p.x) {             \
    return static_cast<Ss &&>(s) op(R) p;                                                                                \
  }                                                                                                                      \
  template <class Ss, class R, typename std::enable_if<!IsMemberWise<*#op, R, R, Ss>::value, int>::type = 0>               \
  GPUOPT_EMU_AT_ONCE auto operator op(VectorProduct<R> p, Ss &&s) -> decltype(p.x op static_cast<Ss &&>(s)) {             \
    return (R)p op static_cast<Ss &&>(s);                                                                                \
  }                                                                                                                      \
  template <class R> GPUOPT_EMU_AT_ONCE auto operator op(VectorProduct<R> p, VectorProduct<R> q) -> decltype(p.x op q.x) { \
    return p op(R) q;                                                                                                    \
  }                                                                                                                      \
  template <class R, typename std::enable_if<MemberWise<code, R, R>::value, int>::type = 0>                               \
  GPUOPT_EMU_AT_ONCE R &operator op##=(R &s, VectorProduct<R> p) {                                                        \
    return s = Members<R>::sum(minus_right(p.x), p.y, s), s;                                                             \
  }                                                                                                                      \
  template <class Ss, class R, typename std::enable_if<!(std::is_same<Ss, R>::value && MemberWise<code, R, R>::value), int>::type = 0> \
  GPUOPT_EMU_AT_ONCE auto operator op##=(Ss &s, VectorProduct<R> p) -> decltype(s op##= p.x) { return s op##= (R)p; }
GPUOPT_EMU_SUM(+, 'p', , )
GPUOPT_EMU_SUM(-, 'm', Members<R>::negated, Members<R>::negated)
#undef GPUOPT_EMU_SUM

template <class R> GPUOPT_EMU_AT_ONCE VectorProduct<R> again(const R &, const VectorProduct<R> &product) { return product; }
#undef GPUOPT_EMU_AT_ONCE

}  // namespace gpuopt_emu

#endif
