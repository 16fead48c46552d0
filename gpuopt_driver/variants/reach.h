// What a launch knows of its pointers: the bytes that accesses may touch, as ranges that are computed with checked
// arithmetic. Whatever is not certain is not known, and then no fact holds. Pasted where versions require facts. Launches
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

static inline reach operator+(const reach &a, const reach &b) {
  reach r;
  r.known = a.known && b.known && !__builtin_add_overflow(a.low, b.low, &r.low) &&
            !__builtin_add_overflow(a.high, b.high, &r.high);
  return r;
}
static inline reach operator*(const reach &a, const reach &b) {
  if (!a.known || !b.known) return reach();
  long long p, q, r, s;
  if (__builtin_mul_overflow(a.low, b.low, &p) || __builtin_mul_overflow(a.high, b.high, &q)) return reach();
  if (a.low >= 0 && b.low >= 0) return reach(p, q);
  if (__builtin_mul_overflow(a.low, b.high, &r) || __builtin_mul_overflow(a.high, b.low, &s)) return reach();
  const long long pq = p < q ? p : q, rs = r < s ? r : s, most = p < q ? q : p, more = r < s ? s : r;
  return reach(pq < rs ? pq : rs, most < more ? more : most);
}
// Quotients and remainders by positive numbers, shifts by what is certain: C's, towards zero.
static inline reach operator/(const reach &a, const reach &b) {
  if (!a.known || !b.known || b.low <= 0) return reach();
  return reach(a.low / (a.low < 0 ? b.low : b.high), a.high / (a.high < 0 ? b.high : b.low));
}
static inline reach operator%(const reach &a, const reach &b) {
  if (!a.known || !b.known || b.low <= 0) return reach();
  if (a.low >= 0 && a.high < b.low) return a;
  return reach(a.low < 0 ? 1 - b.high : 0, a.high > 0 ? b.high - 1 : 0);
}
static inline reach operator<<(const reach &a, const reach &b) {
  return b.known && b.low == b.high && b.low >= 0 && b.low < 62 ? a * only(1LL << b.low) : reach();
}
static inline reach operator>>(const reach &a, const reach &b) {
  return a.known && a.low >= 0 && b.known && b.low == b.high && b.low >= 0 && b.low < 63
             ? reach(a.low >> b.low, a.high >> b.low) : reach();
}
// Numbers that are not negative: `a & b` is at most the smaller one.
static inline reach operator&(const reach &a, const reach &b) {
  const bool one = a.known && a.low >= 0, other = b.known && b.low >= 0;
  if (!one && !other) return reach();
  return reach(0, !other || (one && a.high < b.high) ? a.high : b.high);
}
static inline reach least(const reach &a, const reach &b) {
  return a.known && b.known ? reach(a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high) : reach();
}
static inline reach most(const reach &a, const reach &b) {
  return a.known && b.known ? reach(a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high) : reach();
}
static inline reach either(const reach &a, const reach &b) {
  return a.known && b.known ? reach(a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high) : reach();
}
// A conversion to a type with these limits, which keeps what fits.
static inline reach within(const reach &a, long long low, long long high) {
  return a.known && a.low >= low && a.high <= high ? a : reach();
}
// Numbers that C++ computes with as the kernel does, whatever their types: of 31 bits, not below zero.
static inline bool is_index(const reach &a) { return a.known && a.low >= 0 && a.high <= 0x7fffffffLL; }
// An argument of the launch.
template <class T> static inline reach counted(const T &n) { const reach r = only(n); return is_index(r) ? r : reach(); }
// What a condition leaves: values of at most `b`, of at least `b`. Not known where none is left: nothing runs there.
static inline reach at_most(const reach &a, const reach &b) {
  if (!is_index(a) || !b.known || b.low < -1 || b.high > 0x7fffffffLL) return a;
  return a.high <= b.high ? a : reach(a.low, b.high);
}
static inline reach at_least(const reach &a, const reach &b) {
  if (!is_index(a) || !is_index(b)) return a;
  return a.low >= b.low ? a : reach(b.low, a.high);
}
// Values of a counter that begins with `start` and goes on by `step` while it is at most (at least) `limit`.
static inline reach upwards(const reach &start, const reach &step, const reach &limit) {
  if (!is_index(start) || !is_index(step) || !step.low || !limit.known || limit.low < -1) return reach();
  return limit.high + step.high > 0x7fffffffLL ? reach() : reach(start.low, start.low > limit.high ? start.low : limit.high);
}
static inline reach downwards(const reach &start, const reach &step, const reach &limit) {
  if (!step.known || step.high >= 0 || step.low < -0x7fffffffLL || !is_index(limit) || !start.known) return reach();
  return start.low < -1 || start.high > 0x7fffffffLL ? reach()
                                                      : reach(limit.low, start.high < limit.low ? limit.low : start.high);
}
// The number of the iteration, of so many.
static inline reach turns(const reach &trips) {
  return is_index(trips) ? reach(0, trips.high > 1 ? trips.high - 1 : 0) : reach();
}
// Offsets in bytes of an index into elements of so many bytes.
static inline reach placed(const reach &a, long long unit) {
  return a.known && a.low >= 0 && a.high / unit <= 0x7fffffffLL ? a : reach();
}

// Whether accesses of `m` bytes at `a` from pointer p and of `n` bytes at `b` from pointer q have no byte in common.
static inline bool apart(const volatile void *p, const reach &a, long long m, const volatile void *q, const reach &b,
                            long long n) {
  const reach one = only((unsigned long long)p) + a, other = only((unsigned long long)q) + b;
  return one.known && other.known && (one.high + m <= other.low || other.high + n <= one.low);
}
// Whether an address is a multiple of so many bytes.
static inline bool aligned(const volatile void *p, unsigned long long bytes) {
  return (unsigned long long)p % bytes == 0;
}

} }
