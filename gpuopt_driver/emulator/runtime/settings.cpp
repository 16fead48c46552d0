#include "settings.h"

#include "check.h"
#include "model.h"
#include "trace.h"

#include <algorithm>
#include <iterator>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <string.h>
#include <time.h>
#include <unistd.h>

namespace gpuopt_emu {

void fatal(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fflush(stdout);
  fputs("gpuopt emulator: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  _Exit(2);
}

double seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A whole number from the environment, or `otherwise` where the variable is not set.
unsigned long number_setting(const char *name, unsigned long least, unsigned long most, unsigned long otherwise) {
  const char *text = getenv(name);
  if (!text || !*text) return otherwise;
  char *end = nullptr;
  const unsigned long value = strtoul(text, &end, 10);
  if (*end || value < least || value > most) fatal("%s=%s: expected a number from %lu to %lu", name, text, least, most);
  return value;
}

static unsigned cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return count > 0 ? (unsigned)count : 1;
}

// The variables GPUOPT_EMU_... that mean something, here or where programs are built.
static const char *const names[] = {
    "AHEAD",    "CARVEOUT", "CTA_MAPPING", "DISPATCH", "ERROR_STATUS", "GPU",   "GROUP",        "L2",      "LAUNCHES", "LOADS",
    "MODE",     "PAIRS",    "PORTABLE",    "REGISTERS", "REPORT",      "SAMPLE", "SCHEDULER",   "SEED",    "SMM",      "STACK_KB",
    "SURVEYS",  "THREADS",  "TIMES",       "TRACE",    "TRACE_FORMAT", "VICTIMS", "WINDOW"};

// A name that was mistyped would be a mode that is not on: told, once, and the program goes on without.
static void tell_unknown_names() {
  const size_t length = strlen("GPUOPT_EMU_");
  for (char **one = environ; one && *one; ++one) {
    if (strncmp(*one, "GPUOPT_EMU_", length) != 0) continue;
    const std::string name(*one + length, strcspn(*one + length, "="));
    const auto is_it = [&](const char *known) { return name == known; };
    if (std::none_of(std::begin(names), std::end(names), is_it))
      fprintf(stderr, "gpuopt: warning: GPUOPT_EMU_%.100s: no such variable; docs/variables.md names those that there are\n",
              name.c_str());
  }
}

static Settings read_settings() {
  tell_unknown_names();
  const char *mode = getenv("GPUOPT_EMU_MODE");
  if (mode && *mode && strcmp(mode, "fast") != 0) {
    if (strcmp(mode, "model") == 0) begin_modelling();
    else if (strcmp(mode, "check") == 0) begin_checking();
    else fatal("GPUOPT_EMU_MODE=%s: expected fast, check or model", mode);
  }
  const char *trace = getenv("GPUOPT_EMU_TRACE");
  if (trace && *trace) {
    if (checking) fatal("GPUOPT_EMU_TRACE: not in check mode");
    begin_tracing(modelling);
    begin_modelling();  // its lanes tell what warps do
  }
  Settings settings;
  settings.workers = (unsigned)number_setting("GPUOPT_EMU_THREADS", 1, 1024, cores());
  settings.stack_bytes = number_setting("GPUOPT_EMU_STACK_KB", 16, 1 << 20, 256) * 1024;
  settings.surveys = number_setting("GPUOPT_EMU_SURVEYS", 0, 1, 1) != 0;
  settings.error_status = (int)number_setting("GPUOPT_EMU_ERROR_STATUS", 0, 255, 0);
  return settings;
}

const Settings &settings() {
  static const Settings settings = read_settings();
  return settings;
}

}  // namespace gpuopt_emu
