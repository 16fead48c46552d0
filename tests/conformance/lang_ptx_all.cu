// Instructions of PTX that compute, compare and convert, in all types.
#include "sweep.h"

#define A1(ins, to, T, from, a) ({ T r; asm(ins " %0, %1;" : "=" to(r) : from(a)); r; })
#define A2(ins, to, T, from, a, b) ({ T r; asm(ins " %0, %1, %2;" : "=" to(r) : from(a), from(b)); r; })
#define A3(ins, to, T, from, a, b, c) ({ T r; asm(ins " %0, %1, %2, %3;" : "=" to(r) : from(a), from(b), from(c)); r; })
#define SETP2(ins, from, a, b) ({ unsigned r; asm("{.reg .pred p; " ins " p, %1, %2; selp.u32 %0, 1, 0, p;}" : "=r"(r) : from(a), from(b)); r; })
#define TEST(ins, from, a) ({ unsigned r; asm("{.reg .pred p; " ins " p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(r) : from(a)); r; })

#define W1(ins) A1(ins, "r", unsigned, "r", x)
#define W2(ins) A2(ins, "r", unsigned, "r", x, y)
#define W2D(ins) A2(ins, "r", unsigned, "r", x, (y & 0x7fffffff) | 1)
#define W3(ins) A3(ins, "r", unsigned, "r", x, y, z)
#define LOP3(table) ({ unsigned r; asm("lop3.b32 %0, %1, %2, %3, " #table ";" : "=r"(r) : "r"(x), "r"(y), "r"(z)); r; })
#define BFI32 ({ unsigned r; asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(y), "r"(z % 40), "r"(w % 40)); r; })
#define WPK(ins) A3(ins, "r", unsigned, "r", (int)x >> 20, (int)y >> z % 32, z)
#define WPK2(ins) A2(ins, "r", unsigned, "r", (int)x >> 12, (int)y >> z % 32)
#define WF(ins) A1(ins, "f", float, "r", x)
#define WD(ins) A1(ins, "d", double, "r", x)

typedef unsigned long long u64;
#define LF(ins) A1(ins, "f", float, "l", x)
#define LD(ins) A1(ins, "d", double, "l", x)
#define L1(ins) A1(ins, "l", u64, "l", x)
#define LW1(ins) A1(ins, "r", unsigned, "l", x)
#define L2(ins) A2(ins, "l", u64, "l", x, y)
#define L2D(ins) A2(ins, "l", u64, "l", x, (y & ~(1ull << 63)) | 1)
#define L3(ins) A3(ins, "l", u64, "l", x, y, z)
#define LSH(ins) ({ u64 r; asm(ins " %0, %1, %2;" : "=l"(r) : "l"(x), "r"((unsigned)y % 80)); r; })
#define LBFE(ins) ({ u64 r; asm(ins " %0, %1, %2, %3;" : "=l"(r) : "l"(x), "r"((unsigned)y % 80), "r"((unsigned)z % 80)); r; })
#define BFI64 ({ u64 r; asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(r) : "l"(x), "l"(y), "r"((unsigned)z % 80), "r"((unsigned)w % 80)); r; })
#define LWIDE(ins) ({ u64 r; asm(ins " %0, %1, %2;" : "=l"(r) : "r"((unsigned)x), "r"((unsigned)y)); r; })
#define LWIDE3(ins) ({ u64 r; asm(ins " %0, %1, %2, %3;" : "=l"(r) : "r"((unsigned)x), "r"((unsigned)y), "l"(z)); r; })
#define CARRY(first, second) ({ unsigned r, s; asm(first " %0, %2, %3; " second " %1, %4, %5;" : "=r"(r), "=r"(s) : "r"((unsigned)x), "r"((unsigned)y), "r"((unsigned)(x >> 32)), "r"((unsigned)(y >> 32))); (u64)s << 32 | r; })
#define ADDC CARRY("add.cc.u32", "addc.u32")
#define SUBC CARRY("sub.cc.u32", "subc.u32")
#define MADC ({ unsigned r, s; asm("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %5;" : "=r"(r), "=r"(s) : "r"((unsigned)x), "r"((unsigned)y), "r"((unsigned)z), "r"((unsigned)w)); (u64)s << 32 | r; })

typedef unsigned short u16;
#define H1(ins) A1(ins, "h", u16, "h", (u16)x)
#define H2(ins) A2(ins, "h", u16, "h", (u16)x, (u16)y)
#define H3(ins) A3(ins, "h", u16, "h", (u16)x, (u16)y, (u16)z)
#define HSH(ins) ({ u16 r; asm(ins " %0, %1, %2;" : "=h"(r) : "h"((u16)x), "r"(y % 20)); r; })
#define HW(ins) ({ unsigned r; asm(ins " %0, %1, %2;" : "=r"(r) : "h"((u16)x), "h"((u16)y)); r; })

#define F1(ins) A1(ins, "f", float, "f", x)
#define F2(ins) A2(ins, "f", float, "f", x, y)
#define F3(ins) A3(ins, "f", float, "f", x, y, z)
#define FW(ins) A1(ins, "r", unsigned, "f", x)
#define FL(ins) A1(ins, "l", u64, "f", x)
#define FH(ins) ordered(A1(ins, "h", u16, "f", x), ins)
#define FP(ins) ordered(A2(ins, "r", unsigned, "f", x, y), ins)

#define FTEST(ins) TEST(ins, "f", x)
#define FSETP(ins) SETP2(ins, "f", x, y)
#define FSET(ins) A2(ins, "r", unsigned, "f", x, y)
#define FSLCT ({ float r; asm("slct.f32.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(z)); r; })
#define D1(ins) A1(ins, "d", double, "d", x)
#define D2(ins) A2(ins, "d", double, "d", x, y)
#define D3(ins) A3(ins, "d", double, "d", x, y, z)
#define DW(ins) A1(ins, "r", unsigned, "d", x)
#define DL(ins) A1(ins, "l", u64, "d", x)
#define DF(ins) A1(ins, "f", float, "d", x)
#define DH(ins) ordered(A1(ins, "h", u16, "d", x), ins)
#define DTEST(ins) TEST(ins, "d", x)
#define DSETP(ins) SETP2(ins, "d", x, y)

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

#define WORDS(X) \
  X(W1("abs.s32")) X(W1("neg.s32")) X(W1("not.b32")) X(W1("cnot.b32")) X(W1("popc.b32")) X(W1("clz.b32")) X(W1("brev.b32")) X(W1("bfind.u32")) \
  X(W1("bfind.s32")) X(W1("bfind.shiftamt.u32")) X(W1("bfind.shiftamt.s32")) X(W1("mov.b32")) X(W1("cvt.u32.u8")) X(W1("cvt.s32.s8")) \
  X(W1("cvt.u32.u16")) X(W1("cvt.s32.s16")) X(W1("cvt.sat.u8.u32")) X(W1("cvt.sat.s8.s32")) X(W1("cvt.sat.u16.s32")) X(W1("cvt.sat.s16.s32")) \
  X(W1("cvt.sat.u32.s32")) X(W1("cvt.sat.s32.u32")) X(W2("add.u32")) X(W2("sub.u32")) X(W2("add.sat.s32")) X(W2("sub.sat.s32")) X(W2("mul.lo.u32")) \
  X(W2("mul.hi.u32")) X(W2("mul.hi.s32")) X(W2("mul24.lo.u32")) X(W2("mul24.lo.s32")) X(W2("mul24.hi.u32")) X(W2("mul24.hi.s32")) X(W2("min.s32")) \
  X(W2("min.u32")) X(W2("max.s32")) X(W2("max.u32")) X(W2("and.b32")) X(W2("or.b32")) X(W2("xor.b32")) X(W2("shl.b32")) X(W2("shr.u32")) \
  X(W2("shr.s32")) X(W2("bmsk.clamp.b32")) X(W2("bmsk.wrap.b32")) X(W2("szext.clamp.u32")) X(W2("szext.clamp.s32")) X(W2("szext.wrap.u32")) \
  X(W2("szext.wrap.s32")) X(W2("min.relu.s32")) X(W2("max.relu.s32")) X(W2("min.s16x2")) X(W2("max.u16x2")) X(W2("min.relu.s16x2")) \
  X(W2("max.relu.s16x2")) X(W2("add.u16x2")) X(W2("add.s16x2")) X(W2D("div.u32")) X(W2D("div.s32")) X(W2D("rem.u32")) X(W2D("rem.s32")) \
  X(W3("mad.lo.u32")) X(W3("mad.hi.u32")) X(W3("mad.hi.s32")) X(W3("mad.hi.sat.s32")) X(W3("mad24.lo.u32")) X(W3("mad24.lo.s32")) X(W3("mad24.hi.u32")) \
  X(W3("mad24.hi.s32")) X(W3("mad24.hi.sat.s32")) X(W3("sad.s32")) X(W3("sad.u32")) X(W3("bfe.u32")) X(W3("bfe.s32")) X(W3("prmt.b32")) \
  X(W3("prmt.b32.f4e")) X(W3("prmt.b32.b4e")) X(W3("prmt.b32.rc8")) X(W3("prmt.b32.ecl")) X(W3("prmt.b32.ecr")) X(W3("prmt.b32.rc16")) \
  X(W3("shf.l.wrap.b32")) X(W3("shf.l.clamp.b32")) X(W3("shf.r.wrap.b32")) X(W3("shf.r.clamp.b32")) X(W3("dp4a.u32.u32")) X(W3("dp4a.s32.s32")) \
  X(W3("dp4a.s32.u32")) X(W3("dp4a.u32.s32")) X(W3("dp2a.lo.u32.u32")) X(W3("dp2a.hi.s32.s32")) X(W3("dp2a.lo.s32.u32")) X(W3("dp2a.hi.u32.s32")) \
  X(W3("slct.u32.s32")) X(W3("slct.b32.s32")) X(W3("vabsdiff4.u32.u32.u32.add")) X(W3("vabsdiff4.s32.s32.s32.add")) X(WPK("cvt.pack.sat.s8.s32.b32")) X(WPK("cvt.pack.sat.u8.s32.b32")) X(WPK2("cvt.pack.sat.s16.s32")) X(WPK2("cvt.pack.sat.u16.s32")) X(LOP3(0x96)) X(LOP3(0xe8)) \
  X(LOP3(0x1b)) X(BFI32) X(W2("set.eq.u32.s32")) X(SETP2("setp.eq.u32", "r", x, y)) X(W2("set.ne.u32.s32")) X(SETP2("setp.ne.u32", "r", x, y)) \
  X(W2("set.lt.u32.s32")) X(SETP2("setp.lt.u32", "r", x, y)) X(W2("set.le.u32.s32")) X(SETP2("setp.le.u32", "r", x, y)) X(W2("set.gt.u32.s32")) \
  X(SETP2("setp.gt.u32", "r", x, y)) X(W2("set.ge.u32.s32")) X(SETP2("setp.ge.u32", "r", x, y)) X(W2("set.lo.u32.u32")) X(W2("set.ls.u32.u32")) \
  X(W2("set.hi.u32.u32")) X(W2("set.hs.u32.u32")) X(WF("cvt.rn.f32.s32")) X(WF("cvt.rn.f32.u32")) X(WF("cvt.rz.f32.s32")) X(WF("cvt.rz.f32.u32")) \
  X(WF("cvt.rm.f32.s32")) X(WF("cvt.rm.f32.u32")) X(WF("cvt.rp.f32.s32")) X(WF("cvt.rp.f32.u32")) X(WD("cvt.rn.f64.s32")) X(WD("cvt.rn.f64.u32"))
#define LONGS(X) \
  X(L1("abs.s64")) X(L1("neg.s64")) X(L1("not.b64")) X(L1("cnot.b64")) X(L1("brev.b64")) X(LW1("popc.b64")) X(LW1("clz.b64")) X(LW1("bfind.u64")) \
  X(LW1("bfind.s64")) X(LW1("bfind.shiftamt.u64")) X(L2("add.u64")) X(L2("sub.u64")) X(L2("mul.lo.u64")) X(L2("mul.hi.u64")) X(L2("mul.hi.s64")) \
  X(L2("min.s64")) X(L2("min.u64")) X(L2("max.s64")) X(L2("max.u64")) X(L2("and.b64")) X(L2("or.b64")) X(L2("xor.b64")) X(L2D("div.u64")) \
  X(L2D("div.s64")) X(L2D("rem.u64")) X(L2D("rem.s64")) X(LSH("shl.b64")) X(LSH("shr.u64")) X(LSH("shr.s64")) X(L3("mad.lo.u64")) X(L3("mad.hi.u64")) \
  X(L3("mad.hi.s64")) X(L3("sad.s64")) X(L3("sad.u64")) X(LBFE("bfe.u64")) X(LBFE("bfe.s64")) X(BFI64) X(LWIDE("mul.wide.u32")) \
  X(LWIDE("mul.wide.s32")) X(LWIDE3("mad.wide.u32")) X(LWIDE3("mad.wide.s32")) X(ADDC) X(SUBC) X(MADC) X(LF("cvt.rn.f32.s64")) X(LF("cvt.rn.f32.u64")) \
  X(LF("cvt.rz.f32.s64")) X(LF("cvt.rz.f32.u64")) X(LF("cvt.rm.f32.s64")) X(LF("cvt.rm.f32.u64")) X(LF("cvt.rp.f32.s64")) X(LF("cvt.rp.f32.u64")) \
  X(LD("cvt.rn.f64.s64")) X(LD("cvt.rn.f64.u64")) X(LD("cvt.rz.f64.s64")) X(LD("cvt.rz.f64.u64")) X(LD("cvt.rm.f64.s64")) X(LD("cvt.rm.f64.u64")) \
  X(LD("cvt.rp.f64.s64")) X(LD("cvt.rp.f64.u64"))
#define SHORTS(X) \
  X(H2("add.u16")) X(H2("sub.u16")) X(H2("mul.lo.u16")) X(H2("mul.hi.u16")) X(H2("mul.hi.s16")) X(H2("min.s16")) X(H2("max.u16")) X(H2("and.b16")) \
  X(H2("or.b16")) X(H2("xor.b16")) X(HSH("shl.b16")) X(HSH("shr.u16")) X(HSH("shr.s16")) X(H1("abs.s16")) X(H1("neg.s16")) X(H1("not.b16")) \
  X(H3("mad.lo.u16")) X(H3("mad.hi.s16")) X(HW("mul.wide.u16")) X(HW("mul.wide.s16"))
#define FLOATS(X) \
  X(F2("add.rn.f32")) X(F2("add.rz.f32")) X(F2("add.rm.f32")) X(F2("add.rp.f32")) X(F2("add.sat.f32")) X(F2("add.rn.ftz.f32")) X(F2("sub.rz.f32")) \
  X(F2("sub.rn.ftz.sat.f32")) X(F2("mul.rn.f32")) X(F2("mul.rz.f32")) X(F2("mul.rm.f32")) X(F2("mul.rp.f32")) X(F2("mul.sat.f32")) \
  X(F2("div.rn.f32")) X(F2("div.rz.f32")) X(F2("div.rm.f32")) X(F2("div.rp.f32")) X(F2("div.full.f32")) X(F2("div.approx.f32")) \
  X(F2("div.full.ftz.f32")) X(F2("div.approx.ftz.f32")) X(F2("div.rn.ftz.f32")) X(F2("min.f32")) X(F2("max.f32")) X(F2("min.NaN.f32")) \
  X(F2("max.NaN.f32")) X(F2("min.ftz.f32")) X(F2("max.ftz.NaN.f32")) X(F2("min.xorsign.abs.f32")) X(F2("max.NaN.xorsign.abs.f32")) \
  X(F2("copysign.f32")) X(F1("abs.f32")) X(F1("neg.f32")) X(F1("abs.ftz.f32")) X(F1("neg.ftz.f32")) X(F1("rcp.rn.f32")) X(F1("rcp.rz.f32")) \
  X(F1("rcp.rm.f32")) X(F1("rcp.rp.f32")) X(F1("rcp.approx.f32")) X(F1("rcp.approx.ftz.f32")) X(F1("rcp.rn.ftz.f32")) X(F1("sqrt.rn.f32")) \
  X(F1("sqrt.rz.f32")) X(F1("sqrt.rm.f32")) X(F1("sqrt.rp.f32")) X(F1("sqrt.approx.f32")) X(F1("sqrt.approx.ftz.f32")) X(F1("sqrt.rn.ftz.f32")) \
  X(F1("rsqrt.approx.f32")) X(F1("rsqrt.approx.ftz.f32")) X(F1("sin.approx.f32")) X(F1("cos.approx.f32")) X(F1("sin.approx.ftz.f32")) \
  X(F1("cos.approx.ftz.f32")) X(F1("lg2.approx.f32")) X(F1("lg2.approx.ftz.f32")) X(F1("ex2.approx.f32")) X(F1("ex2.approx.ftz.f32")) \
  X(F1("tanh.approx.f32")) X(F1("cvt.rni.f32.f32")) X(F1("cvt.rzi.f32.f32")) X(F1("cvt.rmi.f32.f32")) X(F1("cvt.rpi.f32.f32")) X(F1("cvt.sat.f32.f32")) \
  X(F1("cvt.ftz.f32.f32")) X(F1("cvt.rni.ftz.f32.f32")) X(F3("fma.rn.f32")) X(F3("fma.rz.f32")) X(F3("fma.rm.f32")) X(F3("fma.rp.f32")) \
  X(F3("fma.rn.sat.f32")) X(F3("fma.rn.ftz.f32")) X(F3("mad.rn.f32")) X(FTEST("testp.finite.f32")) X(FTEST("testp.infinite.f32")) \
  X(FTEST("testp.number.f32")) X(FTEST("testp.notanumber.f32")) X(FTEST("testp.normal.f32")) X(FTEST("testp.subnormal.f32")) X(FSETP("setp.eq.f32")) \
  X(FSETP("setp.ne.f32")) X(FSETP("setp.lt.f32")) X(FSETP("setp.le.f32")) X(FSETP("setp.gt.f32")) X(FSETP("setp.ge.f32")) X(FSETP("setp.equ.f32")) \
  X(FSETP("setp.neu.f32")) X(FSETP("setp.ltu.f32")) X(FSETP("setp.leu.f32")) X(FSETP("setp.gtu.f32")) X(FSETP("setp.geu.f32")) X(FSETP("setp.num.f32")) \
  X(FSETP("setp.nan.f32")) X(FSET("set.lt.u32.f32")) X(FSET("set.geu.u32.f32")) X(F2("set.gt.f32.f32")) X(F2("set.neu.ftz.f32.f32")) X(FSLCT) \
  X(FSETP("setp.lt.ftz.f32")) X(FW("cvt.rni.s32.f32")) X(FW("cvt.rni.u32.f32")) X(FW("cvt.rni.u8.f32")) X(FW("cvt.rni.s8.f32")) \
  X(FW("cvt.rzi.s32.f32")) X(FW("cvt.rzi.u32.f32")) X(FW("cvt.rzi.u8.f32")) X(FW("cvt.rzi.s8.f32")) X(FW("cvt.rmi.s32.f32")) X(FW("cvt.rmi.u32.f32")) \
  X(FW("cvt.rmi.u8.f32")) X(FW("cvt.rmi.s8.f32")) X(FW("cvt.rpi.s32.f32")) X(FW("cvt.rpi.u32.f32")) X(FW("cvt.rpi.u8.f32")) X(FW("cvt.rpi.s8.f32")) \
  X(FL("cvt.rni.s64.f32")) X(FL("cvt.rni.u64.f32")) X(FL("cvt.rzi.s64.f32")) X(FL("cvt.rzi.u64.f32")) X(FL("cvt.rmi.s64.f32")) X(FL("cvt.rmi.u64.f32")) \
  X(FL("cvt.rpi.s64.f32")) X(FL("cvt.rpi.u64.f32")) X(FH("cvt.rni.s16.f32")) X(FH("cvt.rni.u16.f32")) X(FH("cvt.rzi.s16.f32")) X(FH("cvt.rzi.u16.f32")) \
  X(FH("cvt.rn.f16.f32")) X(FH("cvt.rz.f16.f32")) X(FH("cvt.rn.bf16.f32")) X(FH("cvt.rz.bf16.f32")) X(FH("cvt.rn.relu.bf16.f32")) \
  X(FP("cvt.rn.f16x2.f32")) X(FP("cvt.rz.f16x2.f32")) X(FP("cvt.rn.relu.f16x2.f32")) X(FP("cvt.rn.bf16x2.f32")) \
  X(FP("cvt.rz.bf16x2.f32")) X(FP("cvt.rn.relu.bf16x2.f32")) \
 
#define DOUBLES(X) \
  X(D2("add.rn.f64")) X(D2("add.rz.f64")) X(D2("add.rm.f64")) X(D2("add.rp.f64")) X(D2("sub.rm.f64")) X(D2("mul.rn.f64")) X(D2("mul.rz.f64")) \
  X(D2("mul.rm.f64")) X(D2("mul.rp.f64")) X(D2("div.rn.f64")) X(D2("div.rz.f64")) X(D2("div.rm.f64")) X(D2("div.rp.f64")) X(D2("min.f64")) \
  X(D2("max.f64")) X(D2("copysign.f64")) X(D1("abs.f64")) X(D1("neg.f64")) X(D1("rcp.rn.f64")) X(D1("rcp.rz.f64")) X(D1("rcp.rm.f64")) \
  X(D1("rcp.rp.f64")) X(D1("rcp.approx.ftz.f64")) X(D1("sqrt.rn.f64")) X(D1("sqrt.rz.f64")) X(D1("sqrt.rm.f64")) X(D1("sqrt.rp.f64")) \
  X(D1("rsqrt.approx.f64")) X(D1("rsqrt.approx.ftz.f64")) X(D1("cvt.rni.f64.f64")) X(D1("cvt.rzi.f64.f64")) X(D1("cvt.rmi.f64.f64")) \
  X(D1("cvt.rpi.f64.f64")) X(D3("fma.rn.f64")) X(D3("fma.rz.f64")) X(D3("fma.rm.f64")) X(D3("fma.rp.f64")) X(D3("mad.rn.f64")) \
  X(DTEST("testp.finite.f64")) X(DTEST("testp.infinite.f64")) X(DTEST("testp.number.f64")) X(DTEST("testp.notanumber.f64")) \
  X(DTEST("testp.normal.f64")) X(DTEST("testp.subnormal.f64")) X(DSETP("setp.eq.f64")) X(DSETP("setp.ne.f64")) X(DSETP("setp.lt.f64")) \
  X(DSETP("setp.le.f64")) X(DSETP("setp.gt.f64")) X(DSETP("setp.ge.f64")) X(DSETP("setp.equ.f64")) X(DSETP("setp.neu.f64")) X(DSETP("setp.ltu.f64")) \
  X(DSETP("setp.leu.f64")) X(DSETP("setp.gtu.f64")) X(DSETP("setp.geu.f64")) X(DSETP("setp.num.f64")) X(DSETP("setp.nan.f64")) X(DW("cvt.rni.s32.f64")) \
  X(DW("cvt.rni.u32.f64")) X(DW("cvt.rzi.s32.f64")) X(DW("cvt.rzi.u32.f64")) X(DW("cvt.rmi.s32.f64")) X(DW("cvt.rmi.u32.f64")) X(DW("cvt.rpi.s32.f64")) \
  X(DW("cvt.rpi.u32.f64")) X(DL("cvt.rni.s64.f64")) X(DL("cvt.rni.u64.f64")) X(DL("cvt.rzi.s64.f64")) X(DL("cvt.rzi.u64.f64")) X(DL("cvt.rmi.s64.f64")) \
  X(DL("cvt.rmi.u64.f64")) X(DL("cvt.rpi.s64.f64")) X(DL("cvt.rpi.u64.f64")) X(DF("cvt.rn.f32.f64")) X(DF("cvt.rz.f32.f64")) X(DF("cvt.rm.f32.f64")) \
  X(DF("cvt.rp.f32.f64")) X(DF("cvt.rn.sat.f32.f64")) X(DF("cvt.rn.ftz.f32.f64")) X(DH("cvt.rn.f16.f64"))
SWEEP(words, unsigned, WORDS)
SWEEP(longs, u64, LONGS)
SWEEP(shorts, unsigned, SHORTS)
SWEEP(floats, float, FLOATS)
SWEEP(doubles, double, DOUBLES)
int main(int argc, char **) {
  RUN_SWEEP(words, argc > 1)
  RUN_SWEEP(longs, argc > 1)
  RUN_SWEEP(shorts, argc > 1)
  RUN_SWEEP(floats, argc > 1)
  RUN_SWEEP(doubles, argc > 1)
}
