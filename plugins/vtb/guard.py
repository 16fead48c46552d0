"""A kernel's guard: C++11 text that hands the kernel's phases to the shared decision (`support.py`)."""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.api import Expr, Shape, Split, Unwritable, divisors, guard_term

from .options import Options

_SCOPE = "gpuopt_rt::plugin_vtb"
FORMS = {"turns": 0, "pipe": 1, "auto": 2}


def numbers(split: Split) -> tuple[Expr, ...]:
    """Cycles outside and inside (both in tenths), instructions, scattered, serial and regular loads, entries."""
    both = split.private + split.shared
    return (
        split.private.cycles,
        split.shared.cycles,
        both.instructions,
        both.scattered,
        both.serial,
        both.loads,
        split.entries,
    )


def guard(split: Split, scale: int, memory: int, shapes: Sequence[Shape], options: Options, margin: float) -> str:
    """The guard's body. `shapes` are the block shapes for which the regions were proved; none: any."""
    parts = numbers(split)
    terms = [guard_term(part, "vtb") for part in parts]
    zero = dict.fromkeys(f"({guard_term(one, 'vtb')}) == 0" for part in parts for one in divisors(part))
    lines = []
    if shapes:
        fits = " || ".join(
            f"(gpuopt_l.block.x == {s.x} && gpuopt_l.block.y == {s.y} && gpuopt_l.block.z == {s.z})" for s in shapes
        )
        lines.append(f"  if (!({fits})) return false;")
    if zero:
        lines.append(f"  if ({' || '.join(zero)}) return false;")
    values = [f"(double)({terms[0]}) / {scale}", f"(double)({terms[1]}) / {scale}"]
    values += [f"(double)({term})" for term in terms[2:6]] + [f"{memory}.0", f"(double)({terms[6]})"]
    lines += [
        f"  const {_SCOPE}::phases vtb_p = {{ {', '.join(values)} }};",
        f"  const {_SCOPE}::rules vtb_r = {{ {FORMS.get(options.form, 2)}u, {options.factor}u, {largest(options)}u, "
        f"{margin} }};",
        f"  return {_SCOPE}::choose(gpuopt_l, gpuopt_c, vtb_p, vtb_r);",
    ]
    return "\n".join(lines)


def largest(options: Options) -> int:
    """The largest factor that a launch may pick."""
    return max(options.most, options.factor)


def is_writable(split: Split) -> bool:
    """Whether a launch can compute the kernel's phases: from parameters and launch dimensions only."""
    try:
        for part in numbers(split):
            guard_term(part, "vtb")
            list(divisors(part))
    except Unwritable:
        return False
    return True
