"""What a version executes and its original was spared, as its compiler knew what memory holds."""

from __future__ import annotations

import pytest

from gpuopt_driver.ptx.forgotten import forgotten, unmasked
from gpuopt_driver.ptx.read import Function, function

READS = "ld.param.u64 %rd1, [k_param_{0}]; ld.param.u64 %rd2, [k_param_{1}]; "
FILLED = "st.global.u32 [%rd1], 1065353216; "  # 1.0f
MEETS = "bar.sync 0; "
AGAIN = "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; mul.f32 %f3, %f2, %f1; st.global.f32 [%rd2], %f3;"
GIVEN = "ld.global.f32 %f2, [%rd2]; st.global.f32 [%rd2], %f2;"


def of(text: str, shift: int = 0) -> Function:
    return function("k", [READS.format(shift, shift + 1) + text], is_entry=True)


@pytest.mark.parametrize(
    ("text", "others", "found"),
    [
        (FILLED + GIVEN, FILLED + MEETS + AGAIN, "mul.f32"),
        (FILLED + GIVEN, FILLED.replace("1065353216", "1073741824") + MEETS + AGAIN, ""),  # 2.0f
        (FILLED + AGAIN, FILLED + MEETS + AGAIN, ""),  # the original has it
        (FILLED + GIVEN, FILLED + AGAIN, ""),  # as much is known
        (FILLED + GIVEN, FILLED + AGAIN.replace("ld.global", "ld.global.cg", 1), "mul.f32"),
        (FILLED + GIVEN, FILLED + MEETS + AGAIN.replace("[%rd1]", "[%rd2]"), ""),  # the array is not that of the store
        (
            "setp.eq.f32 %p1, %f2, 0f3F800000; @%p1 bra $L; " + GIVEN + " $L: ret;",
            "ld.global.f32 %f4, [%rd1]; setp.eq.f32 %p1, %f4, 0f3F800000; @%p1 bra $L; " + MEETS + AGAIN + " $L: ret;",
            "mul.f32",
        ),
        (
            "mov.f32 %f4, 0f3EAAAAAB; st.global.f32 [%rd2], %f4;",
            "st.global.u32 [%rd1], 1077936128; bar.sync 0; ld.global.f32 %f1, [%rd1]; rcp.approx.f32 %f4, %f1;",
            "rcp.approx.f32",
        ),
    ],
)
def test_floating_point_of_what_is_loaded_again(text: str, others: str, found: str) -> None:
    assert forgotten(of(text), of(others, 1), 1) == found


PUT = "ld.global.u32 %r1, [%rd2]; and.b32 %r2, %r1, 2147483647; st.global.u32 [%rd1], %r2; "
NEXT = "mad.lo.s32 %r4, %r3, 1103515245, 12345; and.b32 %r5, %r4, 2147483647; st.global.u32 [%rd2], %r5;"
SPARED = "mad.lo.s32 %r4, %r2, 1103515245, 12345; st.global.u32 [%rd2], %r4;"
TAKEN = "ld.global.u32 %r3, [%rd1]; "


@pytest.mark.parametrize(
    ("text", "others", "found"),
    [
        (PUT + SPARED, PUT + MEETS + TAKEN + NEXT, "and.b32"),
        (PUT + TAKEN + NEXT, PUT + MEETS + TAKEN + NEXT, ""),
        (PUT + SPARED, PUT + TAKEN + NEXT, ""),
        (PUT + SPARED + TAKEN + NEXT, PUT + MEETS + TAKEN + NEXT + TAKEN + NEXT, "and.b32"),  # once in two
        (PUT + "$L: " + TAKEN + NEXT + " @%p1 bra $L;", PUT + MEETS + TAKEN + NEXT + TAKEN + NEXT, ""),  # unrolled
        (PUT + TAKEN + NEXT, PUT + MEETS + "$L: " + TAKEN + NEXT + " @%p1 bra $L;", ""),
        (PUT + SPARED, PUT + MEETS + TAKEN + NEXT.replace("2147483647", "65535"), ""),  # no sign is in it
        (PUT, PUT + MEETS + TAKEN + "add.s32 %r4, %r3, 1; setp.ne.s32 %p1, %r4, 9;", ""),
        (PUT, PUT + MEETS + TAKEN + "shl.b32 %r4, %r3, 24; shr.s32 %r5, %r4, 24;", ""),  # a byte
        (PUT, PUT + MEETS + TAKEN + "setp.lt.s32 %p1, %r3, 9; selp.b32 %r6, 1, 2, %p1; shl.b32 %r4, %r6, 9;", ""),
    ],
)
def test_integers_that_are_loaded_again(text: str, others: str, found: str) -> None:
    assert unmasked(of(text), of(others, 1), 1) == found
