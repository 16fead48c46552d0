"""Toolkit-shaped directories whose bin/nvcc is ours, for tools that look for a toolkit by its root (`gpuopt toolkit`).

nvcc takes its toolkit from argv[0]. Started as `bin/nvcc.real` of such a directory, it names the directory wherever it
says where it is, and tools that ask it find our bin/nvcc there.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path, PurePath

import gpuopt_driver
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import GpuoptError
from gpuopt_driver.nvcc.find import MARKER, REAL
from gpuopt_driver.nvcc.tree import Entries, make_whole, remove
from gpuopt_driver.store import make_directories

_SCHEMA = 1
_SHEBANG_BYTES = 127  # what every kernel reads of the first line
_ELSEWHERE = "name a directory that does not exist yet"


@dataclass(frozen=True, slots=True)
class Made:
    """What `gpuopt toolkit` wrote down about a directory. `state`: of what it was made, to see that it is outdated."""

    backend: str
    nvcc: str  # the real one, "" for the emulator
    version: str
    state: str
    entries: tuple[str, ...]


def launcher(defaults: Mapping[str, str]) -> bytes:
    """bin/nvcc: a script that starts us, with these environment variables where the caller has not set them."""
    python = sys.executable
    if len(python) + 2 <= _SHEBANG_BYTES and not any(character.isspace() for character in python):
        start = f"#!{python}\n"
    else:  # to sh a command with quoted words; to Python a string
        start = f"#!/bin/sh\n'''exec' '{python}' \"$0\" \"$@\"\n' '''\n"
    lines = ["# Made by `gpuopt toolkit`: nvcc, with gpuopt in front of it."]
    lines += ["import os"] if defaults else []
    lines += [f"os.environ.setdefault({name!r}, {value!r})" for name, value in defaults.items()]
    home = str(Path(gpuopt_driver.__file__).parents[1])
    lines += ["import sys"]
    if not home.endswith(("site-packages", "dist-packages")):
        lines += [f"sys.path.append({home!r})"]
    lines += ["from gpuopt_driver.nvcc_main import main", "", "sys.exit(main())", ""]
    return (start + "\n".join(lines)).encode("utf-8", "surrogateescape")


def shadow(nvcc: str, headers: str, version: str) -> dict[str, str | bytes]:
    """The entries of a directory in which everything but bin/nvcc is the real nvcc's toolkit.

    `headers`: the directory of cuda_runtime.h, for toolkits that keep it elsewhere ("" if there is none).
    """
    programs = Path(nvcc).absolute().parent
    root = programs.parent
    entries: dict[str, str | bytes] = {
        path.name: str(path) for path in sorted(root.iterdir()) if path.name not in (programs.name, MARKER)
    }
    if "lib64" not in entries and "lib" in entries:
        entries["lib64"] = "lib"
    if "include" not in entries and headers:
        entries["include"] = headers
    entries |= {f"bin/{path.name}": str(path) for path in sorted(programs.iterdir())}
    return with_our_nvcc(entries, nvcc, version)


def with_our_nvcc(entries: Entries, nvcc: str, version: str) -> dict[str, str | bytes]:
    """The entries of a real toolkit, with our nvcc in front of `nvcc`."""
    told = f"CUDA Version {version}\n".encode()  # Meson reads it: it finds no header behind a link
    return {"version.txt": told, **entries, f"bin/{REAL}": str(Path(nvcc).absolute()), "bin/nvcc": launcher({})}


def read_marker(root: str) -> Made | None:
    """What is written down about a directory; None if `gpuopt toolkit` did not make it."""
    try:
        values = json.loads(Path(root, MARKER).read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(values, dict) or values.pop("schema", None) != _SCHEMA:
        return None
    try:
        return Made(**{**values, "entries": tuple(values["entries"])})
    except (KeyError, TypeError):
        return None


def _marker(made: Made) -> bytes:
    return (json.dumps({"schema": _SCHEMA, **asdict(made)}, indent=1) + "\n").encode()


def _foreign(root: str, names: Sequence[str], known: Made | None) -> str:
    """What stands in the way of our entries and is not ours, "" if nothing does."""
    if known is None:
        return "" if not Path(root).is_dir() or not any(Path(root).iterdir()) else root
    ours = {*known.entries, MARKER}
    for name in names:
        folders = [str(folder) for folder in PurePath(name).parents][:-1]
        if name in ours or ours.intersection(folders):  # what lies behind a link of ours is not in the way
            continue
        linked = next((folder for folder in folders if Path(root, folder).is_symlink()), "")
        if linked:
            return f"{root}/{linked}"
        inside = [str(path.relative_to(root)) for path in Path(root, name).rglob("*") if not _is_folder(path)]
        if not _is_folder(Path(root, name)) and os.path.lexists(f"{root}/{name}"):
            inside = [name]
        theirs = next((path for path in inside if path not in ours), "")
        if theirs:
            return f"{root}/{theirs}"
    return ""


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def install(root: str, entries: Entries, made: Made) -> bool:
    """Make a directory hold a toolkit, or bring one that we made up to date; whether anything was to be done.

    GpuoptError where there is something that is not ours, or nothing can be written.
    """
    known = read_marker(root)
    if Path(root).is_symlink() or (os.path.lexists(root) and not Path(root).is_dir()):
        raise GpuoptError(f"{root}: is no directory; {_ELSEWHERE}")
    foreign = _foreign(root, [*entries, MARKER], known)
    if foreign:
        raise GpuoptError(f"{foreign}: exists and was not made by `gpuopt toolkit`; {_ELSEWHERE}")
    everything = {**entries, MARKER: _marker(made)}
    try:
        make_directories(os.path.dirname(os.path.abspath(root)))  # noqa: PTH100, PTH120 - a string is wanted
        stale = [name for name in known.entries if name not in everything] if known else []
        if stale:
            remove(root, stale)
        return make_whole(root, everything) or bool(stale)
    except OSError as error:
        raise GpuoptError(f"{root}: cannot be made: {error.strerror}; {_ELSEWHERE}, where you may write") from error


def uninstall(root: str) -> None:
    """Remove what was made, and the directory with it; GpuoptError where it was not ours, or holds other files."""
    known = read_marker(root)
    if known is None:
        raise GpuoptError(f"{root}: was not made by `gpuopt toolkit`; nothing was removed")
    try:
        left = remove(root, [*known.entries, MARKER])
    except OSError as error:
        raise GpuoptError(f"{error.filename or root}: {error.strerror}; remove the directory by hand") from error
    if left:
        raise GpuoptError(f"{root}/{left[0]}: is not of `gpuopt toolkit` and was left; remove the directory by hand")
