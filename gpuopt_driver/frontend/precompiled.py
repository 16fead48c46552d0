"""The bundled declarations as a precompiled header: built once per language standard, architecture and version.

libclang ends its process where a precompiled header is cut or changed, and where one cannot be written whole. So one is
taken only if it has the digest that was noted when it was made, and written by a process of its own.
"""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from gpuopt_driver import __version__, store, traced
from gpuopt_driver.digests import sha256
from gpuopt_driver.frontend import libclang
from gpuopt_driver.frontend.model import ParseLevel
from gpuopt_driver.frontend.options import DECLARATIONS, UMBRELLA, ParseOptions, language_arguments

_KIND = "pch"


def _key(arguments: list[str]) -> str:
    """A name that changes with everything that libclang checks when it loads a precompiled header."""
    parts = [__version__, str(libclang.library_path()), str(DECLARATIONS), *arguments]
    library = libclang.library_path().stat()
    parts.append(f"{library.st_size} {library.st_mtime_ns}")
    headers = sorted(os.scandir(DECLARATIONS / "gpuopt"), key=lambda entry: entry.name)
    states = [(UMBRELLA, (DECLARATIONS / UMBRELLA).stat()), *((entry.name, entry.stat()) for entry in headers)]
    parts += [f"{name} {state.st_size} {state.st_mtime_ns}" for name, state in states]
    return sha256("\0".join(parts).encode())[:32]


def precompiled_header(options: ParseOptions, *, rebuild: bool = False) -> Path | None:
    """The precompiled bundled declarations for these options, None where they cannot be written."""
    root = options.cache_dir or store.find_root(os.environ)
    if root is None:
        return None
    arguments = language_arguments(options, ParseLevel.BUNDLED)
    key = _key(arguments)
    path = Path(root, _KIND, f"{key}.pch")
    try:
        if not rebuild and path.is_file() and store.is_noted_file(root, _KIND, key, path):
            return path
        store.make_directories(str(path.parent))
        return path if _build(arguments, path, root, key) else None
    except OSError:
        return None


def _build(arguments: list[str], path: Path, root: str, key: str) -> bool:
    """Parse the declarations and move the result into place, so that concurrent builds see all of it or nothing."""
    unit = libclang.Index(
        str(DECLARATIONS / "gpuopt_prelude.cu"),
        [*arguments, "-isystem", str(DECLARATIONS)],
        {str(DECLARATIONS / "gpuopt_prelude.cu"): f"#include <{UMBRELLA}>\n".encode()},
        options=libclang.INCOMPLETE | libclang.FOR_SERIALIZATION,
        exclude_precompiled=False,
    )
    scratch = tempfile.mkdtemp(prefix=store.TEMPORARY, dir=path.parent)
    try:
        made = Path(scratch, path.name)
        if not _save(unit, str(made)):
            return False
        data = made.read_bytes()
        made.replace(path)
        return store.note(root, _KIND, key, data)
    finally:
        unit.close()
        shutil.rmtree(scratch, ignore_errors=True)


def _save(unit: libclang.Index, path: str) -> bool:
    """Write a unit; whether that worked. libclang aborts where it does not, hence the process."""
    with traced.paused():
        child = os.fork()
    if child == 0:
        status = 1
        try:
            with suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            status = 0 if unit.save(path) else 1
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0
