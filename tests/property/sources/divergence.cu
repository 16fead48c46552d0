// Kernels in which threads part for reasons that are easy to miss. The test appends a main that launches each of them.
#define ROW for (int j = 0; j < n; j++) y[i] += A[i * n + j];
#define ID int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x; (void)t;
// shared bound, changed by one thread, read after a barrier: uniform; then changed by all without one: not
__global__ void s1(const u *A, u *y, int n) { ID __shared__ int b; if (t == 0) b = 3; __syncthreads(); if (b > 2) ROW __syncthreads(); }
__global__ void s2(const u *A, u *y, int n) { ID __shared__ int b[64]; b[t] = t & 3; if (b[t] > 1) { ROW } }
__global__ void s3(const u *A, u *y, int n) { ID __shared__ int b[64]; b[t] = t & 3; int k = t; if (b[k] > 1) { ROW } }
// own slot of global memory steers
__global__ void g1(const u *A, u *y, int n) { ID y[i] = t & 3; u v = y[i]; if (v > 1) { ROW } }
__global__ void g2(const u *A, u *y, int n) { ID const u *p = A + t; if (*p & 1) { ROW } if (p[0] & 2) { ROW } }
__global__ void g3(const u *A, u *y, int n) { ID const u *p = A; p += t; if (*p & 1) { ROW } }
__global__ void g4(const u *A, u *y, int n) { ID const u *p = A; for (int q = 0; q < t % 3; q++) p++; if (*p & 1) { ROW } }
struct It { const u *at; __device__ const u &operator*() const { return *at; } __device__ It &operator++() { at++; return *this; } __device__ bool operator!=(const It &o) const { return at != o.at; } };
struct Range { const u *from; int count; __device__ It begin() const { return {from}; } __device__ It end() const { return {from + count}; } };
__global__ void r1(const u *A, u *y, int n) { ID for (u v : Range{A, t % 5}) { if (v & 1) ROW else for (int j = 0; j < n; j++) y[i] ^= A[j]; } }
__global__ void r2(const u *A, u *y, int n) { ID const Range r = {A + i * n, n}; for (const u &v : r) y[i] += v; }
// goto
__global__ void go1(const u *A, u *y, int n) { ID int q = 0; again: ROW if (++q < (t & 3)) goto again; }
__global__ void go2(const u *A, u *y, int n) { ID if (t & 1) goto out; ROW out: y[i]++; }
// switch through
__global__ void sw1(const u *A, u *y, int n) { ID switch (n) { case 8: if (t & 1) break; case 3: ROW default: y[i]++; } ROW }
__global__ void sw2(const u *A, u *y, int n) { ID for (int q = 0; q < 3; q++) { switch (q) { case 1: if (t & 1) continue; } ROW } }
__global__ void sw3(const u *A, u *y, int n) { ID switch (t & 1) while (n < 0) { case 0: ROW } y[i]++; }
// loops left by some
__global__ void l1(const u *A, u *y, int n) { ID for (int q = 0; q < 4; q++) { ROW if (q == (t & 3)) break; } }
__global__ void l2(const u *A, u *y, int n) { ID for (int q = 0; q < 4; q++) { if (q == (t & 3)) continue; ROW } }
__global__ void l3(const u *A, u *y, int n) { ID for (int q = 0; q < 4; q++) { for (int p = 0; p < 2; p++) { if (p == (t & 1)) goto next; ROW } next:; } }
__global__ void l4(const u *A, u *y, int n) { ID int q = 0; do { ROW if (t & 1) continue; q++; } while (q++ < 4); }
__global__ void l5(const u *A, u *y, int n) { ID for (int q = 0; q < 4; q += 1 + (t & 1)) { ROW } }
__global__ void l6(const u *A, u *y, int n) { ID for (int q = 0; t & 1 ? q < 2 : q < 4; q++) { ROW } }
__global__ void l7(const u *A, u *y, int n) { ID for (int q = t & 1; q < 4; q++) ROW }
__global__ void l8(const u *A, u *y, int n) { ID int m = n; for (int q = 0; q < 3; q++) { if (m > 5) { ROW } m -= t & 7; } }
__global__ void l9(const u *A, u *y, int n) { ID int m = 4; while (m-- > 0) { int k = m; if (k == (t & 3)) return; ROW } y[i]++; }
__global__ void l10(const u *A, u *y, int n) { ID if (t > 40) return; for (int q = 0; q < 3; q++) { ROW __syncthreads(); } }
// conditions with side effects, && chains, ternary statements, comma
__global__ void c1(const u *A, u *y, int n) { ID int w = 0; if (n > 3 && (w = t & 1, w)) { ROW } if (w) { ROW } }
__global__ void c2(const u *A, u *y, int n) { ID bool b = n > 3; b &= t & 1; if (b) { ROW } b |= true; if (b) { ROW } }
__global__ void c3(const u *A, u *y, int n) { ID if (int w = t & 1) { ROW y[i] += w; } else { ROW } if (const u *p = n > 2 ? A : nullptr) { ROW y[i] += p[t]; } }
__device__ bool odd() { return threadIdx.x & 1; }
__device__ bool pick(int n, bool (*f)()) { return n > 2 && f(); }
__global__ void c4(const u *A, u *y, int n) { ID if (odd()) { ROW } if (pick(n, odd)) { ROW } }
struct Base { int v; __device__ Base() { v = threadIdx.x & 1; } }; struct Derived : Base { int w; __device__ Derived() { w = threadIdx.x & 3; } };
__global__ void c5(const u *A, u *y, int n) { ID Derived d; if (d.v) { ROW } if (d.w > 1) { ROW } Base arr[2]; if (arr[1].v) { ROW } }
__global__ void c6(const u *A, u *y, int n) { ID int k = __shfl_sync(0xffffffffu, t / 32, 0); if (k) { ROW } if (__all_sync(0xffffffffu, t > 31)) { ROW } if (__syncthreads_or(t == 5)) { ROW } if (__syncthreads_count(t < 7) == 7) ROW }
__global__ void c7(const u *A, u *y, int n) { ID int m[4] = {n, n, n, n}; m[t & 3] = 0; if (m[1]) { ROW } int *p = m; p[2] = t & 1; if (m[2]) { ROW } int (&r)[4] = m; r[0] = t & 1; if (m[0]) { ROW } }
__global__ void c8(const u *A, u *y, int n) { ID uint2 v = make_uint2(n, t & 1); if (v.y) { ROW } uint4 z = {0, 0, 0, 0}; (&z.x)[2] = t & 1; if (z.z) { ROW } }
__global__ void c9(const u *A, u *y, int n) { ID auto [a, b] = make_uint2(n, t & 1); if (b) { ROW } if (a) ROW }
__global__ void c10(u *A, u *y, int n) { ID static_assert(sizeof(u) == 4, "{"); const char *s = "} for (;;) {"; if (s[t & 1] == '}') { ROW } }
