"""A toolkit-shaped directory from NVIDIA's wheels: they hold no links, so what is missing is put together."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from gpuopt_driver.nvcc.tree import make_whole

_DECLARED = re.compile(rb"\bCUresult\s+(?:__stdcall\s+)?(cu[A-Z]\w*)\s*\(")
_STUB = "lib/stubs/libcuda.so"
_SECONDS = 60  # a compiler that needs longer for a header is broken
_TARGETS = {"x86_64": "x86_64-linux", "aarch64": "sbsa-linux"}


def _linked(package: str, folder: str) -> dict[str, str | bytes]:
    """Links to everything in a folder; a program that an installer left without its mode is copied."""
    entries: dict[str, str | bytes] = {}
    try:
        names = sorted(os.listdir(f"{package}/{folder}"))  # noqa: PTH208 - names are wanted
    except OSError:
        return entries
    for name in names:
        path = Path(package, folder, name)
        runnable = folder.endswith("bin") and path.is_file() and path.suffix != ".profile"
        bare = runnable and not os.access(path, os.X_OK)
        entries[f"{folder}/{name}"] = path.read_bytes() if bare else str(path)
    return entries


def _profile(package: str) -> bytes:
    """The wheels' nvcc.profile with their own include directories: dependency files must not name the cache."""
    lines = Path(package, "bin", "nvcc.profile").read_bytes().splitlines(keepends=True)
    own = os.fsencode(package)
    return b"".join(line.replace(b"$(TOP)", own) if b"INCLUDES" in line else line for line in lines)


def layout(package: str) -> dict[str, str | bytes]:
    """The entries of a toolkit whose parts are in a directory of wheels."""
    libraries = _linked(package, "lib")
    entries = {**_linked(package, "bin"), **_linked(package, "nvvm/bin"), **libraries}
    for library in libraries:
        name, dot_so, _ = library.partition(".so.")
        if dot_so:
            entries[f"{name}.so"] = Path(library).name
        if name == "lib/libnvvm":  # nvlink looks for it here when it optimizes
            entries[f"nvvm/lib64/{Path(library).name}"] = f"{package}/{library}"
            entries["nvvm/lib64/libnvvm.so"] = Path(library).name
    entries["bin/nvcc.profile"] = _profile(package)
    entries["lib64"] = "lib"
    for name in ("include", "cccl", "nvvm/libdevice"):
        if Path(package, name).is_dir():
            entries[name] = f"{package}/{name}"
    target = _TARGETS.get(platform.machine())
    if target:
        entries[f"targets/{target}/include"] = "../../include"
        entries[f"targets/{target}/lib"] = "../../lib"
    return entries


def _driver_stub(package: str, env: Mapping[str, str]) -> bytes | None:
    """A shared library to link with `-lcuda` where no driver is: the names in cuda.h. None without a C compiler."""
    compiler = next(filter(None, (shutil.which(name, path=env.get("PATH")) for name in ("gcc", "cc", "clang"))), None)
    if compiler is None:
        return None
    names: set[bytes] = set()
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        source, library = Path(scratch, "stub.c"), Path(scratch, "libcuda.so")
        steps: list[list[str]] = [
            ["-E", f"-I{package}/include", *option, "-include", "cuda.h", "-x", "c", "/dev/null"]
            for option in ((), ("-DCUDA_API_PER_THREAD_DEFAULT_STREAM",), ("-D__CUDA_API_VERSION_INTERNAL",))
        ]
        try:
            for step in steps:
                done = subprocess.run([compiler, *step], capture_output=True, timeout=_SECONDS, check=True)
                names.update(_DECLARED.findall(done.stdout))
            source.write_bytes(b"".join(b"int %s(void) { return 34; }\n" % name for name in sorted(names)))
            link = ["-shared", "-fPIC", "-nostdlib", "-Wl,-soname,libcuda.so.1", str(source), "-o", str(library)]
            subprocess.run([compiler, *link], capture_output=True, timeout=_SECONDS, check=True)
            return library.read_bytes()
        except (OSError, subprocess.SubprocessError):
            return None


def with_stub(package: str, env: Mapping[str, str]) -> dict[str, str | bytes]:
    """The entries of a toolkit from wheels, the stub of the driver's library among them where one can be made."""
    made = _driver_stub(package, env)
    return {**layout(package), **({_STUB: made} if made else {})}


def put_together(package: str, root: str, env: Mapping[str, str]) -> None:
    """Make a directory a toolkit of these wheels, or complete it. OSError where it cannot be written."""
    make_whole(root, layout(package) if Path(root, _STUB).is_file() else with_stub(package, env))
