// Sums of float3 and its kind with a * fuse * b, rounded once where the program's own operators work member by member.
#ifndef GPUOPT_EMU_PRODUCTS_OF_VECTORS_H
#define GPUOPT_EMU_PRODUCTS_OF_VECTORS_H

#include "products.h"

namespace gpuopt_emu {

#define GPUOPT_EMU_SUM(op, code, minus_right, minus_added)                                                               \
  template <class Ss, class Rr, typename std::enable_if<IsMemberWise<*#op, Rr, Ss, Rr>::value, int>::type = 0>                \
  GPUOPT_EMU_AT_ONCE Rr operator op(const Ss &s, VectorProduct<Rr> p) {                                                     \
    return Members<Rr>::sum(minus_right(p.x), p.y, as_vector<Rr>(s));                                                      \
  }                                                                                                                      \
  template <class Ss, class Rr, typename std::enable_if<IsMemberWise<*#op, Rr, Rr, Ss>::value, int>::type = 0>                \
  GPUOPT_EMU_AT_ONCE Rr operator op(VectorProduct<Rr> p, const Ss &s) {                                                     \
    return Members<Rr>::sum(p.x, p.y, minus_added(as_vector<Rr>(s)));                                                      \
  }                                                                                                                      \
  template <class Ss, class Rr, typename std::enable_if<!IsMemberWise<*#op, Rr, Ss, Rr>::value, int>::type = 0>               \
  GPUOPT_EMU_AT_ONCE auto operator op(Ss &&s, VectorProduct<Rr> p) -> decltype(static_cast<Ss &&>(s) op p.x) {             \
    return static_cast<Ss &&>(s) op(Rr) p;                                                                                \
  }                                                                                                                      \
  template <class Ss, class Rr, typename std::enable_if<!IsMemberWise<*#op, Rr, Rr, Ss>::value, int>::type = 0>               \
  GPUOPT_EMU_AT_ONCE auto operator op(VectorProduct<Rr> p, Ss &&s) -> decltype(p.x op static_cast<Ss &&>(s)) {             \
    return (Rr)p op static_cast<Ss &&>(s);                                                                                \
  }                                                                                                                      \
  template <class Rr> GPUOPT_EMU_AT_ONCE auto operator op(VectorProduct<Rr> p, VectorProduct<Rr> q) -> decltype(p.x op q.x) { \
    return p op(Rr) q;                                                                                                    \
  }                                                                                                                      \
  template <class Rr, typename std::enable_if<MemberWise<code, Rr, Rr>::value, int>::type = 0>                               \
  GPUOPT_EMU_AT_ONCE Rr &operator op##=(Rr &s, VectorProduct<Rr> p) {                                                        \
    return s = Members<Rr>::sum(minus_right(p.x), p.y, s), s;                                                             \
  }                                                                                                                      \
  template <class Ss, class Rr, typename std::enable_if<!(std::is_same<Ss, Rr>::value && MemberWise<code, Rr, Rr>::value), int>::type = 0> \
  GPUOPT_EMU_AT_ONCE auto operator op##=(Ss &s, VectorProduct<Rr> p) -> decltype(s op##= p.x) { return s op##= (Rr)p; }
GPUOPT_EMU_SUM(+, 'p', , )
GPUOPT_EMU_SUM(-, 'm', Members<Rr>::negated, Members<Rr>::negated)
#undef GPUOPT_EMU_SUM

template <class Rr> GPUOPT_EMU_AT_ONCE VectorProduct<Rr> again(const Rr &, const VectorProduct<Rr> &product) { return product; }
#undef GPUOPT_EMU_AT_ONCE

}  // namespace gpuopt_emu

#endif
