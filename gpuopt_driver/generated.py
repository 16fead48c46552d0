"""What Python makes when our modules are imported, made where it is used first, and else never.

The methods that `dataclasses` writes: it compiles the text of every method of some 270 classes in every process, a
quarter of an analysis; most of them (orders, representations, hashes) nobody ever calls. A constructor is compiled when
it has been called a few times: until then, fields are set one by one. And regular expressions, of which an analysis of
a small source needs a third. Nothing is kept between processes: code comes from no cache.
"""

from __future__ import annotations

import builtins
import dataclasses
import re
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

_OURS = ("gpuopt_driver.", "gpuopt_plugins.")
_MAKER = "__create_fn__"  # the function that the texts define; it returns one method, or all of a class
_FEW = 6  # calls of a constructor that take less time than compiling it
_compile = re.compile
_create: Any = vars(dataclasses).get("_create_fn")  # what writes a method's text, up to Python 3.12


def compile_lazily() -> None:
    """From now on, in this process and its children."""
    # `dataclasses` calls `exec` for what it has written (Python 3.10 to 3.14): ours is found before the built-in
    vars(dataclasses)["exec"] = _execute
    if _create is not None:
        vars(dataclasses)["_create_fn"] = _created
    vars(re)["compile"] = _pattern


def _pattern(pattern: Any, flags: Any = 0) -> Any:
    """What `re.compile` does; for our modules a pattern that is compiled when it is asked for anything."""
    is_ours = str(sys._getframe(1).f_globals.get("__name__")).startswith(_OURS)
    return _Pattern(pattern, flags) if is_ours and isinstance(pattern, str | bytes) else _compile(pattern, flags)


class _Pattern:
    """A regular expression; its methods are those of the compiled one, each looked up once."""

    def __init__(self, pattern: str | bytes, flags: Any) -> None:
        self._given = pattern, flags
        self._made: re.Pattern[Any] | None = None

    def __getattr__(self, name: str) -> Any:
        if self._made is None:
            self._made = _compile(*self._given)
        found = getattr(self._made, name)
        vars(self)[name] = found
        return found


def _created(*given: Any, **named: Any) -> Any:
    """What `dataclasses` writes and executes for a method; for our classes the text is not written yet either."""
    scope = named.get("globals") or {}
    module = str(scope.get("__name__"))
    if not module.startswith(_OURS) or not given or not isinstance(given[0], str):
        return _create(*given, **named)

    made: list[FunctionType] = []

    def method(_index: int) -> FunctionType:
        if not made:
            vars(dataclasses)["exec"] = builtins.exec
            try:
                made.append(_create(*given, **named))
            finally:
                vars(dataclasses)["exec"] = _execute
        return made[0]

    return _stub(given[0], 0, method, module)


def _execute(text: str, scope: dict[str, Any], found: dict[str, Any]) -> None:
    """What exec does with a text; one that makes methods waits until one of them is called."""
    returned = text.rpartition("\n return ")[2]
    names = [name for name in returned.strip("() ").split(",") if name]
    is_ours = str(scope.get("__name__")).startswith(_OURS)  # others may look at signatures
    if not is_ours or not text.startswith(f"def {_MAKER}(") or not names or not all(map(str.isidentifier, names)):
        builtins.exec(text, scope, found)  # noqa: S102 - as `dataclasses` does
        return

    def make(**given: Any) -> Any:
        made: list[FunctionType] = []

        def method(index: int) -> FunctionType:
            if not made:
                place: dict[str, Any] = {}
                builtins.exec(text, scope, place)  # noqa: S102 - as `dataclasses` does
                whole = place[_MAKER](**given)
                made.extend(whole if isinstance(whole, tuple) else (whole,))
            return made[index]

        stubs = tuple(_stub(name, index, method, str(scope.get("__name__"))) for index, name in enumerate(names))
        return stubs if returned.startswith("(") else stubs[0]

    found[_MAKER] = make


def _stub(name: str, index: int, method: Callable[[int], FunctionType], module: str) -> FunctionType:
    """A function that puts the method in its own place when it is called first, a constructor after some calls."""
    calls = 0

    def stub(self: Any, /, *arguments: Any, **named: Any) -> Any:
        nonlocal calls
        owner = next((one for one in type(self).__mro__ if one.__dict__.get(name) is stub), None)
        if name == "__init__" and owner is not None and calls < _FEW:
            calls += 1
            if _construct(owner, self, arguments, named):
                return None
        real = method(index)
        real.__qualname__ = stub.__qualname__
        if owner is not None:
            setattr(owner, name, real)
        return real(self, *arguments, **named)

    stub.__name__ = name
    stub.__module__ = module
    assert isinstance(stub, FunctionType)
    return stub


def _construct(owner: Any, made: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Do what the constructor of a dataclass does, if all is as usual; whether that was so, else nothing is done."""
    fields = dataclasses.fields(owner)
    if len(fields) != len(owner.__dataclass_fields__):  # what is passed on to `__post_init__`, or the class's own
        return False
    positional = [one.name for one in fields if one.init and not one.kw_only]
    given = dict(zip(positional, arguments, strict=False))
    if len(arguments) > len(positional) or not given.keys().isdisjoint(named):
        return False
    given.update(named)
    values: list[tuple[str, Any]] = []
    factories: list[tuple[str, Callable[[], Any]]] = []
    for one in fields:
        if one.init and one.name in given:
            values.append((one.name, given.pop(one.name)))
        elif one.default_factory is not dataclasses.MISSING:
            factories.append((one.name, one.default_factory))
        elif one.init and one.default is not dataclasses.MISSING:
            values.append((one.name, one.default))
        elif one.init or one.default is not dataclasses.MISSING:
            return False  # an argument is missing
    if given:
        return False
    put = object.__setattr__ if owner.__dataclass_params__.frozen else setattr
    for name, value in values:
        put(made, name, value)
    for name, factory in factories:
        put(made, name, factory())
    if hasattr(made, "__post_init__"):
        made.__post_init__()
    return True
