"""The two ways of building, and which of them a run takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gpuopt_driver.errors import ToolchainError
from gpuopt_driver.nvcc.command import NvccCommand
from gpuopt_driver.nvcc.find import RealNvcc

NVCC = "nvcc"
EMULATOR = "emulator"
AUTO = "auto"

# Builds a command with these files' bytes (by absolute path) in place of the user's; returns the exit status.
Build = Callable[[NvccCommand, Mapping[str, bytes], Mapping[str, str]], int]


def choose_backend(wanted: str, nvcc: RealNvcc | None) -> str:
    """The backend of this run: what was asked for, and for `auto` nvcc wherever there is one."""
    if wanted == NVCC and nvcc is None:
        raise ToolchainError(
            "no nvcc in PATH, CUDA_HOME or /usr/local/cuda; set GPUOPT_NVCC, or use --gpuopt-backend=emulator"
        )
    if wanted == AUTO:
        return EMULATOR if nvcc is None else NVCC
    return wanted
