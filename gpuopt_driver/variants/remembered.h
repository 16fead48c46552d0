// The part of every launch: what was decided before is found, and still holds. One copy of each function serves all
// kernels: a call costs a nanosecond, a copy in each launch function a tenth of a second of the compiler's. Pasted behind runtime.h.
namespace gpuopt_rt { inline namespace GPUOPT_RT_VERSION {

// The host's clock, ns; what a model tells does not depend on how long the machine took.
static inline double now_ns() {
  long long now[2] = { 0, 0 };
#ifndef GPUOPT_EMU_LAUNCH_H
  gpuopt_io_clock(1, now);
#endif
  return 1e9 * (double)now[0] + (double)now[1];
}

#ifdef __x86_64__
enum { GETTID = 186, TGKILL = 234 };
#elif defined __aarch64__
enum { GETTID = 178, TGKILL = 131 };
#else
enum { GETTID = 0, TGKILL = 0 };  // no thread is known, and each begins anew
#endif
enum { NO_SUCH_THREAD = 3 };  // ESRCH
// The calling thread's decisions of a kernel, asked for once in a thread: those of a thread that has ended, or none so far.
// Threads that live for a launch each would decide in every launch. 0: there is no memory.
static __attribute__((noinline, cold)) memo *memo_of(memo *&all) {
  int *const error = gpuopt_io_errno(), before = *error, process = gpuopt_io_getpid();
  const unsigned thread = GETTID ? (unsigned)gpuopt_io_system(GETTID) : 0;
  memo *mine = 0;
  for (memo *m = thread ? __atomic_load_n(&all, __ATOMIC_ACQUIRE) : 0; m && !mine; m = m->other) {
    unsigned long long owner = __atomic_load_n(&m->owner, __ATOMIC_ACQUIRE);
    const unsigned last = (unsigned)owner;
    // In a child of fork the thread that forked still uses what has its parent's number.
    if (m->process != process) continue;
    // Nobody but a thread that is known to be gone gives up what it has: the question itself may be forbidden.
    if (last != thread && (gpuopt_io_system(TGKILL, (long)process, (long)last, 0L) == 0 || *error != NO_SUCH_THREAD)) continue;
    const unsigned long long now = ((owner >> 32) + 1) << 32 | thread;
    if (__atomic_compare_exchange_n(&m->owner, &owner, now, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) mine = m;
  }
  *error = before;
  if (mine || !(mine = (memo *)gpuopt_io_take(sizeof(memo)))) return mine;
  memset((void *)mine, 0, sizeof(memo));
  mine->owner = thread;
  mine->process = process;
  mine->other = __atomic_load_n(&all, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&all, &mine->other, mine, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {}
  return mine;
}

static inline unsigned set_of(const config &c, unsigned long long key) {
  const unsigned long long h = key ^ c.grid.x ^ (unsigned long long)c.grid.y << 20 ^ c.block.x;
  return (unsigned)(h * 0x9e3779b97f4a7c15ULL >> 62);
}
static inline entry *among(entry *eight, const config &c, unsigned long long key, unsigned long long context) {
  for (unsigned i = 0; i < 8; ++i) {
    const entry &o = eight[i];
    if (o.known && o.key == key && o.context == context && o.shared == c.shared && o.grid.x == c.grid.x &&
        o.grid.y == c.grid.y && o.grid.z == c.grid.z && o.block.x == c.block.x && o.block.y == c.block.y &&
        o.block.z == c.block.z)
      return eight + i;
  }
  return 0;
}

GPUOPT_RT_MEMBER entry *memo::find(const config &c, unsigned long long key, unsigned long long context) {
  entry *found = among(e, c, key, context);
  return found || !more ? found : among(more + 8 * set_of(c, key), c, key, context);
}

GPUOPT_RT_MEMBER entry *memo::take(entry *o, const config &c, unsigned long long key, unsigned long long context) {
  if (!o) {
    const unsigned set = set_of(c, key);
    for (unsigned i = 0; i < 8 && !o; ++i) if (!e[i].known) o = e + i;
    if (!o && !more && (more = (entry *)gpuopt_io_take(32 * sizeof(entry))) != 0) memset((void *)more, 0, 32 * sizeof(entry));
    if (!o) o = (more ? more + 8 * set : e) + next[set]++ % 8;
    o->again = false;
  }
  gpuopt_io_free(o->tried);
  o->tried = 0; o->left = o->skip = o->passed = 0;
  o->known = false; o->context = context; o->grid = c.grid; o->block = c.block; o->shared = c.shared; o->key = key;
  o->reset(c);
  return o;
}

GPUOPT_RT_MEMBER bool memo::rests(const config &c) {
  const unsigned long long now = (unsigned long long)c.grid.x * c.grid.y * c.grid.z;
  if (now > 2 * blocks || 2 * now < blocks) { blocks = now; calm = rest = 0; }
  return mode() != 2 && ((rest && rest--) || (until > 0 && now_ns() < until));
}

GPUOPT_RT_MEMBER void memo::note(int pick, double took, bool worth) {
  calm = pick ? 0 : calm + 1;
  rest = calm < 16 ? 0 : calm < 256 ? calm : 256;
  spent += took;
  until = spent > 1e6 && !worth ? now_ns() + 99 * took : 0;
}

// What the driver says itself takes it a tenth of the runtime's time, and no pending error is in its way. From CUDA 12
// on: before that the device that was set may not have had a context yet, and another one's was the current one.
struct launch_attribute { int id, unused; unsigned value[16]; };                                    // CUlaunchAttribute
struct launch_config { unsigned sizes[7]; cudaStream_t stream; launch_attribute *attributes; unsigned count; };  // CUlaunchConfig
enum { CARVEOUT_OF_LAUNCH = 14 };  // CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
struct driver {
  int (*id)(void *, unsigned long long *);            // cuCtxGetId: of the current context; no other ever has it
  int (*attribute)(int *, int, cudaFunction_t);        // cuFuncGetAttribute
  int (*launch)(cudaFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, cudaStream_t,
                void **, void **);                     // cuLaunchKernel, with this unit's default stream
  int (*launch_with)(const launch_config *, cudaFunction_t, void **, void **);  // cuLaunchKernelEx
  int (*capturing)(cudaStream_t, int *);               // cuStreamIsCapturing
};
template <class F> static inline bool entry_point(const char *name, F &function) {
  return (function = (F)driver_function(name)) != 0;
}
static inline const driver *drivers() {
  static driver d = { 0, 0, 0, 0, 0 };
  static int state = 0;  // 1: known, 2: not to be had
#if CUDART_VERSION >= 12000
  int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
  if (!now && cudaPeekAtLastError() == cudaSuccess) {
    driver found = { 0, 0, 0, 0, 0 };
    now = entry_point("cuCtxGetId", found.id) && entry_point("cuFuncGetAttribute", found.attribute) &&
          entry_point("cuLaunchKernel", found.launch) && entry_point("cuLaunchKernelEx", found.launch_with) &&
          entry_point("cuStreamIsCapturing", found.capturing) ? 1 : 2;
    if (now == 1) d = found;  // any thread finds the same
    __atomic_store_n(&state, now, __ATOMIC_RELEASE);
  }
  return now == 1 ? &d : 0;
#else
  return 0;
#endif
}

// Which context a launch of the calling thread goes to: a device, from its start or last reset on. False where versions
// must not be used: asked for, or an error is in the way.
static bool current(unsigned long long &context, const void *original) {
  if (mode() == 1) return false;
  const driver *d = drivers();
  if (d && d->id(0, &context) == 0) return true;
  cudaFuncAttributes a;
  int device = 0;
  if (cudaPeekAtLastError() != cudaSuccess) return false;
  if ((d ? cudaFuncGetAttributes(&a, original) : cudaGetDevice(&device)) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  context = ~(unsigned long long)device;
  return !d || d->id(0, &context) == 0;  // there was no context yet
}

// Whether a stream is being captured, and captured launches are those that were written.
static bool capturing(cudaStream_t stream) {
  if (GPUOPT_RT_CAPTURED) return false;
#if CUDART_VERSION >= 12000
  const driver *d = drivers();
  int status = 0;
  return d && d->capturing(stream, &status) == 0 && status != 0;
#else
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaPeekAtLastError() != cudaSuccess) return false;
  if (cudaStreamIsCapturing(stream, &status) == cudaSuccess) return status != cudaStreamCaptureStatusNone;
  cudaGetLastError();
  return false;
#endif
}

static inline cudaFunction_t function_of(const void *symbol) {
  cudaFunction_t function = 0;
  if (cudaGetFuncBySymbol(&function, symbol) == cudaSuccess) return function;
  cudaGetLastError();
  return 0;
}

// From now on `started` launches what was picked, and `stale` compares with what the original's attributes are.
GPUOPT_RT_API void watch(entry &e, const void *original, const void *picked) {
  const driver *d = drivers();
  if (!d) return;
  e.picked = function_of(picked);
  if (e.pick) e.original = function_of(original);
  if (e.original &&
      (d->attribute(&e.told_limit, 8, e.original) || d->attribute(&e.told_preference, 9, e.original))) e.original = 0;
}

// Launches what was picked. The driver is told the function; the runtime would look it up by its address first, and
// `arguments` are the addresses that it would hand on. False where it did not: the runtime then says why.
GPUOPT_RT_API bool started(const entry &e, cudaStream_t stream, void **arguments) {
  const choice &c = e.chosen;
  return e.picked && drivers()->launch(e.picked, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z,
                                       (unsigned)c.shared, stream, arguments, 0) == 0;
}

// Where the driver does not launch it, the runtime is asked, which says why.
GPUOPT_RT_API void start_divided(const entry &e, const void *kernel, cudaStream_t stream, void **arguments) {
  const choice &c = e.chosen;
  const bool divided = c.carveout >= 0;
  if (e.picked) {
    launch_attribute own = { CARVEOUT_OF_LAUNCH, 0, { (unsigned)c.carveout } };
    const launch_config with = { { c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z, (unsigned)c.shared },
                                 stream, &own, divided };
    if (drivers()->launch_with(&with, e.picked, arguments, 0) == 0) return;
  }
#if CUDART_VERSION >= 12050
  cudaLaunchAttribute own;
  memset(&own, 0, sizeof(own));
  own.id = cudaLaunchAttributePreferredSharedMemoryCarveout;
  own.val.sharedMemCarveout = (unsigned)c.carveout;
  const cudaLaunchConfig_t with = { c.grid, c.block, c.shared, stream, &own, divided };  // a member has a name of ours
  cudaLaunchKernelExC(&with, kernel, arguments);
#else
  cudaLaunchKernel(kernel, c.grid, c.block, arguments, c.shared, stream);
#endif
}

// Whether the program changed attributes of the original since a version was prepared. How much dynamic shared memory
// it may have says nothing about launches without any.
static bool stale(const entry &e, const void *original) {
  if (e.original) {
    const driver *d = drivers();
    int limit = e.told_limit, preference = -1;
    return d->attribute(&preference, 9, e.original) || preference != e.told_preference ||
           (e.shared && d->attribute(&limit, 8, e.original)) || limit != e.told_limit;
  }
  cudaFuncAttributes now;
  if (cudaPeekAtLastError() != cudaSuccess) return true;
  if (cudaFuncGetAttributes(&now, original) != cudaSuccess) { cudaGetLastError(); return true; }
  return now.maxDynamicSharedSizeBytes != e.limit || now.preferredShmemCarveout != e.preference;
}

// Whether what was learned of a launch is to be looked at once more.
static inline bool due(entry &e) { return e.left && !--e.left && (e.again = true); }

GPUOPT_RT_API bool undecided(entry *&e, unsigned long long &context, memo *&m, memo *&all, const config &c,
                             unsigned long long key, const void *original, bool wanted, bool capturable) {
  e = 0;
  if (!wanted || !current(context, original) || (capturable && capturing(c.stream))) return false;
  if (!m && !(m = memo_of(all))) return false;
  e = m->find(c, key, context);
  if (e && (due(*e) || (e->pick && stale(*e, original)))) e->known = false;
  return !(e && e->known) && !m->rests(c) && cudaPeekAtLastError() == cudaSuccess;
}

GPUOPT_RT_MEMBER void arranged::want(const void *version, const entry &e) {
  const int percent = e.chosen.carveout >= 0 ? e.chosen.carveout : e.preference;
  const unsigned long long wish = e.context << 7 | (unsigned)(percent + 2);
  unsigned long long *now = e.device >= 0 && e.device < 64 ? last + e.device : nullptr;
  if (now && __atomic_load_n(now, __ATOMIC_RELAXED) == wish) return;
  if (cudaPeekAtLastError() != cudaSuccess) return;
  if (cudaFuncSetAttribute(version, cudaFuncAttributePreferredSharedMemoryCarveout, percent) != cudaSuccess)
    cudaGetLastError();
  if (now) __atomic_store_n(now, wish, __ATOMIC_RELAXED);
}

// What the last launches have found of the facts that versions require.
static inline bool same(const unsigned char *of, const config &c, void *const *arguments, const unsigned *sizes) {
  if (memcmp(of, &c, LAUNCH_BYTES)) return false;
  of += LAUNCH_BYTES;
  for (; *sizes; of += *sizes++, ++arguments) {
    const void *const at = *arguments;
    const bool is_same = *sizes == 8 ? !memcmp(of, at, 8) : *sizes == 4 ? !memcmp(of, at, 4) : !memcmp(of, at, *sizes);
    if (!is_same) return false;
  }
  return true;
}
static inline unsigned bytes_of(const unsigned *sizes) {
  unsigned all = LAUNCH_BYTES;
  while (*sizes) all += *sizes++;
  return all;
}
GPUOPT_RT_API bool known(const facts &k, const unsigned char *of, const config &c, void *const *arguments,
                         const unsigned *sizes, unsigned long long &found) {
  const unsigned bytes = k.used ? bytes_of(sizes) : 0;
  for (unsigned i = 0; i < k.used; ++i)
    if (same(of + i * bytes, c, arguments, sizes)) { found = k.found[i]; return true; }
  return false;
}
GPUOPT_RT_API unsigned long long kept(facts &k, unsigned char *of, const config &c, void *const *arguments,
                                      const unsigned *sizes, unsigned long long found) {
  const unsigned at = k.next++ % 4;
  if (k.used < 4) ++k.used;
  of += at * bytes_of(sizes);
  memcpy(of, &c, LAUNCH_BYTES);
  of += LAUNCH_BYTES;
  for (; *sizes; of += *sizes++, ++arguments) memcpy(of, *arguments, *sizes);
  return k.found[at] = found;
}

GPUOPT_RT_API void trace(const char *kernel, const char *version, const entry &e, const char *how) {
  if (mode() != 2) return;
  asked_of_launch(0, 0, e.pick && asked_arm() < 0);
  dprintf(2, "gpuopt: %s<<<(%u,%u,%u),(%u,%u,%u),%zu>>>: %s n=%u,%u,%u,%u shared=%zu%s\n", kernel, e.grid.x, e.grid.y,
          e.grid.z, e.block.x, e.block.y, e.block.z, e.shared, version, e.chosen.n[0], e.chosen.n[1], e.chosen.n[2],
          e.chosen.n[3], e.chosen.shared, how);
}


} }
