// What launch functions, guards and versions use of the runtime: its types, and declarations of what is defined in asked.h
// to arms.h. Pasted at the end of patched files, behind system.h; plain C++11 CUDA. `config` is declared in front of the
// first patched kernel. What is defined there may be pasted as text behind this, or have been compiled before
// (backends/launch_side.py): GPUOPT_RT_API and GPUOPT_RT_MEMBER are what it is declared and defined with, and what depends
// on the program's default stream stands here.
namespace gpuopt_rt { inline namespace GPUOPT_RT_VERSION {

// What a version gets as its first parameter.
struct plan { unsigned short n[8]; void *scratch; };

// What a guard may know of a launch. Sizes in bytes; blocks and warps are counts.
struct launch {
  const void *kernel, *version;           // the original, and the version that is being decided on
  dim3 grid, block;
  size_t shared, static_shared;           // dynamic and static shared memory of a block
  int device, capability, sms, registers; // capability: 90 for 9.0; registers per thread
  unsigned threads, warps;                // of a block
  unsigned resident_blocks;               // of an SM, by occupancy
  unsigned blocks_per_sm;                 // the same, or fewer where the grid is small
  size_t l1_bytes;                        // L1 data cache that a kernel can use here; 0: GPU not known
  size_t l1_total, shared_reserved;       // L1 and shared memory together; taken by the system for every block
  size_t l2_bytes;                        // L2 cache of the device
  bool carveout_set;                      // the program, or an earlier version's guard, set a carve-out preference
  int carveout = -1;                      // percent that an earlier version's guard chose, -1: none
  const unsigned *away = 0;               // loads that an earlier version sends past L1, by their offset in the source
  unsigned aways = 0;
  bool past_l1(unsigned offset) const {
    for (unsigned i = 0; i < aways; ++i) if (away[i] == offset) return true;
    return false;
  }
};

// What a guard gets in place of a pointer or a floating-point number: launches that differ in these share its answer.
struct unread {
  template <class T> unread(const T &) {}
};

// What a guard decides; it starts as the launch itself.
struct choice {
  dim3 grid, block;
  size_t shared;   // dynamic
  size_t scratch;  // bytes, zeroed and ordered on the stream, handed over as plan.scratch
  int carveout;    // percent of shared memory, -1: no preference
  unsigned short n[8];
  bool gives_way;  // a later version that takes the launch as it was is to be preferred
  bool fewer_blocks;  // no block waits for another: fewer of them may be resident than of the original's
};

struct trial;

// A decision taken for a kernel: by context, configuration and scalar arguments.
struct entry {
  bool known, again;         // again: what was learned is to be looked at once more
  unsigned left;             // launches until then; 0: never
  unsigned skip, passed;     // launches that are not looked at where others are measured: to come, and since the last one
  trial *tried;              // where launches are measured
  int pick, device;          // the version picked
  int limit, preference;     // attributes of the original when it was picked
  cudaFunction_t original, picked;  // as the driver knows them in that context
  int told_limit, told_preference;  // what it said of the original's attributes then
  dim3 grid, block;
  size_t shared;
  unsigned long long key, context;
  choice chosen;
  void reset(const config &c) {
    pick = 0; limit = 0; preference = -1; device = -1; original = picked = 0;
    chosen.grid = c.grid; chosen.block = c.block; chosen.shared = c.shared; chosen.scratch = 0; chosen.carveout = -1;
    for (unsigned k = 0; k < 8; ++k) chosen.n[k] = 1;
    chosen.gives_way = chosen.fewer_blocks = false;
  }
};
struct gpu { int capability; size_t unified, capacity; unsigned usable, statics; size_t reserved, usual; size_t split[12]; };

GPUOPT_RT_API const gpu *gpu_of(int capability);  // 0: not known
// L1 bytes beside the smallest shared-memory configuration that holds `use` bytes.
GPUOPT_RT_API size_t l1_beside(const gpu &g, size_t use);
GPUOPT_RT_API int attribute(cudaDeviceAttr which, int device);
// Facts of a launch; false (and no error left behind) where they cannot be had.
GPUOPT_RT_API bool describe(launch &l, const config &c, const void *kernel);
// Gives a version the attributes that its original has; false where it cannot run as chosen.
GPUOPT_RT_API bool prepare(const launch &l, const void *version, entry &e);
// Blocks of the version that an SM would hold, for blocks of `threads` threads with `shared` bytes of dynamic shared
// memory; 0 where it cannot run so.
GPUOPT_RT_API unsigned residency(const launch &l, unsigned threads, size_t shared);
GPUOPT_RT_API int mode();           // what GPUOPT_DISPATCH asks for
// Says once of a variable that it is left aside; `bit`: the plugin's own.
GPUOPT_RT_API void leave_aside(unsigned bit, const char *name, const char *value, const char *expected);
GPUOPT_RT_API int learning_mode();  // whether launches are measured

// What versions are asked, by number: a function object that fills in a choice or offers. One type for all of them, so
// that what asks is compiled once.
struct question {
  const void *about;
  bool (*made)(const void *about, unsigned number, const launch &, void *filled);
  unsigned number;
  bool ask(const launch &l, void *filled) const { return made(about, number, l, filled); }
  template <class Function> static question of(const Function &function) {
    struct call {
      static bool made(const void *about, unsigned number, const launch &l, void *filled) {
        return (*(const Function *)about)(number, l, filled);
      }
    };
    return question{ &function, call::made, 0 };
  }
};
// One of these questions. `to`: the pick of a launch, as `search` asks; 0: offers for `pick`. `fact`: only where the bit
// with this number, counted from 1, says that what the version requires holds; 0: always.
struct asked { const char *name; const signed char *to; const unsigned *away; unsigned aways; int fact, pick; };
// What is the same for all launches of a kernel, and what is known of this one: `about` its arguments, roughly, `facts`
// which versions' facts hold; by pick functions and names; the questions, up to one without a name.
struct told {
  const char *kernel, *instance;
  unsigned long long digest, about, facts;
  const void *const *of;
  const char *const *names;
  const asked *questions;
};

// Finds the pick of a launch: versions are asked in their order, each for the launch as those before it leave it.
// `to` says by the pick so far which pick a version makes of it, -1: none. Where a pick gives way, a version is asked
// for the launch without it first. Cold, and so are the guards that are called from here only: a decision is remembered,
// and guards make up most of what a host compiler would have to optimise.
struct search {
  entry &e;
  const void *const *of;  // functions by pick
  launch now, before;     // as the pick leaves it; as it was before the pick that gives way
  choice chosen, kept;
  int pick, under;
  search(entry &e_, const launch &l, const void *const *of_)
      : e(e_), of(of_), now(l), before(l), chosen(e_.chosen), kept(e_.chosen), pick(0), under(0) {}
  __attribute__((cold)) bool attempt(launch l, const choice &c, int to, const unsigned *away, unsigned aways,
                                     const question &guard);
  __attribute__((cold)) void ask(const char *name, const signed char *to, const unsigned *away, unsigned aways,
                                 const question &guard);
  void end() { e.chosen = chosen; e.pick = pick; e.device = now.device; }
};

// Distinct lines of `bytes` that the 32 lanes of one warp touch, for offset(x, y, z) of an access of `size` bytes;
// the larger of the block's first and middle warp.
template <class Offset> static inline unsigned lines(const launch &l, unsigned bytes, unsigned size, Offset offset) {
  unsigned most = 0;
  for (unsigned pass = 0; pass < 2; ++pass) {
    long long seen[64];
    unsigned count = 0;
    const unsigned first = pass ? l.warps / 2 * 32 : 0;
    for (unsigned t = first; t < first + 32 && t < l.threads; ++t) {
      const long long at = offset((long long)(t % l.block.x), (long long)(t / l.block.x % l.block.y),
                                  (long long)(t / (l.block.x * l.block.y)));
      for (unsigned end = 0; end < 2; ++end) {
        const long long byte = at + (end ? (long long)size - 1 : 0);
        const long long line = (byte >= 0 ? byte : byte - (long long)bytes + 1) / (long long)bytes;
        unsigned i = 0;
        while (i < count && seen[i] != line) ++i;
        if (i == count) seen[count++] = line;
      }
    }
    if (count > most) most = count;
  }
  return most;
}

// Decisions already taken for a kernel: eight, and four times eight more once these are full. Each thread has its own;
// one that has ended leaves them to the next.
struct memo {
  entry e[8], *more;
  unsigned next[4], calm, rest;  // calm: decisions for the original in a row; rest: launches that are not looked at
  double spent, until;           // ns that decisions took; when the next one may be taken
  unsigned long long blocks;     // of the launches that these were about
  memo *other;                   // of the kernel, another thread's
  unsigned long long owner;      // its thread; above 32 bits: how many had it before
  int process;
  __attribute__((noinline)) entry *find(const config &c, unsigned long long key, unsigned long long context);
  __attribute__((noinline)) entry *take(entry *o, const config &c, unsigned long long key, unsigned long long context);
  // Arguments that change with every launch: after many decisions for the original in a row, most launches of about
  // the same size get it unasked.
  __attribute__((noinline)) bool rests(const config &c);
  // A decision was taken, which took the host so long. Beyond a millisecond, decisions that do not gain what they cost
  // (`worth`) take a hundredth of the time that goes by.
  void note(int pick, double took, bool worth);
};

// What every launch asks (remembered.h).
// Whether a decision is to be taken for a launch; `e` is what is known of it (0: nothing, and nothing is to be). `m`: the
// calling thread's decisions, 0 before its first launch of the kernel; `all`: those of all threads. `wanted`: the program lets
// versions run; `capturable`: it may become a node of a graph, whose function, grid and arguments the program may read
// and replace.
__attribute__((noinline)) GPUOPT_RT_API bool undecided(entry *&e, unsigned long long &context, memo *&m, memo *&all,
                                                       const config &c, unsigned long long key, const void *original,
                                                       bool wanted, bool capturable);
__attribute__((noinline)) GPUOPT_RT_API void watch(entry &e, const void *original, const void *picked);
__attribute__((noinline)) GPUOPT_RT_API bool started(const entry &e, cudaStream_t stream, void **arguments);
// The kernel itself as a choice has it, with a carve-out of the launch's own.
__attribute__((noinline)) GPUOPT_RT_API void start_divided(const entry &e, const void *kernel, cudaStream_t stream,
                                                           void **arguments);
__attribute__((noinline)) GPUOPT_RT_API void trace(const char *kernel, const char *version, const entry &e,
                                                   const char *how = "");

// The carve-out of a copy is an attribute of a function in a context, and a choice is of a launch: set where the last launch there,
// of whichever thread, wanted another. By device: context and percentage plus 2; 0: nothing was set.
struct arranged {
  unsigned long long last[64];
  __attribute__((noinline)) void want(const void *version, const entry &e);
};

static inline bool may_be_captured(cudaStream_t stream) {
#if defined CUDA_API_PER_THREAD_DEFAULT_STREAM || defined __CUDA_API_PER_THREAD_DEFAULT_STREAM
  (void)stream;
  return true;
#else
  return stream != 0;  // the legacy stream cannot be captured
#endif
}

static inline unsigned long long mix(unsigned long long h, unsigned long long v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
  return h ^ h >> 32;
}
inline unsigned long long key(const float &) { return 0; }
inline unsigned long long key(const double &) { return 0; }
template <class T> static inline unsigned long long key(T *const &) { return 0; }
template <class T> static inline unsigned long long key(T *__restrict__ const &) { return 0; }
template <class T> static inline unsigned long long key(const T &value) {  // its bytes, eight at a time
  typedef unsigned long long __attribute__((may_alias, aligned(1))) word;
  const volatile unsigned char *bytes = &reinterpret_cast<const volatile unsigned char &>(value);
  unsigned long long h = 0, rest = 0;
  for (size_t i = 0; i < sizeof(T) / 8; ++i) h = mix(h, *reinterpret_cast<const volatile word *>(bytes + 8 * i));
  for (size_t i = sizeof(T) / 8 * 8; i < sizeof(T); ++i) rest = rest << 8 | bytes[i];
  return sizeof(T) % 8 ? mix(h, rest) : h;
}
template <class T> static inline void *place(T &argument) {  // whatever its operator& does
#if defined __GNUC__ && __GNUC__ < 7 && !defined __clang__
  return (void *)&(const volatile char &)argument;
#else  // where T is restricted, GCC's -Wcast-qual has an error for the above, and others for a reinterpret_cast of it
  return reinterpret_cast<void *>(reinterpret_cast<size_t>(__builtin_addressof(argument)));
#endif
}
template <class F> static inline const void *address(F *function) { return reinterpret_cast<const void *>(function); }

struct sample;

// One launch that is being made; its time is that between construction and destruction, on its stream.
struct measured {
  sample *s;
  measured(entry &e, const config &c) : s(0) {
    if (!e.tried) return;
    if (e.skip) { --e.skip; ++e.passed; } else start(e, c);
  }
  ~measured() { if (s) stop(); }
  void not_made() { if (s) spoil(); }
  __attribute__((cold)) void start(entry &, const config &);
  __attribute__((cold)) void stop();
  __attribute__((cold)) void spoil();
private:
  measured(const measured &);
  measured &operator=(const measured &);
};

enum offer_limits { MOST_OFFERS = 16 };
// What plugins offer for a launch: candidates of one version, the likeliest first.
struct offers {
  const launch &l;
  const choice base;
  int pick;
  const void *version;
  struct one { choice chosen; unsigned number; double expected, worst; const char *what; int pick; };
  one found[MOST_OFFERS];
  unsigned count;
  offers(const launch &l_, const choice &c, int pick_, const void *version_)
      : l(l_), base(c), pick(pick_), version(version_), count(0) {}
  // A launch of the version to be filled in.
  choice blank() const { return base; }
  // Another way to run the launch, numbered among those of its version; `expected` speed-up, `worst`: how many times as
  // long it may take. False where there are too many. Whether it can run is found out when it is first wanted.
  bool add(const choice &c, unsigned number, double expected = 1, double worst = 2, const char *what = "");
};
struct learner;

// The arms of a launch: the original, what the guards picked, what plugins offer.
struct arms {
  entry &e;
  const launch &l;
  const void *const *of;
  const char *const *names;
  offers *made[8];
  unsigned count;
  double began;
  learner *known;
  const char *kernel;
  arms(entry &e_, const launch &l_, const void *const *of_, const char *const *names_);
  ~arms();
  __attribute__((cold)) void ask(int pick, const question &offer);
  // Looks up what is known of this launch. True where that is enough: no guard need be asked what it expects.
  // `instance`: names the instantiation; `arguments`, `about`: the arguments that matter, and roughly.
  __attribute__((cold)) bool find(const char *kernel_, const char *instance, unsigned long long digest,
                                  unsigned long long arguments, unsigned long long about);
  // Puts the arms behind the entry, or decides by what is known.
  __attribute__((cold)) void end();
  // What the decision took the host so far, ns; whether it gains more in this launch.
  double took() const;
  bool worth() const;
  // What a trace says of the decision: nothing is left to try, whichever process found that out.
  const char *how() const;
private:
  arms(const arms &);
  arms &operator=(const arms &);
  void build(learner *o, unsigned total);
  void put(trial *t, const entry &one, unsigned number, double expected, double worst, const char *what,
           bool ready);
  void original();
};
// Finds what a launch gets whose configuration has not been seen; a few runs in a program.
__attribute__((cold)) GPUOPT_RT_API entry *decided(memo &m, entry *e, const config &c, unsigned long long key,
                                                   unsigned long long context, const told &t, question q);
// The digest of a kernel and its versions, with the compiler.
static inline unsigned long long compiled_by(unsigned long long digest) {
#ifdef __CUDACC_VER_MAJOR__
  return mix(digest, __CUDACC_VER_MAJOR__ * 100000ULL + __CUDACC_VER_MINOR__ * 1000ULL + __CUDACC_VER_BUILD__);
#else
  return digest;
#endif
}
static inline unsigned bucket(unsigned long long n) {  // two for each power of two
unsigned power = 0;
while (n >> power > 1) ++power;
return 2 * power + (power && (n >> (power - 1) & 1) ? 1u : 0u);
}
// An argument as launches are grouped by, where it changes all the time.
template <class T> static inline unsigned long long about(const T &) { return 0; }
#define GPUOPT_RT_ABOUT(type, below) \
  inline unsigned long long about(const type &n) { return below ? ~0ULL : bucket((unsigned long long)n); }
GPUOPT_RT_ABOUT(int, n < 0) GPUOPT_RT_ABOUT(long, n < 0) GPUOPT_RT_ABOUT(long long, n < 0)
GPUOPT_RT_ABOUT(unsigned, false) GPUOPT_RT_ABOUT(unsigned long, false) GPUOPT_RT_ABOUT(unsigned long long, false)
#undef GPUOPT_RT_ABOUT

// A function of the driver's, as this unit's launches would call it: with its default stream.
GPUOPT_RT_UNIT void *driver_function(const char *name) __asm__("gpuopt_rt_driver_function");
#ifndef GPUOPT_RT_ALONE
static void *driver_function(const char *name) {
  void *found = 0;
#if CUDART_VERSION >= 12050
  const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &found, 12000, 0);
#elif CUDART_VERSION >= 12000
  const cudaError_t error = cudaGetDriverEntryPoint(name, &found, 0);
#else
  const cudaError_t error = cudaErrorNotSupported;
#endif
  if (error == cudaSuccess) return found;
  cudaGetLastError();
  return 0;
}
#endif

// A launch's plan: numbers, and scratch that lives and dies in stream order (safe in capture and under concurrency).
struct scratch {
  plan p;
  cudaStream_t stream;
  bool good;
  __attribute__((noinline)) scratch(const choice &c, cudaStream_t s) : stream(s), good(true) {
    for (unsigned k = 0; k < 8; ++k) p.n[k] = c.n[k];
    p.scratch = 0;
    if (!c.scratch) return;
    if (cudaPeekAtLastError() != cudaSuccess) { good = false; return; }
    good = cudaMallocAsync(&p.scratch, c.scratch, s) == cudaSuccess;
    if (good && cudaMemsetAsync(p.scratch, 0, c.scratch, s) != cudaSuccess) { cudaFreeAsync(p.scratch, s); good = false; }
    if (!good) { cudaGetLastError(); p.scratch = 0; }
  }
  ~scratch() { if (p.scratch) cudaFreeAsync(p.scratch, stream); }
};

// Launches what was picked: `of` by pick the functions, `ways` (or 0) what the carve-outs of copies are; `arguments` are
// the kernel's own, behind room for the plan. False where nothing was launched.
static inline __attribute__((noinline)) bool launched(entry *e, const config &c, const void *const *of,
                                                      arranged *const *ways, void **arguments) {
  if (!e || !e->known) return false;
  measured m(*e, c);
  if (!e->pick) {
    if (started(*e, c.stream, arguments + 1)) return true;
  } else if (of[e->pick] == of[0]) {
    start_divided(*e, of[0], c.stream, arguments + 1);
    return true;
  } else {
    const choice &x = e->chosen;
    if (ways && ways[e->pick]) ways[e->pick]->want(of[e->pick], *e);
    scratch s(x, c.stream);
    if (s.good) {
      arguments[0] = &s.p;
      if (!started(*e, c.stream, arguments))
        cudaLaunchKernel(of[e->pick], x.grid, x.block, arguments, x.shared, c.stream);
      return true;
    }
  }
  m.not_made();
  return false;
}

#ifndef GPUOPT_RT_ALONE
// The launch's own built-in variables, for versions that give these another meaning. In inline assembly with a mark, so
// that whatever else reads them in such a version is known to have been missed (ptx/registers.py). The emulator has
// no special registers.
namespace real {
#ifdef GPUOPT_EMU_LAUNCH_H
#define GPUOPT_RT_REAL(builtin, axis, place) return builtin.axis;
#else
#define GPUOPT_RT_REAL(builtin, axis, place) unsigned v; asm("mov.u32 %0, %%" place "." #axis "; // gpuopt" : "=r"(v)); return v;
#endif
inline __device__ unsigned thread_x() { GPUOPT_RT_REAL(threadIdx, x, "tid") }
inline __device__ unsigned thread_y() { GPUOPT_RT_REAL(threadIdx, y, "tid") }
inline __device__ unsigned thread_z() { GPUOPT_RT_REAL(threadIdx, z, "tid") }
inline __device__ unsigned block_x() { GPUOPT_RT_REAL(blockIdx, x, "ctaid") }
inline __device__ unsigned block_y() { GPUOPT_RT_REAL(blockIdx, y, "ctaid") }
inline __device__ unsigned block_z() { GPUOPT_RT_REAL(blockIdx, z, "ctaid") }
inline __device__ unsigned threads_x() { GPUOPT_RT_REAL(blockDim, x, "ntid") }
inline __device__ unsigned threads_y() { GPUOPT_RT_REAL(blockDim, y, "ntid") }
inline __device__ unsigned blocks_x() { GPUOPT_RT_REAL(gridDim, x, "nctaid") }
inline __device__ unsigned blocks_y() { GPUOPT_RT_REAL(gridDim, y, "nctaid") }
inline __device__ unsigned blocks_z() { GPUOPT_RT_REAL(gridDim, z, "nctaid") }
#undef GPUOPT_RT_REAL
}

// A place as the launch tells it: of what a version computes in its stead a compiler may know more, that it has no sign,
// say, so that a product of it, which may not overflow in C++ and wraps on a GPU, has none.
#ifdef GPUOPT_EMU_LAUNCH_H
inline __device__ unsigned as_launched(unsigned number) { return number; }
#else
inline __device__ unsigned as_launched(unsigned number) { asm("" : "+r"(number)); return number; }
#endif
inline __device__ uint3 as_launched(uint3 at) { at.x = as_launched(at.x); at.y = as_launched(at.y); at.z = as_launched(at.z); return at; }
inline __device__ dim3 as_launched(dim3 size) { return dim3(as_launched(size.x), as_launched(size.y), as_launched(size.z)); }

// The group that a thread's warp belongs to when a block's warps are divided into `groups` equal parts.
inline __device__ unsigned warp_group(unsigned groups) {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned warps = (blockDim.x * blockDim.y * blockDim.z + 31) / 32;
  return thread / 32 * groups / warps;
}
#endif

} }
