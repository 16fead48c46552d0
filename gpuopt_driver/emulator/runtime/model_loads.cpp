#include "model_gpu.h"

#include <string.h>

namespace gpuopt_emu {

ModelFigures figures_with_loads(const ModelFigures &figures, int loads) {
  ModelFigures found = figures;
  OperatorFigures &plain = found.operators[(size_t)Operator::none];
  if (loads == 1 && !figures.caches_loads && figures.loads_opt_in) {
    found.caches_loads = true;
    memcpy(found.operators, figures.opted_in, sizeof found.operators);
  }
  if (loads == 1 && found.caches_loads) plain = found.operators[(size_t)Operator::ca];
  if (loads == 2) plain = found.operators[(size_t)Operator::cg];
  return found;
}

}  // namespace gpuopt_emu
