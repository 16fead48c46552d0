"""What kernels use: macros, functions, classes. A program gets only the pieces that it names."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+")
_PIECES = """
MIX: #define MIX(a, b) (((a) << 3) ^ (b))
PICK: #define PICK(test, a, b) ((test) ? (a) : (b))
GLOBAL: #define GLOBAL (blockIdx.x * blockDim.x + threadIdx.x)
SCALE: #define SCALE(a, b) ((a) * 0.5f + (b) * 0.25f)
EACH: #define EACH(j, n) for (int j = 0; j < (n); ++j)
SUM_ROW: #define SUM_ROW(to, array, from, n) for (int each_ = 0; each_ < (n); each_++) (to) += (array)[(from) + each_]
STEP: #define STEP(to) do { (to) = (to) * 5u + 1u; } while (0)
ADD: #define ADD(to, what) (to) += (what)
MINE: #define MINE (A[me])
SELF: #define SELF ((unsigned)__func__[1])
ORDINAL: #define ORDINAL (__COUNTER__ + 1u)
SALT: #define SALT 3u
SWAP_IF: #define SWAP_IF(test, a, b) if (test) { unsigned c_ = a; a = b; b = c_; }
STORE: #define STORE(array, at, what) (array)[at] = (what)
SYNC: #define SYNC __syncthreads()
by_value: __device__ unsigned by_value(unsigned a, int b) { a += (unsigned)b; return a * 3u; }
by_reference: __device__ unsigned by_reference(unsigned &a, unsigned b) { a = a * 3u + b; return a ^ 5u; }
take: __device__ unsigned take(unsigned &left) { --left; return left * 7u + 1u; }
next: __device__ unsigned next(unsigned &state) { state = state * 5u + 3u; return state >> 3; }
next_at: __device__ unsigned next_at(unsigned *state) { *state += 77u; return *state ^ 9u; }
bump: __device__ void bump(unsigned &to, unsigned &by) { to += by; by += threadIdx.x; }
store_to: __device__ void store_to(unsigned *array, int at, unsigned value) { array[at] = value; }
meet: __device__ void meet() { __syncthreads(); }
votes: __device__ unsigned votes(unsigned a, bool asks) { return asks ? __popc(__ballot_sync(0xffffffffu, a & 1u)) : a; }
last_votes: __device__ void last_votes(unsigned *to, unsigned a) { *to += __popc(__ballot_sync(0xffffffffu, a & 1u)); }
generic: template <int N> __device__ unsigned generic(unsigned a) { return a * (unsigned)N + blockIdx.x; }
chosen: template <int N> __device__ unsigned chosen(unsigned &a, unsigned b) { if (N == 2) { meet(); a += b; return a; } if (N > 2) { bump(a, b); } else { return take(a); } return a ^ b; }
at_or: __device__ unsigned at_or(unsigned k = blockIdx.x * 8u + threadIdx.x) { return k * 3u; }
folded: template <class T> __device__ T folded(T a, T b) { T c = a; c += b; return c; }
axpy: __device__ float axpy(float a, float b, float c) { return a * b + c; }
lerp_: __device__ float lerp_(float a, float b) { return a + 0.25f * (b - a); }
first_from: __device__ unsigned first_from(const unsigned *a, int me, int n, unsigned what) { for (int i = 0; i < n; i++) { if ((a[me * n + i] & 63u) == what) return (unsigned)i; for (int j = i; j < n; j += 2) { if (a[j] % 5u == what % 5u) return a[me] + (unsigned)j; if (a[j] == what) break; } } return what / 3u; }
Fields: struct Fields { unsigned low : 7; int middle : 11; unsigned top : 14; };
fields: __device__ unsigned fields(unsigned a, unsigned b) { Fields f; f.low = a; f.middle = (int)(b % 512u) - 256; f.top = b; f.low += b; f.middle = f.middle / 3 - 5; f.top ^= a >> 9; return f.low + (unsigned)f.middle * 7u + f.top; }
digits: __device__ unsigned digits(unsigned a) { unsigned s = 0; do { s += a % 10u; a /= 10u; } while (a != 0u); return s; }
Box: template <class T> struct Box { T what; __device__ explicit Box(T v) : what(v) {} __device__ T twice() const { return what + what; } };
Place: struct Place { unsigned x, y; __device__ Place() : x(blockIdx.x * blockDim.x + threadIdx.x), y(blockIdx.y + threadIdx.y) {} __device__ unsigned flat() const { return x * 5u + y; } __device__ static Place other() { Place p; p.x ^= 3u; return p; } };
Member: struct Member { unsigned t = threadIdx.x; unsigned b = blockIdx.x + 1u; };
Base: struct Base { unsigned b; __device__ Base() : b(blockIdx.x + gridDim.x) {} };
Derived: struct Derived : Base { unsigned t = threadIdx.x; __device__ unsigned sum() const { return b * 3u + t; } };
Once: struct Once { unsigned u; __device__ void up() { u += 5u; } };
Twice: struct Twice : Once { unsigned u; };
Put: struct Put { unsigned v; __device__ explicit Put(unsigned w) : v(w * 5u + threadIdx.x) {} };
Here: struct Here { __device__ operator unsigned() const { return blockIdx.x * 11u + threadIdx.x; } };
Leaving: struct Leaving { unsigned &to; __device__ explicit Leaving(unsigned &t) : to(t) {} __device__ ~Leaving() { to += blockIdx.x * 3u + threadIdx.x; } };
Adder: struct Adder { unsigned v; __device__ explicit Adder(unsigned w) : v(w) {} __device__ Adder &operator+=(unsigned w) { v += w * (blockIdx.x + 1u); return *this; } };
Counter: struct Counter { unsigned n; __device__ Counter() : n(threadIdx.x) {} __device__ Counter &operator++() { n += 2u; return *this; } __device__ unsigned operator()() { return n++; } };
Wrapped: struct Wrapped { Place inner; };
Bound: template <class T> struct Bound { T at; };
as_const_: template <class T> __device__ const T &as_const_(const T &of) { return of; }
Pair: struct Pair { unsigned a, b; __device__ Pair &operator+=(const Pair &o) { a += o.a; b ^= o.b; return *this; } __device__ Pair operator*(unsigned k) const { return Pair{a * k, b}; } };
exchange: __device__ void exchange(Pair &p) { unsigned c = p.a; p.a = p.b; p.b = c; }
pair_of: __device__ Pair pair_of(unsigned n) { return Pair{n * 3u, n ^ threadIdx.x}; }
by_pair: __device__ Pair by_pair(Pair p) { p.a += p.b; p.b *= 3u; return p; }
Three: struct Three { int v[3]; __device__ int *begin() { return v; } __device__ int *end() { return v + 3; } };
Word: union Word { unsigned word; unsigned char bytes[4]; };
Par: struct Par { unsigned table[4]; int k; unsigned calls; __host__ __device__ unsigned operator()(unsigned a) const { return a * table[1] + (unsigned)k; } __device__ [[nodiscard]] unsigned mix(unsigned a, int t) const { return (a ^ table[t & 3]) + blockIdx.x; } __device__ unsigned row(const unsigned *a, int me, int n) const { unsigned s = 0; for (int q = 0; q < n; q++) s += a[me * n + q]; return s; } };
Counting: struct Counting { unsigned table[4]; int k; mutable unsigned calls; Counting() = default; __host__ __device__ Counting(const Par &p) : k(p.k), calls(p.calls) { for (int q = 0; q < 4; q++) table[q] = p.table[q]; } __device__ unsigned counted(unsigned a) const { return a * table[2] + ++calls; } __host__ __device__ unsigned operator()(unsigned a) const { return a * table[1] + (unsigned)k; } __device__ [[nodiscard]] unsigned mix(unsigned a, int t) const { return (a ^ table[t & 3]) + blockIdx.x; } __device__ unsigned row(const unsigned *a, int me, int n) const { unsigned s = 0; for (int q = 0; q < n; q++) s += a[me * n + q]; return s; } };
"""
PIECES = {name: text for name, _, text in (line.partition(": ") for line in _PIECES.strip().splitlines())}


def needed(text: str) -> list[str]:
    """The pieces that a text names, and those that these name, in the order of the table."""
    wanted: set[str] = set()
    todo = [text]
    while todo:
        new = {word for word in _WORD.findall(todo.pop()) if word in PIECES} - wanted
        wanted |= new
        todo.extend(PIECES[name] for name in new)
    return [text for name, text in PIECES.items() if name in wanted]
