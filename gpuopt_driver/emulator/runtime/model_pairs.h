// GPUOPT_EMU_PAIRS: what L1 would have of every load alone, and of every two, found in one run (TCAD 2015, hit_i, hit_ij).
#ifndef GPUOPT_EMU_MODEL_PAIRS_H
#define GPUOPT_EMU_MODEL_PAIRS_H

#include <memory>
#include <string>

#include "model_cache.h"
#include "model_coalesce.h"

namespace gpuopt_emu {

// The caches of one multiprocessor: one for each load and for each two, as large as its L1.
class PairCaches {
 public:
  PairCaches(const ModelFigures &figures, size_t bytes, unsigned ways);
  void load(unsigned source, Parts parts, unsigned count);
  void store(Parts parts, unsigned count);

 private:
  unsigned look(Cache &cache, Part part) const;  // units that were there; then all that are wanted are
  Cache &of(unsigned first, unsigned second);

  const ModelFigures &figures_;
  size_t bytes_;
  unsigned ways_;
  std::vector<std::unique_ptr<Cache>> caches_;
};

bool pairs_wanted();
void begin_pairs();                    // of a launch
std::string pairs_json(double scale);  // "" where nothing was asked for

}  // namespace gpuopt_emu

#endif
