"""What every source begins with (the emulator's headers) is parsed once per compiler and options, by g++."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from gpuopt_driver.cache import Cache, digest, unless_others_do, write_atomic
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.compiler import HostCompiler
from gpuopt_driver.store import is_noted_file, make_directories, note

_MAIN = re.compile(rb'\A# \d+ "((?:[^"\\\n]|\\.)+)"\n')
_KIND = "headers"
_OUTPUTS = ("-c", "-S")
_UNPAID = 2
_UNQUOTABLE = '"\\\n'


@dataclass(frozen=True, slots=True)
class Beginning:
    """A rewritten source in two parts: what the preprocessor put before the user's first line, and the rest."""

    first: bytes  # the line that names the source
    headers: bytes
    rest: bytes


def beginning_of(text: bytes) -> Beginning | None:
    """Part a preprocessed text; None where it does not tell where the user's own text begins."""
    main = _MAIN.match(text)
    if main is None:
        return None
    start = text.find(b'\n# 1 "%s"\n' % main[1], main.end())
    return None if start < 0 else Beginning(main[0], text[main.end() : start + 1], text[start + 1 :])


@dataclass(frozen=True, slots=True)
class _Entry:
    """Where headers are kept in their compiled form, made or not."""

    root: str
    key: str
    path: Path

    def keep(self, data: bytes) -> None:
        """Put them there; an empty entry says that it cannot be done."""
        write_atomic(self.path, data)
        note(self.root, _KIND, self.key, data)

    def is_useful(self) -> bool:
        """Whether they are there and can be taken; what is not as it was made is removed, as compilers may trust it."""
        if not is_noted_file(self.root, _KIND, self.key, self.path):
            self.path.unlink()
            return False
        return self.path.stat().st_size > 0


def _entry(compiler: HostCompiler, flags: tuple[str, ...], headers: bytes, env: Mapping[str, str]) -> _Entry | None:
    cache = Cache.find(env, without=_UNQUOTABLE)
    if cache is None or compiler.is_clang:
        return None
    program = Path(compiler.path).resolve()
    key = digest(str(program), str(program.stat().st_mtime_ns), compiler.version, *flags, headers)
    return _Entry(str(cache.root), key, cache.path(_KIND, key, ".gch"))


def _make(
    compiler: HostCompiler, flags: tuple[str, ...], headers: bytes, env: Mapping[str, str], entry: _Entry
) -> None:
    """Compile the headers."""
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        source, made = Path(scratch, "headers.h"), Path(scratch, "headers.gch")
        source.write_bytes(headers)
        same = (flag for flag in flags if flag not in _OUTPUTS)
        command = (compiler.path, "-x", "c++-header", "-fpreprocessed", *same, str(source), "-o", str(made))
        done = subprocess.run(command, cwd=scratch, env=dict(env), capture_output=True, check=False)
        entry.keep(made.read_bytes() if done.returncode == 0 else b"")


def shortened(compiler: HostCompiler, flags: tuple[str, ...], text: bytes, env: Mapping[str, str]) -> bytes | None:
    """The same source with its headers taken from the cache; None where that is not to be had.

    They are compiled when they are asked for once more than _UNPAID times: who compiles few sources would only lose.
    """
    with suppress(OSError):
        parts = beginning_of(text)
        entry = _entry(compiler, flags, parts.headers, env) if parts is not None else None
        if parts is None or entry is None:
            return None
        path = entry.path
        seen = path.with_suffix(".seen")
        if not path.exists():
            asked = seen.stat().st_size if seen.exists() else 0
            if asked < _UNPAID:
                write_atomic(seen, b"." * (asked + 1))
                return None
            make_directories(str(path.parent))
            with unless_others_do(path.parent) as alone:  # a parallel build's next compilations come here meanwhile
                if not alone:
                    return None
                if not path.exists():
                    _make(compiler, flags, parts.headers, env, entry)
        if entry.is_useful():
            taken = b'#pragma GCC pch_preprocess "%s"\n' % str(path).encode("utf-8", "surrogateescape")
            return parts.first + taken + parts.rest
    return None


def forget(compiler: HostCompiler, flags: tuple[str, ...], text: bytes, env: Mapping[str, str]) -> None:
    """Never take these headers again: the compiler does not accept what was made of them."""
    with suppress(OSError):
        parts = beginning_of(text)
        entry = _entry(compiler, flags, parts.headers, env) if parts is not None else None
        if entry is not None:
            entry.keep(b"")
