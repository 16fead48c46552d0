"""Methods that `dataclasses` writes: compiled when they are called first, and the same as without us."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from gpuopt_driver.generated import _execute

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
at_first = len(compiled)
assert at_first == 1
assert a == Point(1, 2, [3]) and a < Point(2) and hash(a) == hash(Point(1)) and a.z is not Point(1).z
assert repr(replace(a, y=5)) == "Point(x=1, y=5, z=[])", repr(replace(a, y=5))
try:
    a.x = 2
    sys.exit("not frozen")
except AttributeError:
    pass
count = len(compiled)
for _ in range(3):
    assert repr(Point(3, 4)) == "Point(x=3, y=4, z=[])" and Point(3) != Point(4)
assert len(compiled) == count
assert Point.__init__.__qualname__ == "Point.__init__", Point.__init__.__qualname__
assert Point.__init__.__module__ == Point.__eq__.__module__ == __name__
assert list(inspect.signature(Point).parameters) == ["x", "y", "z"]
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
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_classes_of_others_are_as_they_always_were() -> None:
    program = (
        "import inspect\nfrom gpuopt_driver.generated import compile_lazily\ncompile_lazily()\n"
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: int = 2\n"
        "assert list(inspect.signature(P).parameters) == ['x', 'y'], inspect.signature(P)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


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
