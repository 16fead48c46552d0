"""Ways to make a small number `@` differ between threads that a careless analysis takes for equal, and the reverse."""

from __future__ import annotations

# Each sets `int @` to 0..7, differently for threads of a block.
POISONS: tuple[tuple[str, ...], ...] = (
    ("int @ = n & 3; int *p@ = &@; *p@ += tid & 3;",),
    ("int @ = n & 3; int &r@ = @; r@ += threadIdx.x & 3;",),
    ("int @ = n & 3; bump(@);",),
    ("int @ = n & 3; bump_at(&@, 2);",),
    ("int @ = n & 3; Pair s@ = {0, 0}; s@.b = tid & 3; @ = s@.b;",),
    ("Pair s@ = pair_of(n); int @ = s@.b & 7;",),
    ("int a@[2] = {1, 2}; a@[tid & 1] = 5; int @ = a@[0];",),
    ("int @ = 1; for (int q = 0; q < 5; q++) { if (q == (tid & 7)) break; @++; }",),
    ("int @ = 0; for (int q = 0; q < 5; q++) { if ((q + tid) & 1) continue; @++; }",),
    ("int @ = 0; if ((tid & 7) > 3 && (@ = 2)) v2 += 1u;",),
    ("int @ = 0; if ((tid & 7) < 3 || (@ = 4)) v2 += 1u;",),
    ("int @ = 1; while (@ < (tid & 7)) @ += 2;",),
    ("int @ = 6; do @--; while (@ > (tid & 3));",),
    ("int @ = n & 1; auto l@ = [&](int q) { @ += tid & 3; return q; }; l@(1);",),
    ("auto l@ = [=](int q) { return (tid & 3) + q; }; int @ = l@(n & 1);",),
    ("int @ = __any_sync(__activemask(), (tid / 32) & 1) ? 5 : 1;",),
    ("int @ = lane_like(n);",),
    ("int @ = generic(n & 1);",),
    ("int @ = generic<3>(n & 1);",),
    ("Counter c@; c@.step(tid); int @ = c@.value & 7;",),
    ("Counter c@; c@ += tid; int @ = c@.value & 7;",),
    ("Counter c@(1); int @ = c@() & 7;",),
    ("dim3 t@ = threadIdx; int @ = (int)t@.x & 7;",),
    ("auto t@ = threadIdx; int @ = (int)(t@.x & 3u) + 1;",),
    ("const uint3 &t@ = threadIdx; int @ = (int)(t@.x & 3u) + 1;",),
    ("int @ = 1, o@ = 2; (tid & 1 ? @ : o@) = 6;",),
    ("int @ = 1, o@ = 6; if (tid & 1) exchange_(@, o@);",),
    ("int @ = 1, o@ = tid & 7; exchange_(@, o@);",),
    ("union { int i; unsigned u; } w@; w@.u = tid & 7u; int @ = w@.i;",),
    ("int @ = 0; memcpy(&@, &tid, sizeof(int)); @ &= 7;",),
    ("int @ = n & 1; switch (tid & 3) { case 1: @ = 3; case 2: @ += 1; break; default: @ = 7; }",),
    ("int @ = A[tid] & 7u;",),
    ("int @ = *(A + me) & 7u;",),
    ("int @ = y[me] & 7u;",),
    ("int @ = n; @ = (tid & 1) ? 2 : @ & 7;",),
    ("int @ = (int)(v0 & 7u);",),
    ("int @ = n & 3; @ += me > 10;",),
    ("int @ = (n & 3) | ((int)threadIdx.x & 4);",),
    ("int @ = 0; { int @_ = tid; @ = @_ & 7; }",),
    ("int @ = 3; if (n > 0) { if (tid & 1) @ = 5; else @ = 2; }",),
    ("int @ = 3; for (int q = 0; q < 3; q++) { if (q == 1) @ = tid & 7; }",),
    ("int @ = 0; for (int q = tid & 7; q > 0; q--) @++;",),
    ("int @ = 0, h@ = 0; for (int q = 0; q < 3; q++) { @ = h@; h@ = tid & 7; }",),
    ("int @ = last_bits((unsigned)tid);",),
    ("int @ = in_table(tid);",),
    ("int @ = recursive(tid & 3);",),
    ("int @ = n & 1; through(&Pair::b, @, tid);",),
    ("int @ = 0; (void)(tid & 1 && ++@);",),
    ("int @ = sizeof(int) + (tid & 3) - 4;",),
    ("int @ = n ? tid & 7 : 0;",),
    ("int @ = (v1 += 3u, tid) & 7;",),
    ("int @ = 2; int *q@[1] = {&@}; *q@[0] = tid & 7;",),
    ("Holder h@ = {nullptr}; int @ = 2; h@.at = &@; *h@.at = tid & 7;",),
    ("Box<int> b@; b@.put(tid & 7); int @ = b@.get();",),
    ("int @ = 1; [](int &to, int what) { to = what & 7; }(@, tid);",),
    ("int @ = 0; for (int q : {1, 2, 3}) { if (q == (tid & 3)) @ = q; }",),
    ("int @ = n & 3; int *p@ = tid & 1 ? &@ : nullptr; if (p@) *p@ = 7;",),
)  # fmt: skip

# Each sets `int @` to 0..7, equal for all threads of a block.
UNIFORM: tuple[tuple[str, ...], ...] = (
    ("int @ = n & 7;",),
    ("int @ = (int)(A[blockIdx.x] & 7u);",),
    ("int @ = (int)(blockIdx.x + gridDim.x) & 7;",),
    ("int @ = 0; for (int q = 0; q < 5; q++) { if (q == m) break; @++; }",),
    ("int @ = n & 1; if (m > 3) @ = 4;",),
    ("int @ = last_bits((unsigned)n);",),
    ("int a@[3] = {1, 2, 3}; int @ = a@[n % 3];",),
    ("int @ = same & 7;",),
    ("int @ = n > 3 ? m & 7 : 2;",),
    ("int @ = 7; while (@ > (m & 3)) @--;",),
    ("Pair s@ = {n & 3, m & 3}; int @ = s@.a + s@.b;",),
)

# What the snippets above call.
SUPPORT = """\
struct Pair { int a, b; };
struct Holder { int *at; };
struct Counter {
  int value; __device__ Counter(int v = 0) : value(v) {}
  __device__ void step(int by) { value += by & 3; }
  __device__ Counter &operator+=(int by) { value += by & 3; return *this; }
  __device__ int operator()() { return value + (int)(threadIdx.x & 3u); }
};
template <class T> struct Box {
  T what; __device__ void put(T v) { what = v; } __device__ T get() const { return what; }
};
__device__ void bump(int &to) { to += (int)(threadIdx.x & 3u); }
__device__ void bump_at(int *to, int more) { *to = (*to + (int)threadIdx.x + more) & 7; }
__device__ Pair pair_of(int n) { Pair p = {n, (int)(threadIdx.x & 7u)}; return p; }
__device__ int lane_like(int n) { return (int)(threadIdx.x % 32u + n) & 7; }
template <int N = 2> __device__ int generic(int n) { return n + (int)(threadIdx.x % (unsigned)N); }
template <class T> __device__ void exchange_(T &a, T &b) { T c = a; a = b; b = c; }
__device__ int last_bits(unsigned v) { while (v > 7u) v >>= 1; return (int)v; }
__device__ const int table_[8] = {0, 3, 5, 1, 7, 2, 6, 4};
__device__ int in_table(int at) { return table_[at & 7]; }
__device__ int recursive(int n) { return n <= 0 ? 0 : 1 + recursive(n - 1); }
__device__ void through(int Pair::*which, int &to, int tid) { Pair p = {1, tid & 7}; to = p.*which; }
__device__ void meet() { __syncthreads(); }
"""
