"""Files stay short, public functions are annotated and documented, names keep to the vocabulary."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(path for name in ("gpuopt_driver", "plugins") for path in (ROOT / name).rglob("*.py"))
NATIVE = sorted(path for path in (ROOT / "gpuopt_driver").rglob("*") if path.suffix in (".h", ".cpp", ".c"))
LONGEST, GOAL = 500, 300  # lines
FUNCTION = 80  # lines

Function = ast.FunctionDef | ast.AsyncFunctionDef


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@dataclass(frozen=True)
class Module:
    """What is looked at in one file."""

    is_documented: bool
    names: tuple[str, ...]  # of classes and functions
    lengths: dict[str, int]  # lines of each function, by its line and name


def module_of(path: Path) -> Module:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef | Function)]
    return Module(
        bool(ast.get_docstring(tree)),
        tuple(node.name for node in found),
        {
            f"{node.lineno} {node.name}": node.end_lineno - node.lineno + 1
            for node in found
            if isinstance(node, Function) and node.end_lineno is not None
        },
    )


@pytest.fixture(scope="module")
def modules() -> dict[Path, Module]:
    """Every file, parsed once for all tests."""
    return {path: module_of(path) for path in FILES}


def test_files_are_short() -> None:
    long = {name_of(path): lines(path) for path in [*FILES, *NATIVE] if lines(path) > GOAL}
    if long:
        said = ", ".join(f"{name} {count}" for name, count in sorted(long.items(), key=lambda item: -item[1]))
        warnings.warn(f"files over {GOAL} lines: {said}", stacklevel=1)
    assert {name: count for name, count in long.items() if count > LONGEST} == {}


def test_functions_fit_a_screen(modules: dict[Path, Module]) -> None:
    found = {
        f"{name_of(path)}:{place}": length
        for path, module in modules.items()
        for place, length in module.lengths.items()
    }
    assert {name: count for name, count in found.items() if count > FUNCTION} == {}
    counts = sorted(found.values())
    assert counts[len(counts) // 2] <= 12


def test_every_module_is_documented(modules: dict[Path, Module]) -> None:
    """Functions and classes are ruff's affair (D1), annotations mypy's."""
    assert [name_of(path) for path, module in modules.items() if not module.is_documented] == []


def test_names_keep_to_the_vocabulary(modules: dict[Path, Module]) -> None:
    banned = re.compile(r"Manager|Helper|Util|Engine")
    for path, module in modules.items():
        assert not [name for name in [*module.names, path.stem.title()] if banned.search(name)], path
