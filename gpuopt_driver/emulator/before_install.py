"""`python3 -m gpuopt_driver.emulator.before_install` in a clone: the emulator's runtime is built while pip installs.

It needs Python's own library alone, from 3.11 on; with an older one it does nothing, and the first build for the
emulator compiles the runtime.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module


def main() -> int:
    """The exit status: 0 where the runtime is there afterwards, or where this Python reads no TOML."""
    if sys.version_info < (3, 11):
        return 0
    # The GPUs' files are all that is read here; users' own go through tomli, whose messages do not vary with Python.
    sys.modules.setdefault("tomli", import_module("tomllib"))
    from gpuopt_driver.emulator.compiler import find_host_compiler  # noqa: PLC0415
    from gpuopt_driver.emulator.runtime import runtime_library  # noqa: PLC0415
    from gpuopt_driver.errors import GpuoptError  # noqa: PLC0415

    try:
        runtime_library(find_host_compiler((), os.environ), os.environ)
    except GpuoptError as error:
        sys.stderr.write(f"gpuopt: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
