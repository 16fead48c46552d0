// Records of what was measured: read when a kernel is first launched, written at the program's end and when something
// is settled. The format is that of docs/choices.md. Pasted behind learner.h.
namespace gpuopt_rt { inline namespace GPUOPT_RT_VERSION {

enum choice_limits { LONGEST = 4000, MOST_READ = 1 << 26, MOST_KEPT = 1 << 20 };
#if defined(__aarch64__)
static const int NO_LINK = 0x8000;
#else
static const int NO_LINK = 0x20000;
#endif
static const int WRITE = 1, READ_WRITE = 2, APPEND = 02000, CREATE = 0100, ANEW = 0200, NEVER_WAIT = 04000,
                 CLOSE_ON_EXEC = 02000000;  // of open

static inline unsigned crc32_of(const char *text, size_t length) {  // four bits at a time: a first launch waits for it
  static unsigned of[16];
  unsigned crc = ~0u;
  for (unsigned i = 0; !of[15] && i < 16; ++i) {
    unsigned value = i;
    for (unsigned bit = 0; bit < 4; ++bit) value = value >> 1 ^ (0xEDB88320u & (0u - (value & 1)));
    of[i] = value;
  }
  for (size_t i = 0; i < length; ++i) {
    crc ^= (unsigned char)text[i];
    crc = crc >> 4 ^ of[crc & 15];
    crc = crc >> 4 ^ of[crc & 15];
  }
  return ~crc;
}

static inline bool begins(const char *text, const char *with) {
  for (; *with; ++text, ++with) if (*text != *with) return false;
  return true;
}

// What is needed of statx, whose layout is the same on all machines: type and size of a file; false where others than
// the user (or root) may have written it.
struct state { unsigned type; unsigned long long size; };
static inline bool is_own(int file, const char *path, state &s) {
  unsigned char raw[256];
  unsigned owner;
  unsigned short bits;
  if (!gpuopt_io_statx || gpuopt_io_statx(file, path, file < 0 ? 0 : 0x1000, 0x7ffu, raw) != 0) return false;
  memcpy(&owner, raw + 20, 4); memcpy(&bits, raw + 28, 2); memcpy(&s.size, raw + 40, 8);
  s.type = bits & 0170000u;
  return (owner == 0 || owner == gpuopt_io_geteuid()) && !(bits & 022u);
}
static inline bool is_directory(const char *path) {
  unsigned char raw[256];
  unsigned short bits;
  if (!gpuopt_io_statx || gpuopt_io_statx(-100, path, 0, 0x7ffu, raw) != 0) return false;
  memcpy(&bits, raw + 28, 2);
  return (bits & 0170000u) == 0040000u;
}

// Makes a directory for the user alone, and those above it.
static inline void make_directory(const char *path) {
  char part[1024];
  size_t n = gpuopt_io_length(path);
  if (n >= sizeof(part)) return;
  for (size_t i = 1; i <= n; ++i) {
    if (i < n && path[i] != '/') continue;
    memcpy(part, path, i); part[i] = 0;
    gpuopt_io_mkdir(part, 0700);
  }
}

// Where choices of a kernel are kept: GPUOPT_CHOICES, the policy's `choices`, the user's cache. False: nowhere.
static inline bool place_of_choices(unsigned long long digest, char *path, size_t room, bool &mine) {
  const char *named = getenv("GPUOPT_CHOICES"), *under = "";
  char base[1024];
  mine = false;
  if (!named || !*named) named = GPUOPT_RT_CHOICES;
  if (!*named) {
    mine = true;
    if ((named = getenv("GPUOPT_CACHE_DIR")) && *named) under = "/choices";
    else if ((named = getenv("XDG_CACHE_HOME")) && *named == '/') under = "/gpuopt/choices";
    else if ((named = getenv("HOME")) && *named == '/') under = "/.cache/gpuopt/choices";
    else return false;
  }
  const int n = gpuopt_io_print(base, sizeof(base), "%s%s", named, under);
  if (n <= 0 || n >= (int)sizeof(base)) return false;
  if (mine || base[n - 1] == '/') make_directory(base);
  state s;
  const bool directory = mine || base[n - 1] == '/' || is_directory(base);
  if (mine && !is_own(-100, base, s)) return false;
  const int m = directory ? gpuopt_io_print(path, room, "%s/%016llx.choices", base, digest)
                          : gpuopt_io_print(path, room, "%s", base);
  return m > 0 && m < (int)room;
}

// The whole of a file of choices with a zero behind it, 0 where there is none that can be trusted; to be freed.
static inline char *read_choices(const char *path, size_t &length) {
  const int file = gpuopt_io_open(path, NO_LINK | CLOSE_ON_EXEC | NEVER_WAIT);
  state s;
  length = 0;
  if (file < 0) return 0;
  char *text = 0;
  if (is_own(file, "", s) && s.type == 0100000u && s.size <= MOST_READ && (text = (char *)gpuopt_io_take(s.size + 1)) != 0) {
    long got;
    while (length < s.size && (got = gpuopt_io_read(file, text + length, s.size - length)) > 0) length += (size_t)got;
    text[length] = 0;
  }
  gpuopt_io_close(file);
  return text;
}

// One field of a record and the place behind it; false at the end. Fields end with `mark`.
static inline bool field(char *&at, char mark, char *&found) {
  if (!at) return false;
  found = at;
  char *end = gpuopt_io_find(at, mark);
  if (end) { *end = 0; at = end + 1; } else at = 0;
  return true;
}
static inline bool tally_of(char *&at, tally &t) {
  char *n, *mean, *m2;
  if (!field(at, ':', n) || !field(at, ':', mean) || !field(at, ':', m2)) return false;
  t.n = (unsigned)gpuopt_io_whole(n, 0, 10); t.mean = gpuopt_io_real(mean, 0); t.m2 = gpuopt_io_real(m2, 0);
  return t.n < 1000000000u && t.mean > -100 && t.mean < 100 && t.m2 >= 0 && t.m2 < 1e12;
}
static inline unsigned long long identity(const char *version, unsigned number) {
  unsigned long long h = 14695981039346656037ULL;
  for (; *version; ++version) h = mix(h, (unsigned char)*version);
  return mix(h, number);
}

// A record of this learner's key: what it says is pooled with what is known. Arms that are not offered stay known.
static inline void take_record(learner &l, char *line) {
  char *f[11];
  for (unsigned i = 0; i < 11; ++i) if (!field(line, '\t', f[i])) return;
  if (gpuopt_io_whole(f[6], 0, 16) != l.key) return;
  char *one, *version, *number, *what;
  while (field(line, '\t', one)) {
    tally pairs = { 0, 0, 0 }, firsts = { 0, 0, 0 };
    if (!field(one, ':', version) || !field(one, ':', number) || !field(one, ':', what) || !tally_of(one, pairs) ||
        !tally_of(one, firsts)) return;
    const unsigned n = (unsigned)gpuopt_io_whole(number, 0, 10);
    const bool original = gpuopt_io_compare(version, "original") == 0;
    const int k = original ? 0 : l.arm_of(identity(version, n));
    if (k < 0) continue;
    arm &o = l.a[k];
    o.number = n;
    o.present = true;  // it could run here before
    gpuopt_io_print(o.version, sizeof(o.version), "%s", version);
    gpuopt_io_print(o.what, sizeof(o.what), "%s", what);
    o.pairs.pool(pairs); o.pairs.forget(4 * MOST_PAIRS);
    o.firsts.pool(firsts); o.firsts.forget(4 * MOST_PAIRS);
  }
}
static inline void load(learner &l) {
  char path[1200];
  size_t length;
  bool mine;
  if (!place_of_choices(l.digest, path, sizeof(path), mine)) return;
  char *text = read_choices(path, length);
  if (!text) return;
  for (char *line = text, *end; line < text + length; line = end + 1) {
    end = gpuopt_io_find(line, '\n');
    if (!end) break;  // cut, or being written
    *end = 0;
    if (end - line < 40 || end - line > LONGEST || !begins(line, "gpuopt-choices-1\t") || line[25] != '\t')
      continue;
    if ((unsigned)gpuopt_io_whole(line + 17, 0, 16) != crc32_of(line + 26, (size_t)(end - line - 26))) continue;
    take_record(l, line);
  }
  gpuopt_io_free(text);
  l.judge();
}

// Half of a file that has become too large goes, the older lines first.
static inline void shorten(const char *path) {
  char other[1300];
  size_t length;
  char *text = read_choices(path, length);
  if (!text) return;
  gpuopt_io_print(other, sizeof(other), "%s.%d", path, gpuopt_io_getpid());
  const int file = gpuopt_io_open(other, WRITE | CREATE | ANEW | NO_LINK | CLOSE_ON_EXEC, 0600);
  const char *from = length ? gpuopt_io_find(text + length / 2, '\n') : 0;
  if (file >= 0) {
    const size_t rest = from ? length - (size_t)(from + 1 - text) : 0;
    const bool whole = !rest || gpuopt_io_write(file, from + 1, rest) == (long)rest;
    gpuopt_io_close(file);
    if (!whole || gpuopt_io_rename(other, path) != 0) gpuopt_io_unlink(other);
  }
  gpuopt_io_free(text);
}

static inline int print_tally(char *to, size_t room, const tally &t) {
  return gpuopt_io_print(to, room, ":%u:%.6g:%.6g", t.n, t.mean, t.m2);
}
// Appends what this process has measured since its last record; one line, one write.
static inline void store(learner &l) {
  char path[1200], line[LONGEST + 400], arms[LONGEST];
  size_t n = 0;
  bool any = false;
  for (unsigned k = 0; k < l.count; ++k) {
    arm &o = l.a[k];
    if (k && !o.present && !o.own_pairs.n && !o.own_firsts.n) continue;  // what was not tried is told of, too
    any = any || o.own_pairs.n || o.own_firsts.n;
    n += (size_t)gpuopt_io_print(arms + n, sizeof(arms) - n, "\t%s:%u:%s", k ? o.version : "original", o.number, o.what);
    if (n + 200 > sizeof(arms)) break;
    n += (size_t)print_tally(arms + n, sizeof(arms) - n, o.own_pairs);
    n += (size_t)print_tally(arms + n, sizeof(arms) - n, o.own_firsts);
    if (n + 400 > sizeof(arms)) break;
  }
  bool mine;
  if (!any || !place_of_choices(l.digest, path, sizeof(path), mine)) return;
  const double lost = l.lost - l.told_lost, saved = l.saved - l.told_saved;
  char *rest = line + 26;
  int m = gpuopt_io_print(rest, sizeof(line) - 26, "%016llx\t%s\t%s\t%s\t%016llx\t%ld\t%llu\t%.0f\t%.0f%s", l.digest, l.kernel,
                          l.device, l.launch, l.key, gpuopt_io_time(0), l.launches - l.told_launches, lost,
                          saved > 0 ? saved : 0, arms);
  if (m <= 0 || m + 27 > LONGEST) return;
  char head[32];
  gpuopt_io_print(head, sizeof(head), "gpuopt-choices-1\t%08x\t", crc32_of(rest, (size_t)m));
  memcpy(line, head, 26);
  rest[m] = '\n';
  const int file = gpuopt_io_open(path, READ_WRITE | APPEND | CREATE | NO_LINK | CLOSE_ON_EXEC | NEVER_WAIT, 0600);
  state s;
  if (file < 0) return;
  bool good = is_own(file, "", s) && s.type == 0100000u && (mine || s.size <= MOST_KEPT);
  if (good && s.size) {  // nothing else is appended to; and a record that was cut ends here
    char first[17] = { 0 }, last = 0;
    good = gpuopt_io_read_at(file, first, 16, 0) == 16 && begins(first, "gpuopt-choices-1") &&
           gpuopt_io_read_at(file, &last, 1, (long)s.size - 1) == 1 &&
           (last == '\n' || gpuopt_io_write(file, "\n", 1) == 1);
  }
  good = good && gpuopt_io_write(file, line, (size_t)m + 27) == (long)m + 27;
  gpuopt_io_close(file);
  if (!good) return;
  if (s.size > MOST_KEPT) shorten(path);
  l.told_lost = l.lost; l.told_saved = l.saved > 0 ? l.saved : 0; l.told_launches = l.launches;
  for (unsigned k = 0; k < l.count; ++k) {
    const tally none = { 0, 0, 0 };
    l.a[k].own_pairs = l.a[k].own_firsts = none;
  }
}

} }
