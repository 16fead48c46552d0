// Loads and stores with cache operators of all types, spaces of addresses, conversions between them, ways to copy.
// flags: -std=c++17
#include "show.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Bytes { unsigned char v[32]; };
template <class T> __device__ T made(int i) {
  T value;
  unsigned char bytes[sizeof(T)];
  for (unsigned k = 0; k < sizeof(T); ++k) bytes[k] = (unsigned char)((i * 7 + k * 13) & 0x3f);
  memcpy(&value, bytes, sizeof value);
  return value;
}
template <class T> __device__ void load(const T *in, T *o) {
  const int t = threadIdx.x;
  o[t * 6] = __ldg(in + t);
  o[t * 6 + 1] = __ldca(in + t);
  o[t * 6 + 2] = __ldcg(in + t);
  o[t * 6 + 3] = __ldcs(in + t);
  o[t * 6 + 4] = __ldlu(in + t);
  o[t * 6 + 5] = __ldcv(in + t);
}
template <class T> __device__ void store(T *o) {
  const int t = threadIdx.x;
  __stwb(o + t * 4, made<T>(t));
  __stcg(o + t * 4 + 1, made<T>(t + 1));
  __stcs(o + t * 4 + 2, made<T>(t + 2));
  __stwt(o + t * 4 + 3, made<T>(t + 3));
}
// A kernel for all types: compilers take as long for a kernel as for many such functions.
struct Place { void *in, *loaded, *stored; };
template <class... T> __global__ void fill(const Place *p) { (..., (((T *)p++->in)[threadIdx.x] = made<T>(threadIdx.x))); }
template <class... T> __global__ void loads(const Place *p) { (..., (load((const T *)p->in, (T *)p->loaded), ++p)); }
template <class... T> __global__ void stores(const Place *p) { (..., store((T *)p++->stored)); }
template <class T> Place place() { return {array<T>(32), array<T>(192), array<T>(128)}; }
template <class T> void print(const char *name, const Place &p) {
  digest(name, (const T *)p.loaded, 192);
  digest(name, (const T *)p.stored, 128);
}
template <class... T> void all(const char *const *names) {
  Place *places = array<Place>(sizeof...(T)), *p = places;
  (..., (*p++ = place<T>()));
  fill<T...><<<1, 32>>>(places);
  loads<T...><<<1, 32>>>(places);
  stores<T...><<<1, 32>>>(places);
  finish("all");
  p = places;
  (..., print<T>(*names++, *p++));
}
__constant__ int constants[4] = {1, 2, 3, 4};
__device__ int globals[4] = {5, 6, 7, 8};
__global__ void spaces(unsigned *o, const int *from_host, const __grid_constant__ Bytes parameter) {
  __shared__ int shared[4];
  extern __shared__ int dynamic[];
  int local[4] = {(int)threadIdx.x, 1, 2, 3};
  for (int i = 0; i < 4; ++i) local[(i + threadIdx.x) % 4] += i;
  shared[threadIdx.x % 4] = 9;
  if (threadIdx.x == 0) dynamic[0] = 10;
  __syncthreads();
  if (threadIdx.x) return;
  int k = 0;
#define SPACE(p) o[k++] = !!__isGlobal(p) | !!__isShared(p) << 1 | !!__isLocal(p) << 2;
  SPACE(globals) SPACE(from_host) SPACE(shared) SPACE(dynamic) SPACE(local)
  const size_t s = __cvta_generic_to_shared(shared + 1), g = __cvta_generic_to_global(globals + 1), l = __cvta_generic_to_local(local + 1), c = __cvta_generic_to_constant(constants + 1);
  o[k++] = *(int *)__cvta_shared_to_generic(s);
  o[k++] = *(int *)__cvta_global_to_generic(g);
  o[k++] = *(int *)__cvta_local_to_generic(l);
  o[k++] = *(int *)__cvta_constant_to_generic(c);
  o[k++] = __cvta_generic_to_shared(shared + 3) - s;
  o[k++] = ((Bytes *)__cvta_grid_constant_to_generic(__cvta_generic_to_grid_constant(&parameter)))->v[3];
}
__global__ void barriers(int *o) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = t;
  __barrier_sync(0);
  int v = s[63 - t];
  __barrier_sync_count(1, 64);
  s[t] = v + 1;
  __threadfence_block();
  __syncthreads();
  v = s[(t + 5) % 64];
  __threadfence();
  __threadfence_system();
  __syncwarp();
  if (t < 32) __nanosleep(10);
  __prof_trigger(0);
  o[t] = v + 100 * __syncthreads_count(t % 3 == 0) + 10000 * __syncthreads_and(t < 64) + 100000 * __syncthreads_or(t == 70);
}
int main() {
const char *const names[] = {
      "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long",
      "unsigned long", "long long", "unsigned long long", "float", "double", "char2", "char4", "short2",
      "short4", "int2", "int4", "longlong2", "uchar2", "uchar4", "ushort2", "ushort4", "uint2", "uint4",
      "ulonglong2", "float2", "float4", "double2", "__half", "__half2", "__nv_bfloat16", "__nv_bfloat162"};
  all<char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long, long
      long, unsigned long long, float, double, char2, char4, short2, short4, int2, int4, longlong2,
      uchar2, uchar4, ushort2, ushort4, uint2, uint4, ulonglong2, float2, float4, double2, __half,
      __half2, __nv_bfloat16, __nv_bfloat162>(names);
  unsigned *o = array<unsigned>(16);
  Bytes parameter;
  for (int i = 0; i < 32; ++i) parameter.v[i] = (unsigned char)(i * 3);
  spaces<<<1, 32, 64>>>(o, array<int>(4), parameter);
  show("spaces", o, 11);
  int *b = array<int>(64);
  barriers<<<1, 64>>>(b);
  digest("barriers", b, 64);
  show("barriers", b, 4);
}
