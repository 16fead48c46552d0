"""The runtime of patched sources, compiled once for all of them and pasted as assembly.

What a launch calls is the same in every source: a host compiler that reads and compiles it each time takes a third of
the time that nvcc takes for a small file. GCC takes it as assembly from a top-level `asm` instead, with symbols that
are local to the object file, so that what a source compiles to needs no other file. It is optimised as no source can
ask for without paying for it. Where anything says that the assembly may not fit (options of the host compiler that are
not known to leave calling conventions alone, other headers than those it was compiled with), the text stays.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path

from gpuopt_driver.answers import Unanswered, ask
from gpuopt_driver.cache import Cache, digest, in_turn
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.nvcc.command import NvccCommand
from gpuopt_driver.nvcc.find import RealNvcc
from gpuopt_driver.nvcc.host import host_compiler
from gpuopt_driver.nvcc.toolkit import describe_toolkit
from gpuopt_driver.variants.pasted import AS_TEXT, BEGIN, CONFIG, END, PREFIX, USED

_KIND = "launch-side"
SECONDS = 60.0
FLAGS = (
    *("-x", "c++", "-std=gnu++14", "-S", "-O2", "-fPIC", "-fvisibility=hidden"),
    *("-fno-exceptions", "-fno-lto", "-g0", "-w"),
)
MACHINES = {"x86_64": ("__x86_64__", ("-fcf-protection",)), "aarch64": ("__aarch64__", ())}
# Options of the host compiler that change neither calling conventions nor layouts nor what an object file is.
_HARMLESS = re.compile(
    r"-(O\w*|g\w*|W(?!a,|l,)[\w=,+-]*|w|D.*|U.*|I.*|std=.*|pthread|pipe|ansi|pedantic.*|march=.*|mtune=.*"
    r"|m(no-)?(sse|avx|fma|f16c|bmi|popcnt|aes)[\w.-]*|f(no-)?(PIC|pic|PIE|pie|openmp|visibility[\w=-]*|permissive"
    r"|exceptions|expensive-optimizations|rtti|strict-aliasing|stack-protector[\w-]*|diagnostics-[\w=-]*|omit-frame-pointer"
    r"|(function|data)-sections|fast-math|math-errno|signed-zeros|trapping-math|unroll-loops|inline[\w-]*"
    r"|(file|debug|macro)-prefix-map=.*|plt|semantic-interposition|tree-[\w-]*|wrapv|common|ident|asm))$"
)
_GROUP = re.compile(r"^\t\.section\t\S+,\s*\"\w*G\w*\",\s*[@%]\w+,\s*(\S+?),\s*comdat", re.MULTILINE)
_WEAK = re.compile(r"^\t\.weak\t(\S+)$", re.MULTILINE)
_DIRECTIVE = re.compile(r"\t\.(globl|hidden|file|ident)\b\s*(\S*)")
_HEAD = """\
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cuda_runtime_api.h>
#define GPUOPT_RT_ALONE 1
#define GPUOPT_RT_API __attribute__((used))
#define GPUOPT_RT_MEMBER __attribute__((used))
#define GPUOPT_RT_UNIT extern __attribute__((visibility("hidden")))
#define GPUOPT_RT_TEXT(x) #x
#define GPUOPT_RT_TEXT_OF(x) GPUOPT_RT_TEXT(x)
__asm__("#gpuopt " GPUOPT_RT_TEXT_OF(CUDART_VERSION));
"""
COMPILED = f"""\
#define GPUOPT_RT_API extern __attribute__((visibility("hidden")))
#define GPUOPT_RT_MEMBER
#define GPUOPT_RT_UNIT static __attribute__((used))
{USED}"""


def compiled(command: NvccCommand, nvcc: RealNvcc, shown: dict[str, bytes], env: Mapping[str, str]) -> dict[str, bytes]:
    """What is to be shown to nvcc, with the runtime as assembly wherever that can be."""
    if not may_be_assembly(command):
        return shown
    compiler, cache = host_compiler(command, env), Cache.find(env)
    machine = MACHINES.get(os.uname().machine)
    if compiler is None or cache is None or machine is None:
        return shown
    try:
        headers = describe_toolkit(nvcc, env).runtime_header_dir
        maker = _Maker(compiler, machine[1], headers, cache, env)
        return {path: _with_assembly(data, maker, machine[0]) for path, data in shown.items()}
    except (GpuoptError, OSError):  # headers that cannot be found, no room to compile in
        return shown


def may_be_assembly(command: NvccCommand) -> bool:
    """Whether nothing on the command line says that assembly might not fit."""
    return command.is_built and not command.keep and all(map(_HARMLESS.match, command.compiler_options))


class _Maker:
    """Makes assembly of the runtime's text, once for a compiler and a CUDA toolkit."""

    def __init__(
        self, compiler: str, flags: tuple[str, ...], headers: str, cache: Cache, env: Mapping[str, str]
    ) -> None:
        self._argv = (compiler, *FLAGS, *flags, f"-I{headers}")
        self._cache, self._env = cache, env

    def assembly(self, text: str) -> str:
        """What the text compiles to; "" where this compiler cannot."""
        key = digest(text.encode("utf-8", "surrogateescape"), "\0".join(self._argv).encode(), *self._state())
        kept = self._cache.get(_KIND, key)
        if kept is None:
            with in_turn(self._cache.path(_KIND, key).parent):
                kept = self._cache.get(_KIND, key)
                if kept is None:
                    kept = self._made(text)
                    if kept:  # what failed may be a full disk
                        self._cache.put(_KIND, key, kept)
        return kept.decode("utf-8", "surrogateescape")

    def _state(self) -> Iterator[bytes]:
        """What tells a compiler and headers from others that were there before."""
        for path in (self._argv[0], f"{self._argv[-1][2:]}/cuda_runtime_api.h"):
            now = Path(path).resolve()
            yield f"{now} {now.stat().st_size} {now.stat().st_mtime_ns}".encode()

    def _made(self, text: str) -> bytes:
        with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
            source, result = Path(scratch, "runtime.cpp"), Path(scratch, "runtime.s")
            source.write_bytes(text.encode("utf-8", "surrogateescape"))
            try:
                done = ask([*self._argv, "-o", str(result), str(source)], SECONDS, dict(self._env))
            except Unanswered:
                return b""
            if done.returncode != 0 or not result.is_file():
                return b""
            return local(result.read_text("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class Pasted:
    """Where the runtime stands in patched text: what declares it, and what defines it."""

    start: int
    declared: str
    defined: str
    end: int

    def alone(self) -> str:
        """A source of the runtime and nothing else; "" where the text is not as it is expected."""
        version = re.search(r"inline namespace (\w+)", self.declared)
        if version is None:
            return ""
        config = f"namespace gpuopt_rt {{ inline namespace {version.group(1)} {{ {config_in(self.declared)}}} }}\n"
        text = re.sub(r"^#pragma GCC optimize.*\n", "", self.declared + self.defined, flags=re.MULTILINE)
        return f"{_HEAD}{config}{text}"


def pasted_in(text: str) -> Pasted | None:
    """The runtime of a patched source; None where there is none."""
    start, begin, end = text.find(AS_TEXT), text.find(BEGIN), text.find(END)
    if not 0 <= start < begin < end:
        return None
    return Pasted(start, text[start + len(AS_TEXT) : begin], text[begin:end], end)


def _with_assembly(data: bytes, maker: _Maker, machine: str) -> bytes:
    """Patched bytes with assembly in place of the text between the marks."""
    text = data.decode("utf-8", "surrogateescape")
    pasted = pasted_in(text)
    source = pasted.alone() if pasted is not None else ""
    if pasted is None or not source:
        return data
    assembly = maker.assembly(source)
    release = re.search(r"^\s*#gpuopt (\d+)$", assembly, re.MULTILINE)
    if release is None:
        return data
    fits = (
        f"#if defined({machine}) && defined(__LP64__) && defined(__GNUC__) && !defined(__clang__) && "
        f"CUDART_VERSION == {release.group(1)}\n"
    )
    made = (
        f"{fits}{COMPILED}#else\n{AS_TEXT}#endif\n{pasted.declared}{BEGIN}{fits}#ifndef __CUDA_ARCH__\n"
        f"{_literal(assembly)}#endif\n#else\n{pasted.defined}#endif\n"
    )
    return (text[: pasted.start] + made + text[pasted.end :]).encode("utf-8", "surrogateescape")


def config_in(text: str) -> str:
    """CONFIG with the names that it has in a source with this text of the runtime."""
    words = "|".join(sorted(set(re.findall(rf"\b{PREFIX}(\w+)", text))))
    return re.sub(rf"\b(?:{words})\b", rf"{PREFIX}\g<0>", CONFIG) if words else CONFIG


def local(assembly: str) -> str:
    """Assembly whose symbols nobody outside sees, and whose labels and notes are in nobody's way.

    What all object files of a program share (weak, or of a group of which linkers keep one) stays as it is.
    """
    lines = [line for line in assembly.splitlines() if line.strip()]
    text = "\n".join(takewhile(lambda line: ".note.g" not in line and ".note.GNU" not in line, lines))
    shared = set(_GROUP.findall(text)) | set(_WEAK.findall(text))
    kept = []
    for line in text.split("\n"):
        word = _DIRECTIVE.match(line)
        if word is None or (word.group(1) in ("globl", "hidden") and word.group(2) in shared):
            kept.append(line)
    text = re.sub(r"(?<![\w$])\.L(?=\w)", ".Lgpuopt_", "\n".join(kept))
    return f"\t.pushsection .text\n{text}\n\t.popsection\n"


def _literal(assembly: str) -> str:
    """A top-level asm statement."""
    escaped = assembly.replace("\\", "\\\\").replace('"', '\\"')
    return "__asm__(\n" + "".join(f'"{line}\\n"\n' for line in escaped.splitlines()) + ");\n"
