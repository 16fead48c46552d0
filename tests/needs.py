"""What a test needs beside Python: marks by its fixtures, a PATH in which others find no compiler, settings.

`host_compiler` and `real_nvcc` give a test its mark (`compiler`, `nvcc`); a test without them that looks for a compiler
finds none, on every machine, and one that starts a compiler by its path fails, so that the marks are right.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

MARKS = {"host_compiler": "compiler", "real_nvcc": "nvcc"}
_PROGRAMS_OF = {  # that tests with this mark may start; nvcc starts a C++ compiler
    "compiler": r"(?:[\w.]+-)*(?:g\+\+|gcc|c\+\+|cc|cpp|c99|c89|clang|clang\+\+|clang-cpp)(?:-[\d.]+)?",
    "nvcc": r"nvcc|cicc|ptxas|fatbinary|nvlink|cudafe\+\+",
}
_ALLOWED = {"compiler": {"compiler"}, "nvcc": {"compiler", "nvcc"}}

SOON = "-O1,-fexpensive-optimizations"  # with these, sums and products are rounded as in users' programs
PLAIN = "-O0"  # a fifth to two fifths less for large programs, in which nothing is contracted and arrays have no names
SHORT_DIALECT = "-std=c++14"  # C++17's <cmath> alone has g++ make two hundred functions of templates in each source
_SOON_BUILT = f"-Xcompiler={SOON}"
# Where neither the dialect nor how well host compilers optimize counts, what tests have in their environment instead
# of nothing, so that they build sooner. In the emulated programs there is no code for other modes.
_PROGRAMS = "examples|kit|plugins|property|toolkit|variants"
_SOONER = (
    (re.compile(rf"tests/(?:builds|learning|report|tuning|{_PROGRAMS})/"), "NVCC_PREPEND_FLAGS", SHORT_DIALECT),
    (re.compile(rf"tests/(?:{_PROGRAMS})/"), "NVCC_APPEND_FLAGS", _SOON_BUILT),
    (re.compile(rf"tests/(?:driver|{_PROGRAMS})/"), "GPUOPT_EMU_MODE", "fast"),
)
# What takes longest begins first, so that no worker is left alone with it at the end.
_LONGEST = (
    *("emulator/test_model.py", "emulator/test_check.py", "emulator/test_programs.py", "emulator/test_compilers.py"),
    *("meta/test_docs.py", "examples/test_quickstart.py", "toolkit/test_cmake.py", "toolkit/test_tools.py", "builds/"),
)


def begins(path: str) -> int:
    """A number by which tests of this file are sorted."""
    return next((at for at, name in enumerate(_LONGEST) if path.startswith(f"tests/{name}")), len(_LONGEST))


def settings_of(path: str, fixtures: Iterable[str]) -> dict[str, str | None]:
    """What a test of this file has in its environment, unless it asks for `users_settings`; None: nothing."""
    left_out = {name for _, name, _ in _SOONER} if "users_settings" in fixtures else set()
    if "real_nvcc" in fixtures:  # which has host code compiled as it is
        left_out.add("NVCC_APPEND_FLAGS")
    return {name: value if where.match(path) and name not in left_out else None for where, name, value in _SOONER}


def quick_linker(gold: str | None, directory: Path) -> str | None:
    """For COMPILER_PATH: a directory in which g++, clang++ and nvcc find gold as their linker; None without one.

    It links a small program in a third of the time. What `users_settings` asks for is linked as users' programs are.
    """
    if gold is None:
        return None
    (directory / "ld").symlink_to(gold)
    return str(directory)


def marks_of(fixtures: Iterable[str]) -> list[str]:
    """The marks of a test with these fixtures."""
    return [mark for name, mark in MARKS.items() if name in fixtures]


def refused(marks: Iterable[str]) -> str:
    """A regular expression of the programs' names that a test with these marks may not start; "" for none."""
    allowed = set().union(*(_ALLOWED.get(mark, set()) for mark in marks))
    return "|".join(form for need, form in _PROGRAMS_OF.items() if need not in allowed)


def without(programs: str, path: str, shadow: Path) -> str:
    """`path` with links in `shadow` in place of each directory that holds such programs, to all else that it holds."""
    return os.pathsep.join(_shadowed(programs, Path(entry), shadow / str(at)) for at, entry in _entries(path))


def compilers_in(programs: str, path: str) -> frozenset[str]:
    """The files that such programs in `path` are in the end."""
    items = (item for _, entry in _entries(path) for item in Path(entry).iterdir())
    return frozenset(os.path.realpath(item) for item in items if programs and re.fullmatch(programs, item.name))


def _entries(path: str) -> Iterable[tuple[int, str]]:
    return enumerate(entry for entry in path.split(os.pathsep) if Path(entry).is_dir())


def _shadowed(programs: str, directory: Path, shadow: Path) -> str:
    kept = [item for item in directory.iterdir() if not re.fullmatch(programs, item.name)]
    if len(kept) == len(list(directory.iterdir())):
        return str(directory)
    shadow.mkdir(parents=True)
    for item in kept:
        (shadow / item.name).symlink_to(item)
    return str(shadow)
