"""The bundled declarations as a precompiled header: built once per language standard, architecture and version."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from gpuopt_driver import __version__
from gpuopt_driver.frontend import libclang
from gpuopt_driver.frontend.model import ParseLevel
from gpuopt_driver.frontend.options import DECLARATIONS, UMBRELLA, ParseOptions, language_arguments


def cache_directory(options: ParseOptions) -> Path:
    """Where precompiled headers are kept."""
    if options.cache_dir:
        return Path(options.cache_dir) / "pch"
    named = os.environ.get("GPUOPT_CACHE_DIR")
    if named:
        return Path(named) / "pch"
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    return Path(base) / "gpuopt" / "pch"


def _key(arguments: list[str]) -> str:
    """A name that changes with everything that libclang checks when it loads a precompiled header."""
    digest = hashlib.sha256()
    parts = [__version__, str(libclang.library_path()), str(DECLARATIONS), *arguments]
    library = libclang.library_path().stat()
    parts.append(f"{library.st_size} {library.st_mtime_ns}")
    for path in [DECLARATIONS / UMBRELLA, *sorted((DECLARATIONS / "gpuopt").iterdir())]:
        state = path.stat()
        parts.append(f"{path.name} {state.st_size} {state.st_mtime_ns}")
    digest.update("\0".join(parts).encode())
    return digest.hexdigest()[:32]


def precompiled_header(options: ParseOptions, *, rebuild: bool = False) -> Path | None:
    """The precompiled bundled declarations for these options, None where they cannot be written."""
    arguments = language_arguments(options, ParseLevel.BUNDLED)
    try:
        directory = cache_directory(options)
        path = directory / f"{_key(arguments)}.pch"
        if path.is_file() and not rebuild:
            return path
        directory.mkdir(parents=True, exist_ok=True)
        return path if _build(arguments, path) else None
    except OSError:
        return None


def _build(arguments: list[str], path: Path) -> bool:
    """Parse the declarations and move the result into place, so that concurrent builds see all of it or nothing."""
    unit = libclang.Index(
        str(DECLARATIONS / "gpuopt_prelude.cu"),
        [*arguments, "-isystem", str(DECLARATIONS)],
        {str(DECLARATIONS / "gpuopt_prelude.cu"): f"#include <{UMBRELLA}>\n".encode()},
        options=libclang.INCOMPLETE | libclang.FOR_SERIALIZATION,
        exclude_precompiled=False,
    )
    try:
        handle, temporary = tempfile.mkstemp(prefix=path.stem, suffix=".tmp", dir=path.parent)
        os.close(handle)
        if not unit.save(temporary):
            Path(temporary).unlink(missing_ok=True)
            return False
        Path(temporary).replace(path)
        return True
    finally:
        unit.close()
