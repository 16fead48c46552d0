"""Files stay short, public functions are annotated and documented, names keep to the vocabulary."""

from __future__ import annotations

import ast
import re
import warnings
from pathlib import Path

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


def functions(path: Path) -> list[Function]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_files_are_short() -> None:
    long = {name_of(path): lines(path) for path in [*FILES, *NATIVE] if lines(path) > GOAL}
    if long:
        said = ", ".join(f"{name} {count}" for name, count in sorted(long.items(), key=lambda item: -item[1]))
        warnings.warn(f"files over {GOAL} lines: {said}", stacklevel=1)
    assert {name: count for name, count in long.items() if count > LONGEST} == {}


def test_functions_fit_a_screen() -> None:
    found = {
        f"{name_of(path)}:{node.lineno} {node.name}": node.end_lineno - node.lineno + 1
        for path in FILES
        for node in functions(path)
        if node.end_lineno is not None
    }
    assert {name: count for name, count in found.items() if count > FUNCTION} == {}
    counts = sorted(found.values())
    assert counts[len(counts) // 2] <= 12


def test_every_module_is_documented() -> None:
    """Functions and classes are ruff's affair (D1), annotations mypy's."""
    assert [name_of(path) for path in FILES if not ast.get_docstring(ast.parse(path.read_text("utf-8")))] == []


def test_names_keep_to_the_vocabulary() -> None:
    banned = re.compile(r"Manager|Helper|Util|Engine")
    for path in FILES:
        names = [
            node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef | Function)
        ]
        assert not [name for name in [*names, path.stem.title()] if banned.search(name)], path
