// Traces of our own: kernel-N.gputrace, about a tenth of the size. docs/traces.md says how they are laid out.
#include <string.h>

#include "state.h"
#include "trace_file.h"

namespace gpuopt_emu {

namespace {
class CompactTrace : public TraceFile {
 public:
  CompactTrace(const std::string &directory, const TracedLaunch &launch, const std::vector<TracedPlace> &places);
  void block(unsigned long long number, const std::vector<TracedWarp> &warps, const Spool &spool) override;
  void end() override;

 private:
  void number(uint64_t value);
  void text(const char *name, const char *value);
};
}  // namespace

CompactTrace::CompactTrace(const std::string &directory, const TracedLaunch &launch, const std::vector<TracedPlace> &places)
    : TraceFile(directory + "/kernel-" + std::to_string(launch.number) + ".gputrace", launch, places) {
  const Grid &grid = *launch.grid;
  fputs("gpuopt-trace/1\n{", file_);
  text("kernel", grid.kernel->name);
  text("gpu", gpu().name);
  fprintf(file_, "\"launch\": %u, \"stream\": %u, \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], ", launch.number,
          launch.stream, grid.size.x, grid.size.y, grid.size.z, grid.block.x, grid.block.y, grid.block.z);
  fprintf(file_, "\"registers\": %u, \"shared_bytes\": %zu}\n", launch.registers, launch.shared);
}

void CompactTrace::number(uint64_t value) {
  for (; value >= 128; value >>= 7) fputc((int)(value & 127) | 128, file_);
  fputc((int)value, file_);
}

void CompactTrace::text(const char *name, const char *value) {
  fprintf(file_, "\"%s\": \"", name);
  for (; *value; ++value) {
    if (*value == '"' || *value == '\\') fputc('\\', file_);
    if ((unsigned char)*value >= ' ') fputc(*value, file_);
  }
  fputs("\", ", file_);
}

void CompactTrace::block(unsigned long long, const std::vector<TracedWarp> &warps, const Spool &spool) {
  unsigned char piece[Spool::ROOM];
  for (const TracedWarp &warp : warps) {
    number(warp.chain.bytes);
    uint64_t left = warp.chain.bytes;
    for (uint64_t chunk = warp.chain.first; left;) {
      chunk = spool.read(chunk, piece);
      const size_t count = left < sizeof piece ? (size_t)left : sizeof piece;
      fwrite(piece, 1, count, file_);
      left -= count;
    }
  }
}

void CompactTrace::end() {
  const uint64_t at = (uint64_t)ftell(file_);
  fputs("[", file_);
  for (const TracedPlace &place : places_) {
    fprintf(file_, "%s{", &place == &places_[0] ? "" : ", ");
    text("file", place.spot ? place.spot->file : "");
    text("space", space_names[(unsigned)place.space]);
    text("opcode", trace_opcode(place));
    fprintf(file_, "\"line\": %u, \"bytes\": %u}", place.spot ? place.spot->line : 0, place.bytes);
  }
  fputs("]\n", file_);
  for (unsigned i = 0; i < 8; ++i) fputc((int)(at >> 8 * i & 255), file_);
  close();
}

std::unique_ptr<TraceFile> compact_trace(const std::string &directory, const TracedLaunch &launch,
                                         const std::vector<TracedPlace> &places) {
  return std::unique_ptr<TraceFile>(new CompactTrace(directory, launch, places));
}

}  // namespace gpuopt_emu
