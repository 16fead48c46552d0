"""Methods that `dataclasses` writes: compiled when they are called first, and the same as without us."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

from gpuopt_driver.generated import _execute
from tests.fresh import assert_runs

ROOT = Path(__file__).parent.parent
PROGRAM = """
import builtins, inspect, sys
from gpuopt_driver import generated
generated.compile_lazily()
compiled = []
class Counting:
    def exec(text, scope, found):
        compiled.append(text)
        builtins.exec(text, scope, found)
generated.builtins = Counting
from dataclasses import dataclass, field, replace
__name__ = "gpuopt_driver.of_a_test"
sys.modules[__name__] = sys.modules["__main__"]
@dataclass(frozen=True, slots=True, order=True)
class Point:
    x: int
    y: int = 2
    z: list = field(default_factory=list, compare=False)
@dataclass
class Named:
    self: str
    name: str = field(default="n", kw_only=True)
    def __post_init__(self):
        self.name += "!"
@dataclass(eq=False)
class Below(Named):
    more: int = 1
assert not compiled, compiled
a = Point(1)
assert not compiled, compiled
assert a == Point(1, 2, [3]) and a < Point(2) and hash(a) == hash(Point(1)) and a.z is not Point(1).z
assert repr(replace(a, y=5)) == "Point(x=1, y=5, z=[])", repr(replace(a, y=5))
try:
    a.x = 2
    sys.exit("not frozen")
except AttributeError:
    pass
assert not [text for text in compiled if text.startswith("def __create_fn__(_type_x") ], compiled
for _ in range(6):
    Point(1)
count = len(compiled)
assert [text for text in compiled if "def __init__(" in text], compiled
for _ in range(3):
    assert repr(Point(3, 4)) == "Point(x=3, y=4, z=[])" and Point(3) != Point(4)
assert len(compiled) == count
assert Point.__init__.__qualname__ == "Point.__init__", Point.__init__.__qualname__
assert Point.__init__.__module__ == Point.__eq__.__module__ == __name__
assert list(inspect.signature(Point).parameters) == ["x", "y", "z"]
made = [Below("s", 7, name="m") for _ in range(10)]
assert {vars(one)["name"] for one in made} == {"m!"} and len({tuple(vars(one)) for one in made}) == 1
below = Below("s", 7, name="m")
assert (below.self, below.more, below.name) == ("s", 7, "m!") and below == Below("s", 7, name="m")
assert Named("s") == Named("s") and repr(Named("s")) == "Named(self='s', name='n!')"
try:
    Point()
    sys.exit("an argument is missing")
except TypeError as error:
    assert "__init__() missing 1 required positional argument: 'x'" in str(error), error
"""


def test_methods_are_compiled_when_they_are_called_and_do_the_same() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_text_of_another_form_is_executed_at_once() -> None:
    program = (
        "from gpuopt_driver.generated import _execute\nfound = {}\n_execute('a = 1\\n', {}, found)\n"
        "assert found == {'a': 1}, found"
    )
    assert_runs(program)


def test_classes_of_others_are_as_they_always_were() -> None:
    program = (
        "import inspect\nfrom gpuopt_driver.generated import compile_lazily\ncompile_lazily()\n"
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: int = 2\n"
        "assert list(inspect.signature(P).parameters) == ['x', 'y'], inspect.signature(P)\n"
    )
    assert_runs(program)


def test_the_text_for_a_whole_class() -> None:
    """As Python 3.13 writes it: all methods at once, some with decorators."""
    text = (
        "def __create_fn__(a,wrap):\n def one(self,x:int=3):\n  return a + x\n"
        " @wrap\n def __repr__(self):\n  return 'r'\n return (one,__repr__,)"
    )
    found: dict[str, Any] = {}
    _execute(text, {"__name__": "gpuopt_driver.x"}, found)
    wrapped: list[object] = []
    one, shown = found["__create_fn__"](a=4, wrap=lambda made: wrapped.append(made) or made)
    assert not wrapped
    made = type("C", (), {"one": one, "__repr__": shown})()
    assert (made.one(), made.one(x=1), repr(made), len(wrapped)) == (7, 5, "r", 1)
    assert type(made).one is not one
    assert type(made).one.__defaults__ == (3,)


def test_regular_expressions_of_ours_are_compiled_when_they_are_used() -> None:
    program = (
        "import re, sys\nfrom gpuopt_driver import generated\nmade = []\nreal = generated._compile\n"
        "generated._compile = lambda *given: made.append(given) or real(*given)\ngenerated.compile_lazily()\n"
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
