"""Decisions are made by typed values: no code asks which words a sentence for people holds."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILES = sorted(path for name in ("gpuopt_driver", "plugins") for path in (ROOT / name).rglob("*.py"))
TOLD = {"reason", "message", "problem", "why", "unknown", "said", "complaint"}  # what holds sentences
METHODS = ("startswith", "endswith", "find", "index")
# Other programs' words, which come without a kind.
OF_OTHERS = {"gpuopt_driver/frontend/translation.py"}


def asked(module: ast.Module) -> Iterator[int]:
    """The lines that look for words in a sentence."""
    for node in ast.walk(module):
        if isinstance(node, ast.Compare) and any(isinstance(one, ast.In | ast.NotIn) for one in node.ops):
            words = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
            if words and any(name_of(one) in TOLD for one in node.comparators):
                yield node.lineno
        asks = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS
        if asks and name_of(node.func.value) in TOLD:
            yield node.lineno


def name_of(node: ast.expr) -> str:
    """The last name of `a.b.c`, or of `a`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def test_no_decision_hangs_on_a_sentence() -> None:
    found = {
        f"{path.relative_to(ROOT)}:{line}"
        for path in FILES
        if str(path.relative_to(ROOT)) not in OF_OTHERS
        for line in asked(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set()
