// A place in the source, as check mode names it.
#ifndef GPUOPT_EMU_SPOT_H
#define GPUOPT_EMU_SPOT_H

namespace gpuopt_emu {

// gpuopt_driver/emulator/places.py writes these into the objects.
struct Spot {
  const char *file;
  const Spot *caller;  // where the inlined function that the place is in was called, or null
  const char *text;     // for allocations: what the memory is assigned to, or null
  unsigned line;
  unsigned flags;
  unsigned id;  // given on first use, from 1; 0 before
  unsigned unused;
};

}  // namespace gpuopt_emu

#endif
