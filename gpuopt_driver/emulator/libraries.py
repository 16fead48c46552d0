"""Headers that are not the emulator's: where NVIDIA's C++ libraries lie, and what to say of those that are missing."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from gpuopt_driver.emulator.toolchain import CUDA_VERSION
from gpuopt_driver.errors import ToolchainError
from gpuopt_driver.nvcc.find import find_nvcc
from gpuopt_driver.nvcc.toolkit import describe_toolkit

# Headers that stand before CCCL's, where there is one.
BEFORE_CCCL = Path(__file__).parent / "cccl"
# A header that tells CCCL's include directory from others; the versions before it need CUDA's own compiler.
_CCCL_HEADER = "cuda/std/__cccl/compiler.h"
_MISSING = re.compile(rb"fatal error: '?([^\s':]+)'?(?:: No such file| file not found)")
_NOT_EMULATED = (
    (r"(thrust|cuda)/", "install CCCL (pip install nvidia-cuda-cccl) or set GPUOPT_CCCL to its include directory"),
    (r"cub/", "the emulator has no such part of CUB; see docs/emulator-api.md for those it has"),
    (r"cublas|cufft|cusparse|cusolver|npp|cudnn|nccl|nvjpeg|cutensor|cudss", "the emulator has no GPU libraries"),
    (r"nvrtc|nvJitLink|nvvm|nvPTXCompiler|nvFatbin", "the emulator cannot compile device code while a program runs"),
    (r"cupti|nvperf|nvml", "the emulator has no profiling or management libraries"),
    (r"cudaGL", "the emulator has OpenGL's resources in the runtime API only (cuda_gl_interop.h)"),
    (r"(cudaEGL|cuda_egl|cudaVDPAU|cuda_vdpau|cuda_d3d)", "the emulator draws nothing"),
    (r"curand_(mtgp32|precalc)", "the emulator has no MTGP32 in device code"),
    (r"cutlass/|cute/|nvshmem", "the emulator runs no code that is written for a GPU's tensor cores or network"),
)


def _candidates(env: Mapping[str, str]) -> Iterator[Path]:
    """What belongs to the nvcc that is found; then wheels, those of the emulator's own release first; then toolkits."""
    for include in _includes_of_nvcc(env):
        yield from (include / "cccl", include)  # CUDA 12's is among the toolkit's own headers
    for directory in sys.path:
        wheels = sorted(Path(directory).glob("nvidia/cu*/include/cccl"), reverse=True)
        older = Path(directory, "nvidia/cuda_cccl/include")  # CUDA 12's
        yield from (older, *wheels) if CUDA_VERSION[0] <= 12 else (*wheels, older)
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if env.get(name):
            yield Path(env[name], "include/cccl")
    yield from sorted(Path("/usr/local").glob("cuda*/include/cccl"), reverse=True)


def _includes_of_nvcc(env: Mapping[str, str]) -> Iterator[Path]:
    """The include directories of the toolkit whose nvcc the emulator stands in for, if there is one."""
    try:
        nvcc = find_nvcc(env)
        if nvcc is None:
            return
        home = Path(nvcc.path).resolve().parent.parent
        if not (home / "include/cuda_runtime.h").is_file():  # a script that calls it
            yield Path(describe_toolkit(nvcc, env).runtime_header_dir or home)
    except (ToolchainError, OSError):
        return
    yield home / "include"
    yield from sorted(home.glob("targets/*/include"))


def find_cccl(env: Mapping[str, str]) -> Path | None:
    """The include directory of CCCL: GPUOPT_CCCL, else the first there is; None where there is none."""
    wanted = env.get("GPUOPT_CCCL", "")
    if wanted and Path(wanted).is_dir():  # else `variables.faults` says so
        return Path(wanted)
    return next((path for path in _candidates(env) if (path / _CCCL_HEADER).is_file()), None)


def explain_missing(messages: bytes) -> str:
    """What to do about the header for whose lack a preprocessor gave up, "" where we know nothing of it."""
    found = _MISSING.search(messages)
    if found is None:
        return ""
    header = found.group(1).decode("utf-8", "replace")
    advice = next((advice for pattern, advice in _NOT_EMULATED if re.match(pattern, header)), "")
    return f"{header}: {advice}" if advice else ""
