#include "model_settings.h"

#include <stdlib.h>
#include <string.h>

#include "settings.h"
#include "state.h"

namespace gpuopt_emu {

template <class Value> struct Choice {
  const char *name;
  Value value;
};

template <class Value, size_t N>
static Value chosen(const char *variable, const Choice<Value> (&choices)[N], Value otherwise) {
  const char *text = getenv(variable);
  if (!text || !*text) return otherwise;
  char all[256] = "";
  for (const Choice<Value> &choice : choices) {
    if (strcmp(text, choice.name) == 0) return choice.value;
    strncat(all, all[0] ? ", " : "", sizeof all - strlen(all) - 1);
    strncat(all, choice.name, sizeof all - strlen(all) - 1);
  }
  fatal("%s=%s: expected one of %s", variable, text, all);
}

static ModelSettings read_model_settings() {
  const ModelFigures &figures = model_figures[&gpu() - gpus];
  static const Choice<Issue> issues[] = {{"lrr", Issue::round_robin}, {"gto", Issue::oldest}, {"longest", Issue::longest},
                                         {"two-level", Issue::two_level}, {"ccws", Issue::ccws}, {"programmable", Issue::groups}};
  static const Choice<Dispatch> dispatches[] = {{"demand", Dispatch::demand}, {"round-robin", Dispatch::round_robin},
                                                {"rr", Dispatch::round_robin}, {"random", Dispatch::random},
                                                {"x", Dispatch::rows}, {"y", Dispatch::columns}};
  static const Choice<int> loads[] = {{"ca", 1}, {"cg", 2}};
  static const Choice<bool> kept[] = {{"kept", true}, {"cold", false}};
  ModelSettings s = {};
  s.issue = chosen("GPUOPT_EMU_SCHEDULER", issues, figures.issue);
  s.dispatch = chosen("GPUOPT_EMU_DISPATCH", dispatches, chosen("GPUOPT_EMU_CTA_MAPPING", dispatches, figures.dispatch));
  s.keep_l2 = chosen("GPUOPT_EMU_L2", kept, true);
  s.window = (unsigned)number_setting("GPUOPT_EMU_WINDOW", 1, 4096, 64);
  s.ahead = number_setting("GPUOPT_EMU_AHEAD", 0, 1, 1) != 0;
  s.carveout = (int)number_setting("GPUOPT_EMU_CARVEOUT", 0, 100, 101);
  if (s.carveout == 101) s.carveout = -1;
  s.group = (unsigned)number_setting("GPUOPT_EMU_GROUP", 1, 64, 16);
  s.victims = (unsigned)number_setting("GPUOPT_EMU_VICTIMS", 1, 1024, 16);
  const char *registers = getenv("GPUOPT_EMU_REGISTERS");
  s.told = registers && *registers && strspn(registers, "0123456789") != strlen(registers) ? registers : nullptr;
  if (!s.told) s.registers = (unsigned)number_setting("GPUOPT_EMU_REGISTERS", 1, 255, 0);
  s.sample = (unsigned)number_setting("GPUOPT_EMU_SAMPLE", 1, 1u << 31, 0);
  s.launches = (unsigned)number_setting("GPUOPT_EMU_LAUNCHES", 1, 1u << 31, 0);
  s.more_blocks = (unsigned)number_setting("GPUOPT_EMU_SMM", 0, 64, 2);
  s.loads = chosen("GPUOPT_EMU_LOADS", loads, 0);
  s.seed = number_setting("GPUOPT_EMU_SEED", 0, ~0ul, 1);
  return s;
}

const ModelSettings &model_settings() {
  static const ModelSettings settings = read_model_settings();
  return settings;
}

}  // namespace gpuopt_emu
