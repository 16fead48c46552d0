"""nvcc from NVIDIA's wheels: which parts are there, whether they fit, and the toolkit that is put together from them.

Imports nothing heavy: where no other nvcc is, every command line pays for it.
"""

# Importing pathlib or the cache would cost those command lines milliseconds.
# ruff: noqa: PTH110, PTH113, PTH116, PTH118, PTH120, PTH208

from __future__ import annotations

import os
import time

from gpuopt_driver import store

TYPE_CHECKING = False  # typing's own costs milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Mapping

# What must be there for nvcc to compile and link, and the distribution that brings it.
PARTS = {
    "bin/nvcc": "nvidia-cuda-nvcc",
    "nvvm/bin/cicc": "nvidia-nvvm",
    "include/crt/host_config.h": "nvidia-cuda-crt",
    "include/cuda_runtime.h": "nvidia-cuda-runtime",
    "lib/libcudart_static.a": "nvidia-cuda-runtime",
}
# What a toolkit that is put together has besides them.
_MADE = ("bin/nvcc.profile", "bin/ptxas", "lib64/libcudart.so", "nvvm/lib64/libnvvm.so", "lib64/stubs/libcuda.so")
_DAY = 86400.0  # seconds


def missing_parts(package: str) -> list[str]:
    """The distributions that are missing from a directory of wheels (`.../site-packages/nvidia/cu13`)."""
    return sorted({name for part, name in PARTS.items() if not os.path.isfile(os.path.join(package, part))})


def part_versions(package: str) -> dict[str, str]:
    """The installed versions ("13.4.92") of the distributions that came into a directory of wheels, by name."""
    found = {}
    for entry in sorted(os.listdir(os.path.dirname(os.path.dirname(package)))):
        name, _, version = entry.removesuffix(".dist-info").partition("-")
        name = name.replace("_", "-")
        if entry.endswith(".dist-info") and name in PARTS.values():
            found[name] = version
    return found


def misfits(versions: Mapping[str, str]) -> list[str]:
    """The parts, as "name version", that are not of the release of nvidia-cuda-nvcc."""
    release = versions.get("nvidia-cuda-nvcc", "").split(".")[:2]
    return [f"{name} {version}" for name, version in versions.items() if version.split(".")[:2] != release]


def _identity(package: str) -> str:
    """What tells one installation of the parts from another."""
    values = [package]
    for part in PARTS:
        status = os.stat(os.path.join(package, part))
        values.append(f"{status.st_ino} {status.st_size} {status.st_mtime_ns}")
    return store.digest(*values)


def _profile(root: str) -> bytes:
    """What tells nvcc where everything is: all else that is made is links, and programs that start or do not."""
    try:
        with open(os.path.join(root, "bin", "nvcc.profile"), "rb") as file:  # noqa: PTH123
            return file.read()
    except OSError:
        return b""


def _note_use(root: str) -> None:
    """Show by the directory's modification time that it is in use, once a day (what is never used is removed)."""
    try:
        if time.time() - os.stat(root).st_mtime > _DAY:
            os.utime(root)
    except OSError:
        return


def assembled(package: str, env: Mapping[str, str]) -> str:
    """The nvcc of the toolkit put together from a directory of wheels; its own nvcc where nothing can be kept.

    "" where parts are missing. What is put together stays in the cache, and is completed if something was removed.
    """
    if missing_parts(package):
        return ""
    own = os.path.join(package, "bin", "nvcc")
    place = store.find_root(env)
    if place is None:
        return own
    identity = _identity(package)
    root = store.entry_path(place, store.KEPT_WHOLE, identity)
    is_there = all(os.path.exists(os.path.join(root, name)) for name in (*PARTS, *_MADE))
    if not is_there or not store.is_noted(place, store.KEPT_WHOLE, identity, _profile(root)):
        from gpuopt_driver.nvcc.assembly import put_together  # noqa: PLC0415 - done once

        try:
            put_together(package, root, env)
        except OSError:
            return own
        store.note(place, store.KEPT_WHOLE, identity, _profile(root))
    _note_use(root)
    return os.path.join(root, "bin", "nvcc")
