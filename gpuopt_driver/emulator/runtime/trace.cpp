#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <map>
#include <unordered_map>

#include "model.h"
#include "occupancy.h"
#include "settings.h"
#include "trace_file.h"

namespace gpuopt_emu {

bool tracing, only_traces;

namespace {
struct Tracer {
  std::string directory;
  bool compact = false;
  unsigned launches = 0;
  std::map<void *, unsigned> streams;  // by handle, numbered as they come

  std::unique_ptr<TraceFile> file;
  Spool spool;
  std::vector<TracedPlace> places;
  std::unordered_map<uint64_t, unsigned> place_numbers;  // by code and space
  std::map<unsigned long long, std::vector<TracedWarp>> waiting;  // blocks that ended before an earlier one
  unsigned long long next = 0;  // block to write
  std::vector<StreamWriter *> free_streams;
};
}  // namespace

static Tracer &tracer() {
  static Tracer *only = new Tracer;
  return *only;
}

void begin_tracing(bool modelled) {
  Tracer &t = tracer();
  t.directory = getenv("GPUOPT_EMU_TRACE");
  const char *format = getenv("GPUOPT_EMU_TRACE_FORMAT");
  t.compact = format && strcmp(format, "gpuopt") == 0;
  if (format && *format && !t.compact && strcmp(format, "accel-sim") != 0)
    fatal("GPUOPT_EMU_TRACE_FORMAT=%s: expected accel-sim or gpuopt", format);
  if (getenv("GPUOPT_EMU_SAMPLE")) fatal("GPUOPT_EMU_TRACE writes whole launches: unset GPUOPT_EMU_SAMPLE");
  if (mkdir(t.directory.c_str(), 0777) && errno != EEXIST)
    fatal("GPUOPT_EMU_TRACE=%s: cannot be made: %s", t.directory.c_str(), strerror(errno));
  if (!t.compact) {  // of this run, not of one before
    FILE *list = fopen((t.directory + "/kernelslist.g").c_str(), "w");
    if (!list || fclose(list)) fatal("GPUOPT_EMU_TRACE=%s: cannot write there: %s", t.directory.c_str(), strerror(errno));
  }
  only_traces = !modelled;
  tracing = true;
}

void trace_launch(const Grid &grid, unsigned registers) {
  Tracer &t = tracer();
  t.places.clear();
  t.place_numbers.clear();
  t.next = 0;
  t.spool.open(t.directory);
  const unsigned stream = grid.stream ? t.streams.emplace(grid.stream, (unsigned)t.streams.size() + 1).first->second : 0;
  const TracedLaunch launch{&grid, ++t.launches, stream, registers, static_shared(*grid.kernel) + grid.dynamic_shared};
  t.file = t.compact ? compact_trace(t.directory, launch, t.places) : accel_sim_trace(t.directory, launch, t.places);
}

void trace_launch_ends() {
  Tracer &t = tracer();
  t.file->end();
  t.file.reset();
  t.waiting.clear();
  t.spool.close();
}

void trace_block(ModelBlock *block) {
  Tracer &t = tracer();
  for (ModelWarp *warp : block->warps) {
    if (t.free_streams.empty()) t.free_streams.push_back(new StreamWriter);
    warp->trace = t.free_streams.back();
    t.free_streams.pop_back();
    warp->trace->begin(&t.spool);
  }
}

void trace_block_ends(ModelBlock *block) {
  Tracer &t = tracer();
  std::vector<TracedWarp> &done = t.waiting[block->number];
  for (ModelWarp *warp : block->warps) {
    Traced end = {};
    end.place = Traced::END;
    end.lanes = warp->width == WARP ? ~0u : (1u << warp->width) - 1;
    warp->trace->add(end);
    done.push_back(TracedWarp{warp->trace->end(), warp->trace->instructions()});
    t.free_streams.push_back(warp->trace);
    warp->trace = nullptr;
  }
  for (auto first = t.waiting.begin(); first != t.waiting.end() && first->first == t.next; first = t.waiting.begin()) {
    t.file->block(t.next, first->second, t.spool);
    for (const TracedWarp &warp : first->second) t.spool.release(warp.chain);
    t.waiting.erase(first);
    ++t.next;
  }
}

static unsigned place_number(Tracer &t, const CodeSite &site, Access kind, unsigned bytes, Space space) {
  const auto made = t.place_numbers.emplace((uint64_t)site.pc << 8 | (uint64_t)space << 4 | (uint64_t)kind,
                                            Traced::FIRST_PLACE + (unsigned)t.places.size());
  if (made.second) t.places.push_back(TracedPlace{space, kind, site.with, bytes, 0, site.spot});
  return made.first->second;
}

void trace_access(ModelWarp *warp, const CodeSite &site, Access kind, unsigned bytes, Space space, uint32_t lanes,
                  const uintptr_t *address) {
  Tracer &t = tracer();
  Traced what;
  what.place = place_number(t, site, kind, bytes, space);
  what.before = site.before;
  what.flops = site.flops;
  what.lanes = lanes;
  for (unsigned i = 0; i < what.count(); ++i) what.address[i] = address[i];
  TracedPlace &place = t.places[what.place - Traced::FIRST_PLACE];
  if (what.before > place.before) place.before = what.before;
  warp->trace->add(what);
}

void trace_barrier(const ModelBlock *block) {
  const auto held = [](const ModelWarp *warp) {
    uint32_t lanes = 0;
    for (unsigned i = 0; i < warp->count; ++i)
      if (warp->lanes[i]->state == LaneState::held) lanes |= 1u << i;
    return warp->telling && lanes ? ~0u : lanes;
  };
  // Accel-Sim has one barrier, for which it waits for all warps: those of some warps are no barriers of the trace.
  for (const ModelWarp *warp : block->warps)
    if (!warp->done && !held(warp)) return;
  for (const ModelWarp *warp : block->warps) {
    if (warp->done) continue;
    Traced what = {};
    what.place = Traced::BARRIER;
    what.lanes = held(warp);
    warp->trace->add(what);
  }
}

}  // namespace gpuopt_emu
