"""Which products nvcc rounds together with a sum: a function's values, and what its two compilers make of them."""
