"""Products with constants of a version of which nvcc may take for granted that they do not overflow."""

from __future__ import annotations

import pytest

from gpuopt_driver.ptx.elements import Elements, elements
from gpuopt_driver.ptx.overflow import follows, overflows
from gpuopt_driver.ptx.read import Function, function
from gpuopt_driver.ptx.values import values_of

READS = "ld.param.u64 %rd1, [k_param_0]; ld.param.u32 %r1, [k_param_1]; mov.u32 %r9, %tid.x; ld.global.u32 %r2, [%rd1];"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("mul.lo.s32 %r3, %r2, %r1; div.s32 %r4, %r3, 64;", "mul.lo.s32, div.s32"),
        ("mul.lo.s32 %r3, %r2, %r1; add.s32 %r4, %r3, %r9; setp.lt.s32 %p1, %r4, 0;", "mul.lo.s32, setp.lt.s32"),
        ("add.s32 %r3, %r2, 5; mad.lo.s32 %r4, %r1, %r3, %r9; abs.s32 %r5, %r4;", "mad.lo.s32, abs.s32"),
        ("mul.lo.s32 %r3, %r2, %r1; cvt.rn.f32.s32 %f1, %r3;", "mul.lo.s32, cvt.rn.f32.s32"),
        ("mul.lo.s32 %r3, %r2, %r1; rem.u32 %r4, %r3, 64; setp.lt.u32 %p1, %r4, 9;", ""),
        ("mul.lo.s32 %r3, %r2, %r1; setp.eq.s32 %p1, %r3, 64;", "mul.lo.s32, setp.eq.s32"),  # v * 64 == 64: v == 1
        ("mul.lo.s32 %r3, %r9, %r1; div.s32 %r4, %r3, 64;", ""),  # an index
        ("mul.lo.s32 %r3, %r2, %r9; div.s32 %r4, %r3, 64;", ""),  # no constant of the launch
        ("mul.lo.s32 %r3, %r2, %r1; mul.wide.s32 %rd2, %r3, 4; st.global.u32 [%rd2], %r3;", ""),  # an address
        ("mul.lo.s32 %r3, %r2, %r1; mul.hi.s32 %r4, %r3, 274877907;", "mul.lo.s32, mul.hi.s32"),  # a division by 1000
        ("mul.lo.s32 %r3, %r2, %r1; xor.b32 %r4, %r3, %r9; shr.s32 %r5, %r4, 31;", "mul.lo.s32, shr.s32"),
        ("mul.lo.s32 %r3, %r2, %r1; shr.u32 %r4, %r3, 31;", "mul.lo.s32, shr.u32"),  # the sign
        ("mul.lo.s32 %r3, %r2, %r1; and.b32 %r4, %r3, 255; shr.s32 %r5, %r4, 3;", ""),  # which has no sign
        ("mul.lo.s32 %r3, %r2, %r1; cvt.s64.s32 %rd2, %r3; st.global.u64 [%rd1], %rd2;", "mul.lo.s32, st.global.u64"),
        ("mul.lo.s32 %r3, %r2, %r1; cvt.s64.s32 %rd2, %r3; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], 1;", ""),
        ("abs.s32 %r8, %r2; mul.lo.s32 %r3, %r8, %r1; shr.s32 %r4, %r3, 6;", "mul.lo.s32, shr.s32"),
        # Factors that are made of a number of the launch.
        ("add.s32 %r7, %r1, 3; mul.lo.s32 %r3, %r2, %r7; div.s32 %r4, %r3, 64;", "mul.lo.s32, div.s32"),
        ("cvt.s32.s16 %r7, %r1; mul.lo.s32 %r3, %r2, %r7; div.s32 %r4, %r3, 64;", "mul.lo.s32, div.s32"),
        ("setp.gt.s32 %p1, %r1, 3; selp.b32 %r7, 64, 32, %p1; mul.lo.s32 %r3, %r2, %r7; abs.s32 %r4, %r3;", "abs"),
        ("mov.u32 %r7, 0;\n$L:\nmul.lo.s32 %r3, %r2, %r7; div.s32 %r4, %r3, %r1; add.s32 %r7, %r7, 1; bra $L;", "div"),
        ("add.s32 %r7, %r1, %r9; mul.lo.s32 %r3, %r2, %r7; div.s32 %r4, %r3, 64;", ""),
        # Numbers that what is done with a product has.
        ("shl.b32 %r3, %r2, 6; div.s32 %r4, %r3, %r1;", "shl.b32, div.s32"),
        ("mul.lo.s32 %r3, %r2, 3; setp.lt.s32 %p1, %r3, %r1;", "mul.lo.s32, setp.lt.s32"),
        ("mul.lo.s32 %r3, %r2, 3; setp.lt.s32 %p1, %r3, 5;", ""),  # the original has all of it
        # Sums: loaded numbers may be as large as there are, and are compared with another one.
        ("add.s32 %r3, %r2, %r1; setp.gt.s32 %p1, %r3, 200;", "add.s32, setp.gt.s32"),
        ("add.s32 %r3, %r2, 5; setp.gt.s32 %p1, %r3, %r1;", "add.s32, setp.gt.s32"),
        ("add.s32 %r3, %r2, %r1; setp.eq.s32 %p1, %r3, 200;", ""),
        ("add.s32 %r3, %r9, %r1; setp.gt.s32 %p1, %r3, 200;", ""),
        ("add.s32 %r3, %r2, %r1; mul.wide.s32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r4, [%rd3];", ""),
        (
            "neg.s32 %r3, %r2; setp.lt.s32 %p1, %r3, %r1;",
            "neg.s32, setp.lt.s32",
        ),  # there is a number without another sign
        ("abs.s32 %r3, %r2; setp.lt.s32 %p1, %r3, %r1;", "abs.s32, setp.lt.s32"),
        ("sub.s32 %r3, %r2, %r2; setp.lt.s32 %p1, %r3, %r1;", ""),
        # What is known to be too small.
        ("ld.global.u8 %r3, [%rd1]; mul.lo.s32 %r4, %r3, %r1; div.s32 %r5, %r4, 3;", ""),
        ("and.b32 %r3, %r2, 65535; mad.lo.s32 %r4, %r3, %r1, 9; div.s32 %r5, %r4, 3;", ""),
        ("shr.u32 %r3, %r2, 8; mul.lo.s32 %r4, %r3, %r1; div.s32 %r5, %r4, 3;", ""),
        ("shr.s32 %r3, %r2, 8; mul.lo.s32 %r4, %r3, %r1; div.s32 %r5, %r4, 3;", ""),
        ("rem.s32 %r3, %r2, %r1; mul.lo.s32 %r4, %r3, %r1; div.s32 %r5, %r4, 3;", ""),
        ("rem.u32 %r3, %r2, %r1; mul.lo.s32 %r4, %r3, %r1; div.s32 %r5, %r4, 3;", ""),
        ("shr.u32 %r3, %r2, 1; mul.lo.s32 %r4, %r3, %r1; div.s32 %r5, %r4, 3;", "mul.lo.s32, div.s32"),
        ("cvt.s64.s32 %rd2, %r2; mul.lo.s64 %rd3, %rd2, %r1; div.s64 %rd4, %rd3, 3;", ""),
    ],
)
def test_products_of_what_is_loaded(text: str, found: str) -> None:
    kernel = function("k", (READS + text).split("\n"), is_entry=True)
    told = overflows(kernel, {"n": 7}, ("x", "n"))
    assert told == found if ", " in found or not found else found in told
    assert overflows(kernel, {}, ("x", "n")) == ""
    assert overflows(kernel, {"other": 7}, ("x", "n")) == ""


@pytest.mark.parametrize(
    ("number", "text", "found"),
    [
        (-(1 << 31), "add.s32 %r3, %r2, %r1; st.global.u32 [%rd1], %r3;", "add.s32, add.s32"),  # nvcc sets the sign
        (1 << 30, "add.s32 %r3, %r2, %r1; st.global.u32 [%rd1], %r3;", ""),
        (1103515245, "mul.lo.s32 %r3, %r9, %r1; div.s32 %r4, %r3, 100;", "mul.lo.s32, div.s32"),  # a hash, no index
        (1103515245, "add.s32 %r3, %r9, %r1; div.s32 %r4, %r3, 100;", ""),  # many elements
        (1 << 24, "ld.global.u8 %r3, [%rd1]; mul.lo.s32 %r4, %r3, %r1; div.s32 %r5, %r4, 3;", "mul.lo.s32, div.s32"),
        (0, "sub.s32 %r3, %r2, %r8; setp.lt.s32 %p1, %r3, %r1;", "sub.s32, setp.lt.s32"),  # two numbers are compared
        (5, "sub.s32 %r3, %r2, %r8; setp.lt.s32 %p1, %r3, %r1;", ""),
        (-3, "ld.global.u8 %r3, [%rd1]; mul.lo.s32 %r4, %r3, %r1; div.s32 %r5, %r4, 3;", ""),
    ],
)
def test_how_large_numbers_are(number: int, text: str, found: str) -> None:
    kernel = function("k", [READS + text], is_entry=True)
    assert overflows(kernel, {"n": number}, ("x", "n")) == found


def behind(kernel: Function, *places: int, shared: bool = False) -> Elements:
    return elements(values_of(kernel), places, shared=shared)


LOADS = "ld.param.u64 %rd1, [k_param_0]; ld.param.u64 %rd2, [k_param_1]; mov.u32 %r9, %tid.x;\n$L:\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (  # a generator of random numbers: the second mask goes
            "ld.global.u32 %r1, [%rd1]; mad.lo.s32 %r2, %r1, 1103515245, 12345; and.b32 %r3, %r2, 2147483647;"
            "st.global.u32 [%rd1], %r3;",
            "mad.lo.s32, and.b32",
        ),
        (  # what is not made of the element, but stored there
            "ld.global.u32 %r1, [%rd1]; shr.s32 %r2, %r1, 3; ld.global.u32 %r3, [%rd2]; mul.lo.s32 %r4, %r3, 5;"
            "st.global.u32 [%rd1], %r4;",
            "mul.lo.s32, shr.s32",
        ),
        ("ld.global.u32 %r1, [%rd1]; add.s32 %r2, %r1, 1; setp.lt.s32 %p1, %r2, 9;", "add.s32, setp.lt.s32"),
        ("ld.global.u32 %r1, [%rd1]; add.s32 %r2, %r1, %r9; st.global.u32 [%rd1], %r2;", ""),  # a sum
        ("ld.global.u32 %r1, [%rd1]; max.s32 %r2, %r1, %r9; st.global.u32 [%rd1], %r2;", ""),  # nothing that wraps
        ("ld.global.u32 %r1, [%rd2]; add.s32 %r2, %r1, 1; setp.lt.s32 %p1, %r2, 9;", ""),  # another array
        ("ld.global.u8 %r1, [%rd1]; add.s32 %r2, %r1, 1; setp.lt.s32 %p1, %r2, 9;", ""),  # a byte
        ("ld.global.f32 %f1, [%rd1]; cvt.rzi.s32.f32 %r1, %f1; add.s32 %r2, %r1, 1; setp.lt.s32 %p1, %r2, 9;", ""),
    ],
)
def test_elements_that_a_version_follows(text: str, found: str) -> None:
    kernel = function("k", (LOADS + text).split("\n"), is_entry=True)
    assert follows(kernel, behind(kernel, 0)) == found
    assert follows(kernel, behind(kernel)) == ""
    assert follows(kernel, behind(kernel, shared=True)) == ""  # all of this is global memory


SHARED = "ld.shared.u32 %r1, [%r9]; mad.lo.s32 %r2, %r1, 1103515245, 12345; and.b32 %r3, %r2, {0}; st.{1} [%r9], %r3;"


@pytest.mark.parametrize(
    ("mask", "store", "found"),
    [
        (2147483647, "shared.u32", "mad.lo.s32, and.b32"),
        (65535, "shared.u32", ""),  # the same with a sign or without
        (2147483647, "volatile.shared.u32", "mad.lo.s32, and.b32"),
    ],
)
def test_elements_of_shared_memory_that_a_version_follows(mask: int, store: str, found: str) -> None:
    kernel = function("k", (LOADS + SHARED.format(mask, store)).split("\n"), is_entry=True)
    assert follows(kernel, behind(kernel, shared=True)) == found
    assert follows(kernel, behind(kernel, 0)) == ""
