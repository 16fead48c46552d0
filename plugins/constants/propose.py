"""From what launches are known to have to one finding and, where something is spared, versions of the kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gpuopt_driver.api import (
    Context,
    Decision,
    Finding,
    Kernel,
    Proposal,
    Variant,
    Watch,
    counted,
    dataclass,
    no_launch,
    why_not_copyable,
)

from . import codes
from .forms import forms
from .guard import candidates, guard
from .known import Known, is_usable
from .options import Options
from .rewrite import NAME, SUPPORT, Form, constant_parameters, copies, edits
from .rounding import approximate_call
from .stated import of_kernel
from .undefined import undefined
from .useful import Gain, gains, indexing, possible, used

_LONGEST = 40  # characters of a version's name that tell its numbers


@dataclass(frozen=True, slots=True)
class Chosen:
    """Numbers that become constants together, and what that spares."""

    values: Known
    gains: tuple[Gain, ...] = ()


def propose(kernel: Kernel, context: Context, facts: tuple[Known, ...]) -> Proposal:
    """One finding, versions with the numbers of the most promising launches, what is to be watched of launches."""
    options: Options = context.options or Options()
    stated, wrong = of_kernel(kernel, options.known)
    made = replace(_versions(kernel, context, options, (*stated, *facts)), warnings=wrong)
    unknown = _unknown(kernel, context, facts) if made.variants or _could_be_more(made) else ()
    if not unknown:
        return made
    (found,) = made.findings
    names = frozenset[str]().union(*(gain.names for gain in unknown))
    left = [gain for gain in unknown if not any(gain.names <= one.values.keys() for one in stated)]
    if left:
        told = sorted(frozenset[str]().union(*(gain.names for gain in left)))
        figures = {**found.figures, "unknown": told, "weight": sum(gain.weight for gain in left)}
        found = replace(found, figures=figures)
    if not options.watch:
        return replace(made, findings=(found,))
    if not made.variants:
        text = f"written down for `gpuopt numbers` where GPUOPT_NUMBERS names a file: {', '.join(sorted(names))}"
        found = replace(found, decision=Decision.APPLIED, code=codes.WATCHED, message=text)
    return replace(made, findings=(found,), watch=_watch(kernel, context))


def _could_be_more(made: Proposal) -> bool:
    """Whether numbers that are not known are all that is in the way of versions."""
    return any(one.code in (codes.NOTHING_KNOWN, codes.NO_GAIN, codes.NOT_MEASURED) for one in made.findings)


def _unknown(kernel: Kernel, context: Context, facts: tuple[Known, ...]) -> tuple[Gain, ...]:
    """What numbers would spare that some launch in this file does not give; nothing where no version could be made."""
    if context.undispatchable or not context.has_host_code:
        return ()
    if why_not_copyable(kernel) is not None or approximate_call(kernel) is not None:
        return ()
    given = frozenset[str].intersection(*(frozenset(one.values) for one in facts)) if facts else frozenset[str]()
    spared = possible(kernel, context.unit.files[kernel.span.file])
    return tuple(gain for gain in spared if not gain.names <= given)


def _watch(kernel: Kernel, context: Context) -> Watch:
    """The numbers that spare something, which tell launches apart; the block; numbers that addresses depend on."""
    spared = possible(kernel, context.unit.files[kernel.span.file])
    names = frozenset[str]().union(*(gain.names for gain in spared))
    params = [param.name for param in kernel.params if is_usable(param)]
    heads = {name.partition(".")[0] for name in names}
    keyed = [name for name in ("blockDim", "gridDim", *params) if name in heads]
    also = {"blockDim", *indexing(kernel, dict.fromkeys(params, 0))}
    beside = (name for name in ("blockDim", *params) if name in also and name not in keyed)
    return Watch(kernel.usr, tuple(keyed), tuple(beside))


def _versions(kernel: Kernel, context: Context, options: Options, facts: tuple[Known, ...]) -> Proposal:
    """One finding, and versions with the numbers of the most promising launches as constants."""
    early = _nothing(kernel, context, facts)
    if early is not None:
        return early
    always = options.pick == "always"
    found = _chosen(kernel, context, options, facts)
    chosen = found[: options.sets]
    if not chosen:
        files, names = context.unit.files, set[str]()
        for one in facts:
            names |= {f"{name} = {one.values[name]}" for name in undefined(kernel, files, one.values)}
        if names:
            said = f"{', '.join(sorted(names))} may make a division or a shift undefined as a constant"
            return _declined(kernel, codes.UNDEFINED, said)
        return _declined(kernel, codes.NO_GAIN, "no constant of its launches is a divisor or a bound of a short loop")
    if not always and not context.learning:
        said = f"{_told(chosen)}, and this program does not measure whether that pays"
        return _declined(kernel, codes.NOT_MEASURED, said)
    reason = why_not_copyable(kernel)
    if reason is not None:
        return _declined(kernel, codes.NOT_REWRITABLE, reason)
    call = approximate_call(kernel)
    if call is not None:
        return _declined(kernel, codes.ROUNDING, f"nvcc computes {call} itself where its argument is a constant")
    made = [(one, form) for one in chosen for form in forms(kernel, context, options, one.values)]
    if not made:
        return _declined(kernel, codes.FORM, f"no version of the form {options.form} can be made of the kernel")
    variants = tuple(_variant(kernel, one.values, form, always=always) for one, form in made)
    variants = tuple({one.name: one for one in variants}.values())
    code = codes.ALWAYS if always else codes.MEASURED
    how = "wherever a launch has them, as the policy asks" if always else "to be measured"
    text = f"{counted(len(variants), 'version')} {how}: {_told(chosen)}"
    text += f"; {counted(len(found) - len(chosen), 'set')} more than `sets`" if len(found) > len(chosen) else ""
    figures = {
        "versions": [one.name for one in variants],
        "spared": [gain.text for one in chosen for gain in one.gains],
    }
    return Proposal((_said(kernel, Decision.APPLIED, code, text, **figures),), variants=variants)


def _nothing(kernel: Kernel, context: Context, facts: tuple[Known, ...]) -> Proposal | None:
    """Kernels of whose launches nothing is known, and those of which no version could be launched."""
    if not context.launches:
        return Proposal((_said(kernel, Decision.NOT_APPLICABLE, codes.NOT_LAUNCHED, no_launch(context.unit, kernel)),))
    source = context.unit.files[kernel.span.file]
    if not any(used(kernel, source, one.values) for one in facts):
        return _declined(kernel, codes.NOTHING_KNOWN, "no launch has a constant for a number that the kernel uses")
    if context.undispatchable or not context.has_host_code:
        return _declined(kernel, codes.NO_LAUNCH, context.undispatchable or "no host code is built here")
    return None


def _chosen(kernel: Kernel, context: Context, options: Options, facts: tuple[Known, ...]) -> list[Chosen]:
    """The sets of numbers that may get versions, those first that spare most."""
    source = context.unit.files[kernel.span.file]
    found: dict[Known, Chosen] = {}
    for one in facts:
        must_stay = undefined(kernel, context.unit.files, one.values)
        if any("." in name for name in must_stay):  # the version would have the block as its launch bound
            continue
        named = used(kernel, source, one.values) - must_stay
        if options.pick == "always":
            if named:
                values = one.only(named, block=True)
                found.setdefault(values, Chosen(values))
            continue
        spared = gains(kernel, source, {name: one.values[name] for name in named}, options.trips)
        if spared:
            wanted = frozenset[str]().union(*(gain.names for gain in spared)) | (indexing(kernel, one.values) & named)
            values = one.only(wanted, block=True)
            found.setdefault(values, Chosen(values, spared))
    return sorted(found.values(), key=lambda one: -sum(gain.weight for gain in one.gains))


def _variant(kernel: Kernel, values: Known, form: Form, *, always: bool) -> Variant:
    """A version for launches with these numbers."""
    made = Variant(
        kernel=kernel.usr,
        name=_name(values, form),
        edits=edits(kernel, values, form),
        guard=guard(values, form) if always else "  return false;",
        author=NAME,
        support=_support(kernel, values, form),
        functions=copies(kernel, values),
        constants=tuple(values.values.items()),
    )
    return made if always else replace(made, only_measured=True, candidates=candidates(values, form))


def _support(kernel: Kernel, values: Known, form: Form) -> str:
    """What the version's text names of ours."""
    fixed = any(name in constant_parameters(kernel) for name, _ in values.arguments)
    return SUPPORT if fixed or form.spills else ""


def _name(values: Known, form: Form) -> str:
    """A name that tells the numbers, so that it means the same in every build: `constants_b256_width1920`."""
    parts = list(_parts(values))
    text = "_".join(parts)
    if len(text) > _LONGEST or not text.isascii():
        import hashlib  # noqa: PLC0415 - loads OpenSSL

        text = hashlib.sha256(text.encode()).hexdigest()[:10]
    kind = {"plain": "", "capped": f"_cap{form.blocks}", "spilling": f"_spill{form.blocks}"}[form.name]
    return f"{NAME}{kind}_{text}"


def _parts(values: Known) -> Iterator[str]:
    for letter, sizes in (("b", values.block), ("g", values.grid)):
        if sizes is not None:
            yield letter + "x".join(map(str, sizes if sizes[2] > 1 else sizes[:2] if sizes[1] > 1 else sizes[:1]))
    for name, value in values.arguments:
        yield f"{name}{value}" if value >= 0 else f"{name}_minus{-value}"


def _told(chosen: list[Chosen]) -> str:
    """The numbers of all sets, and what they spare, for people."""
    texts = []
    for one in chosen:
        numbers = [f"{name} = {value}" for name, value in one.values.arguments]
        for name, sizes in (("gridDim", one.values.grid), ("blockDim", one.values.block)):
            numbers[:0] = [f"{name} = {'x'.join(map(str, sizes))}"] if sizes is not None else []
        spared = f" ({'; '.join(gain.text for gain in one.gains[:3])})" if one.gains else ""
        texts.append(f"{', '.join(numbers)}{spared}")
    return ", or ".join(texts)


def _declined(kernel: Kernel, code: str, reason: str) -> Proposal:
    return Proposal((_said(kernel, Decision.DECLINED, code, f"left alone: {reason}"),))


def _said(kernel: Kernel, decision: Decision, code: str, message: str, **figures: object) -> Finding:
    return Finding.at(kernel.name_span, NAME, kernel.qualified, decision, code, message, **figures)  # type: ignore[arg-type]
