"""Whether a version executes what its original's compiler left out, as it knew more.

A compiler follows what is stored to memory, or compared there, up to the next barrier or assembly that may change it.
A version that meets at more barriers, or loads by assembly, knows less than its kernel: in `y[i] = 1.0f; ...; z[i] =
w[i] * y[i]` the kernel has no product, and a mask of a number that has no sign stays in the version alone. So it counts
where an operation of the version's that would go if its elements were followed is not found in the original, or not as
often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain

from gpuopt_driver.ptx.elements import all_elements
from gpuopt_driver.ptx.identities import approximated, asked_of, given_back
from gpuopt_driver.ptx.numbers import FLOATS, Numbers
from gpuopt_driver.ptx.overflow import signed_users
from gpuopt_driver.ptx.read import Function, Instruction
from gpuopt_driver.ptx.values import Grain, Source, Values, values_of

_ROOTS = Grain(0)
_OPERATORS = frozenset({"cg", "cs", "cv", "lu", "volatile", "relaxed", "acquire", "L1", "L2"})


def forgotten(original: Function, version: Function, shift: int) -> str:
    """A floating-point operation of a version's that its original may have been spared; "": none.

    `shift` is the number of parameters that the version has in front of those of the original.
    """
    theirs, mine = values_of(original), values_of(version, shift)
    if not forgets(theirs, mine) or not _missing(theirs, mine, asked_of(version)):  # which takes less time
        return ""
    known = Numbers(mine, {}, all_elements(mine))
    if not known.follows_any:
        return ""
    return _missing(theirs, mine, list(chain(given_back(known), approximated(known))))


def unmasked(original: Function, version: Function, shift: int) -> str:
    """An operation on signed integers of a version's that its original may have been spared, as others may not wrap."""
    theirs, mine = values_of(original), values_of(version, shift)
    return _missing(theirs, mine, signed_users(mine, all_elements(mine).loads)) if forgets(theirs, mine) else ""


def _missing(theirs: Values, mine: Values, asked: Sequence[Instruction]) -> str:
    """The first of some operations that is not found in the original, of what is loaded from where; "": none.

    Outside of loops, which compilers repeat, each must be another one.
    """
    kinds = {kind for one in asked for kind in _kinds(one)}
    others = [one for one in theirs.function.instructions if not kinds.isdisjoint(_kinds(one))] if asked else []
    found: dict[tuple[str, ...], dict[Instruction, frozenset[str]]] = {}
    for one, roots in zip(others, _roots(theirs, others), strict=True):
        for kind in _kinds(one):
            found.setdefault(kind, {})[one] = roots
    repeated, once = _in_loops(theirs.function), Counter[frozenset[Instruction]]()
    turns = _in_loops(mine.function) if asked else frozenset()
    alike: dict[tuple[object, ...], frozenset[Instruction]] = {}  # of many operations these are the same
    for one, roots in zip(asked, _roots(mine, asked), strict=True):
        own = _kinds(one)
        key = (*own, roots)
        if key not in alike:
            alike[key] = frozenset(
                other for kind in own for other, known in found.get(kind, {}).items() if roots <= known
            )
        like = alike[key]
        once[like] += one not in turns and like.isdisjoint(repeated)
        if not like or once[like] > len(like):
            return one.opcode
    return ""


def _in_loops(function: Function) -> frozenset[Instruction]:
    """The instructions that stand in loops."""
    loops = [(first, last) for first, last, _ in function.loops()]
    return frozenset(one for one in function.instructions if any(first <= one.block <= last for first, last in loops))


def _kinds(one: Instruction) -> Sequence[tuple[str, ...]]:
    """What an operation is, whatever was fused, and however a comparison is written; of integers with its constants."""
    if one.type in FLOATS:
        bases = ("mul", "sum") if one.base == "fma" else ("sum" if one.base in ("add", "sub") else one.base,)
        return [(base, one.type) for base in bases]
    if one.base == "setp":
        return [(one.base, one.type)]
    return [(one.opcode, *sorted(operand for operand in one.operands[1:] if not operand.startswith("%")))]


def _roots(values: Values, asked: Sequence[Instruction]) -> Sequence[frozenset[str]]:
    """From where the operands of each of these were loaded, through other operations; not what decides between them."""
    loads: dict[str, list[Instruction]] = {}
    for one in values.function.instructions if asked else ():
        if one.base in ("ld", "ldu") and not one.opcode.startswith("ld.param"):
            loads.setdefault(values.told(Source(one), _ROOTS), []).append(one)
    made = {root: values.made_of(each) for root, each in loads.items()}
    return [frozenset(root for root, names in made.items() if not names.isdisjoint(one.operands[1:])) for one in asked]


def forgets(theirs: Values, mine: Values) -> bool:
    """Whether a version has more barriers than its original, or more loads that no compiler looks into."""
    functions = (mine.function.instructions, theirs.function.instructions)
    return any(more > fewer for more, fewer in (map(_count, functions, (kind, kind)) for kind in (_meets, _is_apart)))


def _count(instructions: Sequence[Instruction], kind: Callable[[Instruction], bool]) -> int:
    return sum(map(kind, instructions))


def _meets(one: Instruction) -> bool:
    return one.base in ("bar", "barrier", "membar", "fence")


def _is_apart(one: Instruction) -> bool:
    """Whether a load has operators, as those of assembly have."""
    return one.base == "ld" and not _OPERATORS.isdisjoint(one.opcode.replace("::", ".").split("."))
