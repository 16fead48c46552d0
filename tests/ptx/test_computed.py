"""Approximate operations of an original that a version may have as constants."""

from __future__ import annotations

import pytest

from gpuopt_driver.ptx.computed import computed
from gpuopt_driver.ptx.read import Function, function

READS = "ld.param.u64 %rd1, [k_param_0]; ld.param.u32 %r1, [k_param_1]; mov.u32 %r9, %ntid.x;"
KNOWS = "ld.param.u64 %rd1, [v_param_1]; mov.u32 %r9, %ntid.x; ld.param.f32 %f9, [v_param_3];"
LOADED = "ld.global.f32 %f1, [%rd1];"
INVERSE = "cvt.rn.f32.s32 %f2, %r1; rcp.approx.f32 %f3, %f2;"


def made(text: str) -> Function:
    return function("k", [text], is_entry=True)


@pytest.mark.parametrize(
    ("original", "operation"),
    [
        (INVERSE, "rcp.approx.f32"),
        ("cvt.rn.f32.s32 %f2, %r9; div.full.f32 %f3, 0f40000000, %f2;", "div.full.f32"),
        (
            "mov.f32 %f2, 0f00000000; $L: add.f32 %f2, %f2, 0f3F000000; ex2.approx.f32 %f3, %f2; bra $L;",
            "ex2.approx.f32",
        ),
        (f"{LOADED} {INVERSE} div.approx.f32 %f4, %f1, %f3;", "rcp.approx.f32"),
        (f"{LOADED} cvt.rn.f32.s32 %f2, %r1; div.approx.f32 %f4, %f1, %f2;", "div.approx.f32"),
        (f"{LOADED} cvt.rn.f32.s32 %f2, %r1; div.full.f32 %f4, %f2, %f1;", "div.full.f32"),  # of 1
        (f"{LOADED} cvt.rn.f32.s32 %f2, %r1; div.rn.f32 %f4, %f1, %f2;", ""),
        (f"{LOADED} div.full.f32 %f4, %f1, 0f40400000;", ""),  # as in every version
        (f"{LOADED} mov.f32 %f2, 0f40400000; div.full.f32 %f4, %f1, %f2;", ""),
        (f"{LOADED} ld.param.f32 %f2, [k_param_2]; div.full.f32 %f4, %f1, %f2;", ""),  # which the version reads
        ("ld.param.f32 %f2, [k_param_2]; rcp.approx.f32 %f4, %f2;", ""),
        (
            f"{LOADED} mov.u32 %r2, 1; $L: cvt.rn.f32.s32 %f2, %r2; div.full.f32 %f1, %f1, %f2; add.s32 %r2, %r2, 1; "
            "bra $L;",
            "div.full.f32",
        ),
        ("mov.u32 %r2, %tid.x; mul.lo.s32 %r3, %r2, %r1; cvt.rn.f32.s32 %f2, %r3; rcp.approx.f32 %f3, %f2;", ""),
        ("cvt.rn.f32.s32 %f2, %r1; rcp.rn.f32 %f3, %f2; sqrt.rn.f32 %f4, %f3;", ""),
        ("shfl.sync.idx.b32 %r3|%p1, %r1, 0, 31, -1; cvt.rn.f32.s32 %f2, %r3; rcp.approx.f32 %f3, %f2;", ""),
    ],
)
def test_operations_on_what_a_version_knows(original: str, operation: str) -> None:
    assert computed(made(READS + original), made(KNOWS), 1) == operation


def test_a_version_that_reads_what_its_original_reads_knows_no_more() -> None:
    version = READS.replace("k_param_1", "v_param_2").replace("k_param_0", "v_param_1")
    assert computed(made(READS + INVERSE), made(version), 1) == ""


def test_a_version_that_knows_a_dimension() -> None:
    version = "ld.param.u64 %rd1, [v_param_1]; ld.param.u32 %r1, [v_param_2];"
    assert computed(made(READS + INVERSE), made(version), 1) == "rcp.approx.f32"


def test_a_version_that_has_dimensions_from_its_plan() -> None:
    """Other parameters are missed as before."""
    plan = "ld.param.u16 %rs1, [v_param_0]; cvt.u32.u16 %r9, %rs1; ld.param.u64 %rd1, [v_param_1];"
    assert computed(made(READS + INVERSE), made(plan + "ld.param.u32 %r1, [v_param_2];"), 1) == ""
    assert computed(made(READS + INVERSE), made(plan), 1) == "rcp.approx.f32"
