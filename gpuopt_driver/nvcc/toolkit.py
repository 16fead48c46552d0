"""What the real nvcc says of itself: its version, its toolkit's directories, the GPUs it knows."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path

from gpuopt_driver.answers import Unanswered, ask
from gpuopt_driver.cache import Cache, digest
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import ToolchainError
from gpuopt_driver.nvcc.find import RealNvcc, guarded

_PARTS = 2  # of a version
_SECONDS = 60  # an nvcc that needs longer to print its version is broken
_RELEASE = re.compile(r"release (\d+)\.(\d+), V([\d.]+)")
_VARIABLE = re.compile(r"^#\$ ([A-Z_]+)=(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Toolkit:
    """An nvcc and the toolkit that it belongs to. Paths are absolute and real, "" where there is none."""

    nvcc: str
    version: tuple[int, int]
    full_version: str  # "13.0.88"
    root: str
    include_dirs: tuple[str, ...]
    system_dirs: tuple[str, ...]

    @property
    def runtime_header_dir(self) -> str:
        """The directory of cuda_runtime.h, "" if the toolkit lacks it."""
        return next((path for path in self.include_dirs if Path(path, "cuda_runtime.h").is_file()), "")


def _ask(nvcc: str, env: Mapping[str, str], *arguments: str) -> str:
    """Standard output and error of nvcc; the caller's NVCC_*_FLAGS are kept out of it."""
    clean = {name: value for name, value in guarded(env, nvcc).items() if not name.startswith("NVCC_")}
    try:
        done = ask([nvcc, *arguments], _SECONDS, {**clean, "LC_ALL": "C"})
    except Unanswered as error:
        raise ToolchainError(f"{nvcc}: {error}; set GPUOPT_NVCC to a working nvcc") from error
    return (done.stdout + done.stderr).decode("utf-8", "surrogateescape")


def _directories(flags: str) -> tuple[str, ...]:
    """The existing directories in a list of -I and -isystem flags, real and in order."""
    try:
        words = shlex.split(flags)
    except ValueError:
        return ()
    paths = (word.removeprefix("-I") for word in words if word != "-isystem")
    return tuple(dict.fromkeys(os.path.realpath(path) for path in paths if path and Path(path).is_dir()))


def _describe(nvcc: str, env: Mapping[str, str]) -> Toolkit:
    release = _RELEASE.search(_ask(nvcc, env, "--version"))
    if release is None:
        raise ToolchainError(f"{nvcc}: does not print a version as nvcc does; set GPUOPT_NVCC to a working nvcc")
    variables = dict(_VARIABLE.findall(_ask(nvcc, env, "--dryrun", "-c", "x.cu")))
    root = variables.get("TOP", "") or str(Path(nvcc).parent.parent)
    return Toolkit(
        nvcc=nvcc,
        version=(int(release.group(1)), int(release.group(2))),
        full_version=release.group(3),
        root=os.path.realpath(root),
        include_dirs=_directories(variables.get("INCLUDES", "")) or _directories(f"-I{shlex.quote(root)}/include"),
        system_dirs=_directories(variables.get("SYSTEM_INCLUDES", "")),
    )


def _decoded(data: bytes, nvcc: str) -> Toolkit | None:
    """What is remembered of this nvcc; None where it is no such thing."""
    try:
        values = json.loads(data)
        numbers, texts = values["version"], [values["full_version"], values["root"]]
        directories = values["include_dirs"], values["system_dirs"]
        is_right = len(values) == len(fields(Toolkit)) and values["nvcc"] == nvcc and len(numbers) == _PARTS
        is_right = is_right and all(type(number) is int for number in numbers)
        if not is_right or not all(type(text) is str for text in [*texts, *directories[0], *directories[1]]):
            return None
        return Toolkit(nvcc, (numbers[0], numbers[1]), texts[0], texts[1], *map(tuple, directories))
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def describe_toolkit(nvcc: RealNvcc, env: Mapping[str, str]) -> Toolkit:
    """What this nvcc says of itself, remembered as long as the program file stays the same."""
    try:
        status = Path(nvcc.path).stat()
    except OSError as error:
        raise ToolchainError(f"{nvcc.path}: {error.strerror}; set GPUOPT_NVCC to a working nvcc") from error
    key = digest(nvcc.path, f"{status.st_ino} {status.st_size} {status.st_mtime_ns}", env.get("PATH", ""))
    cache = Cache.find(env)
    known = cache.get("toolkit", key) if cache else None
    toolkit = None if known is None else _decoded(known, nvcc.path)
    if toolkit is not None:
        return toolkit
    toolkit = _describe(nvcc.path, env)
    if cache:
        cache.put("toolkit", key, json.dumps(asdict(toolkit)).encode())
    return toolkit


def supported_archs(toolkit: Toolkit, env: Mapping[str, str]) -> tuple[int, ...]:
    """The compute capabilities that this nvcc compiles for, ascending."""
    found = re.findall(r"^compute_(\d+)$", _ask(toolkit.nvcc, env, "--list-gpu-arch"), re.MULTILINE)
    return tuple(sorted({int(number) for number in found}))
