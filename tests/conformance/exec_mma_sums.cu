// What a tensor core's sums of floats are, to the last bit: terms of like and of very different sizes, one great and many small
// ones, terms that cancel, subnormal numbers, any bits, single products, terms below the last bit kept, zeros beside great factors.
#include "show.h"
#include <cstdint>
#include "mma_terms.h"
// Element types by bits of exponent and fraction; a register holds 1 << (E == 8 && M == 10 ? 0 : 1) of them.
template <int E, int M> __device__ unsigned pack(int test, int which, int line, int k, int Kk) {
  if (M == 10 && E == 8) return term(E, 10, test, which, line, k, Kk) << 13;  // tf32, in the upper bits
  return term(E, M, test, which, line, k, Kk) | term(E, M, test, which, line, k + 1, Kk) << 16;
}
#define KIND(name, E, M, Kk, AW, BW, CE, CM, asm_text)                                                      \
  __global__ void name(unsigned *out, int first) {                                                          \
    const int lane = threadIdx.x, g = lane / 4, t = lane % 4, test = first + blockIdx.x;                    \
    constexpr int each = (E == 8 && M == 10) ? 1 : 2;                                                       \
    unsigned a[4] = {}, b[2] = {}, c[4] = {}, d[4] = {};                                                    \
    for (int w = 0; w < AW; ++w) a[w] = pack<E, M>(test, 0, g + w % 2 * 8, t * each + w / 2 * 4 * each, Kk); \
    for (int w = 0; w < BW; ++w) b[w] = pack<E, M>(test, 1, g, t * each + w * 4 * each, Kk);                \
    for (int i = 0; i < 4; ++i) {                                                                           \
      const unsigned v = term(CE, CM, test, 2, (g + i / 2 * 8) * 8 + t * 2 + i % 2, 0, Kk);                 \
      if (CE == 8) c[i] = v; else c[i / 2] |= v << 16 * (i % 2);                                            \
    }                                                                                                       \
    asm_text;                                                                                               \
    for (int i = 0; i < 4; ++i)                                                                             \
      out[blockIdx.x * 128 + (g + i / 2 * 8) * 8 + t * 2 + i % 2] = CE == 8 ? d[i] : d[i / 2] >> 16 * (i % 2) & 0xffff; \
  }
#define A4B2(text) asm volatile("mma.sync.aligned." text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))
#define A2B1(text) asm volatile("mma.sync.aligned." text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))
#define F4B2(text) asm volatile("mma.sync.aligned." text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};" : "=f"(*(float *)&d[0]), "=f"(*(float *)&d[1]), "=f"(*(float *)&d[2]), "=f"(*(float *)&d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(__uint_as_float(c[0])), "f"(__uint_as_float(c[1])), "f"(__uint_as_float(c[2])), "f"(__uint_as_float(c[3])))
#define F2B1(text) asm volatile("mma.sync.aligned." text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};" : "=f"(*(float *)&d[0]), "=f"(*(float *)&d[1]), "=f"(*(float *)&d[2]), "=f"(*(float *)&d[3]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "f"(__uint_as_float(c[0])), "f"(__uint_as_float(c[1])), "f"(__uint_as_float(c[2])), "f"(__uint_as_float(c[3])))
#define H4B2(text) asm volatile("mma.sync.aligned." text " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};" : "=r"(d[0]), "=r"(d[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]))
#define H2B1(text) asm volatile("mma.sync.aligned." text " {%0,%1}, {%2,%3}, {%4}, {%5,%6};" : "=r"(d[0]), "=r"(d[1]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1]))
KIND(f16_k16, 5, 10, 16, 4, 2, 8, 23, F4B2("m16n8k16.row.col.f32.f16.f16.f32"))
KIND(f16_k8, 5, 10, 8, 2, 1, 8, 23, F2B1("m16n8k8.row.col.f32.f16.f16.f32"))
KIND(h16_k16, 5, 10, 16, 4, 2, 5, 10, H4B2("m16n8k16.row.col.f16.f16.f16.f16"))
KIND(h16_k8, 5, 10, 8, 2, 1, 5, 10, H2B1("m16n8k8.row.col.f16.f16.f16.f16"))
KIND(bf16_k16, 8, 7, 16, 4, 2, 8, 23, F4B2("m16n8k16.row.col.f32.bf16.bf16.f32"))
KIND(bf16_k8, 8, 7, 8, 2, 1, 8, 23, F2B1("m16n8k8.row.col.f32.bf16.bf16.f32"))
KIND(tf32_k8, 8, 10, 8, 4, 2, 8, 23, F4B2("m16n8k8.row.col.f32.tf32.tf32.f32"))
KIND(tf32_k4, 8, 10, 4, 2, 1, 8, 23, F2B1("m16n8k4.row.col.f32.tf32.tf32.f32"))
const int CLASSES = 9, EACH = 6;
template <class Kernel> void run(const char *name, Kernel kernel) {
  for (int c = 0; c < CLASSES; ++c) {
    unsigned *out = array<unsigned>(128 * EACH);
    for (int i = 0; i < EACH; ++i) kernel<<<1, 32>>>(out + i * 128, c < 8 ? c + 8 * i : 1000 + i);
    finish(name);
    unsigned long long hash = 1469598103934665603ull;
    for (int i = 0; i < 128 * EACH; ++i) hash = (hash ^ out[i]) * 1099511628211ull;
    printf("%s %d: %016llx,", name, c, hash);
    for (int i = 0; i < 128 * EACH; i += 73) printf(" %x", out[i]);
    printf("\n");
  }
}
#define RUN(name) run(#name, name)
int main() {
  RUN(f16_k16); RUN(f16_k8); RUN(h16_k16); RUN(h16_k8); RUN(bf16_k16); RUN(bf16_k8); RUN(tf32_k8); RUN(tf32_k4);
}
