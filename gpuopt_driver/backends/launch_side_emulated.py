"""The same for emulated programs: the runtime of patched sources is compiled once for a host compiler.

A source then has its declarations, and takes what they declare from the cache when it is assembled. Code for other
modes stands beside that of the fast one, function by function, so that sources with it keep the text.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from gpuopt_driver.answers import Unanswered, ask
from gpuopt_driver.backends.launch_side import COMPILED, FLAGS, MACHINES, SECONDS, local, may_be_assembly, pasted_in
from gpuopt_driver.cache import Cache, digest, write_atomic
from gpuopt_driver.emulator.compiler import HostCompiler
from gpuopt_driver.emulator.runtime import INCLUDE
from gpuopt_driver.emulator.toolchain import Toolchain
from gpuopt_driver.nvcc.command import NvccCommand
from gpuopt_driver.store import is_noted_file, note
from gpuopt_driver.variants.pasted import BEGIN

_KIND = "emulated-launch-side"
_UNQUOTABLE = '"\\\n'
_EMULATED = "-DGPUOPT_EMU_LAUNCH_H"  # by which the runtime knows the emulator; that header has device code, too


def with_assembly(command: NvccCommand, toolchain: Toolchain, patched: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Patched sources with the runtime as assembly wherever that can be."""
    compiler, env = toolchain.compiler, toolchain.env
    cache = Cache.find(env, without=_UNQUOTABLE)
    fast_alone = env.get("GPUOPT_EMU_MODE") == "fast" and not (toolchain.portable or toolchain.dry)
    if cache is None or compiler.is_clang or not fast_alone or not may_be_assembly(command):
        return patched
    return {path: _with_assembly(data, compiler, cache, env) for path, data in patched.items()}


def _with_assembly(data: bytes, compiler: HostCompiler, cache: Cache, env: Mapping[str, str]) -> bytes:
    text = data.decode("utf-8", "surrogateescape")
    pasted = pasted_in(text)
    source = pasted.alone() if pasted is not None else ""
    if pasted is None or not source or compiler.machine not in MACHINES:
        return data
    kept = _kept(source, compiler, cache, env)
    if kept is None:
        return data
    made = f'{COMPILED}{pasted.declared}{BEGIN}__asm__(".include \\"{kept}\\"");\n'
    return (text[: pasted.start] + made + text[pasted.end :]).encode("utf-8", "surrogateescape")


def _kept(source: str, compiler: HostCompiler, cache: Cache, env: Mapping[str, str]) -> Path | None:
    """The file that holds what the runtime compiles to; None where this compiler cannot, or nothing can be kept."""
    argv = (compiler.path, *compiler.as_usual, *FLAGS, *MACHINES[compiler.machine][1], _EMULATED, f"-I{INCLUDE}")
    key = digest(source.encode("utf-8", "surrogateescape"), "\0".join(argv), compiler.version, *_state(compiler))
    path = cache.path(_KIND, key, ".s")
    try:
        if not path.exists() or not is_noted_file(str(cache.root), _KIND, key, path):
            made = _made(argv, source, env)
            if not made:  # it may be a full disk
                return None
            write_atomic(path, made)
            note(str(cache.root), _KIND, key, made)
    except OSError:
        return None
    return path


def _state(compiler: HostCompiler) -> Iterator[bytes]:
    """What tells a compiler and headers from others that were there before."""
    for path in (Path(compiler.path).resolve(), *sorted(INCLUDE.rglob("*.h"))):
        now = path.stat()
        yield f"{path} {now.st_size} {now.st_mtime_ns}".encode("utf-8", "surrogateescape")


def _made(argv: tuple[str, ...], source: str, env: Mapping[str, str]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        place, result = Path(scratch, "runtime.cpp"), Path(scratch, "runtime.s")
        place.write_bytes(source.encode("utf-8", "surrogateescape"))
        try:
            done = ask([*argv, "-o", str(result), str(place)], SECONDS, dict(env))
        except Unanswered:
            return b""
        if done.returncode != 0 or not result.is_file():
            return b""
        text = result.read_text("utf-8", "surrogateescape")
        return local(re.sub(r"^\s*#gpuopt .*\n", "", text, flags=re.MULTILINE)).encode("utf-8", "surrogateescape")
