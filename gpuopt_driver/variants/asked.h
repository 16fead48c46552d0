// What the environment asks of the versions in a program. What means nothing there is said once, and left aside.
extern "C" {
__attribute__((weak, visibility("hidden"))) unsigned gpuopt_rt_told;  // of all units together: a bit for each variable
}

namespace gpuopt_rt { inline namespace GPUOPT_RT_VERSION {

extern "C" int dprintf(int, const char *, ...);
extern "C" char **environ;

// Whether nobody in this program (or library) has said this yet.
static inline bool is_news(unsigned bit) {
  return !(__atomic_fetch_or(&gpuopt_rt_told, bit, __ATOMIC_RELAXED) & bit);
}

GPUOPT_RT_API void leave_aside(unsigned bit, const char *name, const char *value, const char *expected) {
  if (is_news(bit)) dprintf(2, "gpuopt: warning: %s=%.100s: expected %s; it is left aside\n", name, value, expected);
}

// The text behind `start`, 0 where it starts otherwise.
static inline const char *behind(const char *text, const char *start) {
  for (; *start; ++start, ++text) if (*text != *start) return 0;
  return text;
}

// Letters that must be put in, left out or exchanged (Levenshtein), for names of ten letters or so.
static inline unsigned slips(const char *name, unsigned length, const char *meant, unsigned letters) {
  unsigned row[16];
  if (length > 15 || letters > 15) return 16;
  for (unsigned i = 0; i <= letters; ++i) row[i] = i;
  for (unsigned n = 1; n <= length; ++n) {
    unsigned before = row[0]++;
    for (unsigned i = 1; i <= letters; ++i) {
      const unsigned least = row[i] < row[i - 1] ? row[i] + 1 : row[i - 1] + 1;
      const unsigned same = before + (name[n - 1] != meant[i - 1]);
      before = row[i];
      row[i] = same < least ? same : least;
    }
  }
  return row[letters];
}

// Variables whose name is nearly that of one that programs read.
static inline void tell_slips() {
  if (!environ || !is_news(2)) return;
  for (char **one = environ; *one; ++one) {
    const char *const name = behind(*one, "GPUOPT_");
    unsigned length = 0;
    while (name && name[length] && name[length] != '=') ++length;
    const char *const known[] = { "DISPATCH", "LEARN", "LEARN_BUDGET", "CHOICES", "NUMBERS" };
    const char *meant = 0;
    for (unsigned i = 0; name && i < 5; ++i) {
      const unsigned letters = (unsigned)gpuopt_io_length(known[i]), wrong = slips(name, length, known[i], letters);
      if (!wrong) { meant = 0; break; }
      if (wrong <= letters / 4) meant = known[i];
    }
    if (meant)
      dprintf(2, "gpuopt: warning: GPUOPT_%.*s: no such variable; did you mean 'GPUOPT_%s'?\n", (int)length, name, meant);
  }
}

// The number of GPUOPT_DISPATCH=arm:NUMBER; -1: something else was asked for.
static inline long asked_arm() {
  const char *const text = getenv("GPUOPT_DISPATCH"), *const digits = text ? behind(text, "arm:") : 0;
  char *end = 0;
  if (!digits || *digits < '0' || *digits > '9') return -1;
  const unsigned long number = gpuopt_io_whole(digits, &end, 10);
  return *end ? -1 : number < 1000000000 ? (long)number : 1000000000;
}

// GPUOPT_DISPATCH: 1 "original" (never a version), 2 "trace", "only:NAME" or "arm:NUMBER" (decisions on stderr), 0 otherwise.
__attribute__((cold)) static inline int asked_mode() {
  const char *const text = getenv("GPUOPT_DISPATCH");
  tell_slips();
  if (!text || !*text) return 0;
  const char *const original = behind(text, "original"), *const trace = behind(text, "trace");
  if (original && !*original) return 1;
  if ((trace && !*trace) || behind(text, "only:") || asked_arm() >= 0) return 2;
  leave_aside(1, "GPUOPT_DISPATCH", text, "original, trace, only:NAME or arm:NUMBER");
  return 0;
}

GPUOPT_RT_API int mode() {
  static int value = -1;  // no guard of the compiler's around it: any thread finds the same
  if (value < 0) value = asked_mode();
  return value;
}

// Whether a version may be taken: GPUOPT_DISPATCH=only:NAME leaves those whose name begins with NAME.
GPUOPT_RT_API bool wanted(const char *version) {
  const char *text = getenv("GPUOPT_DISPATCH");
  const char *name = text ? behind(text, "only:") : 0;
  return !name || behind(version, name);
}

// What was asked for by name or number, beside what the launches had: said at the program's end where nothing got it.
enum asked_limits { MOST_NAMES = 16 };
struct asking {
  bool busy, told, got;           // got: a launch had what was asked for
  int process;
  unsigned arms;                  // of the launch that had the most
  const char *names[MOST_NAMES];  // of the versions of launched kernels
};
inline __attribute__((visibility("hidden"))) asking &asking_all() {  // one for a program or library
  static asking all;
  return all;
}

inline void tell_missing() {
  const asking &all = asking_all();
  const char *const text = getenv("GPUOPT_DISPATCH"), *const name = text ? behind(text, "only:") : 0;
  const long arm = asked_arm();
  if (all.got || all.process != gpuopt_io_getpid() || (!name && arm < 1)) return;  // a child of fork says nothing
  char there[320] = "";
  bool known = false;
  size_t length = 0;
  for (unsigned i = 0; i < MOST_NAMES && all.names[i]; ++i) {
    known = known || (name && behind(all.names[i], name));
    const int more = gpuopt_io_print(there + length, sizeof(there) - length, "%s%s", i ? ", " : "", all.names[i]);
    length += more > 0 && length + (size_t)more < sizeof(there) ? (size_t)more : 0;
  }
  char why[480];
  if (known)
    gpuopt_io_print(why, sizeof(why), "no launch got that version (its guard said no, or it is for measurements only: arm:NUMBER has these)");
  else if (name)
    gpuopt_io_print(why, sizeof(why), "no kernel that was launched has such a version (there are: %s)", there);
  else if ((unsigned long)arm < all.arms)
    gpuopt_io_print(why, sizeof(why), "no launch could run as that arm");
  else if (all.arms > 1)
    gpuopt_io_print(why, sizeof(why), "no launch has that arm (there are arm:0, the original, to arm:%u)", all.arms - 1);
  else
    gpuopt_io_print(why, sizeof(why), "no launch has another arm than arm:0, the original");
  dprintf(2, "gpuopt: warning: GPUOPT_DISPATCH=%.100s: %s; the original kernels ran\n", text, why);
}

// A launch was decided for: it can run in `arms` ways, and has what was asked for by name or number, or not. `names`:
// labels of what it may get, the original's first and 0 behind the last; 0 where they are known.
__attribute__((cold)) static inline void asked_of_launch(const char *const *names, unsigned arms, bool has) {
  if (mode() != 2) return;
  asking &all = asking_all();
  while (__atomic_test_and_set(&all.busy, __ATOMIC_ACQUIRE)) {}
  if (!all.told) {
    all.told = true;
    all.process = gpuopt_io_getpid();
    gpuopt_io_at_exit(tell_missing);
  }
  if (arms > all.arms) all.arms = arms;
  all.got = all.got || has;
  for (names += names != 0; names && *names; ++names) {
    unsigned i = 0;
    while (i < MOST_NAMES && all.names[i] && gpuopt_io_compare(all.names[i], *names) != 0) ++i;
    if (i < MOST_NAMES && !gpuopt_io_find(*names, '+')) all.names[i] = *names;
  }
  __atomic_clear(&all.busy, __ATOMIC_RELEASE);
}

} }
