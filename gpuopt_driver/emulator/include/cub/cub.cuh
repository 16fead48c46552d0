#error "the emulator has no CUB: its code is for a GPU's warps only; use thrust's algorithms, or build with nvcc"
