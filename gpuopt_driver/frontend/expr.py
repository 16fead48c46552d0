"""Integer expressions over thread, block, loop and parameter symbols: the index forms of memory accesses.

An expression is a frozen tree that can be evaluated for a lane, read as a polynomial (`coefficient`), and
written as C++ again. Whatever the frontend cannot model is a `Sym` of kind UNKNOWN, never a guess.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from enum import Enum
from operator import is_

from gpuopt_driver.dataclass import dataclass


class SymKind(Enum):
    """What a symbol stands for."""

    THREAD = "thread"  # threadIdx.{x,y,z}
    BLOCK = "block"  # blockIdx.{x,y,z}
    BLOCK_DIM = "block_dim"  # blockDim.{x,y,z}
    GRID_DIM = "grid_dim"  # gridDim.{x,y,z}
    LOOP = "loop"  # the induction variable of a loop; name is "loop<stmt id>"
    PARAM = "param"  # a scalar kernel parameter (or a field of one: "p.n"), unmodified in the kernel
    TEMPLATE = "template"  # a template parameter in a pattern that is not instantiated here
    HOST = "host"  # a host variable in a launch configuration
    UNKNOWN = "unknown"  # data-dependent or not modelled


@dataclass(frozen=True, slots=True)
class Const:
    """An integer constant."""

    value: int
    size, uniform, known = 1, True, True  # no fields: of every constant


@dataclass(frozen=True, slots=True)
class Sym:
    """A symbol. `uniform`: proved to have the same value for all threads of a block (at one time)."""

    name: str
    kind: SymKind
    uniform: bool = False
    size = 1  # no field: of every symbol

    @property
    def known(self) -> bool:
        """Whether it stands for something that is modelled."""
        return self.kind is not SymKind.UNKNOWN

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True, slots=True)
class Op:
    """`op` applied to `args`: + * / % << >> & | ^ ~ min max ?: < <= > >= == != && || !, or one of CONVERSIONS.

    C++'s meaning, of numbers that have their type's value: where a type may make another number of it, it is converted.
    """

    op: str
    args: tuple[Expr, ...]
    _hash: int = field(init=False, repr=False, compare=False)  # expressions are looked up more often than made
    size: int = field(init=False, repr=False, compare=False)  # nodes of the tree, shared ones as often as they occur
    uniform: bool = field(init=False, repr=False, compare=False)  # whether all symbols are
    known: bool = field(init=False, repr=False, compare=False)  # likewise

    def __post_init__(self) -> None:
        size, uniform, known = 1, True, True
        for arg in self.args:
            size += arg.size
            uniform = uniform and arg.uniform
            known = known and arg.known
        object.__setattr__(self, "_hash", hash((self.op, self.args)))
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "uniform", uniform)
        object.__setattr__(self, "known", known)

    def __hash__(self) -> int:
        return self._hash


Expr = Const | Sym | Op

ZERO = Const(0)
ONE = Const(1)

_SMALL = 1024
_CONSTANTS = {0: ZERO, 1: ONE}


def constant(value: int) -> Const:
    """An integer constant; small ones, which most are, are made once."""
    found = _CONSTANTS.get(value)
    if found is None or type(value) is not int:
        found = Const(value)
        if type(value) is int and -_SMALL <= value <= _SMALL:
            _CONSTANTS[value] = found
    return found


_LEAST, _LARGEST = -(1 << 63), (1 << 63) - 1


def fitting(value: int) -> int | None:
    """A value, None where 64 bits with a sign do not hold it: what C++ makes of it depends on its type."""
    return value if _LEAST <= value <= _LARGEST else None


def _wrapping(bits: int, *, signed: bool) -> Callable[[int], int]:
    """The conversion to an integer type of so many bits."""
    half = 1 << (bits - 1) if signed else 0
    return lambda value: ((value + half) & ((1 << bits) - 1)) - half


# Conversions to types of C++, which frontends write down where a value may not fit.
CONVERSIONS: dict[str, Callable[[int], int]] = {
    "u32": _wrapping(32, signed=False),
    "i32": _wrapping(32, signed=True),
    "i64": _wrapping(64, signed=True),
    "u64": _wrapping(64, signed=False),
}
_CPP_TYPES = {"u32": "unsigned", "i32": "int", "i64": "long long", "u64": "unsigned long long"}


def divide(a: int, b: int) -> int:
    """C's division: towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


# Operators of two arguments that are known and fit; None: the result is not defined.
BINARY: dict[str, Callable[[int, int], int | None]] = {
    "/": lambda a, b: divide(a, b) if b else None,
    "%": lambda a, b: a - divide(a, b) * b if b else None,
    "<<": lambda a, b: a << b if 0 <= b < 64 else None,
    ">>": lambda a, b: a >> b if 0 <= b < 64 else None,
    "min": min,
    "max": max,
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
}


def add(*terms: Expr) -> Expr:
    """The sum of the terms, constants folded."""
    flat: list[Expr] = []
    number = 0
    for term in terms:
        if isinstance(term, Const):
            number += term.value
        elif isinstance(term, Op) and term.op == "+":
            for part in term.args:
                if isinstance(part, Const):
                    number += part.value
                else:
                    flat.append(part)
        else:
            flat.append(term)
    if number or not flat:
        flat.append(constant(number))
    return flat[0] if len(flat) == 1 else Op("+", tuple(flat))


def mul(*factors: Expr) -> Expr:
    """The product of the factors, constants folded."""
    flat: list[Expr] = []
    number = 1
    for factor in factors:
        if isinstance(factor, Const):
            number *= factor.value
        elif isinstance(factor, Op) and factor.op == "*":
            for part in factor.args:
                if isinstance(part, Const):
                    number *= part.value
                else:
                    flat.append(part)
        else:
            flat.append(factor)
    if number == 0:
        return ZERO
    if number != 1 or not flat:
        flat.insert(0, constant(number))
    return flat[0] if len(flat) == 1 else Op("*", tuple(flat))


def neg(value: Expr) -> Expr:
    """The negated expression."""
    return mul(constant(-1), value)


def sub(left: Expr, right: Expr) -> Expr:
    """The difference of two expressions."""
    return add(left, neg(right))


def op(name: str, *args: Expr) -> Expr:
    """An operator applied to expressions, folded when all are constant; + * - neg go through their own makers."""
    if name == "+":
        return add(*args)
    if name == "*":
        return mul(*args)
    if name == "-":
        return sub(args[0], args[1])
    if name == "neg":
        return neg(args[0])
    if name == "/" and args[1] == ONE:
        return args[0]
    if name in ("&&", "||"):
        return _logical(name, args[0], args[1])
    if name == "?:" and isinstance(args[0], Const):
        return args[1] if args[0].value else args[2]
    made = Op(name, args)
    if all(isinstance(arg, Const) for arg in args):
        value = evaluate(made, {})
        if value is not None:
            return constant(value)
    return made


def _logical(name: str, left: Expr, right: Expr) -> Expr:
    """&& and || with a constant side decided."""
    deciding = name == "||"
    for side, other in ((left, right), (right, left)):
        if isinstance(side, Const):
            if bool(side.value) == deciding:
                return Const(int(deciding))
            return other if isinstance(other, Op) else op("!=", other, ZERO)
    return Op(name, (left, right))


def evaluate(expr: Expr, values: Mapping[str, int]) -> int | None:
    """The value under `values` (by symbol name), C++'s; None: a symbol that matters is missing, or it is not defined.

    Not defined are divisions by zero, shifts by a negative number or by 64 and more, and what 64 bits do not hold.
    """
    value = _unlimited(expr, values)
    return None if value is None else fitting(value)


def _unlimited(expr: Expr, values: Mapping[str, int]) -> int | None:
    """The same before it has to fit: wrapping around later gives the same as wrapping around at once."""
    if isinstance(expr, Const):
        return expr.value
    if isinstance(expr, Sym):
        return values.get(expr.name)
    if expr.op in ("?:", "&&", "||"):
        return _short_circuit(expr, values)
    args: list[int] = []
    for arg in expr.args:
        value = _unlimited(arg, values)
        if value is None:
            return None
        args.append(value)
    return _apply(expr.op, args)


def _short_circuit(expr: Op, values: Mapping[str, int]) -> int | None:
    """Operators that evaluate what they need."""
    first = evaluate(expr.args[0], values)
    if first is None:
        return None
    if expr.op == "?:":
        return _unlimited(expr.args[1 if first else 2], values)
    if bool(first) == (expr.op == "||"):
        return int(bool(first))
    second = evaluate(expr.args[1], values)
    return None if second is None else int(bool(second))


def _apply(name: str, args: list[int]) -> int | None:
    if name == "+":
        return sum(args)
    if name == "*":
        return math.prod(args)
    if name in _BITWISE:
        return _BITWISE[name](*args)
    if name == "~":
        return ~args[0]
    if name in CONVERSIONS:
        return CONVERSIONS[name](args[0])
    if any(fitting(arg) is None for arg in args):
        return None
    return int(not args[0]) if name == "!" else BINARY[name](args[0], args[1])


_BITWISE: dict[str, Callable[[int, int], int]] = {
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
}


def substitute(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    """The expression with symbols (by name) replaced."""
    if isinstance(expr, Const):
        return expr
    if isinstance(expr, Sym):
        return values.get(expr.name, expr)
    args = [substitute(arg, values) for arg in expr.args]
    return expr if all(map(is_, args, expr.args)) else op(expr.op, *args)


def symbols(expr: Expr) -> Iterator[Sym]:
    """Every symbol of the expression, with repetitions, from left to right."""
    left = [expr]
    while left:
        one = left.pop()
        if isinstance(one, Sym):
            yield one
        elif isinstance(one, Op):
            left.extend(reversed(one.args))


def is_uniform(expr: Expr) -> bool:
    """Whether the value is proved equal for all threads of a block."""
    return expr.uniform


def is_known(expr: Expr) -> bool:
    """Whether the expression has no UNKNOWN symbol."""
    return expr.known


def coefficient(expr: Expr, name: str) -> Expr | None:
    """The coefficient of a symbol in `expr`, or None where `expr` is not linear in it.

    Linear means: expr = coefficient * symbol + rest with neither part containing the symbol. A symbol that does
    not occur has coefficient 0.
    """
    if all(symbol.name != name for symbol in symbols(expr)):
        return ZERO
    if isinstance(expr, Sym):
        return ONE
    if isinstance(expr, Op) and expr.op == "+":
        parts = [coefficient(arg, name) for arg in expr.args]
        known = [part for part in parts if part is not None]
        return add(*known) if len(known) == len(parts) else None
    if isinstance(expr, Op) and expr.op == "*":
        holders = [arg for arg in expr.args if any(symbol.name == name for symbol in symbols(arg))]
        if len(holders) != 1:
            return None
        inner = coefficient(holders[0], name)
        others = [arg for arg in expr.args if arg is not holders[0]]
        return None if inner is None else mul(*others, inner)
    if isinstance(expr, Op) and expr.op == "<<" and isinstance(expr.args[1], Const) and 0 <= expr.args[1].value < 63:
        inner = coefficient(expr.args[0], name)
        return None if inner is None else mul(inner, Const(1 << expr.args[1].value))
    return None


_CPP_FUNCTIONS = ("min", "max")


def to_cpp(expr: Expr, rename: Callable[[Sym], str] = lambda symbol: symbol.name) -> str:
    """The expression as C++ (64-bit signed literals); `rename` gives each symbol's spelling."""
    if isinstance(expr, Const):
        return f"{expr.value}LL" if expr.value >= 0 else f"({expr.value}LL)"
    if isinstance(expr, Sym):
        return rename(expr)
    args = [to_cpp(arg, rename) for arg in expr.args]
    if expr.op == "?:":
        return f"({args[0]} ? {args[1]} : {args[2]})"
    if expr.op in _CPP_FUNCTIONS:
        joined = args[0]
        sign = "<" if expr.op == "min" else ">"
        for arg in args[1:]:
            joined = f"({joined} {sign} {arg} ? {joined} : {arg})"
        return joined
    if expr.op in CONVERSIONS:
        return f"((long long)({_CPP_TYPES[expr.op]}){args[0]})"
    if len(args) == 1:
        return f"({expr.op}{args[0]})"
    return "(" + f" {expr.op} ".join(args) + ")"


def to_text(expr: Expr) -> str:
    """The expression for people to read."""
    if isinstance(expr, Const):
        return str(expr.value)
    if isinstance(expr, Sym):
        return expr.name
    args = [to_text(arg) for arg in expr.args]
    if expr.op == "+":
        return " + ".join(args).replace("+ -", "- ")
    # Sums, and in quotients and the like products too, stand in parentheses; all else brings its own.
    inner = ("+",) if expr.op == "*" else ("+", "*")
    grouped = [
        f"({arg})" if isinstance(part, Op) and part.op in inner else arg
        for part, arg in zip(expr.args, args, strict=True)
    ]
    if expr.op == "*":
        return "-" + "*".join(grouped[1:]) if args[0] == "-1" else "*".join(grouped)
    if expr.op == "?:":
        return f"({args[0]} ? {args[1]} : {args[2]})"
    if expr.op in _CPP_FUNCTIONS:
        return f"{expr.op}({', '.join(args)})"
    if expr.op in CONVERSIONS:
        return f"({_CPP_TYPES[expr.op]})({args[0]})"
    if len(args) == 1:
        return f"{expr.op}{grouped[0]}"
    return f"({f' {expr.op} '.join(grouped)})"
