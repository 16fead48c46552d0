"""Which kernels run in loops over their threads, and in what loops."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator import guards, kernels
from gpuopt_driver.emulator.fission.abreast import abreast
from gpuopt_driver.emulator.fission.split import Split, Surroundings, split_kernel, strided_kernel
from gpuopt_driver.emulator.fission.tree import Declined
from gpuopt_driver.emulator.inlining.named import Unit
from gpuopt_driver.emulator.inlining.place import Placer
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.plain import Lone, lone_but_for_barriers
from gpuopt_driver.emulator.structure import Function, Structure
from gpuopt_driver.emulator.survey import functions_of, survey_of
from gpuopt_driver.emulator.survey_text import names_of_numbers
from gpuopt_driver.emulator.vectors import name_vector_calls


@dataclass(frozen=True, slots=True)
class Splitting:
    """What kernels are split with: `unit` writes calls in place, where they are to be."""

    around: Surroundings
    alone: Lone
    unit: Unit | None
    waiting: set[int]  # kernels that may wait for what happens outside of their grids

    def split(self, tokens: Tokens, candidates: list[Function]) -> dict[int, Split]:
        """Those of the kernels that can be loops over threads between their barriers, by their bodies."""
        found: dict[int, Split] = {}
        for function in candidates:
            with suppress(Declined):
                if function.body in self.alone.with_barriers:
                    found[function.body] = split_kernel(tokens, function, self.around)
                elif self.unit and function.body in self.alone.calling:
                    found[function.body] = self._with_calls(tokens, self.unit, function)
            may = function.body in self.alone.with_barriers | self.alone.calling
            if self.unit and may and function.body not in found:
                with suppress(Declined):
                    found[function.body] = self._with_calls(tokens, self.unit, function, guards=True)
        return found

    def _with_calls(self, tokens: Tokens, unit: Unit, function: Function, *, guards: bool = False) -> Split:
        """A kernel with the functions that it calls in place."""
        placed = Placer(tokens, unit, function, guards=guards).whole()
        if guards and not placed.guarded:
            raise Declined("nothing that would be written in another way")
        if not lone_but_for_barriers(placed.tokens, placed.function, self.alone.called):
            raise Declined("what else threads may wait for")
        if placed.volatile and function.body in self.waiting:
            raise Declined("what is volatile, and loops that may wait for it to change")
        found = split_kernel(placed.tokens, placed.function, self.around)
        condition = b"&&".join(dict.fromkeys([found.condition, *placed.conditions]))
        return replace(found, condition=condition, checkable=False, placed=True)

    def with_vectors(
        self, tokens: Tokens, structure: Structure, plain: list[Function], split: dict[int, Split]
    ) -> dict[int, Split]:
        """Name calls that have vector forms, in plain kernels and in those that are split: those again, with such
        names."""
        in_regions = [f for f in structure.functions if f.body in split]
        renamed = name_vector_calls(tokens, structure, self.around.memory, plain, in_regions)
        return self.split(tokens, in_regions) if renamed else split


def can_be_surveyed(split: Split | None) -> bool:
    """Whether a kernel is split as it stands, and its threads never part."""
    return split is not None and not split.parts and not split.placed


def surveys_of(
    tokens: Tokens, structure: Structure, around: Surroundings, candidates: list[Function]
) -> dict[int, bytes]:
    """Surveys of those kernels that have one, by their bodies."""
    found: dict[int, bytes] = {}
    numbers = names_of_numbers(tokens)
    functions = functions_of(tokens, (f for f in structure.functions if f.head not in structure.in_class))
    for function in candidates:
        with suppress(Declined):
            found[function.body] = survey_of(tokens, function, around.memory, numbers, functions)
    return found


def loops_of(
    tokens: Tokens, around: Surroundings, plain: list[Function], may: set[int]
) -> tuple[dict[int, int], dict[int, Split]]:
    """How kernels whose threads never wait are run, by their bodies: enum LoopKind; and those of the kernels that `may`
    for threads abreast."""
    kinds: dict[int, int] = {}
    several: dict[int, Split] = {}
    for function in plain:
        by_value = not kernels.references_of(tokens, function)
        found = guards.guards_of(tokens, function, around.memory) if by_value else []
        kinds[function.body] = kernels.GUARDED if found else kernels.PLAIN
        guards.rewrite_indices(tokens, function)
        if by_value and function.body in may:
            with suppress(Declined):
                several[function.body] = abreast(tokens, function, around, found)
            if function.body not in several:
                with suppress(Declined):
                    several[function.body] = strided_kernel(tokens, function, around)
                    kinds[function.body] = kernels.GENERAL
        guards.rewrite_guards(tokens, found)
    return kinds, several
