// What the launches of kernels have: blocks, grids and integer arguments, written down when the program ends, for the
// policy (docs/constants.md). Pasted behind system.h; nothing else of the runtime is needed.
namespace gpuopt_rt { inline namespace GPUOPT_RT_VERSION {

extern "C" int gpuopt_io_say(int, const char *, ...) __asm__("dprintf");
enum { MOST_SETS = 16 };

// A number of a launch; false in `good`: an argument of another type in this instantiation, or one beyond 63 bits.
struct seen { long long value; bool good; };
template <class T> struct is_number { enum { value = __is_enum(T) }; };
#define GPUOPT_RT_NUMBER(type, kind) template <> struct is_number<type> { enum { value = kind }; };
GPUOPT_RT_NUMBER(bool, 1) GPUOPT_RT_NUMBER(char, 1) GPUOPT_RT_NUMBER(signed char, 1) GPUOPT_RT_NUMBER(unsigned char, 1)
GPUOPT_RT_NUMBER(short, 1) GPUOPT_RT_NUMBER(unsigned short, 1) GPUOPT_RT_NUMBER(int, 1) GPUOPT_RT_NUMBER(unsigned, 1)
GPUOPT_RT_NUMBER(long, 1) GPUOPT_RT_NUMBER(unsigned long, 2) GPUOPT_RT_NUMBER(long long, 1)
GPUOPT_RT_NUMBER(unsigned long long, 2) GPUOPT_RT_NUMBER(wchar_t, 1) GPUOPT_RT_NUMBER(char16_t, 1)
GPUOPT_RT_NUMBER(char32_t, 1)
#undef GPUOPT_RT_NUMBER
template <int kind> struct seen_as {
  template <class T> static seen of(const T &given) {
    const long long value = static_cast<long long>(given);
    seen s = { value, kind == 1 || value >= 0 };
    return s;
  }
};
template <> struct seen_as<0> {
  template <class T> static seen of(const T &) { seen s = { 0, false }; return s; }
};
template <class T> static inline seen see(const T &given) { return seen_as<is_number<T>::value>::of(given); }

// A kernel (or instantiation) and what its launches had: `keyed` numbers tell launches apart, of all is remembered
// whether they were alike (a bit of `unlike` each).
struct watched {
  const char *head;  // the beginning of its record
  unsigned count, keyed;
  long long *values;  // of the first launch, and the keyed ones of each set
  watched *next;
  unsigned sets;
  unsigned long long unlike, launches, others, counts[MOST_SETS];
};
struct all_watched { watched *first; int process; bool busy; };
static inline all_watched &watching_all() { static all_watched all = { 0, 0, false }; return all; }

// Whether a file is named. Without one, a launch costs this test.
static inline bool watching() {
  static int value = -1;  // any thread finds the same
  if (value < 0) { const char *const path = getenv("GPUOPT_NUMBERS"); value = path && *path; }
  return value != 0;
}

static inline size_t print_watched(char *to, const watched &w) {
  char *at = to;
  *at++ = '{';
  for (const char *from = w.head; *from; ++from) *at++ = *from;
  at += gpuopt_io_print(at, 64, ",\"launches\":%llu,\"others\":%llu,\"alike\":[", w.launches, w.others);
  const char *comma = "";
  for (unsigned i = 0; i < w.count; ++i) {
    if (w.unlike >> i & 1) at += gpuopt_io_print(at, 64, "%snull", comma);
    else at += gpuopt_io_print(at, 64, "%s%lld", comma, w.values[i]);
    comma = ",";
  }
  at += gpuopt_io_print(at, 64, "],\"sets\":[");
  for (unsigned k = 0; k < w.sets; ++k) {
    at += gpuopt_io_print(at, 64, "%s[%llu", k ? "," : "", w.counts[k]);
    for (unsigned i = 0; i < w.keyed; ++i) at += gpuopt_io_print(at, 64, ",%lld", w.values[w.count + k * w.keyed + i]);
    at += gpuopt_io_print(at, 64, "]");
  }
  at += gpuopt_io_print(at, 64, "]}\n");
  return (size_t)(at - to);
}

// Appends what this unit's kernels had, in one write; a child of fork leaves that to its parent.
static inline void write_numbers() {
  all_watched &all = watching_all();
  const char *const path = getenv("GPUOPT_NUMBERS");
  if (all.process != gpuopt_io_getpid() || !path || !*path) return;
  while (__atomic_test_and_set(&all.busy, __ATOMIC_ACQUIRE)) {}
  size_t room = 1, length = 0;
  for (watched *w = all.first; w; w = w->next)
    room += gpuopt_io_length(w->head) + 400 + 24 * ((size_t)w->count + w->sets * (w->keyed + 1));
  char *const text = (char *)gpuopt_io_take(room);
  for (watched *w = text ? all.first : 0; w; w = w->next) length += print_watched(text + length, *w);
  __atomic_clear(&all.busy, __ATOMIC_RELEASE);
  const int file = text ? gpuopt_io_open(path, 1 | 02000 | 0100 | 04000 | 02000000, 0666) : -1;
  const bool good = file >= 0 && gpuopt_io_write(file, text, length) == (long)length;
  if (!good) gpuopt_io_say(2, "gpuopt: warning: GPUOPT_NUMBERS=%.100s: cannot be written; nothing is kept\n", path);
  if (file >= 0) gpuopt_io_close(file);
  gpuopt_io_free(text);
}

static inline int set_of(const watched &w, const seen *now) {
  for (unsigned k = 0; k < w.sets; ++k) {
    unsigned i = 0;
    while (i < w.keyed && w.values[w.count + k * w.keyed + i] == now[i].value) ++i;
    if (i == w.keyed) return (int)k;
  }
  return -1;
}

// A launch was made with these numbers.
static inline void note(watched &w, const seen *now) {
  all_watched &all = watching_all();
  const int process = gpuopt_io_getpid();
  if (all.process && all.process != process) return;
  while (__atomic_test_and_set(&all.busy, __ATOMIC_ACQUIRE)) {}
  if (!all.process) {
    all.process = process;
    gpuopt_io_at_exit(write_numbers);
  }
  const bool first = !w.launches++;
  if (first) { w.next = all.first; all.first = &w; }
  for (unsigned i = 0; i < w.count; ++i) {
    if (first) w.values[i] = now[i].value;
    if (!now[i].good || w.values[i] != now[i].value) w.unlike |= 1ULL << i;
  }
  int k = set_of(w, now);
  if (k < 0 && w.sets < MOST_SETS) {
    k = (int)w.sets++;
    for (unsigned i = 0; i < w.keyed; ++i) w.values[w.count + (unsigned)k * w.keyed + i] = now[i].value;
  }
  ++(k < 0 ? w.others : w.counts[k]);
  __atomic_clear(&all.busy, __ATOMIC_RELEASE);
}

} }
