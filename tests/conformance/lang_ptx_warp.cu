// PTX registers, memory operations, votes and shuffles.
#include "show.h"
#include <cstdint>

#define READ(name) \
  [] { unsigned r; asm volatile("mov.u32 %0, %%" name ";" : "=r"(r)); return r; }()
__global__ void registers(unsigned *out) {
  unsigned *o = out + (blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x) * 12;
  o[0] = READ("tid.x") + 100 * READ("tid.y") + 10000 * READ("tid.z");
  o[1] = READ("ntid.x") + 100 * READ("ntid.y") + 10000 * READ("ntid.z");
  o[2] = READ("ctaid.x") + 100 * READ("ctaid.y");
  o[3] = READ("nctaid.x") + 100 * READ("nctaid.y");
  o[4] = READ("laneid");
  o[5] = READ("lanemask_eq");
  o[6] = READ("lanemask_lt");
  o[7] = READ("lanemask_ge");
  o[8] = READ("smid") < READ("nsmid");
  o[9] = READ("dynamic_smem_size");
  unsigned long long before, after;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before));
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(after));
  o[10] = before != 0 && after != 0;
}
__global__ void memory(const float *in, float *out, int *counter) {
  float a, b, c, d;
  const int t = threadIdx.x;
  asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(a) : "l"(in + t));
  asm volatile("ld.global.cg.f32 %0, [%1+4];" : "=f"(b) : "l"(in + t));
  asm("ld.global.nc.f32 %0, [%1];" : "=f"(c) : "l"(in + t + 2));
  asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(d) : "l"(in + t));
  asm volatile("prefetch.global.L1 [%0];" ::"l"(in));
  asm volatile("st.global.wt.f32 [%0], %1;" ::"l"(out + t), "f"(a + b + c + d) : "memory");
  float4 v;
  asm volatile("ld.global.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(in + t / 4 * 4));
  asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(out + 32 + 2 * t), "f"(v.x + v.z), "f"(v.y + v.w) : "memory");
  int old;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(counter), "r"(2) : "memory");
  asm volatile("red.global.max.s32 [%0], %1;" ::"l"(counter + 1), "r"(t) : "memory");
  asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(counter + 2), "r"(0), "r"(t + 1) : "memory");
  asm volatile("atom.acq_rel.gpu.global.exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(counter + 3), "r"(9) : "memory");
  asm volatile("membar.gl; fence.acq_rel.gpu;" ::: "memory");
  unsigned short h;
  signed char s;
  asm volatile("ld.global.u16 %0, [%1];" : "=h"(h) : "l"(in + 1));
  int wide;
  asm volatile("ld.global.s8 %0, [%1];" : "=r"(wide) : "l"((const char *)in + 7));
  s = (signed char)wide;
  if (t == 0) { counter[4] = h; counter[5] = s; counter[6] = wide; }
}
__global__ void warps(unsigned *out) {
  const int t = threadIdx.x;
  unsigned r, p;
  asm volatile("shfl.sync.idx.b32 %0, %1, 5, 31, 0xffffffff;" : "=r"(r) : "r"(t * 2));
  out[t] = r;
  asm volatile("{.reg .pred q; shfl.sync.up.b32 %0|q, %2, 3, 0, 0xffffffff; selp.u32 %1, 1, 0, q;}" : "=r"(r), "=r"(p) : "r"(t));
  out[32 + t] = r + 100 * p;
  asm volatile("{.reg .pred q; shfl.sync.down.b32 %0|q, %2, 2, 0x181f, 0xffffffff; selp.u32 %1, 1, 0, q;}" : "=r"(r), "=r"(p) : "r"(t));
  out[64 + t] = r + 100 * p;
  asm volatile("shfl.sync.bfly.b32 %0, %1, 3, 31, 0xffffffff;" : "=r"(r) : "r"(t));
  out[96 + t] = r;
  asm volatile("{.reg .pred q; setp.lt.u32 q, %1, 7; vote.sync.ballot.b32 %0, q, 0xffffffff;}" : "=r"(r) : "r"(t));
  out[128 + t] = r;
  asm volatile("{.reg .pred q, a; setp.lt.u32 q, %1, 32; vote.sync.all.pred a, q, 0xffffffff; selp.u32 %0, 1, 0, a;}" : "=r"(r) : "r"(t));
  out[160 + t] = r;
  asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(t / 4));
  out[192 + t] = r;
  asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(t));
  out[224 + t] = r;
  asm volatile("activemask.b32 %0;" : "=r"(r));
  out[256 + t] = r;
  asm volatile("{.reg .pred q; elect.sync _|q, 0xffffffff; selp.u32 %0, 1, 0, q;}" : "=r"(r));
  out[288 + t] = r;
  asm volatile("bar.warp.sync 0xffffffff;");
}

int main() {
  unsigned *out = array<unsigned>(2048);
  registers<<<2, dim3(20, 2), 64>>>(out);
  show("registers", out + 12 * 47, 11);
  digest("registers", out, 12 * 80);
  float *in = array<float>(64), *f = array<float>(128);
  int *counter = array<int>(8);
  for (int i = 0; i < 64; ++i) in[i] = i * 1.25f - 7;
  memory<<<1, 32>>>(in, f, counter);
  show("memory", f, 4);
  digest("memory", f, 96);
  counter[2] = counter[2] > 0;
  show("atomics", counter, 7);
  warps<<<1, 32>>>(out);
  digest("warps", out, 288);
  int elected = 0;
  for (int t = 0; t < 32; ++t) elected += out[288 + t];
  printf("elected: %d\n", elected);
}
