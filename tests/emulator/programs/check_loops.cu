// Kernels that check mode runs loop by loop between their barriers: no survey can tell where they access memory.
// Right ones and ones with a mistake each. Argument: the case.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

struct Node {
  long child[64];
  int key[65];
};
// From node to node by what the nodes hold. `last`: who goes on for all.
__global__ void walk(const Node *nodes, long height, long *at, long *next, const int *keys, int *found, int last) {
  const int t = threadIdx.x, b = blockIdx.x;
  for (int i = 0; i < height; i++) {
    if (nodes[at[b]].key[t] <= keys[b] && nodes[at[b]].key[t + 1] > keys[b]) next[b] = nodes[at[b]].child[t];
    __syncthreads();
    if (t == 0) at[b] = next[b];
    if (t == last && at[b] > 0) found[b] = 1;
    __syncthreads();
  }
  if (nodes[at[b]].key[t] == keys[b]) found[b] = t;
}
__global__ void walk_on(const Node *nodes, long height, long *at, long *next, const int *keys, int *found) {
  const int t = threadIdx.x, b = blockIdx.x;
  for (int i = 0; i < height; i++) {
    if (nodes[at[b]].key[t] <= keys[b] && nodes[at[b]].key[t + 1] > keys[b]) next[b] = nodes[at[b]].child[t];
    if (t == 0) at[b] = next[b];
    __syncthreads();
  }
  if (nodes[at[b]].key[t] == keys[b]) found[b] = t;
}
// Variables that live across barriers: one by one, as an array, behind a pointer; some threads leave.
__global__ void keeps(const int *in, int *out, int left) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int own[3] = {in[in[t]], t, 2}, one = in[t], *p = &one;
  s[t] = in[in[t]];
  __syncthreads();
  if (t >= left) return;
  own[1] += s[(in[t] + 1) % 64];
  *p += own[0];
  __syncthreads();
  s[t] = *p;
  __syncthreads();
  out[t] = own[1] + one + s[t % left];
}
// mistake 1: reads behind the array; 2: shared memory that was never written; 3: a store that all see, unordered (at a place that the text does not show)
template <int Mistake> __global__ void wrong(const int *in, int *out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  for (int i = 0; i < 3; ++i) {
    if (Mistake != 2 || in[t] != 2) s[in[t]] = t;
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 4; ++k) sum += s[k] + in[Mistake == 1 && in[t] == 63 ? 64 : k];
    if (Mistake == 3 && in[t] == 40) s[in[13]] = 7 + i;
    out[blockIdx.x * 64 + t] = sum + s[1];
    __syncthreads();
  }
}
// All blocks read all of `table`; then one of them writes there, and the later ones read it again.
__global__ void table_written(int *table, int *out, int writer) {
  __shared__ int s[64];
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    s[table[threadIdx.x]] = i;
    __syncthreads();
    for (int k = 0; k < 64; ++k) sum += table[k] * s[k];
    __syncthreads();
  }
  if (threadIdx.x == 5 && blockIdx.x == writer) table[table[9]] = 1;
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}
// Memory that a thread frees after all have read it.
__global__ void freed(int *out) {
  __shared__ int *p;
  if (threadIdx.x == 0) p = new int(3);
  __syncthreads();
  int sum = *p;
  for (int k = 0; k < 3; ++k) sum += p[out[threadIdx.x]];
  __syncthreads();
  if (threadIdx.x == 9) delete p;
  __syncthreads();
  out[threadIdx.x] = sum + p[out[threadIdx.x]];
}

// Of the two stores the compiler may make one, which has no line of its own.
__global__ void either(const int *in, int *out, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x, at = blockIdx.x * 64 + t;
  int sum = 0;
  if (n > 3) {
    if (n > 5) s[t] = in[in[t]]; else s[t] = in[t];
    __syncthreads();
    for (int i = 0; i < n; ++i) sum += s[in[t] ^ i % 2];
    __syncthreads();
  }
  out[at] = sum;
}

int main(int, char **argv) {
  const int which = atoi(argv[1]), count = 24;
  static Node host[65];
  long *at, *next;
  int *keys, *found, *in, *out, text[1024] = {}, numbers[64];
  Node *nodes;
  for (int i = 0; i < 65; ++i)
    for (int k = 0; k < 65; ++k) host[i].child[k % 64] = i ? i : 1 + k % 64, host[i].key[k] = i ? (i - 1) * 64 + k : 64 * k;
  for (int i = 0; i < 64; ++i) numbers[i] = i * 5 % 64;
  for (int i = 0; i < count; ++i) text[i] = i * 171;
  cudaMalloc(&nodes, sizeof host), cudaMalloc(&at, 8 * count), cudaMalloc(&next, 8 * count);
  cudaMalloc(&keys, 4 * count), cudaMalloc(&found, 4 * count), cudaMalloc(&in, 256), cudaMalloc(&out, 4096);
  cudaMemcpy(nodes, host, sizeof host, cudaMemcpyHostToDevice), cudaMemset(at, 0, 8 * count), cudaMemset(next, 0, 8 * count);
  cudaMemcpy(keys, text, 4 * count, cudaMemcpyHostToDevice), cudaMemset(found, 0, 4 * count), cudaMemset(out, 0, 4096);
  cudaMemcpy(in, numbers, 256, cudaMemcpyHostToDevice);
  switch (which) {
    case 0: walk<<<count, 64>>>(nodes, 2, at, next, keys, found, -1); break;
    case 1: keeps<<<1, 64>>>(in, out, 64); break;
    case 2: wrong<0><<<16, 64>>>(in, out); break;
    case 3: table_written<<<16, 64>>>(in, out, -1); break;
    case 4: either<<<16, 64>>>(in, out, 9); break;
    case 10: walk_on<<<count, 64>>>(nodes, 2, at, next, keys, found); break;
    case 11: walk<<<count, 64>>>(nodes, 2, at, next, keys, found, 63); break;
    case 12: keeps<<<1, 64>>>(in, out, 40); break;  // fine; a note
    case 13: wrong<1><<<16, 64>>>(in, out); break;
    case 14: wrong<2><<<16, 64>>>(in, out); break;
    case 15: wrong<3><<<16, 64>>>(in, out); break;
    case 16: table_written<<<16, 64>>>(in, out, 11); break;
    case 17: freed<<<1, 64>>>(out); break;
  }
  cudaMemcpy(text, which ? out : found, which ? 4096 : 4 * count, cudaMemcpyDeviceToHost);
  cudaFree(nodes), cudaFree(at), cudaFree(next), cudaFree(keys), cudaFree(found), cudaFree(in), cudaFree(out);
  unsigned sum = 0;
  for (int i = 0; i < (which ? 1024 : count); ++i) sum = sum * 31 + (unsigned)text[i];
  printf("%s %u\n", cudaGetErrorName(cudaGetLastError()), sum);
}
