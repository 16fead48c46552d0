// From K<<<grid, block>>>(arguments) to the loop over a block's threads.
//
// A kernel is an ordinary function whose body was wrapped: called, it takes the configuration that the launch pushed
// and hands its body, a closure over its arguments, to the runtime, which calls it once per thread. Overloads,
// templates and pointers to kernels are thereby the host compiler's business. Asked to describe itself, the function
// returns before it touches its arguments: so everything about a kernel is reached through its address.
#ifndef GPUOPT_EMU_LAUNCH_H
#define GPUOPT_EMU_LAUNCH_H

#include "shared.h"

namespace gpuopt_emu {

// What is known of a kernel. One per function, so one per instantiation.
struct Kernel {
  const char *name;                                // as the compiler prints it, with template arguments
  void (*call)(void *function, void **arguments);  // with arguments by address
  const size_t *parameter_bytes;                   // size of each parameter
  unsigned parameters;
  const SharedLayout *layout;
  bool common_shared;                              // it may call device functions with shared variables
  int max_threads;                                 // __launch_bounds__, 0 if not given
  int min_blocks;
  int dynamic_limit;                               // bytes, by cudaFuncSetAttribute; 0: default
  int carveout;                                    // percent, plus 1; 0: no preference
  int cache_config;                                // cudaFuncCache
  dim3 cluster;                                    // __cluster_dims__
  int loads;                                       // -Xptxas -dlcm: 1 ca, 2 cg; 0: not given
};

// Runs threads of the current block on the current fiber until none is left to start.
typedef void (*ThreadLoop)(const void *closure);

// What a kernel's body sees of its thread.
struct At {
  uint3 thread, block;
  dim3 block_size, grid_size;
};

// Set while somebody asks a kernel to describe itself; null otherwise.
extern __thread const Kernel **asking __attribute__((tls_model("initial-exec")));

void push_configuration(dim3 grid, dim3 block, size_t shared, void *stream);
// `bytes`: of the closure, which may be copied byte by byte and kept.
void launch_grid(Kernel *kernel, ThreadLoop loop, const void *closure, size_t bytes);
// The kernel at an address, null where there is none.
Kernel *kernel_at(const void *function);

template <unsigned... Ii> struct Numbers {};
template <unsigned Nn, unsigned... Ii> struct UpTo : UpTo<Nn - 1, Nn - 1, Ii...> {};
template <unsigned... Ii> struct UpTo<0, Ii...> { typedef Numbers<Ii...> type; };
template <class T> struct Plain { typedef T type; };
template <class T> struct Plain<T &> { typedef T type; };
template <class T> struct Plain<T &&> { typedef T type; };

template <class Signature> struct ByAddress;
template <class... Pp> struct ByAddress<void(Pp...)> {
  static const size_t bytes[sizeof...(Pp) + 1];
  template <unsigned... Ii> static void call_with(void *function, void **arguments, Numbers<Ii...>) {
    (void)arguments;
    reinterpret_cast<void (*)(Pp...)>(function)(*static_cast<typename Plain<Pp>::type *>(arguments[Ii])...);
  }
  static void call(void *function, void **arguments) {
    call_with(function, arguments, typename UpTo<sizeof...(Pp)>::type());
  }
};

template <class... Pp>
const size_t ByAddress<void(Pp...)>::bytes[sizeof...(Pp) + 1] = {sizeof(typename Plain<Pp>::type)..., 0};

template <class Tag> struct KernelOf {
  static Kernel kernel;
};
template <class Tag> Kernel KernelOf<Tag>::kernel;

// True: somebody asked, and has been told.
template <class Tag, class Signature, bool CommonShared>
inline bool described(const char *name, dim3 cluster, int max_threads = 0, int min_blocks = 0, int = 0) {
  Kernel &kernel = KernelOf<Tag>::kernel;
  if (__builtin_expect(!kernel.name, 0)) {
    kernel.call = &ByAddress<Signature>::call;
    kernel.parameter_bytes = ByAddress<Signature>::bytes;
    kernel.parameters = sizeof ByAddress<Signature>::bytes / sizeof(size_t) - 1;
    kernel.layout = &KernelShared<Tag>::layout;
    kernel.common_shared = CommonShared;
    kernel.max_threads = max_threads;
    kernel.min_blocks = min_blocks;
    kernel.cluster = cluster;
#ifdef GPUOPT_EMU_LOADS
    kernel.loads = GPUOPT_EMU_LOADS;
#endif
    kernel.name = name;
  }
  if (__builtin_expect(asking == nullptr, 1)) return false;
  *asking = &kernel;
  return true;
}

// A kernel whose threads never wait: a loop over a block's threads.
template <class Body> static inline void run_plainly(const Body &body, Block *block) {
  const dim3 size = block->size;
  At at = {{0, 0, 0}, block->index, size, block->grid_size};
  block->started = block->threads;
  for (at.thread.z = 0; at.thread.z < size.z; ++at.thread.z)
    for (at.thread.y = 0; at.thread.y < size.y; ++at.thread.y)
      for (at.thread.x = 0; at.thread.x < size.x; ++at.thread.x) {
        Body mine(body);
        mine(at);
      }
  block->live = 0;  // also where a thread was made to let others run, and counts as one that is still there
}

// Threads in the order of their numbers, a row (of equal y and z) at a time, so that what depends on the row alone can
// be computed once. After the first thread that had to wait, fibers take threads one by one.
template <class Body, bool Plain> static void run_threads(const void *closure) {
  Fiber *const me = current;
  Block *const block = me->block;
  const Body body(*static_cast<const Body *>(closure));
  if (Plain && !block->exact) return run_plainly(body, block);
  const dim3 size = block->size;
  At at = {{0, 0, 0}, block->index, size, block->grid_size};
  while (block->first_thread(me)) {
    unsigned number = me->linear;
    const unsigned count = block->threads;
    at.thread = me->thread;
    for (;;) {
      const unsigned row_end = number - at.thread.x + size.x;
      for (;;) {
        Body mine(body);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        block->busy = false;
        mine(at);
        block->busy = true;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (__builtin_expect(block->suspended, 0)) break;
        if (++number == row_end) break;
        me->thread.x = ++at.thread.x;
        me->linear = number;
        block->started = number + 1;
      }
      if (__builtin_expect(block->suspended, 0)) {
        thread_exited(block, me);
        break;
      }
      if (number == count) return;
      at.thread.x = 0;
      if (++at.thread.y == size.y) {
        at.thread.y = 0;
        ++at.thread.z;
      }
      me->thread = at.thread;
      me->linear = number;
      block->started = number + 1;
    }
  }
}

// Which threads of a split kernel have returned.
struct Gone : Spread<bool> {
  unsigned left;
  explicit Gone(Block *b) : Spread<bool>(b), left(b->threads) { __builtin_memset(at, 0, b->threads); }
  void set(int thread) {
    at[thread] = true;
    --left;
  }
  bool all() const { return left == 0; }
};

// A kernel with barriers, twice: thread by thread, and whole blocks in loops between barriers.
template <class Body, class Whole> struct Both {
  Body body;
  Whole whole;
};
template <class Body, class Whole> static void run_split(const void *closure) {
  const Both<Body, Whole> &both = *static_cast<const Both<Body, Whole> *>(closure);
  Block *const block = current->block;
  if (block->exact) return run_threads<Body, false>(&both.body);
  block->started = block->threads;
  Whole whole(both.whole);
  whole(block);
  block->live = 0;
}

template <class Tag, bool Plain, class Body> static inline void launch(const Body &body) {
  launch_grid(&KernelOf<Tag>::kernel, &run_threads<Body, Plain>, &body, sizeof body);
}

template <bool Fits> struct Splitting {
  template <class Tag, class Body, class Whole> static void launch(const Body &body, const Whole &whole) {
    const Both<Body, Whole> both = {body, whole};
    launch_grid(&KernelOf<Tag>::kernel, &run_split<Body, Whole>, &both, sizeof both);
  }
};
template <> struct Splitting<false> {
  template <class Tag, class Body, class Whole> static void launch(const Body &body, const Whole &) {
    gpuopt_emu::launch<Tag, false>(body);
  }
};
// Fits: variables that live across barriers can be kept byte by byte.
template <class Tag, bool Fits, class Body, class Whole>
static inline void launch_split(const Body &body, const Whole &whole) {
  Splitting<Fits>::template launch<Tag>(body, whole);
}

// K<<<grid, block, shared, stream>>>: false, so that `push_call(...) ? (void)0 : K(arguments)` calls K.
template <class Stream> static inline bool push_call(dim3 grid, dim3 block, size_t shared, Stream stream) {
  push_configuration(grid, block, shared, (void *)stream);
  return false;
}
static inline bool push_call(dim3 grid, dim3 block, size_t shared = 0) {
  push_configuration(grid, block, shared, nullptr);
  return false;
}

}  // namespace gpuopt_emu

#endif
