"""Who may import whom: the contract of pyproject.toml, and what plugins may use of gpuopt."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from pathlib import Path

import pytest

from gpuopt_driver import api
from gpuopt_driver.scaffold import create

ROOT = Path(__file__).parents[2]
PLUGINS = sorted((ROOT / "plugins").rglob("*.py"))
SAMPLE = sorted((ROOT / "tests" / "sample_plugin").rglob("*.py"))


@cache
def imports(path: Path) -> tuple[tuple[str, str], ...]:
    """(module, name) of every absolute import of a file."""
    found: list[tuple[str, str]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found += ((str(node.module), alias.name) for alias in node.names)
    return tuple(found)


def test_the_layers_hold(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    cli = pytest.importorskip("importlinter.cli")
    monkeypatch.chdir(ROOT)
    assert cli.lint_imports(no_cache=True) == 0, capsys.readouterr().out


@pytest.mark.parametrize("path", [*PLUGINS, *SAMPLE], ids=lambda path: str(path.relative_to(ROOT)))
def test_a_plugin_imports_the_api_alone(path: Path) -> None:
    used = {(module, name) for module, name in imports(path) if module.split(".")[0] == "gpuopt_driver"}
    assert {module for module, _ in used} <= {"gpuopt_driver.api"}
    assert {name for _, name in used} <= set(api.__all__)
    others = {module.split(".")[0] for module, _ in imports(path)} - {"gpuopt_driver"}
    assert others <= set(sys.stdlib_module_names) | {"highspy", "networkx"}


def test_a_new_plugin_imports_the_api_alone(tmp_path: Path) -> None:
    for path in (create("fresh", tmp_path) / "gpuopt_fresh").glob("*.py"):
        used = {module for module, _ in imports(path) if module.startswith("gpuopt")}
        assert used <= {"gpuopt_driver.api"}, path


@pytest.mark.xdist_group("imports")
def test_nothing_of_gpuopt_imports_a_plugin() -> None:
    for path in (ROOT / "gpuopt_driver").rglob("*.py"):
        assert not [module for module, _ in imports(path) if module.startswith("gpuopt_plugins")], path


@pytest.mark.xdist_group("imports")
def test_only_declared_distributions_are_imported() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    declared = re.search(r"^dependencies = \[(.*?)\]", text, re.DOTALL | re.MULTILINE)
    assert declared is not None
    names = {name.replace("-", "_") for name in re.findall(r'"([\w-]+)', declared.group(1))}
    modules = {{"libclang": "clang"}.get(name, name) for name in names}
    for path in (ROOT / "gpuopt_driver").rglob("*.py"):
        used = {module.split(".")[0] for module, _ in imports(path)} - {"gpuopt_driver", "__future__"}
        allowed = modules | {"pytest"} if path.parent.name == "testing" else modules
        if path == ROOT / "gpuopt_driver/tuning/workers.py":
            assert '"distributed>=' in text  # the extra tune
            allowed = allowed | {"dask", "distributed"}
        assert used - set(sys.stdlib_module_names) <= allowed, path


def test_the_api_has_what_it_promises() -> None:
    assert sorted(api.__all__) == sorted(set(api.__all__))
    assert not [name for name in api.__all__ if not hasattr(api, name)]
