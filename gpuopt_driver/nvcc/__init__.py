"""The nvcc command line: read for information, never rebuilt; and the real nvcc, found and run."""
