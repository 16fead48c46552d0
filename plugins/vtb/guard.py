"""A kernel's guard: C++11 text that hands the kernel's phases to the shared decision (`support.py`)."""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.api import (
    WAIT,
    Expr,
    Latencies,
    Shape,
    Split,
    SymKind,
    are_writable,
    dataclass,
    divisors,
    expr,
    guard_term,
)

from .options import Options
from .scheme import Scheme

_SCOPE = "gpuopt_rt::plugin_vtb"
FORMS = {"turns": 1, "pipe": 2, "co": 12, "auto": 15}


def numbers(split: Split) -> tuple[Expr, ...]:
    """Cycles outside and inside (both in tenths), instructions, scattered, serial and regular loads, entries, loads of
    chains that meet, and how many loads are waited for outside and inside (in shares of one, `WAIT`)."""
    both = split.private + split.shared
    return (
        split.private.cycles,
        split.shared.cycles,
        both.instructions,
        both.scattered,
        both.serial,
        both.loads,
        split.entries,
        both.meeting,
        split.private.waits,
        split.shared.waits,
    )


_NO_FEWER = 16  # among `forms`


@dataclass(frozen=True, slots=True)
class Question:
    """What a guard decides on: VTB (one scheme), or CO-VTB (VTB's scheme, and the one with memory of blocks' own).

    `shapes` are the block shapes for which the regions were proved; none: any. `asked`: the program asks for the
    kernel's occupancy, so no fewer of its blocks may be resident. `alone`: VTB is not possible. `pipes`: the most
    virtual blocks of a pipe.
    """

    schemes: Sequence[Scheme]
    scale: int
    latencies: Latencies
    shapes: Sequence[Shape]
    options: Options
    pipes: int = 0
    asked: bool = False
    alone: bool = False

    @property
    def memory(self) -> str:
        """The declaration of what CO-VTB's virtual blocks share and have of their own."""
        return f"  const {_SCOPE}::part vtb_s = {{ {self.schemes[1].common_bytes}u, {self.schemes[1].own_bytes}u }};"


def guard(question: Question) -> str:
    """The guard's body: picks the factor and form that the model finds best."""
    if len(question.schemes) == 1:
        last = [f"  return {_SCOPE}::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);"]
    else:
        last = [question.memory, f"  return {_SCOPE}::divide(gpuopt_l, gpuopt_c, vtb_p, vtb_o, vtb_s, vtb_r);"]
    return "\n".join([*_opening(question), *last])


def candidates(question: Question) -> str:
    """The body that offers all factors and forms that a launch may legally have."""
    if question.options.factor:
        return ""
    if len(question.schemes) == 1:
        last = [f"  {_SCOPE}::offer_turns(gpuopt_l, gpuopt_o, vtb_p, vtb_r);"]
    else:
        offer = f"{_SCOPE}::offer_divided(gpuopt_l, gpuopt_o, vtb_o, vtb_s, vtb_r);"
        last = [question.memory, f"  (void)vtb_p; {offer}"]
    return "\n".join([*_opening(question), *last])


def _opening(question: Question) -> list[str]:
    """What rules out any version, the phases and the rules."""
    schemes, options, latencies = question.schemes, question.options, question.latencies
    lines = []
    if question.shapes:
        fits = " || ".join(
            f"(gpuopt_l.block.x == {s.x} && gpuopt_l.block.y == {s.y} && gpuopt_l.block.z == {s.z})"
            for s in question.shapes
        )
        lines.append(f"  if (!({fits})) return false;")
    values = [[guard_term(part, "vtb") for part in numbers(scheme.split)] for scheme in schemes]
    parts = [part for scheme in schemes for part in numbers(scheme.split)]
    zero = dict.fromkeys(f"({guard_term(one, 'vtb')}) == 0" for part in parts for one in divisors(part))
    if zero:
        lines.append(f"  if ({' || '.join(zero)}) return false;")
    for name, terms in zip(("vtb_p", "vtb_o"), values, strict=False):
        given = [f"(double)({term}) / {question.scale}" for term in terms[:2]]
        given += [f"(double)({term})" for term in terms[2:6]]
        given += [f"{latencies.memory}.0", f"(double)({terms[6]})", f"(double)({terms[7]})"]
        less = latencies.memory - latencies.near
        given += [
            f"{cycles} - (double)({waits}) * {less} / {WAIT}" for cycles, waits in zip(given, terms[8:], strict=False)
        ]
        given.append(f"{latencies.near}.0")
        lines.append(f"  const {_SCOPE}::phases {name} = {{ {', '.join(given)} }};")
    forms = (FORMS.get(options.form, 15) & (12 if question.alone else 15)) + (_NO_FEWER if question.asked else 0)
    given_rules = f"{forms}u, {options.factor}u, {largest(options)}u, {question.pipes}u, {options.margin}"
    return [*lines, f"  const {_SCOPE}::rules vtb_r = {{ {given_rules} }};"]


def largest(options: Options) -> int:
    """The largest factor that a launch may pick."""
    return max(options.most, options.factor)


def takes_arguments(split: Split) -> bool:
    """Whether a kernel's phases depend on its arguments."""
    return any(symbol.kind is SymKind.PARAM for part in numbers(split) for symbol in expr.symbols(part))


def is_writable(split: Split) -> bool:
    """Whether a launch can compute the kernel's phases: from parameters and launch dimensions only."""
    return are_writable(numbers(split))
