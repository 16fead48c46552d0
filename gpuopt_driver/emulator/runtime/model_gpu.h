// What the model has to know of a GPU; the table is made from the files under gpuopt_driver/arch.
#ifndef GPUOPT_EMU_MODEL_GPU_H
#define GPUOPT_EMU_MODEL_GPU_H

#include <stddef.h>

namespace gpuopt_emu {

// Loads with a cache operator, as PTX spells them; what each does to L1 is in the GPU's file.
enum class Operator : unsigned char { none, ca, cg, cs, lu, cv, no_allocate, evict_first, evict_last, nc, count };

struct OperatorFigures {
  bool known, allocates, hits, keeps;
  bool first_out;   // what it brings is the first to go
  bool stays;       // what it brings displaces even what was used twice
};

enum class Index : unsigned char { linear, hashed, exclusive_or, fermi };
enum class Replacement : unsigned char { lru, segmented };
enum class Coalescing : unsigned char { half_warp, lines, sectors };
enum class Issue : unsigned char { round_robin, oldest, longest, two_level, ccws, groups };
enum class Dispatch : unsigned char { demand, round_robin, random, rows, columns, unset };

struct ModelFigures {
  // L1, bytes.
  size_t unified_bytes, l1_capacity;
  bool unified;
  unsigned line_bytes, sector_bytes;
  bool caches_loads;
  double usable;
  // Shared memory.
  unsigned configurations;
  size_t configuration[12], default_configuration;
  // L2.
  size_t l2_near;
  // Cycles, and bytes per cycle.
  double l1_latency, shared_latency, l2_latency, dram_latency;
  double l1_bytes, shared_bytes, l2_bytes, dram_bytes;
  bool measured;  // the figures of time and of caching are measured ones, not assumed
  // How L1 decides.
  bool fills_lines;
  Index index;
  unsigned ways;  // 0: any line can be anywhere
  Replacement replacement;
  double protected_part, random_part;  // of a set; of the victims
  bool store_allocates, store_updates;
  OperatorFigures operators[(size_t)Operator::count];
  bool loads_opt_in;  // -Xptxas -dlcm=ca makes L1 keep global loads
  OperatorFigures opted_in[(size_t)Operator::count];
  // How warps and blocks are run.
  Coalescing coalescing;
  Issue issue;
  Dispatch dispatch;
  unsigned schedulers, banks, loads_in_flight;
  unsigned lookups_waiting;  // instructions of a multiprocessor that can wait for L1, 1 to 64
  unsigned lookups_of_scheduler;  // that can wait while L1 is not far behind; 0: as many as there is room for
  double alu_latency;  // cycles from one arithmetic instruction of a warp to the next that needs its result
  unsigned dram_fetch;  // bytes that a miss in L2 brings at least
  size_t l1_unusable;   // bytes of L1 that hold no data
  unsigned launch_cycles;  // from the launch to the first instruction, and from the last to the end
  unsigned misses_in_flight;  // lines that L1 can wait for before it takes nothing more; 0: any number
  bool lines_reserved;  // lines on their way keep their places in L1, which takes nothing while a set has no other
  unsigned gpcs;       // groups of multiprocessors, in parts of which equal requests to L2 are merged; 0: nowhere
  unsigned merging_multiprocessors, merged_requests;  // of such a part; of one merged request, at most
  bool constant_operands;  // a constant that all lanes read is an instruction's operand, none of its own
  // L2's slices: 0 where it is one; the parts that each have half of them; bytes per cycle of a slice; what data of
  // the other part take longer, in cycles.
  unsigned slices, l2_parts;
  double slice_bytes, far_latency;
  unsigned issue_cycles;  // that a warp's instruction keeps its scheduler
  double dependent_part;  // of a warp's arithmetic that needs the result of the instruction before it
};

extern const ModelFigures model_figures[];  // in the order of `gpus`

// The figures of a GPU for a kernel that was compiled with -Xptxas -dlcm=ca (`loads` 1), -dlcm=cg (2) or neither (0).
ModelFigures figures_with_loads(const ModelFigures &figures, int loads);

}  // namespace gpuopt_emu

#endif
