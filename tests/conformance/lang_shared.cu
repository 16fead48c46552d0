// Shared memory that is declared outside functions, with and without `__device__`, and what it can be cast to; headers under
// a macro of the program's own that has the name of an attribute.
#include "show.h"
#define error(number, name) report(number, name)
#include <cuda.h>
#undef error

__device__ __shared__ unsigned words[64];
__shared__ float single;
extern __shared__ char dynamic[];
struct Pair { float first; int second; };
__device__ __shared__ Pair pairs[8];

__device__ void fill() { words[threadIdx.x] = threadIdx.x * 3; }
__global__ void use(int *out) {
  fill();
  if (threadIdx.x == 0) single = 0.5f;
  if (threadIdx.x < 8) pairs[threadIdx.x] = {threadIdx.x * 0.25f, (int)threadIdx.x};
  ((short *)dynamic)[threadIdx.x] = (short)-threadIdx.x;
  __syncthreads();
  const unsigned neighbour = words[(threadIdx.x + 1) % 64];
  __syncthreads();
  ((float *)words)[threadIdx.x] = neighbour * single;  // the same memory as other numbers
  __syncthreads();
  for (int i = 32; i > 0; i /= 2) {
    if (threadIdx.x < i) ((float *)words)[threadIdx.x] += ((float *)words)[threadIdx.x + i];
    __syncthreads();
  }
  const unsigned char *bytes = reinterpret_cast<const unsigned char *>(&words[0]);
  if (threadIdx.x < 4) out[threadIdx.x] = bytes[threadIdx.x];
  if (threadIdx.x == 4) out[4] = (int)*(float *)words;
  if (threadIdx.x == 5) out[5] = (int)sizeof(words) + (int)sizeof(pairs) * 1000;
  if (threadIdx.x == 6) out[6] = ((const short *)dynamic)[63] + ((signed char *)dynamic)[1];
  if (threadIdx.x == 7) out[7] = pairs[7].second * 100 + (int)(((float *)pairs)[10] * 4);
}

int main() {
  int *out = array<int>(8);
  use<<<1, 64, 128>>>(out);
  show("shared", out, 8);
}
