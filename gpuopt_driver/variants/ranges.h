// What reach.h declares. Pasted behind the other definitions of the runtime.
namespace gpuopt_rt { inline namespace GPUOPT_RT_VERSION {

GPUOPT_RT_API reach operator+(const reach &a, const reach &b) {
  reach r;
  r.known = a.known && b.known && !__builtin_add_overflow(a.low, b.low, &r.low) &&
            !__builtin_add_overflow(a.high, b.high, &r.high);
  return r;
}
GPUOPT_RT_API reach operator*(const reach &a, const reach &b) {
  if (!a.known || !b.known) return reach();
  long long p, q, r, s;
  if (__builtin_mul_overflow(a.low, b.low, &p) || __builtin_mul_overflow(a.high, b.high, &q)) return reach();
  if (a.low >= 0 && b.low >= 0) return reach(p, q);
  if (__builtin_mul_overflow(a.low, b.high, &r) || __builtin_mul_overflow(a.high, b.low, &s)) return reach();
  const long long pq = p < q ? p : q, rs = r < s ? r : s, most = p < q ? q : p, more = r < s ? s : r;
  return reach(pq < rs ? pq : rs, most < more ? more : most);
}
GPUOPT_RT_API reach operator/(const reach &a, const reach &b) {
  if (!a.known || !b.known || b.low <= 0) return reach();
  return reach(a.low / (a.low < 0 ? b.low : b.high), a.high / (a.high < 0 ? b.high : b.low));
}
GPUOPT_RT_API reach operator%(const reach &a, const reach &b) {
  if (!a.known || !b.known || b.low <= 0) return reach();
  if (a.low >= 0 && a.high < b.low) return a;
  return reach(a.low < 0 ? 1 - b.high : 0, a.high > 0 ? b.high - 1 : 0);
}
GPUOPT_RT_API reach operator<<(const reach &a, const reach &b) {
  return b.known && b.low == b.high && b.low >= 0 && b.low < 62 ? a * only(1LL << b.low) : reach();
}
GPUOPT_RT_API reach operator>>(const reach &a, const reach &b) {
  return a.known && a.low >= 0 && b.known && b.low == b.high && b.low >= 0 && b.low < 63
             ? reach(a.low >> b.low, a.high >> b.low) : reach();
}
GPUOPT_RT_API reach operator&(const reach &a, const reach &b) {
  const bool one = a.known && a.low >= 0, other = b.known && b.low >= 0;
  if (!one && !other) return reach();
  return reach(0, !other || (one && a.high < b.high) ? a.high : b.high);
}
GPUOPT_RT_API reach least(const reach &a, const reach &b) {
  return a.known && b.known ? reach(a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high) : reach();
}
GPUOPT_RT_API reach most(const reach &a, const reach &b) {
  return a.known && b.known ? reach(a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high) : reach();
}
GPUOPT_RT_API reach either(const reach &a, const reach &b) {
  return a.known && b.known ? reach(a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high) : reach();
}
GPUOPT_RT_API reach within(const reach &a, long long low, long long high) {
  return a.known && a.low >= low && a.high <= high ? a : reach();
}
GPUOPT_RT_API bool is_index(const reach &a) { return a.known && a.low >= 0 && a.high <= 0x7fffffffLL; }
GPUOPT_RT_API reach at_most(const reach &a, const reach &b) {
  if (!is_index(a) || !b.known || b.low < -1 || b.high > 0x7fffffffLL) return a;
  return a.high <= b.high ? a : reach(a.low, b.high);
}
GPUOPT_RT_API reach at_least(const reach &a, const reach &b) {
  if (!is_index(a) || !is_index(b)) return a;
  return a.low >= b.low ? a : reach(b.low, a.high);
}
GPUOPT_RT_API reach upwards(const reach &start, const reach &step, const reach &limit) {
  if (!is_index(start) || !is_index(step) || !step.low || !limit.known || limit.low < -1) return reach();
  return limit.high + step.high > 0x7fffffffLL ? reach() : reach(start.low, start.low > limit.high ? start.low : limit.high);
}
GPUOPT_RT_API reach downwards(const reach &start, const reach &step, const reach &limit) {
  if (!step.known || step.high >= 0 || step.low < -0x7fffffffLL || !is_index(limit) || !start.known) return reach();
  return start.low < -1 || start.high > 0x7fffffffLL ? reach()
                                                      : reach(limit.low, start.high < limit.low ? limit.low : start.high);
}
GPUOPT_RT_API reach turns(const reach &trips) {
  return is_index(trips) ? reach(0, trips.high > 1 ? trips.high - 1 : 0) : reach();
}
GPUOPT_RT_API reach placed(const reach &a, long long unit) {
  return a.known && a.low >= 0 && a.high / unit <= 0x7fffffffLL ? a : reach();
}
GPUOPT_RT_API bool are_apart(unsigned long long p, const reach &a, long long m, unsigned long long q, const reach &b,
                             long long n) {
  const reach one = only(p) + a, other = only(q) + b;
  return one.known && other.known && (one.high + m <= other.low || other.high + n <= one.low);
}

} }
