"""The methods that `dataclasses` writes for our classes, compiled where they are called first, and else never.

It compiles the text of every method of some 180 classes in every process, a quarter of an analysis; most of them
(orders, representations, hashes) nobody ever calls. Nothing is kept between processes: code comes from no cache.
"""

from __future__ import annotations

import builtins
import dataclasses
from collections.abc import Callable
from types import FunctionType
from typing import Any

_OURS = ("gpuopt_driver.", "gpuopt_plugins.")
_MAKER = "__create_fn__"  # the function that the texts define; it returns one method, or all of a class


def compile_lazily() -> None:
    """From now on, in this process and its children."""
    # `dataclasses` calls `exec` for what it has written (Python 3.10 to 3.14): ours is found before the built-in
    vars(dataclasses)["exec"] = _execute


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
    """A function that puts the method in its own place when it is called first."""

    def stub(self: Any, /, *arguments: Any, **named: Any) -> Any:
        real = method(index)
        real.__qualname__ = stub.__qualname__
        for owner in type(self).__mro__:
            if owner.__dict__.get(name) is stub:
                setattr(owner, name, real)
                break
        return real(self, *arguments, **named)

    stub.__name__ = name
    stub.__module__ = module
    assert isinstance(stub, FunctionType)
    return stub
