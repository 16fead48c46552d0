"""Operations that give back their operand, which nvcc leaves out of a version and a GPU does not."""

from __future__ import annotations

import pytest

from gpuopt_driver.ptx.elements import elements
from gpuopt_driver.ptx.identities import left_out
from gpuopt_driver.ptx.read import function
from gpuopt_driver.ptx.values import values_of

READS = (
    "ld.param.u64 %rd1, [k_param_0]; ld.param.u32 %r1, [k_param_1]; ld.param.f32 %f9, [k_param_2]; "
    "mov.u32 %r9, %tid.x; ld.global.f32 %f1, [%rd1]; cvt.rn.f32.s32 %f2, %r1; cvt.rn.f64.s32 %fd2, %r1; "
    "ld.global.f64 %fd1, [%rd1]; "
)


@pytest.mark.parametrize(
    ("text", "number", "found"),
    [
        ("mul.f32 %f3, %f1, %f2;", 1, "mul.f32"),
        ("mul.ftz.f32 %f3, %f2, %f1;", 1, "mul.ftz.f32"),
        ("mul.f32 %f3, %f1, %f2;", 2, ""),
        ("mul.f32 %f3, %f1, %f2;", -1, "mul.f32"),
        ("mul.f64 %fd3, %fd1, %fd2;", 1, "mul.f64"),
        ("div.rn.f32 %f3, %f1, %f2;", 1, "div.rn.f32"),
        ("div.rn.f32 %f3, %f2, %f1;", 1, ""),
        ("add.s32 %r2, %r1, -1; cvt.rn.f32.s32 %f4, %r2; sub.f32 %f3, %f1, %f4;", 1, "sub.f32"),
        ("add.s32 %r2, %r1, -1; cvt.rn.f32.s32 %f4, %r2; add.f32 %f3, %f1, %f4;", 1, ""),  # -0 becomes 0
        ("add.s32 %r2, %r1, -1; cvt.rn.f32.s32 %f4, %r2; sub.f32 %f3, %f1, %f4;", 3, ""),
        ("rcp.rn.f32 %f4, %f2; mul.f32 %f3, %f1, %f4;", 1, "mul.f32"),
        ("rcp.rn.f32 %f4, %f2; mul.f32 %f3, %f1, %f4;", 3, ""),
        ("sqrt.rn.f32 %f4, %f2; mul.f32 %f3, %f1, %f4;", 1, "mul.f32"),
        ("sqrt.rn.f32 %f4, %f2; add.f32 %f3, %f1, %f4;", 13, ""),
        ("add.f32 %f4, %f1, %f9; div.rn.f32 %f3, %f4, %f2;", 1, ""),  # a sum has its NaN already
        ("add.f32 %f4, %f1, %f9; div.rn.ftz.f32 %f3, %f4, %f2;", 1, "div.rn.ftz.f32"),  # and may be denormal
        ("add.f32 %f4, %f1, %f9; mul.f32 %f3, %f4, %f2;", -1, "mul.f32"),  # of which the sign would change
        ("cvt.rn.f32.s32 %f4, %r9; mul.f32 %f3, %f4, %f2;", -1, ""),
        ("ld.global.u16 %rs1, [%rd1]; cvt.rn.f16.s32 %rs2, %r1; mul.f16 %rs3, %rs1, %rs2;", 1, "mul.f16"),
        ("ld.global.u16 %rs1, [%rd1]; cvt.rn.f16.s32 %rs2, %r1; mul.f16 %rs3, %rs1, %rs2;", 3, ""),
        ("ld.global.u16 %rs1, [%rd1]; cvt.rn.bf16.f32 %rs2, %f2; mul.bf16 %rs3, %rs1, %rs2;", 1, "mul.bf16"),
        ("ld.global.u16 %rs1, [%rd1]; cvt.rn.bf16.f32 %rs2, %f2; mul.bf16 %rs3, %rs1, %rs2;", 257, ""),
        (
            "ld.global.u32 %r2, [%rd1]; cvt.rn.f16.f32 %rs2, %f2; mov.b32 %r3, {%rs2, %rs2}; mul.f16x2 %r4, %r2, %r3;",
            1,
            "mul.f16x2",
        ),
        ("ld.global.u16 %rs1, [%rd1]; mul.f16 %rs3, %rs1, 0x3C00;", 1, "mul.f16"),
        ("ld.global.u16 %rs1, [%rd1]; mul.bf16 %rs3, %rs1, 0x3C00;", 1, ""),
        ("mul.f32 %f3, %f1, %f9;", 1, ""),  # no number that a version knows
        ("mov.f32 %f3, 0f3F800000; $L: mul.f32 %f3, %f3, %f1; @%p1 bra $L;", 4, "mul.f32"),  # in the first turn
        ("mov.f32 %f3, 0f40000000; $L: mul.f32 %f3, %f3, %f1; @%p1 bra $L;", 4, ""),
    ],
)
def test_operations_with_a_number_that_is_known(text: str, number: int, found: str) -> None:
    kernel = function("k", [READS + text], is_entry=True)
    assert left_out(kernel, {"n": number}, ("x", "n", "a")) == found
    assert left_out(kernel, {}, ("x", "n", "a")) == ""


STORES = READS + "ld.param.u64 %rd2, [k_param_3]; ld.global.f32 %f5, [%rd2]; "


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("st.global.u32 [%rd1], 1065353216; mul.f32 %f3, %f5, %f1;", "mul.f32"),  # 1.0f, as bits
        ("mov.f32 %f4, 0fBF800000; st.global.f32 [%rd1], %f4; mul.f32 %f3, %f5, %f1;", "mul.f32"),
        ("st.global.u64 [%rd1], 4575657222473777152; mul.f32 %f3, %f5, %f1;", "mul.f32"),  # two of them
        ("st.global.v2.u32 [%rd1], {1073741824, 1065353216}; mul.f32 %f3, %f5, %f1;", "mul.f32"),
        ("st.global.u32 [%rd1], 1073741824; mul.f32 %f3, %f5, %f1;", ""),  # 2.0f
        ("st.global.u32 [%rd1], 1073741824; add.f32 %f4, %f1, 0fBF800000; mul.f32 %f3, %f5, %f4;", "mul.f32"),
        ("st.global.u32 [%rd2], 1065353216; mul.f32 %f3, %f5, %f1;", ""),  # in another array
        ("st.global.f32 [%rd1], %f5; mul.f32 %f3, %f5, %f1;", ""),
        ("st.global.u32 [%rd1], 0; sub.f32 %f3, %f5, %f1;", "sub.f32"),
        ("st.global.u32 [%rd1], -2147483648; sub.f32 %f3, %f1, %f5;", "sub.f32"),  # -0 - x
        ("st.global.u32 [%rd1], 0; add.f32 %f3, %f5, %f1;", ""),
        (
            "st.global.u32 [%rd1], 0; add.f32 %f4, %f1, 0f3F800000; st.global.f32 [%rd1], %f4; mul.f32 %f3, %f5, %f1;",
            "mul.f32",
        ),
        ("setp.eq.f32 %p1, %f1, 0f3F800000; mul.f32 %f3, %f5, %f1;", "mul.f32"),
        ("setp.neu.f32 %p1, %f1, 0f40000000; mul.f32 %f3, %f5, %f1;", ""),
        ("setp.lt.f32 %p1, %f1, 0f3F800000; mul.f32 %f3, %f5, %f1;", ""),
        (
            "ld.global.u8 %rs1, [%rd1]; setp.ne.s16 %p1, %rs1, 0; cvt.rn.f32.u16 %f4, %rs1; mul.f32 %f3, %f5, %f4;",
            "mul.f32",
        ),
        ("ld.global.u8 %rs1, [%rd1]; cvt.rn.f32.u16 %f4, %rs1; mul.f32 %f3, %f5, %f4;", ""),
        ("st.global.u32 [%rd1], 1077936128; rcp.approx.ftz.f32 %f3, %f1;", "rcp.approx.ftz.f32"),
        ("st.global.u32 [%rd1], 1077936128; div.full.f32 %f3, %f5, %f1;", "div.full.f32"),
        ("st.global.u32 [%rd1], 1077936128; div.full.f32 %f3, %f5, 0f40400000;", ""),
        ("st.global.u32 [%rd1], 1077936128; div.rn.f32 %f3, %f5, %f1;", ""),
    ],
)
def test_operations_with_an_element_that_is_followed(text: str, found: str) -> None:
    kernel = function("k", [STORES + text], is_entry=True)
    assert left_out(kernel, {}, (), elements(values_of(kernel), [0])) == found
    assert left_out(kernel, {}, ()) == ""


def test_elements_of_shared_memory_that_are_followed() -> None:
    text = "st.shared.u32 [%r9], 1065353216; ld.shared.f32 %f4, [%r9]; mul.f32 %f3, %f1, %f4;"
    kernel = function("k", [READS + text], is_entry=True)
    assert left_out(kernel, {}, (), elements(values_of(kernel), [], shared=True)) == "mul.f32"
    assert left_out(kernel, {}, (), elements(values_of(kernel), [0])) == ""


def test_long_chains_of_operations() -> None:
    text = "".join(
        f"fma.rn.f32 %f{n + 11}, %f1, %f2, %f{n + 10}; add.s32 %r{n + 11}, %r{n + 10}, %r1; " for n in range(3000)
    )
    kernel = function("k", [READS + text + "mul.f32 %f3, %f1, %f3010; st.global.f32 [%rd1], %f3010;"], is_entry=True)
    assert left_out(kernel, {"n": 7}, ("x", "n", "a"), elements(values_of(kernel), [0])) == ""
