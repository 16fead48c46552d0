// Seeded buffers for a kernel under test. Between launches nothing is shared; what was written is compared byte for byte.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace gpuopt_kit {

static int failed = 0;

template <class T> struct plain { typedef typename std::remove_cv<T>::type type; };

struct numbers {  // splitmix64
  unsigned long long state;
  unsigned long long next() {
    unsigned long long z = (state += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  // Multiples of 1/8 in [-4, 4]: neither NaN nor denormal, and sums of few of them are exact.
  double real() { return ((int)(next() % 65) - 32) / 8.0; }
};

// Integers are indices of the buffer itself, so that they may be used as such.
template <class T, bool Integer, bool Real> struct filled {
  static void fill(T *data, size_t count, numbers &r) {
    unsigned char *const bytes = reinterpret_cast<unsigned char *>(data);
    const size_t size = count * sizeof(T);
    if (sizeof(T) % sizeof(float)) {
      for (size_t i = 0; i < size; ++i) bytes[i] = (unsigned char)(r.next() % 64);
      return;
    }
    for (size_t i = 0; i < size; i += sizeof(float)) {
      const float value = (float)r.real();
      memcpy(bytes + i, &value, sizeof value);
    }
  }
};
template <class T> struct filled<T, true, false> {
  static void fill(T *data, size_t count, numbers &r) {
    // The largest T, by bits: <limits> would be half of what is read of a small case. At least 2, for bool.
    const int bits = (T)2 == (T)1 ? 1 : (int)(8 * sizeof(T)) - ((T)-1 < (T)0);
    unsigned long long bound = bits == 1 ? 2 : ~0ULL >> (64 - bits);
    if (count < bound) bound = count;
    for (size_t i = 0; i < count; ++i) data[i] = (T)(r.next() % bound);
  }
};
template <class T> struct filled<T, false, true> {
  static void fill(T *data, size_t count, numbers &r) {
    for (size_t i = 0; i < count; ++i) data[i] = (T)r.real();
  }
};

// Bytes of the host. (std::vector would be a quarter of what the compiler has to do for a small case.)
struct bytes {
  char *const data;
  const size_t size;
  explicit bytes(size_t size_) : data((char *)malloc(size_)), size(size_) { if (!data) abort(); }
  ~bytes() { free(data); }
private:
  bytes(const bytes &);
  bytes &operator=(const bytes &);
};

// The buffers of one launch, each between two guards of 256 bytes that no kernel may touch.
struct buffers {
  struct buffer { const char *name; char *device; size_t count, size; };
  enum { guard = 256 };
  buffer *all;
  size_t number;
  numbers r;
  explicit buffers(unsigned run) : all(0), number(0) {
    const char *const seed = getenv("GPUOPT_SEED");
    r.state = (seed ? strtoull(seed, 0, 10) : 1) * 1000003ULL + run;
  }
  ~buffers() { free(all); }
  template <class T> T *add(const char *name, size_t count) {
    bytes host(count * sizeof(T) + 2 * guard);
    memset(host.data, 0xA5, host.size);
    if (count) filled<T, std::is_integral<T>::value, std::is_floating_point<T>::value>::fill(
        reinterpret_cast<T *>(host.data + guard), count, r);
    return reinterpret_cast<T *>(keep(name, host, count, sizeof(T)) + guard);
  }
  char *keep(const char *name, const bytes &host, size_t count, size_t size) {
    all = (buffer *)realloc(all, (number + 1) * sizeof(buffer));
    if (!all) abort();
    buffer &made = all[number++];
    made.name = name; made.device = 0; made.count = count; made.size = size;
    check(cudaMalloc((void **)&made.device, host.size), name);
    check(cudaMemcpy(made.device, host.data, host.size, cudaMemcpyHostToDevice), name);
    return made.device;
  }
  void write(FILE *out, const char *kernel) {
    check(cudaGetLastError(), kernel);
    check(cudaDeviceSynchronize(), kernel);
    for (size_t i = 0; i < number; ++i) {
      bytes host(all[i].count * all[i].size + 2 * guard);
      check(cudaMemcpy(host.data, all[i].device, host.size, cudaMemcpyDeviceToHost), all[i].name);
      fwrite(host.data, 1, host.size, out);
      printf("gpuopt-kit-buffer %s %s %lu %lu\n", kernel, all[i].name, (unsigned long)all[i].count,
             (unsigned long)all[i].size);
      cudaFree(all[i].device);
    }
  }
  static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    failed = 4;
  }
private:
  buffers(const buffers &);
  buffers &operator=(const buffers &);
};

}  // namespace gpuopt_kit
