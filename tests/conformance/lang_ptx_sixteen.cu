// Instructions of PTX on numbers of 16 bits and pairs of them.
#include "sweep.h"

#define A1(ins, to, T, from, a) ({ T r; asm(ins " %0, %1;" : "=" to(r) : from(a)); r; })
#define A2(ins, to, T, from, a, b) ({ T r; asm(ins " %0, %1, %2;" : "=" to(r) : from(a), from(b)); r; })
#define A3(ins, to, T, from, a, b, c) ({ T r; asm(ins " %0, %1, %2, %3;" : "=" to(r) : from(a), from(b), from(c)); r; })
#define SETP2(ins, from, a, b) ({ unsigned r; asm("{.reg .pred p; " ins " p, %1, %2; selp.u32 %0, 1, 0, p;}" : "=r"(r) : from(a), from(b)); r; })

typedef unsigned long long u64;

typedef unsigned short u16;

#define G1(ins) ordered(A1(ins, "h", u16, "h", (u16)x), ins)
#define G2(ins) ordered(A2(ins, "h", u16, "h", (u16)x, (u16)y), ins)
#define G3(ins) ordered(A3(ins, "h", u16, "h", (u16)x, (u16)y, (u16)z), ins)
#define P1(ins) ordered(A1(ins, "r", unsigned, "r", x), ins)
#define P2(ins) ordered(A2(ins, "r", unsigned, "r", x, y), ins)
#define P3(ins) ordered(A3(ins, "r", unsigned, "r", x, y, z), ins)
#define GF(ins) A1(ins, "f", float, "h", (u16)x)
#define GD(ins) A1(ins, "d", double, "h", (u16)x)
#define GW(ins) A1(ins, "r", unsigned, "h", (u16)x)
#define GH(ins) A1(ins, "h", u16, "h", (u16)x)
#define WG(ins) A1(ins, "h", u16, "r", x)
#define HG(ins) A1(ins, "h", u16, "h", (u16)x)
#define GSETP(ins) SETP2(ins, "h", (u16)x, (u16)y)

// What is not a number has one pattern; `b` in an instruction's name: bfloat16.
__device__ constexpr bool of_bfloat16(const char *ins) {
  for (; *ins; ++ins)
    if (*ins == 'b' && ins[1] == 'f') return true;
  return false;
}
__device__ unsigned ordered_half(unsigned v, unsigned least) { return (v & 0x7fff) > least ? 0x7fff : v; }
__device__ u16 ordered(u16 v, const char *ins) { return ordered_half(v, of_bfloat16(ins) ? 0x7f80 : 0x7c00); }
__device__ unsigned ordered(unsigned v, const char *ins) {
  const unsigned least = of_bfloat16(ins) ? 0x7f80 : 0x7c00;
  return ordered_half(v & 0xffff, least) | ordered_half(v >> 16, least) << 16;
}

#define SIXTEENS(X) \
  X(G2("add.rn.f16")) X(G2("sub.rn.f16")) X(G2("mul.rn.f16")) X(G2("min.f16")) X(G2("max.f16")) X(G2("min.NaN.f16")) X(G2("max.NaN.f16")) \
  X(G2("min.xorsign.abs.f16")) X(G1("abs.f16")) X(G1("neg.f16")) X(G3("fma.rn.f16")) X(G3("fma.rn.relu.f16")) X(P2("add.rn.f16x2")) \
  X(P2("sub.rn.f16x2")) X(P2("mul.rn.f16x2")) X(P2("min.f16x2")) X(P2("max.f16x2")) X(P2("min.NaN.f16x2")) X(P2("max.NaN.f16x2")) X(P1("abs.f16x2")) \
  X(P1("neg.f16x2")) X(P3("fma.rn.f16x2")) X(P3("fma.rn.relu.f16x2")) X(G2("add.rn.bf16")) X(G2("sub.rn.bf16")) X(G2("mul.rn.bf16")) X(G2("min.bf16")) \
  X(G2("max.bf16")) X(G2("min.NaN.bf16")) X(G2("max.NaN.bf16")) X(G2("min.xorsign.abs.bf16")) X(G1("abs.bf16")) X(G1("neg.bf16")) X(G3("fma.rn.bf16")) \
  X(G3("fma.rn.relu.bf16")) X(P2("add.rn.bf16x2")) X(P2("sub.rn.bf16x2")) X(P2("mul.rn.bf16x2")) X(P2("min.bf16x2")) X(P2("max.bf16x2")) \
  X(P2("min.NaN.bf16x2")) X(P2("max.NaN.bf16x2")) X(P1("abs.bf16x2")) X(P1("neg.bf16x2")) X(P3("fma.rn.bf16x2")) X(P3("fma.rn.relu.bf16x2")) \
  X(G2("add.f16")) X(G2("add.sat.f16")) X(G2("sub.sat.f16")) X(G2("mul.sat.f16")) X(G2("add.ftz.f16")) X(G2("min.ftz.f16")) X(G3("fma.rn.sat.f16")) \
  X(G3("fma.rn.ftz.f16")) X(P2("add.f16x2")) X(P2("add.sat.f16x2")) X(P3("fma.rn.sat.f16x2")) \
  X(G1("ex2.approx.ftz.bf16")) X(G1("tanh.approx.bf16")) X(G1("cvt.rni.f16.f16")) X(G1("cvt.rzi.f16.f16")) \
  X(G1("cvt.rmi.f16.f16")) X(P1("tanh.approx.f16x2")) X(P1("ex2.approx.ftz.bf16x2")) X(P1("tanh.approx.bf16x2")) \
  X(GF("cvt.f32.f16")) X(GF("cvt.f32.bf16")) X(GF("cvt.sat.f32.f16")) X(GD("cvt.f64.f16")) X(GW("cvt.rni.s32.f16")) X(GW("cvt.rni.u32.f16")) \
  X(GW("cvt.rzi.s32.f16")) X(GW("cvt.rzi.u32.f16")) X(GW("cvt.rmi.s32.f16")) X(GW("cvt.rmi.u32.f16")) X(GW("cvt.rpi.s32.f16")) X(GW("cvt.rpi.u32.f16")) \
  X(GH("cvt.rzi.s16.f16")) X(GH("cvt.rzi.u16.f16")) X(WG("cvt.rn.f16.s32")) X(WG("cvt.rn.f16.u32")) X(WG("cvt.rz.f16.s32")) X(WG("cvt.rz.f16.u32")) \
  X(WG("cvt.rm.f16.s32")) X(WG("cvt.rm.f16.u32")) X(WG("cvt.rp.f16.s32")) X(WG("cvt.rp.f16.u32")) X(HG("cvt.rn.f16.s16")) X(HG("cvt.rn.f16.u16")) \
  X(GSETP("setp.lt.f16")) X(GSETP("setp.geu.f16")) X(GSETP("setp.nan.f16")) X(GSETP("setp.lt.bf16"))

SWEEP(sixteens, unsigned, SIXTEENS)
int main(int argc, char **) { RUN_SWEEP(sixteens, argc > 1) }
