// What is known of kernels, and how they tell it.
#ifndef GPUOPT_EMU_DESCRIBED_H
#define GPUOPT_EMU_DESCRIBED_H

#include <typeinfo>

#include "shared.h"

namespace gpuopt_emu {

// What is known of a kernel. One per function, so one per instantiation.
struct Kernel {
  const char *name;                                // as the compiler prints it, with template arguments
  void (*call)(void *function, void **arguments);  // with arguments by address
  const size_t *parameter_bytes, *parameter_units;  // size and alignment of each parameter
  unsigned parameters;
  const SharedLayout *layout;
  bool common_shared;                              // it may call device functions with shared variables
  int max_threads;                                 // __launch_bounds__, 0 if not given
  int min_blocks;
  int dynamic_limit;                               // bytes, by cudaFuncSetAttribute; 0: default
  int carveout;                                    // percent, plus 1; 0: no preference
  int cache_config;                                // cudaFuncCache
  dim3 cluster;                                    // __cluster_dims__
  int required_cluster[3], large_clusters, cluster_policy;  // by cudaFuncSetAttribute
  const char *symbol;                              // of a pointer to a type in the kernel, as std::type_info has it; or null
  int loads;                                       // -Xptxas -dlcm: 1 ca, 2 cg; 0: not given
  bool may_wait;                                   // for what the program does after the launch
  bool never_waits;                                // its threads do not, but at barriers
  bool has_waited;                                 // and it was seen to
};

// Set while somebody asks a kernel to describe itself; null otherwise.
extern __thread const Kernel **asking __attribute__((tls_model("initial-exec")));

template <unsigned... Ii> struct Numbers {};
template <unsigned Nn, unsigned... Ii> struct UpTo : UpTo<Nn - 1, Nn - 1, Ii...> {};
template <unsigned... Ii> struct UpTo<0, Ii...> { typedef Numbers<Ii...> type; };
// A parameter as cudaLaunchKernel is given it; a reference is the address of what it refers to.
template <class T> struct Given {
  enum { BYTES = sizeof(T), UNIT = alignof(T) };
  static T &at(void *argument) { return *static_cast<T *>(argument); }
};
template <class T> struct Given<T &> {
  enum { BYTES = sizeof(T *), UNIT = alignof(T *) };
  static T &at(void *argument) { return **static_cast<T **>(argument); }
};
template <class T> struct Given<const T> : Given<T> {};

template <class Signature> struct ByAddress;
template <class... Pp> struct ByAddress<void(Pp...)> {
  static const size_t bytes[sizeof...(Pp) + 1], units[sizeof...(Pp) + 1];
  template <unsigned... Ii> static void call_with(void *function, void **arguments, Numbers<Ii...>) {
    (void)arguments;
    reinterpret_cast<void (*)(Pp...)>(function)(Given<Pp>::at(arguments[Ii])...);
  }
  static void call(void *function, void **arguments) {
    call_with(function, arguments, typename UpTo<sizeof...(Pp)>::type());
  }
};

template <class... Pp>
const size_t ByAddress<void(Pp...)>::bytes[sizeof...(Pp) + 1] = {Given<Pp>::BYTES..., 0};
template <class... Pp>
const size_t ByAddress<void(Pp...)>::units[sizeof...(Pp) + 1] = {Given<Pp>::UNIT..., 1};

template <class Tag> struct KernelOf {
  static Kernel kernel;
};
template <class Tag> Kernel KernelOf<Tag>::kernel;

// What the host compiler knows of a kernel; `symbol` is null without RTTI.
struct Facts {
  void (*call)(void *function, void **arguments);
  const size_t *parameter_bytes, *parameter_units;
  unsigned parameters;
  bool common_shared;
  SharedLayout *layout;
  const std::type_info *symbol;
};
// Not inlined: each kernel would have a copy.
void describe(Kernel *kernel, const Facts &facts, int loads, const char *name, const dim3 &cluster, int max_threads, int min_blocks);

#ifdef __cpp_rtti
#define GPUOPT_EMU_TYPE_OF(Tag) &typeid(Tag *)
#else
#define GPUOPT_EMU_TYPE_OF(Tag) nullptr
#endif
#ifndef GPUOPT_EMU_LOADS
#define GPUOPT_EMU_LOADS 0
#endif
// True: somebody asked, and has been told.
template <class Tag, class Signature, bool CommonShared>
inline bool described(const char *name, const dim3 &cluster, int max_threads = 0, int min_blocks = 0, int = 0) {
  typedef ByAddress<Signature> By;
  static const Facts facts = {
    &By::call, By::bytes, By::units, sizeof By::bytes / sizeof(size_t) - 1, CommonShared, &KernelShared<Tag>::layout, GPUOPT_EMU_TYPE_OF(Tag),
  };
  Kernel &kernel = KernelOf<Tag>::kernel;
  if (__builtin_expect(!kernel.name, 0)) describe(&kernel, facts, GPUOPT_EMU_LOADS, name, cluster, max_threads, min_blocks);
  if (__builtin_expect(asking == nullptr, 1)) return false;
  *asking = &kernel;
  return true;
}
#undef GPUOPT_EMU_TYPE_OF

}  // namespace gpuopt_emu

#endif
