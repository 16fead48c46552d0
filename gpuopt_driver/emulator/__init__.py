"""The reference emulator: CUDA programs rewritten for the host compiler, with a runtime in C++."""
