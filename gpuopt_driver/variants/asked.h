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

// Variables whose name is nearly GPUOPT_DISPATCH.
static inline void tell_slips() {
  if (!environ || !is_news(2)) return;
  for (char **one = environ; *one; ++one) {
    const char *const name = behind(*one, "GPUOPT_");
    unsigned length = 0;
    while (name && name[length] && name[length] != '=') ++length;
    const unsigned wrong = name ? slips(name, length, "DISPATCH", 8) : 0;
    if (wrong == 1 || wrong == 2)
      dprintf(2, "gpuopt: warning: GPUOPT_%.*s: no such variable; did you mean 'GPUOPT_DISPATCH'?\n", (int)length, name);
  }
}

// GPUOPT_DISPATCH: 1 "original" (never a version), 2 "trace", "only:NAME" or "arm:NUMBER" (decisions on stderr), 0 otherwise.
__attribute__((cold)) static inline int asked_mode() {
  const char *const text = getenv("GPUOPT_DISPATCH");
  tell_slips();
  if (!text || !*text) return 0;
  const char *const original = behind(text, "original"), *const trace = behind(text, "trace");
  if (original && !*original) return 1;
  if ((trace && !*trace) || behind(text, "only:") || behind(text, "arm:")) return 2;
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

} }
