#include "model_ptxas.h"

#include <cxxabi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <map>
#include <string>

#include "gpuopt_emu/launch.h"
#include "model_settings.h"
#include "settings.h"
#include "state.h"

namespace gpuopt_emu {

// Without parameters, template arguments and what stands before the name.
static std::string bare(std::string name) {
  for (const char *unnamed : {"(anonymous namespace)::", "{anonymous}::"})
    for (size_t at; (at = name.find(unnamed)) != std::string::npos;) name.erase(at, strlen(unnamed));
  name = name.substr(0, name.find_first_of("(<"));
  const size_t space = name.rfind(' ');
  return space == std::string::npos ? name : name.substr(space + 1);
}

static std::string demangled(const char *symbol) {
  char *text = abi::__cxa_demangle(symbol, nullptr, nullptr, nullptr);
  const std::string name = text ? text : symbol;
  free(text);
  return bare(name);
}

static std::map<std::string, unsigned> read_told(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) fatal("GPUOPT_EMU_REGISTERS=%s: cannot be read; give a number, or what `nvcc -Xptxas -v` printed", path);
  std::map<std::string, unsigned> told;
  char line[8192], symbol[4096];
  std::string kernel;
  unsigned used;
  while (fgets(line, sizeof line, file)) {
    const char *entry = strstr(line, "Compiling entry function '"), *count = strstr(line, "Used ");
    if (entry && sscanf(entry, "Compiling entry function '%4095[^']'", symbol) == 1) kernel = demangled(symbol);
    if (!count || kernel.empty() || sscanf(count, "Used %u registers", &used) != 1) continue;
    unsigned &most = told[kernel];
    most = std::max(most, used);
    kernel.clear();
  }
  fclose(file);
  if (told.empty()) fatal("GPUOPT_EMU_REGISTERS=%s: no registers are told there; it should be what `nvcc -Xptxas -v` printed", path);
  return told;
}

unsigned registers_told(const Kernel &kernel) {
  const char *path = model_settings().told;
  if (!path || !kernel.name) return 0;
  static const std::map<std::string, unsigned> told = read_told(path);
  const auto found = told.find(bare(kernel.name));
  return found == told.end() ? 0 : std::min(found->second, 255u);
}

}  // namespace gpuopt_emu
