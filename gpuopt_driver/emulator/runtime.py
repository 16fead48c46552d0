"""The emulator's C++ runtime: compiled once per host compiler and kept in the cache."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from gpuopt_driver.arch.load import load_all
from gpuopt_driver.cache import Cache, digest, write_atomic
from gpuopt_driver.emulator.compiler import HostCompiler
from gpuopt_driver.emulator.gpus import gpu_table
from gpuopt_driver.emulator.model_figures import model_table
from gpuopt_driver.errors import ToolchainError

_HERE = Path(__file__).parent
INCLUDE = _HERE / "include"
_RUNTIME = _HERE / "runtime"
_FLAGS = ("-std=c++17", "-O2", "-g1", "-fPIC", "-pthread", "-fno-strict-aliasing", f"-I{INCLUDE}", f"-I{_RUNTIME}")

PORTABLE = "-DGPUOPT_EMU_PORTABLE"  # the switch between device threads without assembly


def _sources() -> dict[str, bytes]:
    files = [*_RUNTIME.iterdir(), *INCLUDE.rglob("*")]
    sources = {str(path.relative_to(_HERE)): path.read_bytes() for path in sorted(files) if path.is_file()}
    archs = load_all()
    sources["runtime/gpus.cpp"] = (gpu_table(archs) + model_table(archs)).encode()
    return sources


def _archive(
    compiler: HostCompiler, extra: tuple[str, ...], sources: Mapping[str, bytes], env: Mapping[str, str]
) -> bytes:
    """The runtime as a static library. All of it is one translation unit: that compiles fastest."""
    unit = "".join(f'#include "{Path(name).name}"\n' for name in sorted(sources) if name.endswith(".cpp"))
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        Path(scratch, "gpus.cpp").write_bytes(sources["runtime/gpus.cpp"])
        Path(scratch, "all.cpp").write_text(unit)
        steps = (
            (compiler.path, *_FLAGS, *extra, f"-I{scratch}", "-c", "all.cpp", "-o", "all.o"),
            ("ar", "rcsD", "lib.a", "all.o"),
        )
        for step in steps:
            try:
                done = subprocess.run(step, cwd=scratch, env=dict(env), capture_output=True, check=False)
            except OSError as error:
                raise ToolchainError(f"{step[0]}: cannot be run: {error.strerror}; install binutils") from error
            if done.returncode:
                first = next(iter(done.stderr.decode("utf-8", "replace").splitlines()), "no message")
                raise ToolchainError(f"{compiler.path} cannot build the emulator's runtime: {first}")
        return Path(scratch, "lib.a").read_bytes()


def runtime_library(compiler: HostCompiler, env: Mapping[str, str], *, portable: bool = False) -> Path:
    """The runtime's static library, built if the cache does not have it; safe in any number of processes at once."""
    extra = (PORTABLE,) if portable else ()
    sources = _sources()
    parts = [part for name, data in sources.items() for part in (name, data)]
    # CMake takes c++, which is g++ under another name (that its version begins with) and makes the same
    program, version = str(Path(compiler.path).resolve()), compiler.version.partition(" ")[2]
    key = digest(program, version, *_FLAGS, *extra, *parts)
    cache = Cache.find(env)
    if cache is None:
        raise ToolchainError("no directory to keep the emulator's runtime in; set GPUOPT_CACHE_DIR to a writable one")
    path = cache.path("emulator", key, ".a")
    if not path.is_file():
        write_atomic(path, _archive(compiler, extra, sources, env))
    return path
