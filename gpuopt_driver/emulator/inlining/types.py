"""Types of variables and arguments, as far as template arguments have to be told from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.builtin_variables import BUILTINS
from gpuopt_driver.emulator.fission.tree import BASIC, Declined
from gpuopt_driver.emulator.inlining.draft import Token, word, written
from gpuopt_driver.emulator.lexer import Kind

_MEMBERS = (b".", b"->", b"::")
_STORAGE = frozenset(
    {b"static", b"extern", b"__shared__", b"register", b"constexpr", b"inline", b"__restrict__", b"__restrict"}
    | {b"volatile", b"restrict"}
)
_INTEGER = re.compile(rb"(?:0[xX][0-9a-fA-F]{1,7}|0|[1-9][0-9]{0,8})")
_FLOAT = re.compile(rb"(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?")


@dataclass(frozen=True, slots=True)
class Type:
    """`base`: words of a type, `const` perhaps first; `stars`: how many pointers; `bounds`: array bounds."""

    base: tuple[Token, ...]
    stars: int = 0
    bounds: tuple[Token, ...] = ()

    def text(self) -> bytes:
        """The type as it is written."""
        return written(self.base) + b"*" * self.stars + written(self.bounds)

    def plain(self) -> bytes:
        """The type without `const`, for comparison."""
        texts = [one.text for one in self.base if one.word != b"const"]
        texts = [text.removeprefix(_SAME)[:-1] if text.startswith(_SAME) else text for text in texts]
        texts = [one for text in texts for one in text.split()]
        if b"unsigned" in texts and b"int" in texts:
            texts.remove(b"int")
        return b" ".join(sorted(texts)) + b"*" * self.stars


_SAME = b"::gpuopt_emu::Same<"


def one_word(part: tuple[Token, ...], number: int) -> tuple[Token, ...]:
    """A type as one token, so that `T(0)` can be written with it; `number` makes a word for one that has none."""
    if len(part) < 2:
        return part
    words = [one.word for one in part]
    if sorted(words) == [b"int", b"unsigned"]:
        return (word(b"unsigned", part[0].at),)
    name = words[0] if BASIC.issuperset(words) else b"gpuopt_type%d" % number
    return (word(name, part[0].at, _SAME + written(part) + b">"),)


def type_of(part: Iterable[Token], bounds: Iterable[Token] = ()) -> Type | None:
    """The type that a variable is declared with, in the tokens before its name; None where it cannot be told."""
    base: list[Token] = []
    stars = 0
    for one in part:
        if one.word == b"*":
            stars += 1
        elif one.word == b"&" or (one.word == b"const" and stars) or one.word in _STORAGE:
            continue  # a reference stands for what it refers to
        elif one.word in (b"auto", b"decltype", b"(", b"[", b"&&", b"__attribute__", b"alignas", b"__align__"):
            return None
        else:
            base.append(one)
    constant = [one for one in base if one.word == b"const"]
    others = [one for one in base if one.word != b"const"]
    return Type((*constant[:1], *others), stars, tuple(bounds)) if others else None


def _dimensions(bounds: tuple[Token, ...]) -> list[tuple[Token, ...]]:
    found: list[tuple[Token, ...]] = []
    depth = 0
    for one in bounds:
        if one.word == b"[" and depth == 0:
            found.append(())
        found[-1] += (one,)
        depth += (one.word == b"[") - (one.word == b"]")
    return found


def decayed(kind: Type) -> Type:
    """The type of a value: of an array a pointer."""
    dimensions = _dimensions(kind.bounds)
    if len(dimensions) > 1:
        raise Declined("an array of arrays whose type must be told")
    return Type(kind.base, kind.stars + 1) if dimensions else kind


def literal_type(part: tuple[Token, ...]) -> Type | None:
    """The type of a number."""
    if len(part) != 1 or part[0].kind is not Kind.NUMBER or part[0].text[:1] == b"'":
        return None
    text, at = part[0].word, part[0].at
    if _INTEGER.fullmatch(text):
        return Type((word(b"int", at),))
    if text[-1:] in b"uU" and _INTEGER.fullmatch(text[:-1]):
        return Type((word(b"unsigned", at), word(b"int", at)))
    if text[-1:] in b"fF" and _FLOAT.fullmatch(text[:-1]):
        return Type((word(b"float", at),))
    return Type((word(b"double", at),)) if _FLOAT.fullmatch(text) and not text.isdigit() else None


def expression(part: tuple[Token, ...], types: Mapping[bytes, Type | None]) -> bytes:
    """An expression that has the type of this one, where no variable is in scope."""
    text: list[bytes] = []
    for index, one in enumerate(part):
        member = index > 0 and part[index - 1].word in _MEMBERS
        if one.word in (b"{", b"return") or (one.word == b"[" and _opens_lambda(part, index)):
            raise Declined("an argument whose type cannot be told")
        if one.kind is Kind.WORD and not member and one.word in BUILTINS:
            text.append(b"::gpuopt_emu::of_type<const %s>()" % BUILTINS[one.word][0])
        elif one.kind is Kind.WORD and not member and one.word in types:
            kind = types[one.word]
            if kind is None or one.text != one.word:
                raise Declined("a variable whose type cannot be told")
            text.append(b"::gpuopt_emu::of_type<" + kind.text() + b">()")
        else:
            text.append(one.text)
    return b" ".join(filter(None, text))


def _opens_lambda(part: tuple[Token, ...], index: int) -> bool:
    return index == 0 or (part[index - 1].kind is Kind.PUNCT and part[index - 1].word not in (b")", b"]"))


def deduced(
    pattern: tuple[Token, ...], name: bytes, given: tuple[Token, ...], types: Mapping[bytes, Type | None], number: int
) -> tuple[Token, ...]:
    """What the template's type parameter `name` is, for a function's parameter declared as `pattern` and the argument
    `given`; raises Declined. `number` makes a word for a type that has none."""
    words = [one.word for one in pattern if one.word not in _STORAGE and one.word != b"const"]
    constant = any(one.word == b"const" for one in pattern[: _first(pattern, b"*")])
    at = given[0].at if given else 0
    known = types.get(given[0].word) if len(given) == 1 and given[0].kind is Kind.WORD else literal_type(given)
    if words not in ([name], [name, b"*"], [name, b"&"]):
        raise Declined("a parameter from which the type is not told")
    if known is None:
        how = {1: b"Deduced", 2: b"DeducedTo" if words[-1] == b"*" else b"DeducedReferred"}[len(words)]
        how = how + b"Constant" if constant and len(words) == 2 else how
        text = b"::gpuopt_emu::%s<decltype((%s))>" % (how, expression(given, types))
        return (word(b"gpuopt_type%d" % number, at, text),)
    if words[-1] == b"&" and known.bounds:
        raise Declined("an array by reference")
    kind = known if words[-1] == b"&" else decayed(known)
    stars = kind.stars - (words[-1] == b"*")
    if stars < 0:
        raise Declined("an argument that is no pointer")
    base = kind.base
    by_value = words == [name]
    if base[0].word == b"const" and stars == 0 and (by_value or constant):
        base = base[1:]
    return (*(word(one.word, at, one.text) for one in base), *(word(b"*", at) for _ in range(stars)))


def _first(pattern: tuple[Token, ...], wanted: bytes) -> int:
    return next((at for at, one in enumerate(pattern) if one.word == wanted), len(pattern))


def converted(kind: tuple[bytes, ...], part: tuple[Token, ...]) -> tuple[Token, ...]:
    """A value for a template's parameter, or a constant of a function's, of this type."""
    at = part[0].at
    plain = len(part) == 1 and _INTEGER.fullmatch(part[0].word) is not None
    if plain and kind == (b"int",):
        return part
    if plain and kind in ((b"unsigned",), (b"unsigned", b"int")):
        return (word(part[0].word + b"u", at),)
    if kind == (b"bool",) and len(part) == 1 and part[0].word in (b"true", b"false"):
        return part
    cast = (b"static_cast", b"<", *kind, b">", b"(")
    return (*(word(one, at) for one in cast), *part, word(b")", at))
