"""Sums that add the same are told apart by all that leads to them and follows from them, and by nothing else."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import pytest

from gpuopt_driver.ptx.fusion import difference
from gpuopt_driver.ptx.guess import choices
from gpuopt_driver.ptx.operations import Detail
from gpuopt_driver.ptx.read import Function, function
from gpuopt_driver.ptx.refine import DETAILS, Refinement
from gpuopt_driver.ptx.values import Values

HEAD = "ld.param.u64 %rd1, [k_param_0]; ld.param.u64 %rd2, [k_param_1]; ld.param.f32 %f100, [k_param_2];"
LOADS = "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1]; ld.global.f32 %f3, [%rd1];"


def body(*text: str) -> Function:
    lines = [line.strip() + ";" for part in (HEAD, *text) for line in part.split(";") if line.strip()]
    return function("k", [*lines, "ret;"], is_entry=True)


def part(number: int, text: str) -> str:
    """A part of a kernel: a basic block with registers and labels of its own."""
    text = re.sub(r"%f(?!100\b)(\d+)", rf"%f{number}0\1", text)
    return f"$B{number}: {text.replace('$L', f'$P{number}')}"


def same(kernel: str, *version: str) -> bool:
    """Whether a version of these parts (none: the kernel's body twice) is rounded as a kernel with this body.

    What is left to ptxas is taken for likely in both.
    """
    parts = version or (kernel, kernel)
    mine, theirs = body(part(1, kernel)), body(*(part(n, one) for n, one in enumerate(parts, start=1)))
    return difference(choices(mine, 0).likely(), choices(theirs, 0).likely(), 0) is None


def test_both_addends_may_be_one_value() -> None:
    rest = "mul.rn.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; fma.rn.f32 %f7, {}, %f6; st.global.f32 [%rd2], %f7;"
    own, other = (LOADS + rest.format(factors) for factors in ("%f1, %f2", "%f1, %f3"))
    assert same(own), "what a product lost in rounding"
    assert same(own, own, LOADS + rest.format("%f2, %f1")), "factors may change places"
    assert not same(other), "two products, of which one is fused"
    twice = "mul.f32 %f5, %f1, %f2; {} add.f32 %f6, %f5, {}; st.global.f32 [%rd2], %f6;"
    assert same(LOADS + twice.format("", "%f5"))
    assert not same(LOADS + twice.format("mul.f32 %f7, %f1, %f3;", "%f7"))


def test_a_magnitude_is_another_value() -> None:
    rest = "mul.rn.f32 %f5, %f1, %f2; abs.f32 %f6, %f5; fma.rn.f32 %f7, %f1, %f2, %f6; st.global.f32 [%rd2], %f7;"
    assert not same(LOADS + rest)


STEPS = (
    "add.f32 %f11, %f1, 0f3F800000; add.f32 %f12, %f11, 0f3F800000; add.f32 %f13, %f12, 0f3F800000; "
    "add.f32 %f14, %f13, 0f3F800000; add.f32 %f15, %f14, 0f3F800000; add.f32 %f16, %f15, 0f40000000;"
)
DEEP = LOADS + STEPS + "mul.f32 %f20, {}; fma.rn.f32 %f21, {}, %f20; st.global.f32 [%rd2], %f21;"


def test_what_is_far_behind_a_product_tells_it_apart() -> None:
    one, other = DEEP.format("%f15, %f15", "%f14, %f14"), DEEP.format("%f14, %f14", "%f15, %f15")
    assert same(one)
    assert not same(one, one, other)
    assert not same(one, other, other)


def test_what_is_the_same_all_the_way_is_not_told_apart() -> None:
    one = LOADS + "mul.f32 %f20, %f1, %f1; fma.rn.f32 %f21, %f2, %f2, %f20; st.global.f32 [%rd2], %f21;"
    assert not same(one), "the version may have the squares of these two the other way around"


PRODUCTS = LOADS + "ld.global.f32 %f4, [%rd2]; mul.f32 %f13, %f1, %f2; mul.f32 %f14, %f3, %f4;"
ADDED = "fma.rn.f32 %f5, %f1, %f2, %f14;"
ROUNDED = "add.rn.f32 %f5, %f13, %f14;"
TAKEN = "neg.f32 %f7, %f14; fma.rn.f32 %f6, %f1, %f2, %f7;"


@pytest.mark.parametrize(
    ("first", "second", "other"),
    [
        (ADDED, TAKEN, "neg.f32 %f7, %f13; fma.rn.f32 %f6, %f3, %f4, %f7;"),
        (ROUNDED, TAKEN, "neg.f32 %f7, %f13; fma.rn.f32 %f6, %f3, %f4, %f7;"),
        (ADDED, ROUNDED.replace("%f5", "%f6"), "fma.rn.f32 %f6, %f3, %f4, %f13;"),
    ],
)
def test_signs_and_a_rounding_that_is_written_tell_sums_apart(first: str, second: str, other: str) -> None:
    assert same(f"{PRODUCTS} {first} {second}")
    assert not same(f"{PRODUCTS} {first} {second}", f"{PRODUCTS} {first} {second}", f"{PRODUCTS} {first} {other}")


def test_what_becomes_of_a_sum_tells_it_apart() -> None:
    products = LOADS + "mul.f32 %f10, %f3, %f100; mul.f32 %f11, %f1, %f2; "
    sums = products + "fma.rn.f32 %f12, %f1, %f2, %f10; fma.rn.f32 %f13, %f3, %f100, %f11; "
    one = sums + "sqrt.rn.f32 %f14, %f12; div.rn.f32 %f15, %f13, %f14; st.global.f32 [%rd2], %f15;"
    other = sums + "sqrt.rn.f32 %f14, %f13; div.rn.f32 %f15, %f12, %f14; st.global.f32 [%rd2], %f15;"
    assert same(one)
    assert not same(one, one, other)
    assert not same(one, other)


SUM = "ld.global.f32 %f1, [%rd1]; mov.f32 %f9, 0f00000000; $L1: add.f32 %f9, %f9, %f1; @%p1 bra $L1;"
LAST = "ld.global.f32 %f2, [%rd2]; mul.f32 %f4, {}; fma.rn.f32 %f5, {}, %f4; st.global.f32 [%rd2], %f5;"
OWN, NOTHING = "%f9, %f100", "%f100, 0f00000000"


def test_a_version_may_have_the_case_that_nothing_was_added_up_by_itself() -> None:
    whole = SUM + LAST.format(OWN, "%f2, %f100")
    case = LAST.format(NOTHING, "%f2, %f100")
    fused = LAST.format("%f2, %f100", NOTHING)
    other = LAST.format("%f100, 0f3F800000", "%f2, %f100")
    assert same(whole, whole, case)
    assert difference(body(part(1, whole), part(2, case)), body(part(1, whole)), 0) is None, "and so may the kernel"
    assert not same(whole, whole, fused), "the other product is fused"
    assert not same(whole, whole, other), "it never is 1"
    assert same(whole, case), "in a version for launches that add nothing up"
    assert not same(whole, fused)


def partition(pair: Sequence[Values], detail: Detail) -> set[frozenset[int]]:
    """The classes as the definition has them: all nodes told again in every round."""
    made = Refinement(pair, detail)
    nodes = range(len(made._nodes))
    made._classes = [hash(one.operation.name) for one in made._nodes]
    for _ in range(32):
        table: dict[object, int] = {}
        before = len(set(made._classes))
        made._classes = [table.setdefault((made._classes[one], made._key(one)), len(table)) for one in nodes]
        if len(table) == before:
            break
    return {frozenset(one for one in nodes if made._classes[one] == known) for known in made._classes}


@pytest.mark.parametrize("seed", range(12))
def test_telling_only_what_has_changed_gives_the_same_classes(seed: int) -> None:
    rng = random.Random(seed)
    pair = []
    for _ in range(2):
        text = [LOADS]
        for number in range(4, 4 + rng.randrange(5, 60)):
            a, b, c = (f"%f{rng.choice([100, *range(max(1, number - 8), number)])}" for _ in range(3))
            kind = rng.choice(("add.f32 {0}, {1}, {2}", "fma.rn.f32 {0}, {1}, {2}, {3}", "mul.f32 {0}, {1}, {2}"))
            text.append(f"{kind.format(f'%f{number}', a, b, c)};")
            if rng.random() < 0.1:
                text.append(f"mov.f32 %f{rng.randrange(1, number)}, %f{number};")
            if rng.random() < 0.2:
                text.append(f"st.global.f32 [%rd2], %f{number};")
        pair.append(Values(body("".join(text))))
    for detail in DETAILS:
        made = Refinement(pair, detail)
        nodes = range(len(made._nodes))
        found = {frozenset(one for one in nodes if made._classes[one] == known) for known in made._classes}
        assert found == partition(pair, detail), (seed, detail)
