"""Expressions as Python functions: a hundred times faster than `evaluate` where one is wanted for every thread.

The values are those of `expr.evaluate`: C++'s, or not known. Sums, products and bitwise operators are computed without
limits, as what wraps around in between comes out the same; whatever depends on more than the low bits looks at its
operands first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from gpuopt_driver.frontend.expr import BINARY, CONVERSIONS, Const, Expr, Op, Sym, evaluate, fitting

_DEEPEST = 30  # Python parses no more than some two hundred parentheses in each other
_PLAIN = frozenset({"+", "*", "&", "|", "^"})
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_FITS = 62  # bits that no overflow can come of


class Undefined(ArithmeticError):
    """The value is not defined, or not known: a division by zero, an overflow, a shift by too much."""


def _checked(value: int | None) -> int:
    if value is None:
        raise Undefined
    return value


def _fit(value: int) -> int:
    return _checked(fitting(value))


def _made(name: str) -> Callable[..., int]:
    apply = BINARY[name]
    return lambda a, b: _checked(apply(_fit(a), _fit(b)))


_CALLS = {"/": "divide", "%": "remainder", "<<": "shl", ">>": "shr", "min": "least", "max": "most"}
_SCOPE: dict[str, object] = {word: _made(name) for name, word in _CALLS.items()}
_SCOPE.update({"fit": _fit, "int": int, "bool": bool, "__builtins__": {}, **CONVERSIONS})


def _bits(expr: Expr) -> int:
    """How many bits a value may have, symbols being numbers of 32."""
    if isinstance(expr, Const):
        return expr.value.bit_length()
    if isinstance(expr, Sym):
        return 32
    sizes = [_bits(arg) for arg in expr.args]
    if expr.op == "*":
        return sum(sizes)
    if expr.op == "+":
        return max(sizes) + len(sizes).bit_length()
    if expr.op == "<<":
        return sizes[0] + (expr.args[1].value if isinstance(expr.args[1], Const) else 64)
    return max(sizes) if expr.op != "u64" else 64


def _quotient(a: int, by: int) -> int:
    """C++'s `a / by` for a positive number, without a look at whether that fits."""
    return a // by if a >= 0 else -(-a // by)


def _remainder(a: int, by: int) -> int:
    return a % by if a >= 0 else -(-a % by)


_DIVISIONS = {"/": "quotient", "%": "remains"}
_SCOPE.update({"quotient": _quotient, "remains": _remainder})


def _divides_simply(expr: Op) -> bool:
    """Whether what is divided, by a positive number that is known, fits whatever the symbols are."""
    by = expr.args[-1]
    return expr.op in _DIVISIONS and isinstance(by, Const) and by.value > 0 and max(map(_bits, expr.args)) <= _FITS


def _fitted(expr: Expr, text: str) -> str:
    return f"fit({text})" if _bits(expr) > _FITS else text


def _python(expr: Expr, spelling: Callable[[str], str]) -> str:
    if isinstance(expr, Const):
        return f"({expr.value})"
    if isinstance(expr, Sym):
        return spelling(expr.name)
    args = [_python(arg, spelling) for arg in expr.args]
    if expr.op in _PLAIN:
        return f"({f' {expr.op} '.join(args)})"
    if expr.op in _CALLS:
        return f"{(_DIVISIONS if _divides_simply(expr) else _CALLS)[expr.op]}({', '.join(args)})"
    if expr.op in CONVERSIONS:
        return f"{expr.op}({args[0]})"
    if expr.op == "~":
        return f"(~{args[0]})"
    tests = [_fitted(arg, text) for arg, text in zip(expr.args, args, strict=True)]
    if expr.op in _COMPARISONS:
        return f"int({tests[0]} {expr.op} {tests[1]})"
    if expr.op == "?:":
        return f"({args[1]} if {tests[0]} else {args[2]})"
    if expr.op in ("&&", "||"):
        return f"int(bool({tests[0]}) {'and' if expr.op == '&&' else 'or'} bool({tests[1]}))"
    assert expr.op == "!", expr.op
    return f"int(not {tests[0]})"


@lru_cache(maxsize=1024)
def compiled(expr: Expr, names: tuple[str, ...]) -> Callable[..., int]:
    """The value of `expr` as a function of the symbols `names`, which are all that it has, in this order.

    It raises Undefined where `evaluate` gives None.
    """
    spelling = {name: f"v{number}" for number, name in enumerate(names)}
    text = f"lambda {', '.join(spelling.values())}: {_fitted(expr, _python(expr, spelling.__getitem__))}"
    made: Callable[..., int] = eval(text, dict(_SCOPE))  # noqa: S307 - of what is written above alone
    return made


@lru_cache(maxsize=1024)
def function_of(expr: Expr) -> Callable[[Mapping[str, int]], int]:
    """The value of `expr` as a function of its symbols' values by name.

    It raises KeyError where a symbol that matters has none, Undefined where `evaluate` gives None for another reason.
    """
    if _depth(expr) > _DEEPEST:
        return lambda values: _evaluated(expr, values)
    text = f"lambda v: {_fitted(expr, _python(expr, lambda name: f'v[{name!r}]'))}"
    made: Callable[[Mapping[str, int]], int] = eval(text, dict(_SCOPE))  # noqa: S307 - of what is written above alone
    return made


def _evaluated(expr: Expr, values: Mapping[str, int]) -> int:
    found = evaluate(expr, values)
    if found is None:
        raise Undefined
    return found


def _depth(expr: Expr) -> int:
    return 1 + max((_depth(arg) for arg in expr.args), default=0) if isinstance(expr, Op) else 0


def values_of(expr: Expr, names: tuple[str, ...], points: Sequence[tuple[int, ...]]) -> tuple[int | None, ...]:
    """The values at some points, None where they are not defined."""
    if _depth(expr) > _DEEPEST:
        return tuple(evaluate(expr, dict(zip(names, point, strict=True))) for point in points)
    function = compiled(expr, names)
    found: list[int | None] = []
    for point in points:
        try:
            found.append(function(*point))
        except Undefined:
            found.append(None)
    return tuple(found)
