// Traces as Accel-Sim reads them (its tracer's version 3): kernel-N.traceg and kernelslist.g.
#include <inttypes.h>
#include <string.h>

#include <algorithm>

#include "settings.h"
#include "state.h"
#include "trace_file.h"

namespace gpuopt_emu {

// Where generic addresses of shared and local memory would begin; nothing else is there.
static const unsigned long long SHARED_BASE = 0x7d0000000000, LOCAL_BASE = 0x7d0001000000;
// Registers of the trace: addresses, arithmetic, and the last results of loads in turns.
static const unsigned ADDRESS = 2, SUM = 4, LOADED = 8, LOADS = 16;
static const unsigned CODE_BYTES = 16;

namespace {


class AccelSimTrace : public TraceFile {
 public:
  AccelSimTrace(const std::string &directory, const TracedLaunch &launch, const std::vector<TracedPlace> &places);
  void block(unsigned long long number, const std::vector<TracedWarp> &warps, const Spool &spool) override;
  void end() override { close(); }

 private:
  unsigned pc_of(const Traced &what);
  void arithmetic(const Traced &what, unsigned pc);
  void access(const Traced &what, unsigned pc);
  void addresses(const Traced &what);

  std::string directory_;
  std::vector<unsigned> pcs_, room_;  // by place: of its arithmetic instructions, and how many have their own
  unsigned next_pc_ = 0;
  unsigned loads_ = 0;  // of the warp so far
};

}  // namespace

static const char *kernel_file(char (&text)[64], unsigned number) {
  snprintf(text, sizeof text, "kernel-%u.traceg", number);
  return text;
}

AccelSimTrace::AccelSimTrace(const std::string &directory, const TracedLaunch &launch, const std::vector<TracedPlace> &places)
    : TraceFile([&] { char name[64]; return directory + "/" + kernel_file(name, launch.number); }(), launch, places),
      directory_(directory) {
  const Grid &grid = *launch.grid;
  const char *kernel = grid.kernel->name;
  fprintf(file_, "-kernel name = %s\n-kernel id = %u\n", strncmp(kernel, "void ", 5) ? kernel : kernel + 5, launch.number);
  fprintf(file_, "-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n", grid.size.x, grid.size.y, grid.size.z, grid.block.x,
          grid.block.y, grid.block.z);
  fprintf(file_, "-shmem = %zu\n-nregs = %u\n-binary version = %d\n", launch.shared, launch.registers,
          10 * gpu().major + gpu().minor);
  fprintf(file_, "-cuda stream id = %u\n-shmem base_addr = 0x%016llx\n-local mem base_addr = 0x%016llx\n", launch.stream,
          SHARED_BASE, LOCAL_BASE);
  fprintf(file_, "-nvbit version = none (gpuopt emulator, %s)\n-accelsim tracer version = 3\n\n", gpu().name);
  fprintf(file_, "#traces format = PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] "
                 "[mem_addresses]\n");
  char name[64];
  FILE *list = fopen((directory + "/kernelslist.g").c_str(), "a");
  if (!list || fprintf(list, "%s\n", kernel_file(name, launch.number)) < 0 || fclose(list))
    fatal("GPUOPT_EMU_TRACE=%s: kernelslist.g cannot be written", directory.c_str());
}

// Of the arithmetic before an access; that itself follows. Places are laid out as they are first seen.
unsigned AccelSimTrace::pc_of(const Traced &what) {
  if (what.place >= pcs_.size()) {
    pcs_.resize(what.place + 1, ~0u);
    room_.resize(what.place + 1);
  }
  if (pcs_[what.place] == ~0u) {
    room_[what.place] = what.place < Traced::FIRST_PLACE ? 0 : places_[what.place - Traced::FIRST_PLACE].before;
    pcs_[what.place] = next_pc_;
    next_pc_ += (room_[what.place] + 1) * CODE_BYTES;
  }
  return pcs_[what.place];
}

void AccelSimTrace::arithmetic(const Traced &what, unsigned pc) {
  const unsigned room = room_[what.place];
  const char *integer = gpu().major >= 6 ? "IADD3" : "IADD";
  for (unsigned i = 0; i < what.before; ++i) {
    const unsigned at = pc + (what.before <= room ? i : i % std::max(room, 1u)) * CODE_BYTES;
    // Arithmetic of floating point needs what was loaded last, and its own result before.
    if (i + what.flops >= what.before && loads_)
      fprintf(file_, "%04x %08x 1 R%u FFMA 3 R%u R%u R%u 0 \n", at, what.lanes, SUM, LOADED + (loads_ - 1) % LOADS,
              LOADED + (loads_ > 1 ? loads_ - 2 : 0) % LOADS, SUM);
    else
      fprintf(file_, "%04x %08x 1 R%u %s 1 R%u 0 \n", at, what.lanes, ADDRESS, integer, ADDRESS);
  }
}

void AccelSimTrace::addresses(const Traced &what) {
  int64_t stride;
  if (has_stride(what, &stride)) {
    fprintf(file_, "1 0x%" PRIx64 " %" PRId64 " ", what.address[0], stride);
    return;
  }
  char deltas[32 * 21 + 1], all[32 * 19 + 1];
  int length = 0, full = 0;
  for (unsigned i = 0; i < what.count(); ++i) {
    if (i) length += snprintf(deltas + length, sizeof deltas - (size_t)length, "%" PRId64 " ", (int64_t)(what.address[i] - what.address[i - 1]));
    full += snprintf(all + full, sizeof all - (size_t)full, "0x%" PRIx64 " ", what.address[i]);
  }
  deltas[length] = 0;
  if (length + 15 < full || what.count() == 1) fprintf(file_, "2 0x%" PRIx64 " %s", what.address[0], deltas);
  else fprintf(file_, "0 %s", all);
}

void AccelSimTrace::access(const Traced &what, unsigned pc) {
  const TracedPlace &place = places_[what.place - Traced::FIRST_PLACE];
  fprintf(file_, "%04x %08x ", pc, what.lanes);
  if (reads(place.kind)) fprintf(file_, "1 R%u ", LOADED + loads_++ % LOADS);
  else fputs("0 ", file_);
  fprintf(file_, "%s ", trace_opcode(place));
  if (writes(place.kind)) fprintf(file_, "2 R%u R%u ", ADDRESS, SUM);
  else fprintf(file_, "1 R%u ", ADDRESS);
  fprintf(file_, "%u ", place.bytes);
  addresses(what);
  fputc('\n', file_);
}

void AccelSimTrace::block(unsigned long long number, const std::vector<TracedWarp> &warps, const Spool &spool) {
  const dim3 &size = launch_.grid->size;
  fprintf(file_, "\n#BEGIN_TB\n\nthread block = %llu,%llu,%llu\n", number % size.x, number / size.x % size.y,
          number / size.x / size.y);
  for (size_t w = 0; w < warps.size(); ++w) {
    fprintf(file_, "\nwarp = %zu\ninsts = %" PRIu64 "\n", w, warps[w].instructions);
    StreamReader reader(spool, warps[w].chain);
    loads_ = 0;
    for (Traced what; reader.next(&what);) {
      const unsigned pc = pc_of(what);
      arithmetic(what, pc);
      if (what.place == Traced::BARRIER) fprintf(file_, "%04x %08x 0 BAR.SYNC 0 0 \n", pc, what.lanes);
      else if (what.place == Traced::END) fprintf(file_, "%04x %08x 0 EXIT 0 0 \n", pc, what.lanes);
      else access(what, pc + room_[what.place] * CODE_BYTES);
    }
  }
  fputs("\n#END_TB\n", file_);
}

static const char *width_suffix(const TracedPlace &place) {
  switch (place.bytes) {
    case 1: return ".U8";
    case 2: return ".U16";
    case 8: return ".64";
    case 16: return ".128";
    default: return "";
  }
}

const char *trace_opcode(const TracedPlace &place) {
  static char text[64];
  const char *width = width_suffix(place);
  const bool atomic = is_atomic(place.kind) && place.kind != Access::atomic_read && place.kind != Access::atomic_write;
  const bool old = gpu().major < 6;
  if (place.space == Space::shared)
    snprintf(text, sizeof text, atomic ? (old ? "ATOM%s" : "ATOMS.ADD%s") : writes(place.kind) ? "STS%s" : "LDS%s", width);
  else if (place.space == Space::constant)
    snprintf(text, sizeof text, "LDC%s", width);
  else if (atomic)
    snprintf(text, sizeof text, old ? "ATOM.ADD%s" : "ATOMG.E.ADD%s.STRONG.GPU", width);
  else if (writes(place.kind))
    snprintf(text, sizeof text, old ? "ST.E%s" : is_strong(place.kind) ? "STG.E%s.STRONG.SYS" : "STG.E%s", width);
  else if (is_strong(place.kind) || place.with == Operator::cv)
    snprintf(text, sizeof text, "LDG.E%s.STRONG.GPU", width);
  else if (place.with == Operator::cg)
    snprintf(text, sizeof text, "LDG.E%s.STRONG.GPU", width);
  else
    snprintf(text, sizeof text, "LDG.E%s", width);
  return text;
}

TraceFile::TraceFile(const std::string &path, const TracedLaunch &launch, const std::vector<TracedPlace> &places)
    : file_(fopen(path.c_str(), "wb")), launch_(launch), places_(places) {
  if (!file_) fatal("GPUOPT_EMU_TRACE: %s: %s", path.c_str(), strerror(errno));
}
TraceFile::~TraceFile() {
  if (file_) fclose(file_);
}
void TraceFile::close() {
  const bool bad = ferror(file_);
  if (fclose(file_) || bad) fatal("GPUOPT_EMU_TRACE: a trace cannot be written: %s", strerror(errno));
  file_ = nullptr;
}

std::unique_ptr<TraceFile> accel_sim_trace(const std::string &directory, const TracedLaunch &launch,
                                           const std::vector<TracedPlace> &places) {
  return std::unique_ptr<TraceFile>(new AccelSimTrace(directory, launch, places));
}

}  // namespace gpuopt_emu
