// What the environment says, read once; and what the runtime needs of the operating system.
#ifndef GPUOPT_EMU_SETTINGS_H
#define GPUOPT_EMU_SETTINGS_H

#include <stddef.h>

namespace gpuopt_emu {

struct Settings {
  unsigned workers;    // OS threads that run blocks: GPUOPT_EMU_THREADS, else the cores of this process
  size_t stack_bytes;  // of a device thread: GPUOPT_EMU_STACK_KB
  bool surveys;        // check mode looks at blocks as a whole first: GPUOPT_EMU_SURVEYS
  int error_status;    // the program's exit status where check mode found errors: GPUOPT_EMU_ERROR_STATUS, 0: its own
};

const Settings &settings();

// A whole number from the environment, or `otherwise` where the variable is not set.
unsigned long number_setting(const char *name, unsigned long least, unsigned long most, unsigned long otherwise);

// One line on stderr, then the program ends with status 2.
[[noreturn]] void fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));

double seconds();  // of a steady clock

// Invalid accesses by device threads end the launch with an error, as on a GPU. Returns what must be released at the
// end of the OS thread.
void *catch_faults_on_this_thread();
void answer_divisions();  // division.cpp
void release_signal_stack(void *stack);

}  // namespace gpuopt_emu

#endif
