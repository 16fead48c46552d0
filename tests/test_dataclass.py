"""Our `dataclass` makes what `dataclasses` makes, and compiles a method when it is called first."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
import types
from collections.abc import Callable
from typing import Any

import pytest

from gpuopt_driver import dataclass as ours

CLASSES = '''
from __future__ import annotations
from typing import ClassVar
from dataclasses import InitVar, field

@dataclass(frozen=True, slots=True)
class Point:
    """Two numbers and a list."""
    x: int
    y: int = 2
    z: list[int] = field(default_factory=list, compare=False)
    @property
    def sum(self) -> int:
        return self.x + self.y

@dataclass
class Named:
    self: str
    name: str = field(default="n", kw_only=True)
    def __post_init__(self):
        self.name += "!"

@dataclass(slots=True)
class Counter:
    of: str
    seen: int = field(default=0, init=False, repr=False)
    parts: dict[str, int] = field(default_factory=dict, init=False)
    last: int = field(default=7, kw_only=True)
    def __post_init__(self) -> None:
        self.seen += 1

@dataclass(frozen=True)
class Loose:
    a: float = 0.5
    b: tuple[int, ...] = ()

@dataclass(eq=False, slots=True)
class Itself:
    a: int = 1

@dataclass(frozen=True, slots=True)
class Own:
    a: int
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own)
    def __repr__(self) -> str:
        return "mine"

@dataclass(frozen=True, slots=True)
class OwnHash:
    a: int
    def __hash__(self) -> int:
        return 5

@dataclass(frozen=True, slots=True, order=True)
class Ordered:
    a: int

@dataclass
class Special:
    known: ClassVar[int] = 4
    given: InitVar[int]
    kept: int = 0
    def __post_init__(self, given):
        self.kept += given

@dataclass(frozen=True)
class Base:
    a: int
    def __post_init__(self):
        if self.a < 0:
            raise ValueError("negative")

@dataclass(frozen=True)
class Below(Base):
    b: int = 3

class Undecorated(Point):
    __slots__ = ()

@dataclass(frozen=True, slots=True)
class Empty:
    pass

@dataclass(frozen=True, slots=True)
class Tree:
    below: list[Tree] = field(default_factory=list)
'''
CALLS: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "Point": [
        ((1,), {}),
        ((1, 2, [3]), {}),
        ((2,), {"z": [1], "y": 5}),
        ((), {}),
        ((1,), {"x": 2}),
        ((1, 2, 3, 4), {}),
        ((1,), {"q": 1}),
    ],
    "Named": [(("s",), {}), (("s",), {"name": "m"}), (("s", "m"), {}), ((), {"name": "m"})],
    "Counter": [(("o",), {}), (("o",), {"last": 1}), (("o", 1), {}), (("o",), {"seen": 1})],
    "Loose": [((), {}), ((1.0, (1, 2)), {}), ((), {"b": (4,)})],
    "Itself": [((), {}), ((2,), {})],
    "Own": [((1,), {}), ((2,), {})],
    "OwnHash": [((1,), {}), ((2,), {})],
    "Ordered": [((1,), {}), ((2,), {})],
    "Special": [((1,), {}), ((1, 2), {}), ((), {})],
    "Base": [((1,), {}), ((-1,), {}), ((), {})],
    "Below": [((1,), {}), ((1, 2), {}), ((-1,), {})],
    "Undecorated": [((1,), {}), ((1, 2), {}), ((), {})],
    "Empty": [((), {}), ((1,), {})],
    "Tree": [((), {}), (([],), {})],
}


def module_of(name: str, decorator: Any) -> types.ModuleType:
    module = types.ModuleType(name)
    sys.modules[name] = module
    vars(module)["dataclass"] = decorator
    exec(compile(CLASSES, name, "exec"), vars(module))
    return module


@pytest.fixture(scope="module")
def both() -> tuple[types.ModuleType, types.ModuleType]:
    return module_of("made_by_dataclasses", dataclasses.dataclass), module_of("made_by_ours", ours.dataclass)


def told(action: Callable[[], Any]) -> str:
    """What comes of it: a value's text, or an error's type and words."""
    try:
        return repr(action())
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def facts(cls: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> list[object]:
    """All that can be seen of an object and of a second one that is made in the same way."""

    def make() -> Any:
        return cls(*copy.deepcopy(arguments), **copy.deepcopy(named))

    first = told(make)
    if "Error" in first.partition(":")[0]:
        return [first]
    one, two = make(), make()
    name = dataclasses.fields(cls)[0].name if dataclasses.fields(cls) else "nothing"
    return [
        first,
        told(lambda: one == two),
        told(lambda: one == one),
        told(lambda: one != 3),
        told(lambda: cls.__hash__ is object.__hash__ or hash(one) == hash(two)),
        told(lambda: one < two),
        told(lambda: dataclasses.asdict(one)),
        told(lambda: dataclasses.replace(one, **{name: getattr(one, name)})),
        told(lambda: copy.copy(one)),
        told(lambda: copy.deepcopy(one)),
        told(lambda: pickle.loads(pickle.dumps(one))),
        told(lambda: setattr(two, name, 1)) if name != "nothing" else "",
        told(lambda: two),
        "Error" in told(lambda: setattr(two, "unknown", 1)),  # of slots and `frozen`, theirs is not the one to expect
        told(lambda: delattr(two, name)) if name != "nothing" else "",
        told(lambda: hasattr(one, "__dict__")),
    ]


@pytest.mark.parametrize("name", CALLS)
def test_objects_are_those_of_dataclasses(name: str, both: tuple[types.ModuleType, types.ModuleType]) -> None:
    theirs, mine = (getattr(module, name) for module in both)
    for _ in range(4):  # constructors do without their text at first
        for arguments, named in CALLS[name]:
            assert facts(mine, arguments, named) == facts(theirs, arguments, named), (arguments, named)


@pytest.mark.parametrize("name", CALLS)
def test_classes_say_what_those_of_dataclasses_say(name: str, both: tuple[types.ModuleType, types.ModuleType]) -> None:
    def said(cls: Any) -> list[Any]:
        params = cls.__dataclass_params__
        return [
            str(inspect.signature(cls)),
            cls.__match_args__,
            [(field.name, field.type, field.init, field.kw_only) for field in dataclasses.fields(cls)],
            (params.init, params.repr, params.eq, params.order, params.frozen),
            cls.__dict__.get("__slots__"),
            cls.__qualname__,
            cls.__hash__ is None,
            {key for key in vars(cls) if key.startswith("__") and "annot" not in key} - {"__signature__"},
            cls.__init__.__qualname__,
            cls.__init__.__module__ == cls.__module__,
        ]

    theirs, mine = (getattr(module, name) for module in both)
    assert said(mine) == said(theirs)
    before = inspect.get_annotations(theirs.__init__)
    for _ in range(8):
        told(lambda: mine(*CALLS[name][0][0]))
    assert inspect.get_annotations(mine.__init__) == before
    assert said(mine) == said(theirs)


def test_matching_a_nan_and_a_recursive_object(both: tuple[types.ModuleType, types.ModuleType]) -> None:
    mine = both[1]
    nan = float("nan")
    assert mine.Loose(nan) == mine.Loose(nan)
    tree = mine.Tree()
    tree.below.append(tree)
    assert repr(tree) == "Tree(below=[...])"
    match mine.Point(3, 4):
        case mine.Point(x, y):
            assert (x, y) == (3, 4)


@pytest.mark.parametrize("decorator", [dataclasses.dataclass, ours.dataclass], ids=["theirs", "ours"])
def test_what_cannot_be_a_dataclass_is_refused(decorator: Any) -> None:
    def class_of(text: str, **options: Any) -> None:
        scope: dict[str, Any] = {"__name__": __name__}
        exec(f"from __future__ import annotations\nclass A:\n{text}", scope)
        decorator(**options)(scope["A"])

    with pytest.raises(TypeError, match="non-default argument 'b' follows default argument"):
        class_of("    a: int = 1\n    b: int\n")
    with pytest.raises(ValueError, match="mutable default"):
        class_of("    a: list[int] = []\n")
    with pytest.raises(TypeError, match="overwrite attribute __setattr__"):
        class_of("    a: int\n    def __setattr__(self, name, value): ...\n", frozen=True)
    with pytest.raises(TypeError, match="unexpected keyword argument 'cold'"):
        class_of("    a: int\n", cold=True)


def test_methods_are_compiled_when_they_are_called() -> None:
    program = """
from gpuopt_driver import dataclass as ours
texts = []
real = ours._compiled
ours._compiled = lambda cls, name, *rest: texts.append(f"{cls.__name__}.{name}") or real(cls, name, *rest)
@ours.dataclass(frozen=True, slots=True)
class Point:
    x: "int"
    y: "int" = 2
a = Point(1)
assert not texts and repr(a) == "Point(x=1, y=2)"
assert a == Point(1) and hash(a) == hash(Point(1)) and texts == ["Point.__eq__", "Point.__hash__"], texts
made = [Point(1, y) for y in range(20)]
assert [one.y for one in made] == list(range(20)) and len(set(made)) == 20
assert texts == ["Point.__eq__", "Point.__hash__", "Point.__init__"], texts
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
