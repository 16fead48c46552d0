"""Random expressions, compiled twice with products fused at will: what compares as the same is the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from gpuopt_driver.ptx.fusion import difference
from gpuopt_driver.ptx.mend import mended
from gpuopt_driver.ptx.read import Function, function

HEAD = [
    ".reg .f32 %f<900>;",
    "ld.param.u64 %rd1, [k_param_0];",
    "ld.param.u64 %rd2, [k_param_1];",
    "ld.param.f32 %f800, [k_param_2];",
]


@dataclass
class Source:
    """Operations by number: `("ld", root, displacement)`, `("mul", 3, 4)` and so on; results that are stored."""

    operations: list[tuple[object, ...]] = field(default_factory=list)
    stored: list[int] = field(default_factory=list)

    def sums(self) -> list[int]:
        return [at for at, one in enumerate(self.operations) if one[0] in ("add", "sub") and self.products(at)]

    def products(self, at: int) -> list[int]:
        """Which operands of a sum are products."""
        return [place for place in (1, 2) if self.operations[int(str(self.operations[at][place]))][0] == "mul"]


def source(rng: random.Random) -> Source:
    made = Source([("ld", rng.randint(1, 2), 4 * rng.randint(0, 2)) for _ in range(rng.randint(2, 4))])
    made.operations += [("param",)] * rng.randint(0, 1)
    for _ in range(rng.randint(4, 12)):
        first, second = (rng.randrange(len(made.operations)) for _ in range(2))
        kind = rng.choice(("mul", "mul", "mul", "add", "add", "sub", "sqrt"))
        made.operations.append((kind, first) if kind == "sqrt" else (kind, first, second))
    read = {one for operation in made.operations if operation[0] not in ("ld", "param") for one in operation[1:]}
    made.stored = [at for at in range(len(made.operations)) if at not in read]
    return made


Choice = dict[int, int]  # by sum: which of its products is fused, 0 for none


def choice(rng: random.Random, made: Source) -> Choice:
    return {at: rng.choice((0, *made.products(at))) for at in made.sums()}


def compiled(rng: random.Random, made: Source, choices: list[Choice]) -> Function:
    """A function that does all of it once for each choice, in an order that operands allow."""
    lines = list(HEAD)
    for copy, chosen in enumerate(choices):
        lines += [f"$B{copy}:", *_block(rng, made, chosen, 300 * copy)]
    return function("k", [*lines, "ret;"], is_entry=True)


def _block(rng: random.Random, made: Source, chosen: Choice, base: int) -> list[str]:
    def name(at: object) -> str:
        number = int(str(at))
        return "%f800" if made.operations[number][0] == "param" else f"%f{base + number}"

    lines = [
        f"ld.global.f32 {name(at)}, [%rd{one[1]}+{one[2]}];" for at, one in enumerate(made.operations) if one[0] == "ld"
    ]
    waiting = [at for at, one in enumerate(made.operations) if one[0] not in ("ld", "param")]
    while waiting:
        ready = [at for at in waiting if not set(made.operations[at][1:]) & set(waiting)]
        at = rng.choice(ready)
        waiting.remove(at)
        kind, *operands = made.operations[at]
        names = [name(one) for one in operands]
        if kind == "sqrt":
            lines.append(f"sqrt.rn.f32 {name(at)}, {names[0]};")
        elif chosen.get(at, 0):
            lines += _fused(
                name(at),
                str(kind),
                [name(one) for one in made.operations[int(str(operands[chosen[at] - 1]))][1:]],
                names[2 - chosen[at]],
                chosen[at] == 1,
                base + 100 + 2 * at,
            )
        else:
            rounding = ".rn" if at in chosen else ""  # a sum that is apart says so
            lines.append(f"{kind}{rounding}.f32 {name(at)}, {', '.join(names)};")
    lines += [f"st.global.f32 [%rd1+{64 + 4 * at}], {name(at)};" for at in made.stored]
    return _without_idle_products(lines)


def _fused(result: str, kind: str, factors: list[str], other: str, is_first: bool, spare: int) -> list[str]:
    if kind == "add":
        return [f"fma.rn.f32 {result}, {factors[0]}, {factors[1]}, {other};"]
    if is_first:
        return [f"neg.f32 %f{spare}, {other};", f"fma.rn.f32 {result}, {factors[0]}, {factors[1]}, %f{spare};"]
    return [f"neg.f32 %f{spare}, {factors[0]};", f"fma.rn.f32 {result}, %f{spare}, {factors[1]}, {other};"]


def _without_idle_products(lines: list[str]) -> list[str]:
    """As nvcc leaves a product out that is fused wherever it is used."""
    text = "\n".join(lines)
    return [
        line
        for line in lines
        if not line.startswith("mul.")
        or text.count(f"{line.split()[1].rstrip(',')},") + text.count(f"{line.split()[1].rstrip(',')};") > 1
    ]


def rounding(made: Source, chosen: Choice) -> Choice:
    """The choice as far as it matters: of two products that are one, either may be fused."""
    told = dict(chosen)
    for at, place in chosen.items():
        first, second = (made.operations[int(str(one))] for one in made.operations[at][1:])
        if (
            place == 2
            and first[0] == "mul" == second[0]
            and sorted(map(str, first[1:])) == sorted(map(str, second[1:]))
        ):
            told[at] = 1
    return told


def single(value: Fraction) -> Fraction:
    """A number rounded to 24 bits; nothing here comes near the ends of the range."""
    if value == 0:
        return value
    exponent = 0
    while abs(value) * Fraction(2) ** -exponent >= 2**24:
        exponent += 1
    while abs(value) * Fraction(2) ** -exponent < 2**23:
        exponent -= 1
    scaled = value * Fraction(2) ** -exponent
    return Fraction(round(scaled)) * Fraction(2) ** exponent


def results(whole: Function, inputs: random.Random) -> list[dict[str, Fraction]]:
    """What each copy in a function stores, by address; what is not fused is rounded by itself."""
    memory = {f"[%rd{root}+{at}]": single(Fraction(inputs.uniform(0.5, 2))) for root in (1, 2) for at in (0, 4, 8)}
    known = {"%f800": single(Fraction(inputs.uniform(0.5, 2)))}
    blocks: dict[int, dict[str, Fraction]] = {}
    for one in whole.instructions:
        if one.base == "st":
            blocks.setdefault(one.block, {})[one.operands[0]] = known[one.operands[1]]
        elif one.base == "ld" and "param" not in one.opcode:
            known[one.operands[0]] = memory[one.operands[1]]
        elif one.base != "ld" and one.operands:
            first, *rest = (known[operand] for operand in one.operands[1:])
            known[one.operands[0]] = _computed(one.base, first, rest)
    return list(blocks.values())


def _computed(base: str, first: Fraction, rest: list[Fraction]) -> Fraction:
    if base == "neg":
        return -first
    if base == "sqrt":  # any function does
        return single(first / 3 + 1)
    exact = {"mul": lambda b: first * b, "add": lambda b: first + b, "sub": lambda b: first - b}
    return single(first * rest[0] + rest[1] if base == "fma" else exact[base](rest[0]))


def pairs(seeds: int) -> Iterator[tuple[bool, Function, Function]]:
    """Kernels and versions that do the same once or twice, and whether both have the same products fused."""
    for seed in range(seeds):
        rng = random.Random(seed)
        made = source(rng)
        own = choice(rng, made)
        others = [dict(own) for _ in range(rng.choice((1, 2)))]
        for other in others:
            if made.sums() and rng.random() < 0.5:
                at = rng.choice(made.sums())
                other[at] = rng.choice((0, *made.products(at)))
            if rng.random() < 0.1:
                other.update(choice(rng, made))
        is_same = all(rounding(made, one) == rounding(made, own) for one in others)
        yield is_same, compiled(rng, made, [own]), compiled(rng, made, others)


def test_what_compares_as_the_same_is_the_same() -> None:
    found = {(one, other): 0 for one in (False, True) for other in (False, True)}
    for is_same, kernel, version in pairs(1000):
        found[is_same, difference(kernel, version, 0) is None] += 1
    assert found[False, True] == 0
    assert found[True, True] > 5 * found[True, False] > 0, "some are not told apart: two products of the same numbers"


def test_what_is_changed_computes_what_the_kernel_does() -> None:
    changed = 0
    for seed, (is_same, kernel, version) in enumerate(pairs(1000)):
        right = None if is_same else mended(kernel, version, 0)
        if right is None:
            continue
        changed += 1
        (own,) = results(kernel, random.Random(seed))
        assert all(copy == own for copy in results(right, random.Random(seed))), seed
    assert changed > 50
