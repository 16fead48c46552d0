"""Versions of a kernel beside the original, and the launch that picks one when the program runs."""
