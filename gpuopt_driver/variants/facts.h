// What the last launches of a kernel have found of the facts that its versions require: they depend on configuration and
// arguments alone, and these are compared byte by byte (remembered.h). Pasted behind reach.h.
namespace gpuopt_rt { inline namespace GPUOPT_RT_VERSION {

enum launch_sizes { LAUNCH_BYTES = 2 * sizeof(dim3) + sizeof(size_t) };  // of a configuration without its stream, which comes last

struct facts {
  unsigned long long found[4];
  unsigned used, next;
};
// `BYTES` are those of the arguments, which stand one behind the other, behind the configuration.
template <unsigned BYTES> struct known_facts : facts {
  unsigned char of[4][LAUNCH_BYTES + BYTES];
};
// `of` is the first of the four, `sizes` ends with 0.
__attribute__((noinline)) GPUOPT_RT_API bool known(const facts &k, const unsigned char *of, const config &c,
                                                   void *const *arguments, const unsigned *sizes,
                                                   unsigned long long &found);
__attribute__((noinline)) GPUOPT_RT_API unsigned long long kept(facts &k, unsigned char *of, const config &c,
                                                                void *const *arguments, const unsigned *sizes,
                                                                unsigned long long found);

} }
