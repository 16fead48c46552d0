"""Finding the real nvcc: never ourselves, never a wrapper that leads back to us; the wheels' where there is no other.

Imports nothing heavy: command lines that are passed straight on pay for this module only.
"""

# Importing pathlib would cost those command lines milliseconds.
# ruff: noqa: PTH100, PTH110, PTH111, PTH113, PTH118, PTH120, PTH121, PTH123, PTH208

from __future__ import annotations

import os
import sys

from gpuopt_driver.errors import ToolchainError

TYPE_CHECKING = False  # typing's own costs milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

GUARD = "GPUOPT_NVCC_TRIED"  # nvccs that we have started, in the environment of what they start
WHEELS, NONE = "wheels", "none"  # what GPUOPT_NVCC and driver.nvcc may say besides a program
FROM_WHEELS = "the nvidia-cuda-nvcc package"
REAL = "nvcc.real"  # beside a bin/nvcc that is ours, in what `gpuopt toolkit` makes
MARKER = "gpuopt-toolkit.json"  # at the root of what `gpuopt toolkit` makes
_SCRIPT_BYTES = 4096
_OUR_NAMES = (b"gpuopt-nvcc", b"gpuopt_driver")


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
    return head.startswith(b"#!") and any(_names(head, name) for name in _OUR_NAMES)


def _names(script: bytes, name: bytes) -> bool:
    """Whether a script speaks of a program or package, and not of a directory whose name starts so."""
    return any(part[:1] not in (b"/", b"-", b"_") and not part[:1].isalnum() for part in script.split(name)[1:])


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


def wheel_directories() -> list[str]:
    """The directories that NVIDIA's wheels with an nvcc were unpacked into, the newest release first."""
    found = []
    for directory in sys.path:
        if directory.endswith(("site-packages", "dist-packages")):
            try:
                names = [name for name in os.listdir(os.path.join(directory, "nvidia")) if name[2:].isdigit()]
            except OSError:
                continue
            for name in sorted((name for name in names if name.startswith("cu")), key=lambda name: -int(name[2:])):
                package = os.path.join(directory, "nvidia", name)
                if os.path.isfile(os.path.join(package, "bin", "nvcc")):
                    found.append(package)
    return found


def _from_wheels(env: Mapping[str, str]) -> Iterator[RealNvcc]:
    for package in wheel_directories():
        from gpuopt_driver.nvcc.wheels import assembled  # noqa: PLC0415 - most machines have another nvcc

        if path := assembled(package, env):
            yield RealNvcc(path, FROM_WHEELS)


def called_from() -> str:
    """The directory made by `gpuopt toolkit` whose bin/nvcc we were started as, "" if we were started otherwise."""
    program = sys.argv[0] if sys.argv else ""
    if program.endswith("nvcc"):
        for path in (os.path.abspath(program), os.path.realpath(program)):
            root = os.path.dirname(os.path.dirname(path))
            if os.path.isfile(os.path.join(root, MARKER)):
                return root
    return ""


def _candidates(env: Mapping[str, str]) -> Iterator[RealNvcc]:
    if root := called_from():
        yield RealNvcc(os.path.join(root, "bin", REAL), root)
    for directory in env.get("PATH", os.defpath).split(os.pathsep):
        yield RealNvcc(os.path.join(directory or ".", "nvcc"), "PATH")
    for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"):
        if env.get(name):
            yield RealNvcc(os.path.join(env[name], "bin", "nvcc"), name)
    for root in ("/usr/local/cuda", *_versions("/usr/local"), "/opt/cuda"):
        yield RealNvcc(os.path.join(root, "bin", "nvcc"), root)
    yield from _from_wheels(env)


def _named(value: str, env: Mapping[str, str]) -> str:
    """The program that the user means: a path, or a name to be looked for in PATH."""
    if "/" in value:
        return os.path.expanduser(value)
    directories = env.get("PATH", os.defpath).split(os.pathsep)
    paths = (os.path.join(directory or ".", value) for directory in directories)
    return next((path for path in paths if _is_program(path)), value)


def _required(value: str, origin: str, tried: list[str], env: Mapping[str, str]) -> RealNvcc | None:
    """The nvcc that the user named; anything wrong with it is an error, not a reason to look elsewhere."""
    if value == NONE:
        return None
    if value == WHEELS:
        found = next((nvcc for nvcc in _from_wheels(env) if _is_program(nvcc.path)), None)
        if found is None:
            raise ToolchainError(f"{origin}: no complete nvcc from wheels; pip install 'gpuopt-driver[cuda13]'")
        return RealNvcc(found.path, f"{FROM_WHEELS}, as {origin} says")
    path = _named(value, env)
    if not _is_program(path):
        raise ToolchainError(f"{origin}: {path}: no such program; name the real nvcc, or unset it")
    path = _beside_its_profile(path)
    if path in tried or is_ours(path):
        raise ToolchainError(f"{origin}: {path} leads back to gpuopt-nvcc; name the real nvcc, or unset it")
    return RealNvcc(path, origin)


def find_nvcc(env: Mapping[str, str], configured: str = "", configured_in: str = "driver.nvcc") -> RealNvcc | None:
    """The real nvcc: GPUOPT_NVCC, the policy's `driver.nvcc` (`configured`), PATH, CUDA_HOME, /usr/local, wheels.

    None if there is none; ToolchainError if the one that the user named cannot be it, or the only one is a wrapper
    that has led back to us.
    """
    tried = [path for path in env.get(GUARD, "").split(os.pathsep) if path]
    for value, origin in ((env.get("GPUOPT_NVCC", ""), "GPUOPT_NVCC"), (configured, configured_in)):
        if value:
            return _required(value, origin, tried, env)
    for candidate in _candidates(env):
        path = candidate.path
        if path in tried or not _is_program(path):
            continue
        if is_ours(path):
            path = os.path.join(os.path.dirname(path), REAL)
            if path in tried or not _is_program(path):
                continue
        candidate.path = _beside_its_profile(path)
        if candidate.path not in tried:
            return candidate
    if tried:
        raise ToolchainError(f"{tried[-1]} leads back to gpuopt-nvcc, there is no other nvcc; set GPUOPT_NVCC to one")
    return None


def _is_nvidias(path: str) -> bool:
    """Whether this is nvcc itself, a binary beside its profile: no wrapper that could lead back to us."""
    try:
        with open(path, "rb") as file:
            binary = file.read(4) == b"\x7fELF"
    except OSError:
        return False
    return binary and os.path.isfile(os.path.join(os.path.dirname(path), "nvcc.profile"))


def guarded(env: Mapping[str, str], nvcc: str) -> dict[str, str]:
    """The environment to start `nvcc` with: should it lead back to us, we know that it was tried.

    nvcc itself gets the caller's: what it starts (a program with -run, the host compiler) may look at it.
    """
    if _is_nvidias(nvcc):
        return dict(env)
    tried = [path for path in env.get(GUARD, "").split(os.pathsep) if path]
    return {**env, GUARD: os.pathsep.join([*tried, nvcc])}
