"""The overlay by a stand-in for the host compiler, which preprocesses in a mirror of the directories of patched files.

The last resort, for host compilers that no preloaded library reaches on systems that allow no namespaces. Mirror and
stand-in live in a directory of this one run. `host_shim.py` is what nvcc then calls.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.nvcc.command import NvccCommand, Phase
from gpuopt_driver.nvcc.inputs import InputKind
from gpuopt_driver.nvcc.overlaid import OverlaidFile, Overlay, OverlayUnavailable

_OPTIONS = ("-ccbin", "--compiler-bindir")
_DEFAULT = ("gcc", "g++")  # what nvcc calls where no host compiler is named


def _is_directory(named: str) -> bool:
    """Whether what names the host compiler is the directory that it is in; nothing ("") is none."""
    return bool(named) and Path(named).is_dir()


def _ancestors(path: str) -> Iterable[str]:
    """The directories above a path, up to the root."""
    return map(str, Path(path).parents)


def _mirror(root: str, files: Sequence[OverlaidFile], directories: set[str]) -> None:
    """Real directories for `directories`, with links to everything in them, to the copies for the overlaid files."""
    copies = {file.original: file.copy for file in files}
    for directory in sorted(directories):
        Path(root + directory).mkdir(parents=True, exist_ok=True)
        for entry in os.scandir(directory):
            path = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
            if entry.path in directories:
                continue
            mirrored = path in directories or path in copies
            target = copies.get(entry.path) or (root + path if mirrored else entry.path)
            Path(root + entry.path).symlink_to(target)


@dataclass(frozen=True, slots=True)
class Shim(Overlay):
    """`directory` holds mirror and stand-ins; `named` is what was given as the host compiler, "" where nothing was."""

    directory: str
    named: str
    from_environment: bool

    mechanism = "shim"

    @property
    def _programs(self) -> str:
        return f"{self.directory}/bin"

    @property
    def _stand_in(self) -> str:
        """What is named in place of `named`: a directory for a directory, else a program of that name."""
        return self._programs if _is_directory(self.named) else f"{self._programs}/{Path(self.named).name}"

    def variables(self, env: Mapping[str, str]) -> dict[str, str]:
        """The way to the stand-in, where no option names the host compiler."""
        if not self.named:
            return {"PATH": f"{self._programs}:{env.get('PATH', os.defpath)}"}
        return {"NVCC_CCBIN": self._stand_in} if self.from_environment else {}

    def arguments(self, argv: Sequence[str]) -> list[str]:
        """The arguments, with the stand-in in place of the host compiler."""
        if not self.named or self.from_environment:
            return list(argv)
        changed: list[str] = []
        for argument in argv:
            name, equals, _ = argument.partition("=")
            if changed and changed[-1] in _OPTIONS:
                changed.append(self._stand_in)
            else:
                changed.append(f"{name}={self._stand_in}" if equals and name in _OPTIONS else argument)
        return changed

    def as_without(self, output: bytes) -> bytes:
        """The output with the real host compiler's name as nvcc prints it."""
        ours, name = self._programs, Path(self.named).name
        output = output.replace(os.fsencode(f"{ours}:"), b"")
        if not self.named:
            return output
        if _is_directory(self.named):
            return output.replace(os.fsencode(ours), os.fsencode(self.named.rstrip("/")))
        theirs = f'"{Path(self.named).parent}"/{name}' if "/" in self.named else name
        return output.replace(os.fsencode(f'"{ours}"/{name}'), os.fsencode(theirs))

    def close(self) -> None:
        """Remove mirror and stand-ins."""
        shutil.rmtree(self.directory, ignore_errors=True)


def _named(command: NvccCommand, env: Mapping[str, str]) -> tuple[str, bool]:
    """What names the host compiler ("" for nothing), and whether that is the environment."""
    if not command.host_compiler:
        return env.get("NVCC_CCBIN", ""), True
    found = {
        value if equals else following
        for argument, following in zip(command.argv_for_nvcc, (*command.argv_for_nvcc[1:], ""), strict=True)
        for name, equals, value in [argument.partition("=")]
        if name in _OPTIONS
    }
    if len(found) != 1:
        raise OverlayUnavailable("the host compiler is not named, once, on the command line itself")
    return found.pop(), False


def _stand_ins(directory: str, named: str, compiler: str, env: Mapping[str, str]) -> None:
    """The programs that nvcc calls: each starts `host_shim.py` with the real compiler."""
    if named and not _is_directory(named):
        real = {Path(named).name: compiler}
    else:
        place = named or env.get("PATH")
        real = {name: path for name in _DEFAULT if (path := shutil.which(name, path=place))}
    script = str(Path(__file__).with_name("host_shim.py"))
    for name, path in real.items():
        # argv[0] as nvcc gives it: a compiler may look for its parts beside it, and prints it in messages
        shown = f"{named.rstrip('/')}/{name}" if _is_directory(named) else named
        words = [sys.executable, "-ISE", script, directory, path, shown or name]
        program = Path(directory, "bin", name)
        program.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', "utf-8", "surrogateescape")
        program.chmod(0o755)


def make_shim(command: NvccCommand, files: tuple[OverlaidFile, ...], compiler: str, env: Mapping[str, str]) -> Shim:
    """Mirror and stand-in for one run; OverlayUnavailable where this mechanism would not show everything."""
    if any(item.kind in (InputKind.C, InputKind.CXX) for item in command.inputs):
        raise OverlayUnavailable("C++ sources beside CUDA sources would see original headers")
    if command.phase is Phase.RUN:
        raise OverlayUnavailable("nothing can be removed after -run")
    named, from_environment = _named(command, env)
    cwd = os.path.realpath(command.cwd)
    directories = {cwd, *_ancestors(f"{cwd}/x")}
    for file in files:
        directories.update(_ancestors(file.original))
    directory = os.path.realpath(tempfile.mkdtemp(prefix="gpuopt-"))
    made = Shim(files, directory, named, from_environment)
    try:
        Path(directory, "bin").mkdir()
        _mirror(f"{directory}/root", files, directories)
        _stand_ins(directory, named and command.path(named) if "/" in named else named, compiler, env)
        plan = {"originals": [file.original for file in files], "directories": sorted(directories)}
        Path(directory, "plan.json").write_text(json.dumps(plan), "ascii")
    except OSError as error:
        made.close()
        raise OverlayUnavailable(f"mirror: {error.filename}: {error.strerror}") from error
    return made
