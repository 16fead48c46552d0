"""`gpuopt new-plugin NAME`: a distribution with a small working plugin, its cases and its tests, to start from."""

from __future__ import annotations

import keyword
import os
import re
import shutil
import tempfile
from pathlib import Path

from gpuopt_driver import __version__
from gpuopt_driver.errors import UsageError
from gpuopt_driver.plugins import load_plugins

_TEMPLATES = Path(__file__).parent / "templates" / "plugin"
_SUFFIX = ".in"
_TAKEN = ("gpuopt", "driver", "plugins", "testing")  # would be mistaken for parts of gpuopt itself


def create(name: str, directory: str | Path) -> Path:
    """Write the distribution `gpuopt-NAME` into a directory and return its path; all of it, or nothing.

    UsageError for a name that cannot be a plugin's, and for a place that is taken or cannot be written to.
    """
    _check_name(name)
    target = Path(directory) / f"gpuopt-{name.replace('_', '-')}"
    if target.exists() or target.is_symlink():
        raise UsageError(f"{target} exists; choose another name or directory")
    words = {
        "@name@": name,
        "@dist@": target.name,
        "@package@": f"gpuopt_{name}",
        "@CODE@": name.replace("_", "").upper(),
        "@version@": __version__,
    }
    if target.parent.exists() and not target.parent.is_dir():
        raise UsageError(f"{directory}: is no directory")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".gpuopt-new-", dir=target.parent))
        try:
            made = scratch / "made"
            _write(_TEMPLATES, made, words)
            made.rename(target)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {error.strerror or error}") from error
    return target


def _check_name(name: str) -> None:
    if keyword.iskeyword(name):
        raise UsageError(f"'{name}' cannot name a plugin: it is a word of Python's")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name.endswith("_"):
        proposed = re.sub(r"\W+", "_", name.lower(), flags=re.ASCII).strip("_")
        usable = re.fullmatch(r"[a-z][a-z0-9_]*", proposed) and not keyword.iskeyword(proposed)
        hint = f"; did you mean '{proposed}'?" if usable else ""
        raise UsageError(f"'{name}' cannot name a plugin: lower-case letters, digits and _ only, a letter first{hint}")
    if name in _TAKEN:
        raise UsageError(f"'{name}' cannot name a plugin: gpuopt itself has that name")
    twin = load_plugins().get(name)
    if twin is not None:
        raise UsageError(f"a plugin '{name}' is installed already, by {twin.source}; choose another name")


def _write(template: Path, target: Path, words: dict[str, str]) -> None:
    """Copy a tree of templates; words are replaced in texts and in names."""
    if template.is_dir():
        target.mkdir()
        for entry in sorted(template.iterdir()):
            name = entry.name.removesuffix(_SUFFIX)
            if entry.is_dir() or name != entry.name:
                _write(entry, target / _replaced("@package@" if name == "package" else name, words), words)
        return
    target.write_bytes(os.fsencode(_replaced(template.read_text(encoding="utf-8"), words)))


def _replaced(text: str, words: dict[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(word, value)
    return text
