"""What nvcc made of kernels and their versions, read from PTX: rounding of sums, special registers."""
