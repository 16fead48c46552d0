// What the last launches of a kernel have found of the facts that its versions require: they depend on configuration and
// arguments alone, and these are compared byte by byte. Pasted behind reach.h.
namespace gpuopt_rt { inline namespace GPUOPT_RT_VERSION {

// A launch's configuration and arguments, one behind the other.
template <unsigned SIZE> struct asked_facts {
  unsigned char bytes[SIZE];
  unsigned used;
  explicit asked_facts(const config &c) : used(0) { add(c.grid).add(c.block).add(c.shared); }
  template <class T> asked_facts &add(const T &value) {
    memcpy(bytes + used, (const void *)&(const volatile char &)value, sizeof(T));
    used += (unsigned)sizeof(T);
    return *this;
  }
};

template <unsigned SIZE> struct known_facts {
  unsigned char of[4][SIZE];
  unsigned long long facts[4];
  unsigned used, next;
  bool find(const asked_facts<SIZE> &a, unsigned long long &found) const {
    for (unsigned i = 0; i < used; ++i)
      if (!__builtin_memcmp(of[i], a.bytes, SIZE)) { found = facts[i]; return true; }
    return false;
  }
  unsigned long long keep(const asked_facts<SIZE> &a, unsigned long long found) {
    const unsigned at = next++ % 4;
    if (used < 4) ++used;
    memcpy(of[at], a.bytes, SIZE);
    return facts[at] = found;
  }
};

} }
