// CCCL opens the driver's library and looks for a function there: the emulator's driver is in the program itself.
#pragma once
#include <cuda.h>
#include <dlfcn.h>
#if defined(dlopen) || defined(dlsym)
#error "dlopen and dlsym are macros: CCCL's calls of the driver cannot be led to the emulator"
#endif
static inline void *gpuopt_emu_open_driver(const char *, int) { return (void *)&cuGetProcAddress; }
static inline void *gpuopt_emu_driver_symbol(void *driver, const char *) { return driver; }
#define dlopen gpuopt_emu_open_driver
#define dlsym gpuopt_emu_driver_symbol
#include_next <cuda/__driver/driver_api.h>
#undef dlopen
#undef dlsym
