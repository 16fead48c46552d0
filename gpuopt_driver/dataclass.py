"""`dataclasses.dataclass` for a program that is started often: a class costs a tenth until it is used.

Most of what `dataclasses` takes for a class (0.3 ms and more) is the text of six methods that it compiles. Here methods
that need no text of their own are shared, `__eq__` and `__hash__` are compiled when they are first called, and
`__init__` when it has been called a few times. Constructors of frozen classes with slots are a third faster, too.
What comes of it is a dataclass: `fields`, `replace`, `asdict`, patterns and pickling do as with any other.
Options other than `frozen`, `slots` and `eq`, and classes with dataclasses as bases or with fields of a special kind
(`ClassVar`, `InitVar`, `KW_ONLY`), are left to `dataclasses`.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterable
from inspect import Signature, signature
from reprlib import recursive_repr
from types import MemberDescriptorType

__all__ = ["dataclass"]

TYPE_CHECKING = False  # `typing` is not imported for it
if TYPE_CHECKING:
    from dataclasses import Field, dataclass
    from typing import Any
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> Any:
        """As `dataclasses.dataclass`; see this module."""
        if cls is None:
            return lambda decorated: dataclass(decorated, **options)
        if options.keys() - _OPTIONS or not _is_plain(cls):
            return dataclasses.dataclass(cls, **options)
        return _processed(cls, **options)


_OPTIONS = frozenset({"frozen", "slots", "eq"})
_SPECIAL = ("ClassVar", "InitVar", "KW_ONLY")
_FROZEN_METHODS = frozenset({"__setattr__", "__delattr__"})
_NOT_GIVEN = type("_NotGiven", (), {"__repr__": lambda _: "<factory>"})()
_FEW = 6  # calls of a constructor that take less time than compiling it


def _is_plain(cls: Any) -> bool:
    annotations = cls.__annotations__
    return (
        not any(hasattr(base, "__dataclass_fields__") for base in cls.__mro__[1:])
        and not cls.__dict__.keys() & _FROZEN_METHODS
        and "self" not in annotations
        and all(isinstance(kind, str) and not any(word in kind for word in _SPECIAL) for kind in annotations.values())
    )


def _processed(decorated: type, *, frozen: bool = False, slots: bool = False, eq: bool = True) -> Any:
    own = decorated.__dict__
    told = own.keys()
    hashed = "__hash__" in told and not (own["__hash__"] is None and "__eq__" in told)
    cls: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(decorated)
    _in_order(cls)
    parameters = cls.__dataclass_params__
    parameters.init = parameters.repr = True
    parameters.eq, parameters.frozen = eq, frozen
    _when_called(cls, "__init__", _init)
    cls.__signature__ = _Signature()
    if "__repr__" not in told:
        _put(cls, _repr)
    if eq and "__eq__" not in told:
        _when_called(cls, "__eq__", _eq)
    if eq and not hashed:
        if frozen:
            _when_called(cls, "__hash__", _hash)
        else:
            cls.__hash__ = None
    if frozen:
        _freeze(cls)
        if slots:
            for method in (_getstate, _setstate):
                if f"_{method.__name__}__" not in told:
                    _put(cls, method)
    return cls


def _in_order(cls: Any) -> None:
    """The error of `dataclasses` for a field without a default behind one with a default."""
    seen = False
    for field in _initialised(cls):
        if field.kw_only:
            continue
        has_default = not (field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING)
        if seen and not has_default:
            raise TypeError(f"non-default argument {field.name!r} follows default argument")
        seen |= has_default


def _initialised(cls: Any) -> list[Field[Any]]:
    return [field for field in dataclasses.fields(cls) if field.init]


def _when_called(cls: Any, name: str, make: Callable[[Any], Callable[..., Any]]) -> None:
    """A method that is made, and takes its own place in the class, when it is called (a constructor: some times)."""
    calls = 0

    def method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        made = cls.__dict__[name]
        if made is method:
            calls += 1
            if name == "__init__" and calls <= _FEW and _fill(cls, self, args, kwargs):
                return None
            made = make(cls)
            setattr(cls, name, made)
        return made(self, *args, **kwargs)

    method.__name__ = name
    method.__qualname__ = f"{cls.__qualname__}.{name}"
    method.__module__ = cls.__module__
    setattr(cls, name, method)


def _fill(cls: Any, made: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> bool:
    """Do what the constructor does, if the arguments are as they should be; whether they were, else nothing is done."""
    fields = dataclasses.fields(cls)
    positional = [field.name for field in fields if field.init and not field.kw_only]
    given = dict(zip(positional, arguments, strict=False))
    if len(arguments) > len(positional) or not given.keys().isdisjoint(named):
        return False
    given.update(named)
    values: list[tuple[str, Callable[[], Any] | None, Any]] = []
    for field in fields:
        if field.init and field.name in given:
            values.append((field.name, None, given.pop(field.name)))
        elif field.default_factory is not dataclasses.MISSING:
            values.append((field.name, field.default_factory, None))
        elif field.default is not dataclasses.MISSING:
            values.append((field.name, None, field.default))
        elif field.init:
            return False
    if given:
        return False
    put = object.__setattr__ if cls.__dataclass_params__.frozen else setattr
    for name, factory, value in values:
        put(made, name, value if factory is None else factory())
    if hasattr(cls, "__post_init__"):
        made.__post_init__()
    return True


class _Signature:
    """What `inspect.signature` says of a class whose `__init__` is yet to be made."""

    def __get__(self, instance: object, cls: Any) -> Signature:
        found = signature(_init(cls))
        return found.replace(parameters=list(found.parameters.values())[1:])


def _put(cls: Any, function: Callable[..., Any]) -> None:
    setattr(cls, f"_{function.__name__}__", function)


def _compiled(cls: Any, name: str, parameters: Iterable[str], body: Iterable[str], known: dict[str, Any]) -> Any:
    """A function of a class's module, with what is known to its text alone."""
    lines = "\n".join(f"  {line}" for line in body)
    text = f"def make({', '.join(known)}):\n def {name}({', '.join(parameters)}):\n{lines}\n return {name}"
    module = sys.modules.get(cls.__module__)
    made: dict[str, Any] = {}
    exec(text, vars(module) if module else {}, made)  # noqa: S102 - as dataclasses does
    function = made["make"](**known)
    function.__qualname__ = f"{cls.__qualname__}.{name}"
    return function


def _init(cls: Any) -> Any:
    frozen, slots = cls.__dataclass_params__.frozen, "__slots__" in cls.__dict__
    known: dict[str, Any] = {"_not_given": _NOT_GIVEN, "_assign": object.__setattr__}
    parameters, body = ["self"], []
    keywords: list[str] = []
    for field in dataclasses.fields(cls):
        name = field.name
        value, default = name, ""
        if field.default_factory is not dataclasses.MISSING:
            known[f"_make_{name}"] = field.default_factory
            default = "=_not_given"
            value = f"_make_{name}() if {name} is _not_given else {name}" if field.init else f"_make_{name}()"
        elif field.default is not dataclasses.MISSING:
            known[f"_default_{name}"] = field.default
            default = f"=_default_{name}"
            if not field.init:
                value = f"_default_{name}"
        if field.init:
            (keywords if field.kw_only else parameters).append(name + default)
        elif not default or (field.default is not dataclasses.MISSING and not slots):
            continue
        place = cls.__dict__.get(name)
        if not frozen:
            body.append(f"self.{name} = {value}")
        elif isinstance(place, MemberDescriptorType):
            known[f"_set_{name}"] = place.__set__  # sooner than `object.__setattr__` by a third
            body.append(f"_set_{name}(self, {value})")
        else:
            body.append(f"_assign(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    function = _compiled(
        cls, "__init__", [*parameters, *(("*", *keywords) if keywords else ())], body or ["pass"], known
    )
    function.__annotations__ = {field.name: field.type for field in _initialised(cls)} | {"return": None}
    return function


def _values(cls: Any, of: str) -> str:
    names = [field.name for field in dataclasses.fields(cls) if field.compare]
    return f"({''.join(f'{of}.{name},' for name in names)})"


def _eq(cls: Any) -> Any:
    same = f"{_values(cls, 'self')} == {_values(cls, 'other')}"
    body = ("if other.__class__ is self.__class__:", f" return {same}", "return NotImplemented")
    return _compiled(cls, "__eq__", ("self", "other"), body, {})


def _hash(cls: Any) -> Any:
    return _compiled(cls, "__hash__", ("self",), (f"return hash({_values(cls, 'self')})",), {})


@recursive_repr()
def _repr(self: Any) -> str:
    told = (f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr)
    return f"{self.__class__.__qualname__}({', '.join(told)})"


def _freeze(cls: Any) -> None:
    names = frozenset(field.name for field in dataclasses.fields(cls))

    def _setattr(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def _delattr(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    _put(cls, _setattr)
    _put(cls, _delattr)


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _setstate(self: Any, state: Iterable[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=False):
        object.__setattr__(self, field.name, value)
