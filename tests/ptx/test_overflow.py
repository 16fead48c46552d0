"""Products with constants of a version of which nvcc may take for granted that they do not overflow."""

from __future__ import annotations

import pytest

from gpuopt_driver.ptx.overflow import overflows
from gpuopt_driver.ptx.read import function

READS = "ld.param.u64 %rd1, [k_param_0]; ld.param.u32 %r1, [k_param_1]; mov.u32 %r9, %tid.x; ld.global.u32 %r2, [%rd1];"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("mul.lo.s32 %r3, %r2, %r1; div.s32 %r4, %r3, 64;", "mul.lo.s32, div.s32"),
        ("mul.lo.s32 %r3, %r2, %r1; add.s32 %r4, %r3, %r9; setp.lt.s32 %p1, %r4, 0;", "mul.lo.s32, setp.lt.s32"),
        ("add.s32 %r3, %r2, 5; mad.lo.s32 %r4, %r1, %r3, %r9; abs.s32 %r5, %r4;", "mad.lo.s32, abs.s32"),
        ("mul.lo.s32 %r3, %r2, %r1; cvt.rn.f32.s32 %f1, %r3;", "mul.lo.s32, cvt.rn.f32.s32"),
        ("mul.lo.s32 %r3, %r2, %r1; rem.u32 %r4, %r3, 64; setp.lt.u32 %p1, %r4, 9;", ""),
        ("mul.lo.s32 %r3, %r2, %r1; setp.eq.s32 %p1, %r3, 0;", ""),
        ("mul.lo.s32 %r3, %r9, %r1; div.s32 %r4, %r3, 64;", ""),  # an index
        ("mul.lo.s32 %r3, %r2, %r9; div.s32 %r4, %r3, 64;", ""),  # no constant of the launch
        ("mul.lo.s32 %r3, %r2, %r1; mul.wide.s32 %rd2, %r3, 4; st.global.u32 [%rd2], %r3;", ""),  # an address
    ],
)
def test_products_of_what_is_loaded(text: str, found: str) -> None:
    kernel = function("k", [READS + text], is_entry=True)
    assert overflows(kernel, {"n": 7}, ("x", "n")) == found
    assert overflows(kernel, {}, ("x", "n")) == ""
    assert overflows(kernel, {"other": 7}, ("x", "n")) == ""
