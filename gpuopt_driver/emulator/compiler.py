"""The host C++ compiler that emulated programs are built with."""

from __future__ import annotations

import platform
import re
import shutil
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from gpuopt_driver.answers import Unanswered, ask
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import ToolchainError

_NAMES = ("g++", "c++", "clang++")
_TARGET = re.compile(r"^Target: (\w+)-", re.MULTILINE)  # of clang++ --version
_CROSS = re.compile(r"(\w+)-[\w-]+-g\+\+")
_ZIG = re.compile(r"^Target: \w+-\w+-linux\d|^InstalledDir: .*zig", re.MULTILINE)  # of zig c++, which names a version
_RELEASE = re.compile(r"\A[^\n]*\) (\d+)\.")  # of g++ --version, behind who built it
_SECONDS = 60  # a compiler that needs longer to print its version is broken


@dataclass(frozen=True, slots=True)
class HostCompiler:
    """A C++ compiler. `version` is what it says of itself, whole; it keys what is cached."""

    path: str
    version: str

    @property
    def is_clang(self) -> bool:
        """Whether it is clang++, alone or inside another program."""
        return "clang" in self.version

    @property
    def machine(self) -> str:
        """The processor that it makes code for, as `platform.machine()` names it; cross compilers are named by it."""
        said = _TARGET.search(self.version) or _CROSS.match(Path(self.path).name)
        return said[1] if said else platform.machine()

    @property
    def release(self) -> int:
        """The first number of a g++'s version, 0 where that is not known and for clang++."""
        said = None if self.is_clang else _RELEASE.match(self.version)
        return int(said[1]) if said else 0

    @property
    def as_usual(self) -> tuple[str, ...]:
        """Options with which it compiles as others do without any.

        zig's means this machine's processor (so that host code's products are rounded with sums), leaves assertions out
        where it optimizes, and where it does not, ends programs that do what C++ leaves undefined.
        """
        return ("-mcpu=baseline", "-UNDEBUG", "-fno-sanitize=undefined") if _ZIG.search(self.version) else ()

    @property
    def preprocessed_language(self) -> str:
        """`-x` for preprocessed text. Not every driver around clang++ knows the name that g++ gives it."""
        return "c++" if self.is_clang else "c++-cpp-output"


@lru_cache(maxsize=16)
def _ask(path: str) -> str:
    try:
        done = ask([path, "--version"], _SECONDS)
    except Unanswered as error:
        raise ToolchainError(f"{path}: {error}; choose another C++ compiler with -ccbin") from error
    if done.returncode:
        raise ToolchainError(f"{path} --version fails; choose another C++ compiler with -ccbin")
    return done.stdout.decode("utf-8", "replace")


def _as_cxx(path: str) -> str:
    """`-ccbin gcc` means g++ for CUDA sources, as with nvcc; a directory means the compiler in it."""
    if Path(path).is_dir():
        return next((str(Path(path, name)) for name in _NAMES if Path(path, name).is_file()), str(Path(path, "g++")))
    head, _, name = path.rpartition("/")
    for c_name, cxx_name in (("clang", "clang++"), ("gcc", "g++")):
        if name.startswith(c_name) and not name.startswith(cxx_name):
            name = cxx_name + name[len(c_name) :]
            break
    return f"{head}/{name}" if head or path.startswith("/") else name


def find_host_compiler(wanted: tuple[tuple[str, str], ...], env: Mapping[str, str]) -> HostCompiler:
    """The first that was asked for, by (value, where it was said), else the first usual name in PATH."""
    search = env.get("PATH")
    for value, origin in wanted:
        if not value:
            continue
        found = shutil.which(_as_cxx(value), path=search)
        if found is None:
            raise ToolchainError(f"{origin}: there is no C++ compiler '{value}'; name g++ 9 or later, or clang++")
        return HostCompiler(found, _ask(found))
    for name in _NAMES:
        found = shutil.which(name, path=search)
        if found is not None:
            return HostCompiler(found, _ask(found))
    raise ToolchainError("the emulator needs a C++ compiler: install g++ (9 or later) or clang++, or set CXX")
