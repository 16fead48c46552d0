"""`gpuopt-nvcc` and nvcc on the same generated command lines: everything observable must be equal."""
