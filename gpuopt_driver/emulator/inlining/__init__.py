"""Calls of device functions written in place, for the form of a kernel that is split at its barriers."""
