"""libclang translation unit to a frozen model of kernels, launches, loops and memory accesses."""
