"""The names that a source needs although it does not use them: those of what nvcc adds to it for the host compiler.

nvcc writes functions that register and launch kernels behind a source, and includes `crt/host_runtime.h` before them,
where what other headers have defined for the preprocessor is forgotten: parts of CUDA's mathematics come once more.
What is left out of the system's headers (docs/overlay.md) must not be missing there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from gpuopt_driver.answers import Unanswered, ask
from gpuopt_driver.cache import Cache, digest
from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.nvcc.command import COMPILING, DEVICE_ONLY, NvccCommand
from gpuopt_driver.nvcc.find import RealNvcc
from gpuopt_driver.nvcc.host import host_compiler
from gpuopt_driver.nvcc.preload import NEEDED_VARIABLE, without_overlay
from gpuopt_driver.nvcc.toolkit import describe_toolkit
from gpuopt_driver.variables import is_on

_KIND = "registration"
_SECONDS = 60.0
_HEADER = ("-include", "crt/host_runtime.h")  # the first time declares the types, the second time the functions
_ASKED = (
    "-E",
    "-P",
    "-dD",
    "-x",
    "c++",
    "-D__CUDA_ARCH__=900",
    "-D__CUDA_ARCH_LIST__=900",
    "-DCUDA_DOUBLE_MATH_FUNCTIONS",
    "-D__CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__",
)
_WORD = re.compile(rb"[A-Za-z_]\w*")
# Options of the host compiler under which nothing that is not used can be seen in what it makes or says. Its warnings
# (-Wall, -Wextra) leave out what stands in the system's headers, and find nothing in CUDA's, as others do (-Wshadow).
_BLIND = re.compile(
    r"-(O[1-3s]|Ofast|Wno-[\w=-]+|w|D.*|U.*|I.*|std=.*|pthread|pipe"
    r"|W|W(all|extra|error|fatal-errors|unused[\w-]*|format[\w=-]*|sign-compare|conversion|cast-align|cast-qual|reorder"
    r"|return-type|(maybe-)?uninitialized|type-limits|write-strings|pointer-arith|switch[\w-]*|missing-field-initializers"
    r"|vla|deprecated[\w-]*|parentheses|strict-aliasing[\w=-]*|comment|address)"
    r"|march=.*|mtune=.*|m(no-)?(sse|avx|fma|f16c|bmi|popcnt|aes)[\w.-]*|f(no-)?(PIC|pic|PIE|pie|openmp|permissive"
    r"|visibility[\w=-]*|exceptions|strict-aliasing|stack-protector[\w-]*|diagnostics-[\w=-]*|omit-frame-pointer"
    r"|(function|data)-sections|fast-math|math-errno|signed-zeros|trapping-math|unroll-loops|plt|wrapv|common))$"
)
_LEVELS = ("1", "2", "3")
_OPTIMIZES = re.compile(r"-O[1-3sf]")
_VISIBLE = ("keep", "save-temps", "device-debug", "profile", "extended-lambda", "expt-extended-lambda")


def is_blind(command: NvccCommand) -> bool:
    """Whether what is left out of a source's headers leaves no trace in what is made of it.

    Without optimization GCC writes some members of classes in another form, by when it first needed them.
    """
    options = command.compiler_options
    if not is_blind_to_cicc(command) or command.has("debug") or not all(map(_BLIND.match, options)):
        return False
    return not command.has_host_code or command.optimization in _LEVELS or any(map(_OPTIMIZES.match, options))


def is_blind_to_cicc(command: NvccCommand) -> bool:
    """The same where cicc alone reads less, so that the host compiler gets what it always gets."""
    return not command.dryrun and command.phase in COMPILING | DEVICE_ONLY and not command.has(*_VISIBLE)


def needed(command: NvccCommand, nvcc: RealNvcc, env: Mapping[str, str]) -> dict[str, str]:
    """The variable that has the library leave out what a command's sources do not use; {} where they stay whole."""
    path = needed_names(command, nvcc, env) if is_blind(command) else ""
    return {NEEDED_VARIABLE: path} if path else {}


def needed_names(command: NvccCommand, nvcc: RealNvcc, env: Mapping[str, str]) -> str:
    """The path of a text with these names, "" where nothing is to be left out, or it is not known what."""
    if not is_on(env, "GPUOPT_TRIM", otherwise=True):
        return ""
    compiler, cache = host_compiler(command, env), Cache.find(env)
    if compiler is None or cache is None:
        return ""
    try:
        headers = describe_toolkit(nvcc, env).runtime_header_dir
        argv = [
            compiler,
            *_ASKED,
            *([f"-std={command.std}"] if command.std else []),
            f"-I{headers}",
            *_HEADER * 2,
            "/dev/null",
        ]
        key = digest("\0".join(argv).encode(), *map(_state, (compiler, f"{headers}/crt/host_runtime.h")))
        names = cache.get(_KIND, key)
        if names is None:
            names = _asked(argv, env)
            cache.put(_KIND, key, names)
        path = cache.path(_KIND, key)
        return str(path) if names and path.is_file() else ""
    except (GpuoptError, OSError):
        return ""


def _state(path: str) -> bytes:
    """What tells a file from another one that was there before."""
    now = Path(path).resolve()
    return f"{now} {now.stat().st_size} {now.stat().st_mtime_ns}".encode()


def _asked(argv: Sequence[str], env: Mapping[str, str]) -> bytes:
    """All names in what a compiler makes of the header, macros included; b"" where it cannot read it."""
    try:
        done = ask(argv, _SECONDS, without_overlay(env))
    except Unanswered:
        return b""
    return b" ".join(sorted(set(_WORD.findall(done.stdout)))) if done.returncode == 0 else b""
