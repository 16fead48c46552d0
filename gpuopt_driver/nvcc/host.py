"""Which host compiler nvcc will call, found the way nvcc finds it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from gpuopt_driver.nvcc.command import NvccCommand

_NAMES = ("gcc", "g++", "cc", "c++", "clang", "clang++")


def _program(name: str, command: NvccCommand, env: Mapping[str, str]) -> str | None:
    """A compiler named as `-ccbin` allows: a directory, a path, or a name to be found in PATH."""
    path = Path(command.cwd, name)
    if path.is_dir():
        return next((str(path / one) for one in _NAMES if (path / one).is_file()), None)
    if "/" in name:
        return str(path) if path.is_file() else None
    return shutil.which(name, path=env.get("PATH"))


def host_compiler(command: NvccCommand, env: Mapping[str, str]) -> str | None:
    """The absolute path of the host compiler: `-ccbin`, NVCC_CCBIN, then gcc or its relatives in PATH; or None."""
    named = command.host_compiler or env.get("NVCC_CCBIN", "")
    if named:
        return _program(named, command, env)
    found = (shutil.which(name, path=env.get("PATH")) for name in _NAMES)
    return next((path for path in found if path), None)
