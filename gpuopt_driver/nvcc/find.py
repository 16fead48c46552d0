"""Finding the real nvcc: never ourselves, never a wrapper that leads back to us.

Imports nothing heavy: command lines that are passed straight on pay for this module only.
"""

# Importing pathlib would cost those command lines milliseconds.
# ruff: noqa: PTH110, PTH111, PTH113, PTH118, PTH120, PTH121, PTH123, PTH208

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping

from gpuopt_driver.errors import ToolchainError

GUARD = "GPUOPT_NVCC_TRIED"  # nvccs that we have started, in the environment of what they start
_SCRIPT_BYTES = 4096
_WHEELS = (("nvidia", "cu13", "bin"), ("nvidia", "cuda_nvcc", "bin"))


class RealNvcc:
    """An nvcc that is not us: its `path` as it must stand in argv[0], and where we have it from (for people)."""

    __slots__ = ("origin", "path")

    def __init__(self, path: str, origin: str) -> None:
        self.path = path
        self.origin = origin

    def __repr__(self) -> str:
        return f"RealNvcc({self.path!r}, {self.origin!r})"


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def is_ours(path: str) -> bool:
    """Whether a program is `gpuopt-nvcc` under some name: the same file, or a script that starts us."""
    try:
        if sys.argv and os.path.exists(sys.argv[0]) and os.path.samefile(path, sys.argv[0]):
            return True
        with open(path, "rb") as file:
            head = file.read(_SCRIPT_BYTES)
    except OSError:
        return False
    return head.startswith(b"#!") and b"gpuopt" in head


def _beside_its_profile(path: str) -> str:
    """nvcc finds its toolkit beside argv[0]: a symbolic link from elsewhere is followed to the toolkit."""
    if not os.path.exists(os.path.join(os.path.dirname(path), "nvcc.profile")):
        target = os.path.realpath(path)
        if os.path.exists(os.path.join(os.path.dirname(target), "nvcc.profile")):
            return target
    return path


def _versions(root: str) -> list[str]:
    """`cuda-*` directories, the newest first."""

    def key(name: str) -> tuple[int, ...]:
        return tuple(int(part) for part in name.partition("-")[2].split(".") if part.isdigit())

    try:
        names = [name for name in os.listdir(root) if name.startswith("cuda-")]
    except OSError:
        return []
    return [os.path.join(root, name) for name in sorted(names, key=lambda name: (key(name), name), reverse=True)]


def _candidates(env: Mapping[str, str]) -> Iterator[RealNvcc]:
    for directory in env.get("PATH", os.defpath).split(os.pathsep):
        yield RealNvcc(os.path.join(directory or ".", "nvcc"), "PATH")
    for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"):
        if env.get(name):
            yield RealNvcc(os.path.join(env[name], "bin", "nvcc"), name)
    for root in ("/usr/local/cuda", *_versions("/usr/local"), "/opt/cuda"):
        yield RealNvcc(os.path.join(root, "bin", "nvcc"), root)
    for directory in sys.path:
        if directory.endswith(("site-packages", "dist-packages")):
            for parts in _WHEELS:
                yield RealNvcc(os.path.join(directory, *parts, "nvcc"), "the nvidia-cuda-nvcc package")


def _required(path: str, origin: str, tried: list[str]) -> RealNvcc:
    """The nvcc that the user named; anything wrong with it is an error, not a reason to look elsewhere."""
    if not _is_program(path):
        raise ToolchainError(f"{origin}: {path}: no such program; name the real nvcc, or unset it")
    if path in tried or is_ours(path):
        raise ToolchainError(f"{origin}: {path} leads back to gpuopt-nvcc; name the real nvcc, or unset it")
    return RealNvcc(path, origin)


def find_nvcc(env: Mapping[str, str], configured: str = "", configured_in: str = "driver.nvcc") -> RealNvcc | None:
    """The real nvcc: GPUOPT_NVCC, the policy's `driver.nvcc` (`configured`), PATH, CUDA_HOME, /usr/local, wheels.

    None if there is none; ToolchainError if the one that the user named cannot be it.
    """
    tried = [path for path in env.get(GUARD, "").split(os.pathsep) if path]
    for path, origin in ((env.get("GPUOPT_NVCC", ""), "GPUOPT_NVCC"), (configured, configured_in)):
        if path:
            return _required(os.path.expanduser(path), origin, tried)
    for candidate in _candidates(env):
        path = candidate.path
        if path not in tried and _is_program(path) and not is_ours(path):
            candidate.path = _beside_its_profile(path)
            if candidate.path not in tried:
                return candidate
    return None


def guarded(env: Mapping[str, str], nvcc: str) -> dict[str, str]:
    """The environment to start `nvcc` with: should it lead back to us, we know that it was tried."""
    tried = [path for path in env.get(GUARD, "").split(os.pathsep) if path]
    return {**env, GUARD: os.pathsep.join([*tried, nvcc])}
