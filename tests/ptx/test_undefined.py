"""Shifts and divisions of an original that the constants of a version may make undefined."""

from __future__ import annotations

import pytest

from gpuopt_driver.ptx.read import Function, function
from gpuopt_driver.ptx.undefined import undefined

READS = "ld.param.u64 %rd1, [k_param_0]; ld.param.u32 %r1, [k_param_1]; ld.global.u32 %r2, [%rd1];"
LOOP = "mov.b32 %r3, {first}; $L: {body} add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r1; @%p1 bra $L; ret;"


def made(text: str) -> Function:
    return function("k", [READS + text], is_entry=True)


def found(text: str, **constants: int) -> str:
    return undefined(made(text), constants, ("x", "n"))


@pytest.mark.parametrize(
    ("text", "n", "operation"),
    [
        ("shl.b32 %r4, %r2, %r1;", 32, "shl.b32"),
        ("shl.b32 %r4, %r2, %r1;", -1, "shl.b32"),
        ("shl.b32 %r4, %r2, %r1;", 31, ""),
        ("shr.u64 %rd2, %rd1, %r1;", 63, ""),
        ("shr.u64 %rd2, %rd1, %r1;", 64, "shr.u64"),
        ("sub.s32 %r3, 32, %r1; shr.u32 %r4, %r2, %r3;", 0, "shr.u32"),
        ("and.b32 %r3, %r1, 31; shr.u32 %r4, %r2, %r3;", 32, ""),
        ("div.s32 %r4, %r2, %r1;", 0, "div.s32"),
        ("div.s32 %r4, %r2, %r1;", 7, ""),
        ("rem.u32 %r4, %r2, %r1;", 0, "rem.u32"),
        ("mov.u32 %r3, -2147483648; div.s32 %r4, %r3, %r1;", -1, "div.s32"),
        ("shr.s32 %r3, %r1, 31; add.s32 %r4, %r3, 1; rem.s32 %r5, %r2, %r4;", -5, "rem.s32"),
        ("shf.l.wrap.b32 %r4, %r2, %r2, %r1;", 0, "shf.l.wrap.b32"),  # (x << n) | (x >> (32 - n))
        ("shf.l.wrap.b32 %r4, %r2, %r2, %r1;", 5, ""),
        ("div.rn.f32 %f1, %f2, %f3;", 0, ""),
        # What is known of a number that is not computed here is not that it is right.
        ("cvt.rn.f32.s32 %f1, %r1; cvt.rzi.s32.f32 %r3, %f1; shl.b32 %r4, %r2, %r3;", 3, "shl.b32"),
        ("cvta.local.u64 %rd2, %SPL; ld.local.u32 %r3, [%rd2+4]; shl.b32 %r4, %r2, %r3;", 3, ""),
        ("mov.u64 %rd2, table; ld.global.u32 %r3, [%rd2+4]; shl.b32 %r4, %r2, %r3;", 3, "shl.b32"),
    ],
)
def test_operands_of_what_a_version_knows(text: str, n: int, operation: str) -> None:
    assert found(text, n=n) == operation


@pytest.mark.parametrize(
    ("first", "body", "operation"),
    [
        (0, "sub.s32 %r4, 32, %r3; shl.b32 %r5, %r2, %r4;", "shl.b32"),
        (1, "sub.s32 %r4, 32, %r3; shl.b32 %r5, %r2, %r4;", ""),
        (0, "div.s32 %r5, %r2, %r3;", "div.s32"),
        (1, "div.s32 %r5, %r2, %r3;", ""),
        (0, "setp.eq.s32 %p2, %r3, 0; @%p2 bra $M; div.s32 %r5, %r2, %r3; $M:", ""),
        (0, "setp.eq.s32 %p2, %r3, 0; @!%p2 bra $M; div.s32 %r5, %r2, %r3; $M:", "div.s32"),
        (0, "setp.gt.s32 %p2, %r2, 0; @%p2 bra $M; div.s32 %r5, %r2, %r3; $M:", "div.s32"),  # both ways
        (0, "setp.ne.s32 %p2, %r3, 0; @%p2 div.s32 %r5, %r2, %r3;", ""),
    ],
)
def test_counters_of_loops_that_may_be_unrolled(first: int, body: str, operation: str) -> None:
    assert found(LOOP.format(first=first, body=body), n=8) == operation


def test_a_loop_that_is_too_long_to_be_unrolled_ends() -> None:
    """Its counter varies as in the kernel; a number that it does not change is the same all the same."""
    body = "shl.b32 %r5, %r2, %r3; div.s32 %r6, %r2, %r1;"
    assert found(LOOP.format(first=0, body="div.s32 %r6, %r2, %r1;"), n=1_000_000) == ""
    assert found(LOOP.format(first=0, body=body), n=1_000_000) == "shl.b32"


def test_what_varies_is_left_alone() -> None:
    assert found("shl.b32 %r4, %r1, %r2; mov.u32 %r5, %tid.x; div.s32 %r6, %r1, %r5;", n=8) == ""
    assert found("shl.b32 %r4, %r2, %r1;") == "", "a version without constants"
    assert found("shl.b32 %r4, %r2, %r1;", other=3) == "", "a parameter that the version reads"


def test_dimensions_of_the_launch() -> None:
    halves = "mov.u32 %r1, %ntid.x; shr.u32 %r3, %r1, 5; rem.u32 %r4, %r2, %r3;"
    assert undefined(made(halves), {"blockDim.x": 16}, ()) == "rem.u32"
    assert undefined(made(halves), {"blockDim.x": 64}, ()) == ""
    thread = "mov.u32 %r1, %tid.y; div.u32 %r3, %r2, %r1;"
    assert undefined(made(thread), {"blockDim.y": 1}, ()) == "div.u32", "the only thread of a row is the first"
    assert undefined(made(thread), {"blockDim.y": 2}, ()) == ""
