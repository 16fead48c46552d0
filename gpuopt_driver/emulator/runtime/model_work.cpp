#include "model_work.h"

#include <algorithm>
#include <vector>

namespace {
// Of gpuopt_driver/emulator/work.py: what a function has computed up to an access, or a jump back to an earlier place.
struct Work {
  const char *pc, *target;  // null for an access
  const void *function;
  uint32_t floating, integer;
  uint32_t flops, jumps;
  uint32_t target_floating, target_integer, target_flops, target_jumps;
};
}  // namespace

extern "C" {
extern const Work __start_gpuopt_emu_work[] __attribute__((weak, visibility("hidden")));
extern const Work __stop_gpuopt_emu_work[] __attribute__((weak, visibility("hidden")));
}

namespace gpuopt_emu {

static const unsigned MOST = 200, UNKNOWN = 4;  // MOST: where there are jumps on the way, which may lead past some of it
static const unsigned ANY = 0xffff;

static const std::vector<Work> &all_work() {
  static const std::vector<Work> work = [] {
    std::vector<Work> all(__start_gpuopt_emu_work, __stop_gpuopt_emu_work);
    std::sort(all.begin(), all.end(), [](const Work &a, const Work &b) { return a.pc < b.pc; });
    return all;
  }();
  return work;
}

static size_t first_from(const void *pc) {
  const std::vector<Work> &all = all_work();
  return (size_t)(std::lower_bound(all.begin(), all.end(), pc, [](const Work &work, const void *wanted) {
                    return work.pc < static_cast<const char *>(wanted);
                  }) - all.begin());
}

WorkBetween work_between(const void *from, const void *to) {
  const std::vector<Work> &all = all_work();
  const size_t end = first_from(to), start = from ? first_from(from) : 0;
  if (end == all.size() || all[end].pc != to) return {UNKNOWN, 0, false};
  const Work &b = all[end];
  long floating = b.floating, integer = b.integer, flops = (long)b.flops;
  bool loops = false, straight = false, known = !from;
  if (from && start < all.size() && all[start].pc == from && all[start].function == b.function) {
    const Work &a = all[start];
    known = true;
    straight = b.pc > a.pc && b.jumps == a.jumps;
    floating -= a.floating;
    integer -= a.integer;
    flops -= (long)a.flops;
    for (size_t i = start; i < all.size() && all[i].function == b.function; ++i) {
      const Work &jump = all[i];
      if (!jump.target || jump.target > b.pc || jump.pc < b.pc) continue;
      loops = true;  // both are in it
      if (b.pc > a.pc) break;
      floating += (long)jump.floating - jump.target_floating;
      integer += (long)jump.integer - jump.target_integer;
      flops += (long)jump.flops - (long)jump.target_flops;
      break;
    }
  }
  const long work = std::max(0l, floating) + (loops ? std::max(0l, integer) / (long)UNROLLED : std::max(0l, integer));
  const long most = straight ? ANY : MOST;
  return {(unsigned)std::min(work, most), (unsigned)std::min(std::max(0l, flops), most), known};
}

void look_at_work(CodeSite &site, const void *from) {
  const WorkBetween work = work_between(from, site.pc);
  site.after = from;
  site.looked_at = true;
  site.before = work.instructions;
  site.flops = work.flops;
}

}  // namespace gpuopt_emu
