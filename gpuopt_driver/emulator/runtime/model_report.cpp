// What model mode says: JSON at the end of the program where GPUOPT_EMU_REPORT asks for it, else a line per kernel.
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "check_block.h"
#include "model_launch.h"
#include "model_pairs.h"
#include "model_replay.h"
#include "occupancy.h"
#include "settings.h"
#include "state.h"

namespace gpuopt_emu {

namespace {
struct KernelSums {  // over a kernel's launches
  std::string name;
  unsigned launches;
  uint64_t cycles;
  double occupied_cycles;
  const char *limiter;  // of the last launch
  Counters counters;
};
struct Reports {
  std::mutex mutex;
  std::vector<std::string> launches;  // JSON
  std::vector<KernelSums> kernels;    // without a report, in the order of their first launches
};
}  // namespace

static Reports &reports() {
  static Reports *all = new Reports;
  return *all;
}

static const char *report_path() {
  const char *path = getenv("GPUOPT_EMU_REPORT");
  return path && *path ? path : nullptr;
}

static void say(std::string &text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(std::string &text, const char *format, ...) {
  char part[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(part, sizeof part, format, arguments);
  va_end(arguments);
  text += part;
}

static double rate(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 0; }

static std::string dims(const dim3 &d) {
  return "[" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + "]";
}

std::string plain_name(const char *pretty) {
  std::string name = pretty;
  name = name.substr(0, name.find('('));
  const size_t space = name.rfind(' ');
  return space == std::string::npos ? name : name.substr(space + 1);
}

static void say_counters(std::string &text, const Counters &c) {
  static const Count plain[] = {load_requests, load_sectors, load_hits, store_requests, store_sectors, store_hits,
                                atomic_requests, atomic_sectors, l2_read_sectors, l2_read_hits, l2_write_sectors, constant_requests};
  for (const Count which : plain)
    if (c.of[which]) say(text, ", \"%s\": %" PRIu64, count_names[which], c.of[which]);
  if (c.of[load_sectors]) say(text, ", \"load_hit_rate\": %.6f", rate(c.of[load_hits], c.of[load_sectors]));
  if (c.of[dram_read_sectors]) say(text, ", \"dram_read_bytes\": %" PRIu64, 32 * c.of[dram_read_sectors]);
  if (c.of[dram_write_sectors]) say(text, ", \"dram_write_bytes\": %" PRIu64, 32 * c.of[dram_write_sectors]);
  if (c.of[shared_requests]) {
    say(text, ", \"shared_requests\": %" PRIu64 ", \"shared_wavefronts\": %" PRIu64, c.of[shared_requests], c.of[shared_wavefronts]);
    say(text, ", \"shared_bank_conflicts\": %" PRIu64, c.of[shared_wavefronts] - c.of[shared_ideal]);
  }
  if (c.of[flops]) say(text, ", \"flops\": %" PRIu64, c.of[flops]);
}

namespace {
typedef std::tuple<std::string, unsigned, std::string> LineKey;
struct Totals {
  Counters all;
  std::map<LineKey, std::pair<Space, Counters>> lines;
  std::map<std::string, std::pair<const Array *, std::pair<Space, Counters>>> arrays;
};
}  // namespace

static Totals totals_of(double scale) {
  Totals t;
  for (const Source &source : sources()) {
    Counters c = source.counters;
    if (scale != 1)
      for (uint64_t &count : c.of) count = (uint64_t)((double)count * scale + 0.5);
    t.all.add(c);
    const Array *array = source.array >= 0 ? &arrays()[(size_t)source.array] : nullptr;
    const std::string name = array ? array->name : source.space == Space::shared ? "shared memory" : "";
    auto &line = t.lines[LineKey(source.spot ? source.spot->file : "", source.spot ? source.spot->line : 0, name)];
    line.first = source.space;
    line.second.add(c);
    auto &whole = t.arrays[name];
    whole.first = array;
    whole.second.first = source.space;
    whole.second.second.add(c);
  }
  return t;
}

static std::string lines_json(const Totals &t) {
  std::string text;
  for (const auto &item : t.lines) {
    text += text.empty() ? "\n    {" : ",\n    {";
    text += "\"file\": " + quoted(std::get<0>(item.first)) + ", \"line\": " + std::to_string(std::get<1>(item.first)) +
            ", \"array\": " + quoted(std::get<2>(item.first)) + ", \"space\": \"" + space_names[(size_t)item.second.first] + "\"";
    say_counters(text, item.second.second);
    text += "}";
  }
  return "[" + text + "]";
}

static std::string arrays_json(const Totals &t) {
  std::string text;
  for (const auto &item : t.arrays) {
    text += text.empty() ? "\n    {" : ",\n    {";
    text += "\"array\": " + quoted(item.first) + ", \"space\": \"" + space_names[(size_t)item.second.second.first] + "\"";
    if (const Array *array = item.second.first) {
      say(text, ", \"bytes\": %zu", (size_t)(array->end - array->start));
      if (array->place) say(text, ", \"file\": %s, \"line\": %u", quoted(array->place->file).c_str(), array->place->line);
    }
    say_counters(text, item.second.second.second);
    text += "}";
  }
  return "[" + text + "]";
}

static std::string timeline_json(const Timeline &t) {
  std::string blocks, warps;
  for (size_t i = 0; i < t.blocks.size(); ++i) {
    const double span = (double)(std::min(t.upto, (i + 1) * t.interval) - i * t.interval);
    say(blocks, "%s%.4g", i ? ", " : "", t.blocks[i] / span);
    say(warps, "%s%.4g", i ? ", " : "", t.warps[i] / span);
  }
  std::string text;
  say(text, "{\"interval_cycles\": %" PRIu64 ", \"sms\": %d, \"resident_blocks\": [", t.interval, gpu().sms);
  return text + blocks + "], \"active_warps\": [" + warps + "]}";
}

static std::string launch_json(const LaunchResult &r, const Totals &t, size_t index) {
  const Grid &grid = *r.grid;
  const Gpu &g = gpu();
  const Counters &c = t.all;
  const unsigned warps = (grid.threads + 31) / 32;
  std::string text;
  say(text, "{\"index\": %zu, \"kernel\": ", index);
  text += quoted(plain_name(grid.kernel->name)) + ", \"signature\": " + quoted(grid.kernel->name) +
          ", \"grid\": " + dims(grid.size) + ", \"block\": " + dims(grid.block) + ",\n   ";
  say(text, "\"cycles\": %" PRIu64 ", \"time_ns\": %.1f, ", r.cycles, (double)r.cycles * 1e3 / g.clock_mhz);
  say(text, "\"warp_instructions\": %" PRIu64 ", \"lane_instructions\": %" PRIu64 ", \"flops\": %" PRIu64 ", ",
      c.of[warp_instructions], c.of[lane_instructions], c.of[flops]);
  say(text, "\"registers_per_thread\": %u, \"static_shared_bytes\": %zu, \"dynamic_shared_bytes\": %zu, ", r.residency.registers,
      static_shared(*grid.kernel), grid.dynamic_shared);
  say(text, "\"shared_config_bytes\": %zu, \"l1_bytes\": %zu,\n   ", r.residency.shared_bytes, r.residency.l1_bytes);
  say(text, "\"resident_blocks\": %u, \"resident_warps\": %u, \"occupancy_limiter\": \"%s\", ", r.residency.blocks,
      r.residency.blocks * warps, r.residency.limiter);
  say(text, "\"theoretical_occupancy\": %.6f, \"achieved_occupancy\": %.6f,\n   ",
      std::min(1.0, (double)(r.residency.blocks * warps) / g.warps_per_sm), std::min(1.0, r.occupancy));
  if (r.held_cycles) say(text, "\"shared_held\": %.6f, ", (double)r.held_cycles / (double)r.block_cycles);
  static const Count counted[] = {load_requests, load_sectors, load_hits, store_requests, store_sectors, store_hits,
                                  atomic_requests, atomic_sectors};
  for (const Count which : counted) say(text, "\"l1_%s\": %" PRIu64 ", ", count_names[which], c.of[which]);
  say(text, "\"l1_load_hit_rate\": %.6f,\n   ", rate(c.of[load_hits], c.of[load_sectors]));
  static const Count beyond[] = {l2_read_sectors, l2_read_hits, l2_write_sectors, l2_write_hits};
  for (const Count which : beyond) say(text, "\"%s\": %" PRIu64 ", ", count_names[which], c.of[which]);
  say(text, "\"l2_hit_rate\": %.6f, ", rate(c.of[l2_read_hits] + c.of[l2_write_hits], c.of[l2_read_sectors] + c.of[l2_write_sectors]));
  if (r.figures->l2_parts > 1) say(text, "\"l2_far_sectors\": %" PRIu64 ", ", c.of[l2_far_sectors]);
  say(text, "\"dram_read_bytes\": %" PRIu64 ", \"dram_write_bytes\": %" PRIu64 ",\n   ", 32 * c.of[dram_read_sectors],
      32 * c.of[dram_write_sectors]);
  say(text, "\"shared_requests\": %" PRIu64 ", \"shared_wavefronts\": %" PRIu64 ", \"shared_bank_conflicts\": %" PRIu64 ",\n   ",
      c.of[shared_requests], c.of[shared_wavefronts], c.of[shared_wavefronts] - c.of[shared_ideal]);
  say(text, "\"limits\": {\"issue\": %.0f, \"l1\": %.0f, \"shared\": %.0f, \"l2\": %.0f, \"dram\": %.0f},\n   ", r.issue_limit,
      r.l1_limit, r.shared_limit, r.l2_limit, r.dram_limit);
  text += "\"lines\": " + lines_json(t) + ",\n   \"arrays\": " + arrays_json(t) + ",\n   \"timeline\": " + timeline_json(r.timeline);
  text += pairs_json(r.scale);
  say(text, ",\n   \"sampling\": {\"blocks\": %llu, \"simulated_blocks\": %llu%s}}", grid.blocks, r.modelled_blocks, r.errors.c_str());
  return text;
}

// Without a report, a program is told of at its end: its launches may be many.
static void add_launch(KernelSums &sums, const LaunchResult &r, const Counters &c) {
  ++sums.launches;
  sums.cycles += r.cycles;
  sums.occupied_cycles += r.occupancy * (double)r.cycles;
  sums.limiter = r.residency.limiter;
  sums.counters.add(c);
}

static void print_kernel(const KernelSums &sums) {
  const Counters &c = sums.counters;
  const std::string launches = sums.launches > 1 ? " in " + std::to_string(sums.launches) + " launches" : "";
  fprintf(stderr,
          "gpuopt model: %s: %" PRIu64 " cycles%s, occupancy %.0f %% (%s), L1 load hits %.2f %% of %" PRIu64 " sectors in %" PRIu64
          " requests, L2 reads %" PRIu64 " sectors, DRAM %" PRIu64 " KB read, %" PRIu64 " KB written\n",
          sums.name.c_str(), sums.cycles, launches.c_str(), sums.cycles ? 100 * sums.occupied_cycles / (double)sums.cycles : 0., sums.limiter,
          100 * rate(c.of[load_hits], c.of[load_sectors]), c.of[load_sectors], c.of[load_requests], c.of[l2_read_sectors],
          c.of[dram_read_sectors] / 32, c.of[dram_write_sectors] / 32);
}

void report_launch(const LaunchResult &result) {
  const Totals totals = totals_of(result.scale);
  Reports &all = reports();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (report_path()) {
    all.launches.push_back(launch_json(result, totals, all.launches.size()));
    return;
  }
  const std::string name = plain_name(result.grid->kernel->name);
  auto known = std::find_if(all.kernels.begin(), all.kernels.end(), [&](const KernelSums &k) { return k.name == name; });
  if (known == all.kernels.end()) known = all.kernels.insert(known, KernelSums{name, 0, 0, 0, "", {}});
  add_launch(*known, result, totals.all);
}

static std::string device_json() {
  const Gpu &g = gpu();
  const ModelFigures &f = model_figures[&g - gpus];
  std::string text;
  say(text, "{\"sms\": %d, \"clock_mhz\": %d, \"warps_per_sm\": %d, \"blocks_per_sm\": %d, \"line_bytes\": %u, \"sector_bytes\": 32, ",
      g.sms, g.clock_mhz, g.warps_per_sm, g.blocks_per_sm, f.line_bytes);
  say(text, "\"warp_instructions_per_cycle\": %g, \"l1_bytes_per_cycle\": %g, \"l2_bytes_per_cycle\": %g, \"dram_bytes_per_cycle\": %g}",
      (double)f.schedulers / f.issue_cycles, f.l1_bytes, f.l2_bytes, f.dram_bytes);
  return text;
}

static std::string arguments_json() {
  std::string text;
  if (std::FILE *file = fopen("/proc/self/cmdline", "r")) {
    std::string all;
    for (int c; (c = getc(file)) != EOF;) all += (char)c;
    fclose(file);
    for (size_t at = all.find('\0') + 1; at && at < all.size(); at = all.find('\0', at) + 1)
      text += (text.empty() ? "" : ", ") + quoted(all.c_str() + at);
  }
  return "[" + text + "]";
}

static std::string program_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, (size_t)length) : "";
}

// After everything else that the program does when it ends. Readers see the whole file or none.
__attribute__((destructor)) static void end_modelling() {
  const char *path = report_path();
  if (!modelling) return;
  if (!path) {
    fflush(stdout);
    for (const KernelSums &sums : reports().kernels) print_kernel(sums);
    return;
  }
  const std::string scratch = std::string(path) + "." + std::to_string(getpid());
  std::FILE *file = fopen(scratch.c_str(), "w");
  bool good = file != nullptr;
  if (file) {
    fprintf(file, "{\"schema\": \"gpuopt-emulator-report/1\", \"gpu\": %s, \"mode\": \"model\", \"program\": %s, \"arguments\": %s,\n\"device\": %s,\n\"launches\": [",
            quoted(gpu().name).c_str(), quoted(program_path()).c_str(), arguments_json().c_str(), device_json().c_str());
    const char *separator = "\n  ";
    for (const std::string &launch : reports().launches) fprintf(file, "%s%s", separator, launch.c_str()), separator = ",\n  ";
    fprintf(file, "\n],\n\"replayed_warps\": %" PRIu64 "}\n", replayed_warps);
    good = !ferror(file);
    good = fclose(file) == 0 && good && rename(scratch.c_str(), path) == 0;
  }
  if (good) return;
  fprintf(stderr, "gpuopt emulator: GPUOPT_EMU_REPORT=%s: cannot be written: %s\n", path, strerror(errno));
  unlink(scratch.c_str());
}

}  // namespace gpuopt_emu
