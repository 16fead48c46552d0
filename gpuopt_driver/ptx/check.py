"""What nvcc made of the versions of a unit's kernels, held against what it made of the kernels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from types import MappingProxyType

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.ptx.bare import laid_bare
from gpuopt_driver.ptx.computed import computed, knows_more
from gpuopt_driver.ptx.elements import Elements, elements, updated
from gpuopt_driver.ptx.forgotten import forgotten, unmasked
from gpuopt_driver.ptx.fusion import Difference, difference, has_products
from gpuopt_driver.ptx.guess import Choices, choices
from gpuopt_driver.ptx.identities import left_out
from gpuopt_driver.ptx.mend import mended
from gpuopt_driver.ptx.names import MARK, original_of, version_of
from gpuopt_driver.ptx.overflow import follows, overflows
from gpuopt_driver.ptx.read import Function, function, texts
from gpuopt_driver.ptx.registers import missed
from gpuopt_driver.ptx.undefined import undefined
from gpuopt_driver.ptx.values import values_of
from gpuopt_driver.variants.emitted import SHARED_MEMORY, Emitted

ROUNDING = "GPUOPT020"
BUILT_IN = "GPUOPT021"
UNDEFINED = "GPUOPT022"
_TYPES = {"f64": "double", "f32": "float", "f16": "half", "f16x2": "half2", "bf16": "bfloat16", "bf16x2": "bfloat162"}
UNSEEN = (ROUNDING, "nvcc was not seen to make PTX of the version, which could be compared")
LONGEST = 100_000  # characters of a version's PTX that is changed: for longer ones it takes a second, mostly in vain
_PLAN = 1  # parameters that a version has in front of its original's


@dataclass(frozen=True, slots=True)
class Refusal:
    """A compiled version that may compute something else than its kernel: the code of the finding, and why."""

    version: Emitted
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Mends:
    """Other bodies of versions in a module, by name.

    `judged` is the module with them, and with what is known of ptxas written down in the kernels, for the comparison to
    say whether they are right.
    """

    bodies: Mapping[str, str]
    judged: str


@dataclass(frozen=True, slots=True)
class Terms:
    """What a build demands. `is_final`: the machine code is made of this PTX, one function at a time (not by -dlto).

    `any_rounding`: the policy allows other rounding. `is_optimized`: ptxas fuses products (with -G it does not).
    """

    is_final: bool = True
    any_rounding: bool = False
    is_optimized: bool = True


@dataclass(frozen=True, slots=True)
class Judged:
    """What one module shows: the versions in it, the code and reason of those that must not be used, its kernels."""

    seen: frozenset[Emitted]
    refused: Mapping[Emitted, tuple[str, str]]
    entries: tuple[str, ...]


def judged(module: str, versions: Sequence[Emitted], terms: Terms) -> Judged:
    """The versions in one PTX module."""
    found: dict[Emitted, tuple[str, str]] = {}
    seen: set[Emitted] = set()
    bodies = {name: (lines, is_entry) for name, is_entry, lines in texts(module)}
    for name in bodies:
        mine = versions_of(name, versions)
        seen.update(mine)
        wrong = _wrong(name, bodies, mine, terms) if mine else None
        if wrong is not None:
            found.update(dict.fromkeys(mine, wrong))
    return Judged(frozenset(seen), found, tuple(name for name, (_, is_entry) in bodies.items() if is_entry))


def refusals(modules: Iterable[str], versions: Sequence[Emitted], terms: Terms) -> tuple[Refusal, ...]:
    """The versions that must not be used, by the PTX modules that were made for all GPUs of a build."""
    found: dict[Emitted, Refusal] = {}
    seen: set[Emitted] = set()
    for text in modules:
        one = judged(text, versions, terms)
        seen.update(one.seen)
        found.update({version: Refusal(version, *wrong) for version, wrong in one.refused.items()})
    for version in versions:
        if version not in seen:
            found[version] = Refusal(version, *UNSEEN)
    return tuple(found.values())


def left_to_ptxas(module: str, refused: Set[Emitted]) -> dict[str, Choices]:
    """By name, kernels whose versions were refused for their rounding, with what ptxas may make of them."""
    bodies = {name: (lines, is_entry) for name, is_entry, lines in texts(module)}
    tried = (name for name, (lines, is_entry) in bodies.items() if is_entry and _is(name, refused) and _is_short(lines))
    originals = {original_of(name, bodies) for name in tried}
    names = sorted(one for one in originals if one is not None)
    return {name: choices(function(name, bodies[name][0], is_entry=True), 0) for name in names}


def mends(
    module: str,
    refused: Set[Emitted],
    known: Mapping[str, Function],
    left: Mapping[str, Choices] = MappingProxyType({}),
) -> Mends | None:
    """Changes that give versions that were refused for their rounding that of their kernels; None: none known.

    `known` has, by name, kernels with all that ptxas does written down, as `left` has it among others.
    """
    bodies = {name: (lines, is_entry) for name, is_entry, lines in texts(module)}
    changed: dict[str, str] = {}
    made: dict[str, str] = {}
    for name, (lines, is_entry) in bodies.items():
        original = original_of(name, bodies)
        if original is None or original not in known or not is_entry or not (_is(name, refused) and _is_short(lines)):
            continue
        whole = known[original]
        version = function(name, lines, is_entry=True)
        right = (
            None
            if computed(whole, version, _PLAN)
            else mended(whole, version, _PLAN, left[original].picked(whole) if original in left else {})
        )
        if right is not None:
            changed["\n".join(bodies[original][0])] = "\n".join(whole.lines)
            made[name] = changed["\n".join(lines)] = "\n".join(right.lines)
    return Mends(made, _replaced(module, changed)) if made else None


def _is_short(lines: Sequence[str]) -> bool:
    """Whether a version's text is short enough for looking for another one that has its kernel's rounding."""
    return sum(map(len, lines)) <= LONGEST


def _is(name: str, refused: Set[Emitted]) -> bool:
    """Whether a function is one of these versions."""
    return any(one in refused for one in versions_of(name, tuple(refused)))


def _replaced(text: str, bodies: Mapping[str, str]) -> str:
    """A module with other bodies of functions; each names parameters or labels of its own."""
    for before, after in bodies.items():
        text = text.replace(before, after, 1)
    return text


def versions_of(name: str, versions: Sequence[Emitted]) -> list[Emitted]:
    """The versions that a function is, or that call it: a copy's name ends with the version's and a digest."""
    told = version_of(name) if MARK in name else None
    if told is None:
        return []
    _, plain, label = told
    exact = [one for one in versions if one.kernel == plain and one.clone == label]
    copied = label.rpartition("_")[0]
    return exact or [one for one in versions if copied in one.members]


def _wrong(
    name: str, bodies: Mapping[str, tuple[list[str], bool]], versions: Sequence[Emitted], terms: Terms
) -> tuple[str, str] | None:
    """The code and reason for which a version, or a copy of a function for it, is refused."""
    lines, is_entry = bodies[name]
    variable = missed(lines, frozenset().union(*(one.redefines for one in versions)))
    if variable:
        return BUILT_IN, f"the compiled version reads {variable} where it does not know the version's own"
    other = original_of(name, bodies)
    original = None if other is None else function(other, bodies[other][0], is_entry=bodies[other][1])
    version = function(name, lines, is_entry=is_entry)
    reason = _undefined(original, version, versions) if original is not None else ""
    if reason:
        return UNDEFINED, reason
    if terms.any_rounding:
        return None
    reason = _left_out(original, version, versions) if original is not None and terms.is_optimized else ""
    if reason:
        return ROUNDING, reason
    return _rounds(version, original, versions, terms)


def _undefined(original: Function, version: Function, versions: Sequence[Emitted]) -> str:
    """Why the constants of a version may give a function's numbers another meaning, "" where they do not."""
    for one in versions:
        given = (dict(one.constants), one.params if original.is_entry else ())
        operation = undefined(original, *given)
        if operation:
            return f"with the version's constants {operation} may be undefined, and nvcc take any result"
        operation = overflows(original, *given)
        if operation:
            return f"with the version's constants nvcc may count on a number not to overflow ({operation})"
        operation = follows(original, _followed(original, one))
        if operation:
            return f"of what the version puts into memory nvcc may count on a number not to overflow ({operation})"
    operation = "" if any(one.constants for one in versions) else unmasked(original, version, _PLAN)
    if operation:
        return f"in the kernel nvcc may count on a number not to overflow that the version loads again ({operation})"
    return ""


def _followed(original: Function, one: Emitted) -> Elements:
    """What a version's compiler follows in memory, and its original's may not."""
    values, params = values_of(original), one.params if original.is_entry else ()
    places = [place for place, name in enumerate(params) if name in one.follows]
    named = elements(values, places, shared=SHARED_MEMORY in one.follows) if one.follows else Elements()
    return named.with_those(updated(values)) if one.constants else named


def _left_out(original: Function, version: Function, versions: Sequence[Emitted]) -> str:
    """Why what is known in a version may spare it an operation that is not without effect, "" where it does not."""
    for one in versions:
        params = one.params if original.is_entry else ()
        operation = left_out(original, dict(one.constants), params, _followed(original, one))
        if operation:
            return f"nvcc may leave out {operation} in the version, which has an effect on NaN and denormal numbers"
    operation = "" if any(one.constants for one in versions) else forgotten(original, version, _PLAN)
    if operation:
        return f"nvcc may leave out {operation} in the kernel, which has an effect on NaN and denormal numbers"
    if not original.is_entry:
        return ""
    operation = laid_bare(original, version, _PLAN, follows=any(one.follows for one in versions))
    if operation:
        return f"nvcc has {operation} in the version where the kernel makes other zeros, NaN or denormal numbers"
    return ""


def _rounds(
    version: Function, original: Function | None, versions: Sequence[Emitted], terms: Terms
) -> tuple[str, str] | None:
    """The code and reason for which a version may round otherwise than its original (None: it was inlined)."""
    if original is None:  # its sums are where it was inlined
        return (
            (ROUNDING, "a function that the version calls has no counterpart to compare")
            if has_products(version)
            else None
        )
    operation = computed(original, version, _PLAN)
    if operation:
        return ROUNDING, f"nvcc may compute {operation} itself in the version, which a GPU approximates"
    if not terms.is_final:
        if knows_more(original, version, _PLAN) and any(one.base == "call" for one in original.instructions):
            return (
                ROUNDING,
                "nvcc may compute what other functions do with the version's constants when it links (-dlto)",
            )
        both = has_products(version) or has_products(original)
        return (ROUNDING, "nvcc rounds its sums of products when it links (-dlto)") if both else None
    unlike = difference(original, version, _PLAN, is_optimized=terms.is_optimized)
    return None if unlike is None else (ROUNDING, _told(unlike, versions[0].params))


def _told(unlike: Difference, params: Sequence[str]) -> str:
    """A difference, for people."""
    kind, *products = unlike.kind
    first = [one.partition(" or ")[0].split(" * ") for one in products]
    what = " + ".join(" * ".join(_named(label, params) for label in factors) for factors in first)
    if unlike.is_left:
        return f"what ptxas fuses in the kernel could not be found out, of {what} ({_TYPES.get(kind, kind)})"
    return f"nvcc fuses other products and sums in the version, of {what} ({_TYPES.get(kind, kind)})"


def _named(label: str, params: Sequence[str]) -> str:
    """What a label stands for in the source, as far as that is known: `x[...]`, `alpha`, `1.5`, else dots."""
    word, _, rest = label.partition(" ")
    if word == "constant":
        return rest
    number = rest.split(" ")[1 if word == "load" else 0] if rest else ""
    name = params[int(number)] if number.isdigit() and int(number) < len(params) else ""
    if word == "parameter" and name:
        return name
    return f"{name}[...]" if word == "load" and name else "(...)"
