"""What kernels are made of, one module per subject; `writer.py` holds what all of them need."""
