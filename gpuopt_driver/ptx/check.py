"""What nvcc made of the versions of a unit's kernels, held against what it made of the kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gpuopt_driver.ptx.computed import computed, knows_more
from gpuopt_driver.ptx.fusion import Difference, difference, has_products
from gpuopt_driver.ptx.mend import Mended, mended
from gpuopt_driver.ptx.names import MARK, original_of, version_of
from gpuopt_driver.ptx.read import function, texts
from gpuopt_driver.ptx.registers import missed
from gpuopt_driver.variants.emitted import Emitted

ROUNDING = "GPUOPT020"
BUILT_IN = "GPUOPT021"
_TYPES = {"f64": "double", "f32": "float", "f16": "half", "f16x2": "half2", "bf16": "bfloat16", "bf16x2": "bfloat162"}
_Bodies = dict[str, tuple[list[str], bool]]  # by the names of functions: lines, and whether it is a kernel
_PLAN = 1  # parameters that a version has in front of its original's


@dataclass(frozen=True, slots=True)
class Refusal:
    """A compiled version that may compute something else than its kernel: the code of the finding, and why."""

    version: Emitted
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Mend:
    """A changed PTX module. `before` and `assumed` differ in what is taken to be known of ptxas: they must have one
    machine code. `after` stands for `before` then, and is rounded as `judged` shows.
    """

    before: str
    assumed: str
    after: str
    judged: str


@dataclass(frozen=True, slots=True)
class Mends:
    """Changed PTX modules, and the versions for which no change is known."""

    modules: tuple[Mend, ...]
    hopeless: frozenset[Emitted]


@dataclass(frozen=True, slots=True)
class Terms:
    """What a build demands. `is_final`: the machine code is made of this PTX, one function at a time (not by -dlto).

    `any_rounding`: the policy allows other rounding.
    """

    is_final: bool = True
    any_rounding: bool = False


def refusals(
    modules: Iterable[str],
    versions: Sequence[Emitted],
    terms: Terms,
    known: Callable[[str], str] = lambda text: text,
) -> tuple[Refusal, ...]:
    """The versions that must not be used, by the PTX modules that were made for all GPUs of a build.

    `known` gives the text of a module with what is known of its machine code written down (`Mend.judged`): it is enough
    if a version is right in one of both.
    """
    found: dict[Emitted, Refusal] = {}
    seen: set[Emitted] = set()
    for text in modules:
        bodies = _bodies(text)
        judged = text if terms.any_rounding else known(text)
        others = bodies if judged == text else _bodies(judged)
        for name in bodies:
            mine = _versions_of(name, versions)
            seen.update(mine)
            wrong = _wrong(name, bodies, mine, terms) if mine else None
            if wrong is not None and wrong[0] == ROUNDING and others is not bodies:
                wrong = _wrong(name, others, mine, terms)
            if wrong is not None:
                found.update({one: Refusal(one, *wrong) for one in mine})
    for one in versions:
        if one not in seen:
            found[one] = Refusal(one, ROUNDING, "nvcc was not seen to make PTX of the version, which could be compared")
    return tuple(found.values())


def mends(modules: Iterable[str], refused: Sequence[Refusal]) -> Mends:
    """Changes of PTX modules after which versions that were refused for their rounding have that of their kernels."""
    versions = [one.version for one in refused]
    hopeless = {one.version for one in refused if one.code != ROUNDING}
    found: list[Mend] = []
    for text in modules:
        bodies = _bodies(text)
        originals: dict[str, str] = {}
        changed: dict[str, str] = {}
        for name in bodies:
            mine = set(_versions_of(name, versions)) - hopeless
            if not mine:
                continue
            right = _mended(name, bodies)
            if right is None:
                hopeless |= mine
                continue
            original = original_of(name, bodies) or ""
            originals["\n".join(bodies[original][0])] = "\n".join(right.original.lines)
            changed["\n".join(bodies[name][0])] = "\n".join(right.version.lines)
        if changed:
            after = _replaced(text, changed)
            found.append(Mend(text, _replaced(text, originals), after, _replaced(after, originals)))
    return Mends(tuple(found), frozenset(hopeless))


def _bodies(text: str) -> _Bodies:
    return {name: (lines, is_entry) for name, is_entry, lines in texts(text)}


def _mended(name: str, bodies: _Bodies) -> Mended | None:
    original = original_of(name, bodies)
    if original is None:
        return None
    one, other = (function(each, bodies[each][0], is_entry=bodies[each][1]) for each in (original, name))
    return None if computed(one, other, _PLAN) else mended(one, other, _PLAN)


def _replaced(text: str, bodies: Mapping[str, str]) -> str:
    """A module with other bodies of functions; each names parameters or labels of its own."""
    for before, after in bodies.items():
        text = text.replace(before, after, 1)
    return text


def _versions_of(name: str, versions: Sequence[Emitted]) -> list[Emitted]:
    """The versions that a function is, or that call it: a copy's name ends with the version's and a digest."""
    told = version_of(name) if MARK in name else None
    if told is None:
        return []
    _, plain, label = told
    exact = [one for one in versions if one.kernel == plain and one.clone == label]
    copied = label.rpartition("_")[0]
    return exact or [one for one in versions if copied in one.members]


def _wrong(name: str, bodies: _Bodies, versions: Sequence[Emitted], terms: Terms) -> tuple[str, str] | None:
    """The code and reason for which a version, or a copy of a function for it, is refused."""
    lines, is_entry = bodies[name]
    variable = missed(lines, frozenset().union(*(one.redefines for one in versions)))
    if variable:
        return BUILT_IN, f"the compiled version reads {variable} where it does not know the version's own"
    if terms.any_rounding:
        return None
    version = function(name, lines, is_entry=is_entry)
    other = original_of(name, bodies)
    if other is None:  # inlined in the original, so that its sums are there
        return (
            (ROUNDING, "a function that the version calls has no counterpart to compare")
            if (has_products(version))
            else None
        )
    original = function(other, bodies[other][0], is_entry=bodies[other][1])
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
    unlike = difference(original, version, _PLAN)
    return None if unlike is None else (ROUNDING, _told(unlike, versions[0].params))


def _told(unlike: Difference, params: Sequence[str]) -> str:
    """A difference, for people."""
    kind, *products = unlike.kind
    first = [one.partition(" or ")[0].split(" * ") for one in products]
    what = " + ".join(" * ".join(_named(label, params) for label in factors) for factors in first)
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
