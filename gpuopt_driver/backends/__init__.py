"""What builds the patched program: the real nvcc, or the bundled emulator."""
