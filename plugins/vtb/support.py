"""The run-time part: C++11 definitions that all versions (device) and guards (host) of the plugin share.

They stand once per translation unit in `gpuopt_rt::plugin_vtb`, beside `plan`, `launch`, `choice` and the GPUs' table.
`decide.py` is the host part's twin in Python; a test holds the two against each other.
"""

from __future__ import annotations

import re

from . import decide
from .support_device import DEVICE

HOST = """\
// What a kernel's statements cost one warp that runs alone (phase_cost.py); memory: cycles of a load;
// entries: how often regions are entered; meeting: serial loads whose chains stay together where they meet; near_: the
// same where all loads meet in L2.
struct phases {
  double outside, inside, instructions, scattered, serial, loads, memory, entries, meeting;
  double near_outside, near_inside, near_memory;
};

// The phases where what is loaded lies in L2, and those that are expected.
static inline phases near_of(phases p) {
  p.outside = p.near_outside; p.inside = p.near_inside; p.memory = p.near_memory;
  return p;
}
static inline phases usual(const phases &p) { return p.meeting >= MEETS ? near_of(p) : p; }

// What the policy says. forms, added up: 1 turns, 2 pipe, 4 and 8 the same with own memory, 16: no fewer of the
// program's blocks may be resident; factor 0: the best up to `most`, as a pipe up to `pipes`.
struct rules { unsigned forms, factor, most, pipes; double margin; };

// Shared memory of a version: what virtual blocks take turns on, static, and what each has of its own, bytes.
struct part { size_t common, own; };

// How often the device has to be filled for `all` blocks, `resident` of which it holds.
static inline double waves(double all, double resident) {
  const double exact = all / resident;
  if (exact >= 4) return exact;
  const double whole = (double)(unsigned long long)exact;
  return whole < exact ? whole + 1 : whole;
}

// Cycles that a launch of `all` blocks of `warps` warps takes on `sms` SMs, each of which holds `blocks` times `factor`
// of them and leaves `l1` bytes: as long as one lives, times the waves of them, or as long as instructions and memory
// need.
static inline double cycles(const phases &p, double all, double sms, unsigned blocks, unsigned factor, unsigned warps,
                            double l1, bool pipe, double rate = PLACES) {
  const double waiting = factor == 1 ? 0 : p.entries * (pipe ? TAKE : TURN * factor);
  const double alone = p.outside + p.inside + waiting, turns = factor * (p.inside + waiting);
  const double life = p.entries > 1.5 && pipe ? (alone > turns ? alone : turns) : p.outside + turns;
  double time = waves(all / factor, blocks * sms) * life;
  const double issued = all / sms * warps * p.instructions / ISSUE;
  if (issued > time) time = issued;
  double lines = (WARP * p.scattered + SECTORS * p.loads) / LINES_IN_FLIGHT;
  if (l1 > 0 && WARP * p.serial / (l1 / HELD) > lines) lines = WARP * p.serial / (l1 / HELD);
  const double fetched = all / sms * warps * p.memory * lines;
  if (fetched > time) time = fetched;
  const double places = all / sms * warps * WARP * p.scattered / rate;
  return places > time ? places : time;
}

// What the environment asks for instead, to measure candidates with one program: GPUOPT_VTB="FACTOR FORM", FORM 0 or 1
// (turns, pipe), 2 or 3 (the same with own memory); factor 1 is the original.
static inline rules asked(rules r) {
  const char *text = getenv("GPUOPT_VTB");
  if (!text || !*text) return r;
  if (*text < '1' || *text > '9') {
    leave_aside(4, "GPUOPT_VTB", text, "FACTOR FORM, two numbers");
    return r;
  }
  r.factor = 0;
  while (*text >= '0' && *text <= '9') r.factor = 10 * r.factor + (unsigned)(*text++ - '0');
  if (*text == ' ' && text[1] >= '0' && text[1] <= '3') r.forms = (r.forms & 16) | 1u << (text[1] - '0');
  if (r.most < r.factor) r.most = r.factor < 15 ? r.factor : 15;
  return r;
}

// L1 beside the smallest configuration that holds `use` bytes, and the preference that asks for it. A preference of the
// program's own stays.
static inline double beside(const gpu &g, const launch &l, size_t use, int &percent) {
  size_t taken = 0, most = 0;
  bool several = false;
  for (unsigned i = 0; i < 12; ++i) {
    several = several || (g.split[i] && most && g.split[i] != most);
    if (g.split[i] > most) most = g.split[i];
    if (taken < use) taken = g.split[i] > taken ? g.split[i] : taken;
  }
  if (l.carveout_set || !several) return (double)l.l1_bytes;
  percent = (int)(taken * 100 / most);
  const size_t left = g.unified > taken ? g.unified - taken : 0;
  return (double)((left > g.capacity ? g.capacity : left) * g.usable / 1000);
}

static inline size_t up16(size_t bytes) { return (bytes + 15) / 16 * 16; }

// Threads of a virtual block, its last warp filled up.
static inline unsigned filled(const launch &l) { return l.warps * 32; }

// The best factor and form that does not lose where loads meet in L2 either (unless the policy wants all that there
// is), in c.n[0], c.n[1] and c.carveout, and the cycles it takes; 0: none. `dynamic` is what the version under decision
// asks for beside its own static memory so that it has what the candidate would have.
static inline double fastest(const launch &l, choice &c, const phases &p, const rules &r, const part &s, unsigned forms,
                             size_t dynamic) {
  const unsigned axis = l.grid.x > 1 ? 0 : l.grid.y > 1 ? 1 : l.grid.z > 1 ? 2 : 0;
  const unsigned along = axis == 0 ? l.grid.x : axis == 1 ? l.grid.y : l.grid.z;
  const double all = (double)l.grid.x * l.grid.y * l.grid.z;
  const gpu *g = gpu_of(l.capability);
  const phases expected = usual(p), near = near_of(p);
  const bool safe = !r.factor && r.margin > 0;
  const double plain = cycles(near, all, l.sms, l.resident_blocks, 1, l.warps, (double)l.l1_bytes, false,
                              FASTEST);
  double best = 0;
  for (unsigned k = 2; k <= r.most; ++k) {
    const unsigned threads = filled(l) * k, deep = l.threads % 32 ? k : l.block.z * k;
    if ((r.factor ? k != r.factor : (k & (k - 1)) != 0) || threads > 1024 || deep > 64 || (k > along && !r.factor))
      continue;
    const unsigned blocks = residency(l, threads, dynamic + k * s.own);
    if (!blocks || ((r.forms & 16) && blocks * k < l.resident_blocks)) continue;
    int percent = -1;
    const size_t use = s.common + (s.own ? up16(l.shared) + k * s.own : l.shared);
    const size_t each = (use + 4 + 127) / 128 * 128;
    const double l1 = g ? beside(*g, l, blocks * (each + g->reserved), percent) : 0;
    for (unsigned form = 0; form < 2; ++form) {
      if (!(forms >> form & 1) || (form == 1 && k > r.pipes)) continue;
      const double found = cycles(expected, all, l.sms, blocks, k, l.warps, l1, form == 1);
      if (best > 0 && found > best * 0.95) continue;
      if (safe && cycles(near, all, l.sms, blocks, k, l.warps, l1, form == 1, FASTEST) > plain * LOSES) continue;
      best = found;
      c.n[0] = (unsigned short)k; c.n[1] = (unsigned short)form; c.carveout = percent;
    }
  }
  return best;
}

// The launch that c.n[0] blocks in one mean.
static inline void arrange(const launch &l, choice &c, size_t own) {
  const unsigned axis = l.grid.x > 1 ? 0 : l.grid.y > 1 ? 1 : l.grid.z > 1 ? 2 : 0, k = c.n[0];
  const unsigned along = axis == 0 ? l.grid.x : axis == 1 ? l.grid.y : l.grid.z;
  c.n[1] = (unsigned short)(c.n[1] | axis << 1);
  c.n[2] = (unsigned short)along; c.n[3] = (unsigned short)(along >> 16);
  c.n[4] = (unsigned short)(own ? up16(l.shared) / 16 : 0); c.n[5] = (unsigned short)l.block.z;
  c.n[6] = c.n[7] = 0;
  (axis == 0 ? c.grid.x : axis == 1 ? c.grid.y : c.grid.z) = along / k + (along % k != 0);
  if (l.threads % 32) {
    c.n[6] = (unsigned short)l.block.x; c.n[7] = (unsigned short)l.block.y;
    c.block.x = filled(l); c.block.y = 1; c.block.z = k;
  } else {
    c.block.z = l.block.z * k;
  }
  if (own) c.shared = up16(l.shared) + k * own;
}

// Whether what was found is taken, and the launch that it means.
static inline bool settled(const launch &l, choice &c, const phases &p, const rules &r, size_t own, double best) {
  const double all = (double)l.grid.x * l.grid.y * l.grid.z;
  const double plain = cycles(usual(p), all, l.sms, l.resident_blocks, 1, l.warps, (double)l.l1_bytes, false);
  if (best == 0 || (!r.factor && best * r.margin > plain)) return false;
  arrange(l, c, own);
  return true;
}

static inline bool possible(const launch &l, const rules &r) {
  return l.resident_blocks && l.block.z <= 32 && (gpu_of(l.capability) || r.factor);
}

// Factors and forms for measurements to choose from; `number`: of the first form.
static inline void offer(const launch &l, offers &o, const phases &p, const rules &r, const part &s, unsigned forms,
                         size_t dynamic, unsigned number) {
  const double all = (double)l.grid.x * l.grid.y * l.grid.z;
  const double plain = cycles(usual(p), all, l.sms, l.resident_blocks, 1, l.warps, (double)l.l1_bytes, false);
  for (unsigned k = 2; k <= r.most; k *= 2)
    for (unsigned form = 0; form < 2; ++form) {
      if (!(forms >> form & 1)) continue;
      rules one = r;
      one.factor = k; one.forms = (r.forms & 16) | 1u << form;
      choice c = o.blank();
      const double found = fastest(l, c, p, one, s, 1u << form, dynamic);
      if (found == 0) continue;
      c.n[0] = (unsigned short)k;
      arrange(l, c, s.own);
      o.add(c, number + 4 * k + form, plain / found, 2.0 * k, form ? "who is ready" : "in turns");
    }
}
static inline void offer_turns(const launch &l, offers &o, const phases &p, const rules &r) {
  const part s = { l.static_shared, 0 };
  if (l.resident_blocks && l.block.z <= 32) offer(l, o, p, r, s, r.forms & 3, l.shared, 0);
}
static inline void offer_divided(const launch &l, offers &o, const phases &p, const part &s, const rules &r) {
  if (l.resident_blocks && l.block.z <= 32) offer(l, o, p, r, s, r.forms >> 2 & 3, up16(l.shared), 2);
}

// Picks factor and form of VTB and VTB_pipe; false: the original.
static inline bool choose(const launch &l, choice &c, const phases &p, const rules &wanted) {
  const rules r = asked(wanted);
  if (!possible(l, r) || !(r.forms & 3)) return false;
  const part s = { l.static_shared, 0 };
  return settled(l, c, p, r, 0, fastest(l, c, p, r, s, r.forms & 3, l.shared));
}

// Picks CO-VTB where it is better than VTB (phases `v`); false: the next version decides.
static inline bool divide(const launch &l, choice &c, const phases &v, const phases &p, const part &s,
                          const rules &wanted) {
  const rules r = asked(wanted);
  if (!possible(l, r) || !(r.forms & 12)) return false;
  choice other = c;
  const part whole = { l.static_shared, 0 };
  const size_t more = l.static_shared > s.common ? l.static_shared - s.common : 0;
  const double turns = r.forms & 3 ? fastest(l, other, v, r, whole, r.forms & 3, l.shared + more) : 0;
  const double best = fastest(l, c, p, r, s, r.forms >> 2, up16(l.shared));
  if (turns > 0 && best > 0.95 * turns) return false;
  return settled(l, c, p, r, s.own, best);
}
"""

_NAMES = r"\b(LINES_IN_FLIGHT|HELD|PLACES|FASTEST|MEETS|LOSES|WARP|SECTORS|ISSUE|TURN|TAKE)\b"
SUPPORT = DEVICE + re.sub(_NAMES, lambda match: str(float(vars(decide)[match.group()])), HOST)
