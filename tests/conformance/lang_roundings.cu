// Arithmetic and conversions with each of the four roundings.
#include "sweep.h"

#define FLOATS(X) \
  X(__float2int_rn(x)) X(__float2int_rz(x)) X(__float2int_ru(x)) X(__float2int_rd(x)) X(__float2uint_rn(x)) X(__float2uint_rz(x)) X(__float2uint_ru(x)) \
  X(__float2uint_rd(x)) X(__float2ll_rn(x)) X(__float2ll_rz(x)) X(__float2ll_ru(x)) X(__float2ll_rd(x)) X(__float2ull_rn(x)) X(__float2ull_rz(x)) \
  X(__float2ull_ru(x)) X(__float2ull_rd(x)) X(__fadd_rn(x, y)) X(__fadd_rz(x, y)) X(__fadd_ru(x, y)) X(__fadd_rd(x, y)) X(__fsub_rn(x, y)) \
  X(__fsub_rz(x, y)) X(__fsub_ru(x, y)) X(__fsub_rd(x, y)) X(__fmul_rn(x, y)) X(__fmul_rz(x, y)) X(__fmul_ru(x, y)) X(__fmul_rd(x, y)) \
  X(__fdiv_rn(x, y)) X(__fdiv_rz(x, y)) X(__fdiv_ru(x, y)) X(__fdiv_rd(x, y)) X(__frcp_rn(x)) X(__frcp_rz(x)) X(__frcp_ru(x)) X(__frcp_rd(x)) \
  X(__fsqrt_rn(x)) X(__fsqrt_rz(x)) X(__fsqrt_ru(x)) X(__fsqrt_rd(x)) X(__fmaf_rn(x, y, z)) X(__fmaf_rz(x, y, z)) X(__fmaf_ru(x, y, z)) \
  X(__fmaf_rd(x, y, z)) X(__fmaf_ieee_rn(x, y, z)) X(__fmaf_ieee_rz(x, y, z)) X(__fmaf_ieee_ru(x, y, z)) X(__fmaf_ieee_rd(x, y, z)) X(__frsqrt_rn(x))
#define DOUBLES(X) \
  X(__double2int_rn(x)) X(__double2int_rz(x)) X(__double2int_ru(x)) X(__double2int_rd(x)) X(__double2uint_rn(x)) X(__double2uint_rz(x)) \
  X(__double2uint_ru(x)) X(__double2uint_rd(x)) X(__double2ll_rn(x)) X(__double2ll_rz(x)) X(__double2ll_ru(x)) X(__double2ll_rd(x)) \
  X(__double2ull_rn(x)) X(__double2ull_rz(x)) X(__double2ull_ru(x)) X(__double2ull_rd(x)) X(__double2float_rn(x)) X(__double2float_rz(x)) \
  X(__double2float_ru(x)) X(__double2float_rd(x)) X(__dadd_rn(x, y)) X(__dadd_rz(x, y)) X(__dadd_ru(x, y)) X(__dadd_rd(x, y)) X(__dsub_rn(x, y)) \
  X(__dsub_rz(x, y)) X(__dsub_ru(x, y)) X(__dsub_rd(x, y)) X(__dmul_rn(x, y)) X(__dmul_rz(x, y)) X(__dmul_ru(x, y)) X(__dmul_rd(x, y)) \
  X(__ddiv_rn(x, y)) X(__ddiv_rz(x, y)) X(__ddiv_ru(x, y)) X(__ddiv_rd(x, y)) X(__drcp_rn(x)) X(__drcp_rz(x)) X(__drcp_ru(x)) X(__drcp_rd(x)) \
  X(__dsqrt_rn(x)) X(__dsqrt_rz(x)) X(__dsqrt_ru(x)) X(__dsqrt_rd(x)) X(__fma_rn(x, y, z)) X(__fma_rz(x, y, z)) X(__fma_ru(x, y, z)) \
  X(__fma_rd(x, y, z))
#define WORDS(X) \
  X(__int2float_rn(int(x))) X(__int2float_rz(int(x))) X(__int2float_ru(int(x))) X(__int2float_rd(int(x))) X(__uint2float_rn(x)) X(__uint2float_rz(x)) \
  X(__uint2float_ru(x)) X(__uint2float_rd(x)) X(__int2double_rn(int(x))) X(__uint2double_rn(x)) X(float(x)) X(float(int(x))) X(double(x))
#define LONGS(X) \
  X(__ll2float_rn((long long)x)) X(__ll2float_rz((long long)x)) X(__ll2float_ru((long long)x)) X(__ll2float_rd((long long)x)) \
  X(__ll2double_rn((long long)x)) X(__ll2double_rz((long long)x)) X(__ll2double_ru((long long)x)) X(__ll2double_rd((long long)x)) X(__ull2float_rn(x)) \
  X(__ull2float_rz(x)) X(__ull2float_ru(x)) X(__ull2float_rd(x)) X(__ull2double_rn(x)) X(__ull2double_rz(x)) X(__ull2double_ru(x)) \
  X(__ull2double_rd(x)) X(float(x)) X(float((long long)x)) X(double(x)) X(double((long long)x))

SWEEP(floats, float, FLOATS)
SWEEP(doubles, double, DOUBLES)
typedef unsigned long long u64;
SWEEP(words, unsigned, WORDS)
SWEEP(longs, u64, LONGS)
int main(int argc, char **) {
  RUN_SWEEP(floats, argc > 1)
  RUN_SWEEP(doubles, argc > 1)
  RUN_SWEEP(words, argc > 1)
  RUN_SWEEP(longs, argc > 1)
}
