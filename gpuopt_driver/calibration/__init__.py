"""Micro-benchmarks of a GPU: running them, reading figures out of them, and writing those into a GPU file."""
