// What a launch knows of its pointers: the bytes that accesses may touch, as ranges that are computed with checked
// arithmetic. Whatever is not certain is not known, and then no fact holds. Launches
// remember what they found (facts.h), and inlining all of it took compilers longer than the rest of a file.
namespace gpuopt_rt { inline namespace GPUOPT_RT_VERSION {

// All values that an integer of the kernel may have at a launch: `low` to `high`. Not `known`: any.
struct reach {
  long long low, high;
  bool known;
  reach() : low(0), high(0), known(false) {}
  reach(long long l, long long h) : low(l), high(h), known(l <= h) {}
};
static inline reach only(long long n) { return reach(n, n); }
static inline reach only(unsigned long long n) { return n >> 63 ? reach() : reach((long long)n, (long long)n); }
static inline reach only(unsigned long n) { return only((unsigned long long)n); }
static inline reach only(long n) { return only((long long)n); }
static inline reach only(unsigned n) { return only((long long)n); }
static inline reach only(int n) { return only((long long)n); }
template <class T> static inline reach only(const T &n) { return only((long long)n); }  // shorter ones, enumerators
// 0 to n - 1: an index of so many threads or blocks.
static inline reach below(unsigned n) { return reach(0, (long long)n - 1); }

GPUOPT_RT_API reach operator+(const reach &a, const reach &b);
GPUOPT_RT_API reach operator*(const reach &a, const reach &b);
// Quotients and remainders by positive numbers, shifts by what is certain: C's, towards zero.
GPUOPT_RT_API reach operator/(const reach &a, const reach &b);
GPUOPT_RT_API reach operator%(const reach &a, const reach &b);
GPUOPT_RT_API reach operator<<(const reach &a, const reach &b);
GPUOPT_RT_API reach operator>>(const reach &a, const reach &b);
// Numbers that are not negative: `a & b` is at most the smaller one.
GPUOPT_RT_API reach operator&(const reach &a, const reach &b);
GPUOPT_RT_API reach least(const reach &a, const reach &b);
GPUOPT_RT_API reach most(const reach &a, const reach &b);
GPUOPT_RT_API reach either(const reach &a, const reach &b);
// A conversion to a type with these limits, which keeps what fits.
GPUOPT_RT_API reach within(const reach &a, long long low, long long high);
// Numbers that C++ computes with as the kernel does, whatever their types: of 31 bits, not below zero.
GPUOPT_RT_API bool is_index(const reach &a);
// An argument of the launch.
template <class T> static inline reach counted(const T &n) { const reach r = only(n); return is_index(r) ? r : reach(); }
// What a condition leaves: values of at most `b`, of at least `b`. Not known where none is left: nothing runs there.
GPUOPT_RT_API reach at_most(const reach &a, const reach &b);
GPUOPT_RT_API reach at_least(const reach &a, const reach &b);
// Values of a counter that begins with `start` and goes on by `step` while it is at most (at least) `limit`.
GPUOPT_RT_API reach upwards(const reach &start, const reach &step, const reach &limit);
GPUOPT_RT_API reach downwards(const reach &start, const reach &step, const reach &limit);
// The number of the iteration, of so many.
GPUOPT_RT_API reach turns(const reach &trips);
// Offsets in bytes of an index into elements of so many bytes.
GPUOPT_RT_API reach placed(const reach &a, long long unit);

// Whether accesses of `m` bytes at `a` from pointer p and of `n` bytes at `b` from pointer q have no byte in common.
GPUOPT_RT_API bool are_apart(unsigned long long p, const reach &a, long long m, unsigned long long q, const reach &b,
                             long long n);
static inline bool apart(const volatile void *p, const reach &a, long long m, const volatile void *q, const reach &b,
                         long long n) {
  return are_apart((unsigned long long)p, a, m, (unsigned long long)q, b, n);
}
// Whether an address is a multiple of so many bytes.
static inline bool aligned(const volatile void *p, unsigned long long bytes) {
  return (unsigned long long)p % bytes == 0;
}

} }
