"""Sums of two compilations are compared: same rounding whatever unrolling and registers are, or not."""

from __future__ import annotations

import pytest

from gpuopt_driver.ptx.fusion import difference
from gpuopt_driver.ptx.guess import choices
from gpuopt_driver.ptx.read import Function, function

HEAD = "ld.param.u64 %rd1, [k_param_0]; ld.param.u64 %rd2, [k_param_1]; ld.param.f32 %f100, [k_param_2];"
LOADS = (
    "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; ld.global.f32 %f3, [%rd1+4]; ld.global.f32 %f4, [%rd2+4];"
)
STORE = "st.global.f32 [%rd1], %f9; ret;"


def body(*text: str) -> Function:
    return function(
        "k", [line.strip() + ";" for part in text for line in part.split(";") if line.strip()], is_entry=True
    )


def loop(*turns: str) -> Function:
    """A sum in a loop, written out so many times."""
    return body(HEAD, "mov.f32 %f9, 0f00000000;", "$L1: ", *turns, "@%p1 bra $L1;", STORE)


TURN = "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; fma.rn.f32 %f9, %f1, %f2, %f9;"
APART = "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; mul.rn.f32 %f3, %f1, %f2; add.rn.f32 %f9, %f9, %f3;"


def test_unrolling_changes_nothing() -> None:
    turns = [
        f"ld.global.f32 %f{n}1, [%rd1+{4 * n}]; ld.global.f32 %f{n}2, [%rd2+{4 * n}]; "
        f"fma.rn.f32 %f{n}9, %f{n}1, %f{n}2, %f{before};"
        for n, before in ((2, "9"), (3, "29"), (4, "39"))
    ]
    assert difference(loop(TURN), loop(*turns, "mov.f32 %f9, %f49;"), 0) is None


def test_a_product_that_is_fused_in_one_only() -> None:
    found = difference(loop(TURN), loop(APART), 0)
    assert found is not None
    assert found.kind == ("f32", "load global 0 0 * load global 1 0")
    assert (found.first, found.second) == (frozenset({(("fused",),)}), frozenset({(("apart",),)}))


def test_a_remainder_that_is_fused_otherwise() -> None:
    assert difference(loop(TURN), loop(TURN, APART), 0) is not None
    assert difference(loop(TURN, APART), loop(TURN, APART), 0) is None, "instruction by instruction"


ONE = "mul.f32 %f5, %f3, %f4; fma.rn.f32 %f9, %f1, %f2, %f5;"
OTHER = "mul.f32 %f5, %f1, %f2; fma.rn.f32 %f9, %f3, %f4, %f5;"


def test_the_other_one_of_two_like_products() -> None:
    assert difference(body(HEAD, LOADS, ONE, STORE), body(HEAD, LOADS, OTHER, STORE), 0) is not None
    assert difference(body(HEAD, LOADS, ONE, STORE), body(HEAD, LOADS, ONE, STORE), 0) is None


@pytest.mark.parametrize(
    "text",
    [
        "mul.f32 %f5, %f1, %f100; $L7: add.f32 %f9, %f5, %f2;",  # another block: ptxas leaves it
        "mul.f32 %f5, %f1, %f100; add.f32 %f9, %f5, %f2; st.global.f32 [%rd2], %f5;",  # used by itself as well
        "mul.f32 %f5, %f1, %f100; div.rn.f32 %f6, %f3, %f4; add.f32 %f9, %f5, %f2; st.global.f32 [%rd2], %f6;",
        "mul.rn.f32 %f5, %f1, %f100; add.rn.f32 %f9, %f5, %f2;",  # __fmul_rn
    ],
)
def test_what_is_left_to_ptxas_is_compared_with_what_decides(text: str) -> None:
    usual = body(HEAD, LOADS, "mul.f32 %f5, %f1, %f100; add.f32 %f9, %f5, %f2;", STORE)
    assert difference(usual, body(HEAD, LOADS, text, STORE), 0) is not None
    assert difference(usual, usual, 0) is None


def test_signs_copies_and_the_order_of_blocks_change_nothing() -> None:
    one = body(HEAD, LOADS, "mul.f32 %f5, %f3, %f100; neg.f32 %f6, %f5; fma.rn.f32 %f9, %f1, %f2, %f6;", STORE)
    other = body(
        HEAD,
        LOADS,
        "neg.f32 %f7, %f100; mul.f32 %f5, %f3, %f7; mov.f32 %f8, %f5; fma.rn.f32 %f9, %f1, %f2, %f8;",
        STORE,
    )
    assert difference(one, other, 0) is None


def test_a_version_has_a_parameter_more() -> None:
    moved = HEAD.replace("_param_2", "_param_3").replace("_param_1", "_param_2").replace("_param_0", "_param_1")
    text = "fma.rn.f32 %f9, %f1, %f100, %f2;"
    assert difference(body(HEAD, LOADS, text, STORE), body(moved, LOADS, text, STORE), 1) is None


def test_loads_that_change_places_are_not_the_same() -> None:
    loads = ("ld.global.f32 %f1, [%rd1];", "ld.global.f32 %f2, [%rd1+16];")
    rest = "ld.global.f32 %f3, [%rd2]; mul.f32 %f5, {0}, %f3; fma.rn.f32 %f9, {1}, %f3, %f5;"
    own = body(HEAD, *loads, rest.format("%f1", "%f2"), STORE)
    assert difference(own, own, 0) is None
    assert difference(own, body(HEAD, *reversed(loads), rest.format("%f2", "%f1"), STORE), 0) is not None
    moved = [load.replace("%rd1+16", "%rd1+8").replace("[%rd1]", "[%rd1+-8]") for load in loads]
    assert difference(own, body(HEAD, *moved, rest.format("%f1", "%f2"), STORE), 0) is None


def test_halves() -> None:
    loads = "ld.global.u16 %rs1, [%rd1]; ld.global.u16 %rs2, [%rd2]; ld.global.u16 %rs3, [%rd2+2];"
    apart = "{mul.f16 %rs4,%rs1,%rs2;\n} {add.f16 %rs5,%rs4,%rs3;\n} st.global.u16 [%rd1], %rs5;"
    fused = "{fma.rn.f16 %rs5,%rs1,%rs2,%rs3;\n} st.global.u16 [%rd1], %rs5;"
    assert difference(body(HEAD, loads, apart), body(HEAD, loads, fused), 0) is not None
    assert difference(body(HEAD, loads, apart), body(HEAD, loads, apart), 0) is None


def test_halves_in_and_before_a_loop() -> None:
    def whole(*lines: str) -> Function:
        head = [*HEAD.split("; "), "ld.global.u16 %rs1, [%rd1];", "ld.global.u16 %rs2, [%rd2];"]
        text = "\n".join([*head, "ld.global.u16 %rs3, [%rd2+2];", *lines, "@%p1 bra $L0;", "ret;"])
        return function("k", text.split("\n"), is_entry=True)

    product, total = "{mul.f16 %rs4,%rs1,%rs2;\n}", "{add.f16 %rs5,%rs4,%rs3;\n}\nst.global.u16 [%rd1], %rs5;"
    second = [text.replace("%rs4", "%rs6").replace("%rs5", "%rs7") for text in (product, total)]
    ways = [whole("$L0:", product, total), whole("$L0:", product, total, *second), whole(product, "$L0:", total)]
    in_loop, unrolled, outside = (choices(one, 0).likely() for one in ways)
    assert "{fma.rn.f16 %rs5, %rs1, %rs2, %rs3;" in [line.strip() for line in in_loop.lines]
    assert difference(in_loop, unrolled, 0) is None
    assert difference(outside, unrolled, 0) is not None
    left = difference(ways[0], ways[1], 0)
    assert left is not None
    assert left.is_left
