"""Sums in device code, written so that the host compiler fuses the products that nvcc fuses."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpuopt_driver.emulator.contraction.choice import choose
from gpuopt_driver.emulator.contraction.flow import Flow
from gpuopt_driver.emulator.contraction.values import Shape, Site, Star
from gpuopt_driver.emulator.fission.tree import Declined
from gpuopt_driver.emulator.lexer import Tokens


@dataclass(slots=True)
class Fused:
    """What is decided for a function: the `*` that are fused, and all of which it is known whether they are; variables
    that stand for a product, and sums (`s += x`) whose variable does."""

    stars: set[int] = field(default_factory=set)
    known: set[int] = field(default_factory=set)
    names: dict[int, Star] = field(default_factory=dict)
    sums: dict[int, tuple[Star, Site]] = field(default_factory=dict)
    alone: set[int] = field(default_factory=set)  # `*` whose product is rounded by itself
    turns: dict[int, bytes] = field(default_factory=dict)  # ... in some turns of a loop

    def _add(self, site: Site, shape: Shape, *, left: bool, tokens: Tokens) -> None:
        if shape.star is None:
            return
        if shape.name < 0:
            self.stars.add(shape.star.at)
        elif left and tokens.at(site.operator) in (b"+=", b"-="):
            if shape.name == site.operator - 1:
                self.sums[site.operator] = shape.star, site
        elif tokens.at(shape.name - 1) not in (b".", b"->"):
            self.names[shape.name] = shape.star


def fused_in(tokens: Tokens, params: int, body: int, by_value: frozenset[bytes]) -> Fused:
    """What nvcc fuses in the function whose parameters and body open there; raises Declined if it cannot be read."""
    found = Fused()
    try:
        flow = Flow(tokens, by_value)
        values = flow.function(params, body)
    except RecursionError as error:
        raise Declined("nested too deeply") from error
    found.alone = {star.at for value in flow.kept.rounded for star in value.stars}
    found.turns = {star.at: turns for value, turns in flow.kept.turns.items() for star in value.stars}
    for total, product in choose(values, flow.kept.rounded).items():
        for site in total.sites:
            for shape in (site.left, site.right):
                if shape is not None and shape.star is not None and shape.name < 0:
                    found.known.add(shape.star.at)
            if product is None:
                continue
            left = product is site.first
            shape = site.left if left else site.right
            if shape is not None:
                found._add(site, shape, left=left, tokens=tokens)
    return found


def again(tokens: Tokens, star: Star, name: bytes) -> bytes:
    """The product that a variable stands for, to be fused."""
    left, right = tokens.join(star.first, star.at), tokens.join(star.at + 1, star.end)
    return b"::gpuopt_emu::again(%s,(%s)* ::gpuopt_emu::fuse *(%s))" % (name, left, right)


def write(tokens: Tokens, fused: Fused, mark: bytes) -> None:
    """Write what is fused so that it is."""
    for at in fused.stars | fused.alone:
        if tokens.text[at] == b"*" and at in fused.alone:
            tokens.text[at] += b" ::gpuopt_emu::alone *"
        elif tokens.text[at] == b"*" and at in fused.turns:
            tokens.text[at] += b" ::gpuopt_emu::FuseIf{!%s} *" % fused.turns[at]
        elif tokens.text[at] == b"*":
            tokens.text[at] += mark
    for at in sorted([*fused.names, *fused.sums]):
        if at in fused.names:
            tokens.text[at] = again(tokens, fused.names[at], tokens.text[at])
        else:
            star, site = fused.sums[at]
            tokens.text[at] = b"=%s%s(" % (again(tokens, star, tokens.text[at - 1]), tokens.at(at)[:1])
            tokens.text[site.end - 1] += b")"
