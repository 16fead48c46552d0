// Kernels whose threads part at barriers' loops and branches; run in loops as far as they agree, then on fibers.
#include <cstdio>

struct Pair {
  unsigned a, b;
};

// Trip counts differ in the third turn only; the loop around goes on, and what is behind it.
__global__ void turns(unsigned *out, unsigned n) {
  __shared__ unsigned s[256];
  const unsigned t = threadIdx.x;
  unsigned v = t * 7, total = 0, own[3] = {t, 1, 2}, *to = own + t % 3;
  s[t] = t;
  __syncthreads();
  for (unsigned o = 0; o < 5; ++o) {
    const unsigned k = (s[(t + o) % blockDim.x] ^ v) % (o == 2 ? 5 : 1) + n;
    total += o;
    *to += total;
    for (unsigned i = 0; i < k; ++i) {
      v += i * total;
      __syncthreads();
      v ^= o;
      if (v % 11 == 3) break;
      if (v % 7 == 3) continue;
      v += 2;
      __syncthreads();
    }
    v += k;
  }
  if (v & 1) {
    __syncthreads();
    v += own[0];
  } else {
    v += own[1] * n;
  }
  out[t] = v + total + own[2];
}

// The same value for all, though nobody can see it: they never part.
__global__ void together(unsigned *out, unsigned n) {
  __shared__ unsigned s[256];
  unsigned v = threadIdx.x, r = 0;
  while (r < n) {
    s[threadIdx.x] = v + r;
    __syncthreads();
    v ^= s[(threadIdx.x + 1) % blockDim.x];
    __syncthreads();
    r += 1 + (v > 1u << 30);
  }
  out[threadIdx.x] = v;
}

// The last block is cut off, and some threads have left before; an exit while others go on.
__global__ void guard(unsigned *out, unsigned n) {
  __shared__ unsigned s[64];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i;
  if (i % 32 == 31) return;
  __syncthreads();
  if (i < n) {
    const unsigned v = s[threadIdx.x ^ 3];
    __syncthreads();
    out[i] = v;
    if (v % 5 == 0) return;
    __syncthreads();
    out[i] += 1000;
  } else {
    out[i] = 7;
  }
}

// Names, constants, types and parameters that the rest needs; votes and shuffles when threads have parted.
template <class T, int Size>
__global__ void rest(T *out, T n, Pair pair, const unsigned *__restrict__ in) {
  constexpr int twice = Size * 2;
  const int half = Size / 2;
  const T table[3] = {3, 5, 7};
  T sum[half] = {}, limit = n;
  Pair mine = {threadIdx.x, pair.b};
  limit += 2;
  n += in[threadIdx.x] % 3;
  do {
    const int three = 3;
    T some[twice] = {n};
    for (int i = 0; i < half; ++i) sum[i] += some[0] * table[i % three] + limit;
    mine.a += sum[half - 1];
    __syncthreads();
    if (n % 2) pair.a += __popc(__ballot_sync(__activemask(), 1)) != 0;
    n -= 1;
  } while (n > 0);
  T last[half];
  last[0] = sum[0];
  __syncthreads();
  out[threadIdx.x] = last[0] + mine.a + pair.a + limit + __syncthreads_count(threadIdx.x < Size);
}

// In three dimensions; the branch is taken by all threads of some blocks, by none of others, by some of the third.
__global__ void cube(unsigned *out, unsigned n) {
  const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned v = t;
  for (unsigned i = t / 13 * blockIdx.x; i < n * blockIdx.x; i += 1 + blockIdx.x) {
    v = v * 3 + i;
    __syncthreads();
  }
  if (blockIdx.x == 1 || (blockIdx.x == 2 && threadIdx.z)) {
    __syncthreads();
    v += 5;
  }
  out[blockIdx.x * 60 + t] = v;
}

int main() {
  unsigned *out;
  cudaMallocManaged(&out, 4096);
  const auto show = [&](const char *name) {
    printf("%s %s:", name, cudaGetErrorString(cudaDeviceSynchronize()));
    for (int i = 0; i < 256; ++i) printf(" %u", out[i]);
    puts("");
    for (int i = 0; i < 1024; ++i) out[i] = i;
  };
  show("nothing");
  turns<<<1, 200>>>(out, 2);
  show("turns");
  turns<<<1, 33>>>(out, 0);
  show("turns");
  together<<<1, 256>>>(out, 9);
  show("together");
  guard<<<4, 64>>>(out, 200);
  show("guard");
  rest<unsigned, 8><<<1, 100>>>(out, 3, Pair{4, 5}, out + 512);
  show("rest");
  cube<<<4, dim3(5, 3, 4)>>>(out, 11);
  show("cube");
}
