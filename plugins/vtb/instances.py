"""Instances of a kernel template share one text: where they would take turns differently, one region covers all.

`if (SIZE >= 64) sum += tile[t + 32];` ends the region of some instances behind that statement, of others before it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from gpuopt_driver.api import (
    Context,
    Kernel,
    Latencies,
    SharedObstacle,
    SharedProblem,
    SharedUse,
    dataclass,
    region_between,
    split_cost,
)

from .order import Order
from .rewrite import turns
from .scheme import Scheme


@dataclass(frozen=True, slots=True, eq=False)
class _Template:
    """The template that a kernel is an instance of, by identity: comparing units takes longer than looking at them."""

    usr: str
    context: Context

    def __hash__(self) -> int:
        return hash((self.usr, id(self.context.unit), id(self.context.arch)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Template) or self.usr != other.usr:
            return False
        return self.context.unit is other.context.unit and self.context.arch is other.context.arch


_Made = Callable[[Kernel, Context], Scheme]


def agreed(kernel: Kernel, context: Context, make: _Made) -> Scheme:
    """The scheme that `make` finds, or one region that all instances of the template can have."""
    if not kernel.template_head:
        return make(kernel, context)
    found, texts = _instances(_Template(kernel.usr, context), make)
    scheme = next((one for other, one in found if other is kernel), None) or make(kernel, context)
    if len(texts) < 2 or scheme.use.problem:
        return scheme
    places = [(at, end) for text in texts for at, end, _ in text]
    region = region_between(kernel, min(at for at, _ in places), max(end for _, end in places))
    if region is None:
        place = kernel.stmt(scheme.use.regions[0].first).span
        return replace(scheme, use=SharedUse(problem=SharedProblem(SharedObstacle.INSTANCES, place)))
    source = context.unit.files[kernel.span.file]
    split = split_cost(kernel, source, (region,), Latencies.of(context.arch))
    return replace(scheme, use=SharedUse((region,)), split=split, plain=True)


_Text = tuple[tuple[int, int, bytes], ...]


@lru_cache(maxsize=32)
def _instances(template: _Template, make: _Made) -> tuple[tuple[tuple[Kernel, Scheme], ...], frozenset[_Text]]:
    """Every instance with its own scheme, and the texts that they want to be written."""
    unit = template.context.unit
    found = []
    texts: set[_Text] = set()
    for kernel in (one for one in unit.kernels if one.usr == template.usr):
        scheme = make(kernel, replace(template.context, launches=tuple(unit.launches_of(kernel))))
        found.append((kernel, scheme))
        if not scheme.use.problem:
            made = turns(kernel, unit.files[kernel.span.file], scheme, Order.TOLD)
            texts.add(tuple(sorted((edit.start, edit.end, edit.text) for edit in made)))
    return tuple(found), frozenset(texts)
