"""The files that decide what gpuopt does: every plugin's among them, and a fingerprint that changes with them."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from gpuopt_driver import installation

ROOT = Path(__file__).parents[2]


def test_plugins_are_those_that_the_loader_finds() -> None:
    points = {(point.name, point.module) for point in entry_points(group="gpuopt.plugins")}
    assert set(installation.plugin_points()) == points


def test_our_own_files_and_the_plugins_are_listed() -> None:
    names = set(installation.files())
    assert {
        str(ROOT / "gpuopt_driver" / name) for name in ("driver.py", "policy/toolchain.toml", "nvcc/vfs.c")
    } <= names
    assert any(name.endswith("catt/decide.py") for name in names)
    assert any("libclang" in name for name in names)
    assert not any("__pycache__" in name or "/cases/" in name for name in names)


def _ask(site: Path, expression: str) -> str:
    """An expression over `installation` in a fresh Python that sees a plugin in `site`."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(site), str(ROOT)))}
    code = f"from gpuopt_driver import installation; print({expression})"
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("target", ["strange", "strange.inner", "space.strange"])
def test_a_strangers_plugin_counts(tmp_path: Path, target: str) -> None:
    """A package, a module in one, and a package in a name space."""
    metadata = tmp_path / "strange-1.0.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text(
        f"[console_scripts]\nx = y:z\n\n[gpuopt.plugins]\nodd = {target}:plugin [extra]\n"
    )
    package = tmp_path / ("space/strange" if target.startswith("space") else "strange")
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('not to be imported')\n")
    (package / "inner.py").write_text("x = 1\n")
    assert ("odd", target) in eval(_ask(tmp_path, "installation.plugin_points()"))
    assert str(package / "inner.py") in _ask(tmp_path, "installation.files()")
    before = _ask(tmp_path, "installation.fingerprint()")
    assert before == _ask(tmp_path, "installation.fingerprint()")
    (package / "inner.py").write_text("x = 10\n")
    assert before != _ask(tmp_path, "installation.fingerprint()")
