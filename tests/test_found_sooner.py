"""An editable tree is found at the same places as by the finder of setuptools, and nothing is imported for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.found_sooner import write

NAME = "__editable___gpuopt_driver_1_0_finder"
SETUPTOOLS = """
import pathlib, re
MAPPING: dict[str, str] = {{'one': {one!r}, 'two': {two!r}}}
NAMESPACES: dict[str, list[str]] = {namespaces}
def install(): pass
"""
LOOK = f"""
import sys
import {NAME}
{NAME}.install()
{NAME}.install()
assert not {{"re", "pathlib"}} & set(sys.modules)
import one.inner, two
assert sum(finder.__name__ == "Finder" for finder in sys.meta_path if isinstance(finder, type)) == 1
try:
    import three
except ImportError:
    print(one.__file__, one.inner.__file__, two.__file__, two.__spec__.submodule_search_locations)
"""


def _site(tmp_path: Path, namespaces: str = "{}") -> Path:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    (tmp_path / "first/inner.py").touch()
    site = tmp_path / "site"
    site.mkdir()
    text = SETUPTOOLS.format(one=str(tmp_path / "first"), two=str(tmp_path / "second"), namespaces=namespaces)
    (site / f"{NAME}.py").write_text(text)
    return site


def test_the_same_places_without_an_import(tmp_path: Path) -> None:
    site = _site(tmp_path)
    for _ in range(2):  # what was written is read as what setuptools wrote
        assert write(site) == [site / f"{NAME}.py"]
    line = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.append({str(site)!r}); exec({LOOK!r})"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    first, second = tmp_path / "first", tmp_path / "second"
    wanted = f"{first}/__init__.py {first}/inner.py {second}/__init__.py ['{second}']\n"
    assert (done.stdout, done.stderr) == (wanted, "")


def test_what_it_does_not_know_stays(tmp_path: Path) -> None:
    site = _site(tmp_path, "{'three': []}")
    before = (site / f"{NAME}.py").read_text()
    assert write(site) == []
    assert (site / f"{NAME}.py").read_text() == before
