"""Regular expressions of ours that are compiled when they are used first."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.fresh import assert_runs

ROOT = Path(__file__).parent.parent


def test_regular_expressions_of_ours_are_compiled_when_they_are_used() -> None:
    program = (
        "import re, sys\nfrom gpuopt_driver import expressions\nmade = []\nreal = expressions._compile\n"
        "expressions._compile = lambda *given: made.append(given) or real(*given)\nexpressions.compile_lazily()\n"
        "theirs = re.compile('a')\nassert type(theirs) is re.Pattern\n__name__ = 'gpuopt_driver.of_a_test'\n"
        "ours = re.compile(rb'(?P<n>A)', re.IGNORECASE)\nassert len(made) == 1, made\n"
        "assert ours.sub(b'-', b'xa') == b'x-' and ours.search(b'bA')['n'] == b'A' and ours.pattern == rb'(?P<n>A)'\n"
        "assert ours.findall(b'aA') == [b'a', b'A'] and ours.groups == 1 and len(made) == 2, made\n"
    )
    assert_runs(program)


def test_no_function_of_re_gets_what_only_stands_for_a_pattern() -> None:
    """`re.sub(PATTERN, ...)` takes texts and compiled patterns alone; `PATTERN.sub(...)` is the same."""
    found = []
    for path in sorted(path for top in ("gpuopt_driver", "plugins") for path in (ROOT / top).rglob("*.py")):
        text = path.read_text("utf-8")
        if "re.compile(" not in text:
            continue
        nodes = list(ast.walk(ast.parse(text)))
        patterns = {
            name.id
            for node in nodes
            if isinstance(node, ast.Assign) and function_of_re(node.value) == "compile"
            for name in node.targets
            if isinstance(name, ast.Name)
        }
        calls = [node for node in nodes if isinstance(node, ast.Call) and function_of_re(node)]
        found += [f"{path}:{one.lineno}" for one in calls if one.args and ast.unparse(one.args[0]) in patterns]
    assert not found


def function_of_re(node: ast.expr) -> str:
    """Its name where a function of `re` is called, else nothing."""
    called = node.func if isinstance(node, ast.Call) else None
    is_of_re = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "re"
    return called.attr if is_of_re and isinstance(called, ast.Attribute) else ""
