"""What a version stores as it was loaded, and its kernel would have changed; and the other way round."""

from __future__ import annotations

import pytest

from gpuopt_driver.ptx.bare import laid_bare
from gpuopt_driver.ptx.read import Function, function

READS = "ld.param.u64 %rd1, [k_param_{0}]; ld.param.u64 %rd2, [k_param_{1}]; ld.param.u64 %rd3, [k_param_{2}]; "
LOADS = "ld.global.f32 %f1, [%rd1]; "
BARE = LOADS + "st.global.f32 [%rd2], %f1; "


def of(text: str, shift: int = 0) -> Function:
    return function("k", [READS.format(shift, shift + 1, shift + 2) + text], is_entry=True)


@pytest.mark.parametrize(
    ("text", "others", "found"),
    [
        (LOADS + "max.f32 %f2, %f1, %f1; st.global.f32 [%rd2], %f2;", BARE, "what is loaded"),
        (LOADS + "selp.f32 %f2, %f1, 0f3F800000, %p1; st.global.f32 [%rd2], %f2;", BARE, ""),
        (BARE, LOADS + "max.f32 %f2, %f1, 0f3F800000; st.global.f32 [%rd2], %f2;", ""),  # of NaN it makes 1, too
        (BARE, LOADS + "max.ftz.f32 %f2, %f1, 0f3F800000; st.global.f32 [%rd2], %f2;", "min or max f32"),
        (
            BARE,
            LOADS + "min.f32 %f2, %f1, 0f00000000; st.global.f32 [%rd2], %f2;",
            "min or max f32",
        ),  # of -0 it makes -0
        (BARE, LOADS + "max.f32 %f2, %f1, 0f00000000; st.global.f32 [%rd2], %f2;", ""),
        (BARE, LOADS + "max.f32 %f2, %f1, 0f80000000; st.global.f32 [%rd2], %f2;", "min or max f32"),
        (
            LOADS + "max.f32 %f2, %f1, %f9; max.f32 %f3, %f2, %f8; st.global.f32 [%rd2], %f3;",
            LOADS + "max.f32 %f2, %f1, %f9; st.global.f32 [%rd2], %f2;",
            "",
        ),
        (
            LOADS + "max.ftz.f32 %f2, %f1, 0f3F800000; st.global.f32 [%rd2], %f2;",
            LOADS + "min.ftz.f32 %f2, 0f3F800000, %f1; st.global.f32 [%rd2], %f2;",
            "",
        ),
        (
            LOADS + "copysign.f32 %f2, %f9, %f1; st.global.f32 [%rd2], %f2;",
            LOADS + "abs.f32 %f2, %f1; st.global.f32 [%rd2], %f2;",
            "abs f32",
        ),
        (LOADS + "neg.f32 %f2, %f1; selp.f32 %f3, %f2, %f1, %p1; st.global.f32 [%rd2], %f3;", BARE, ""),
        (
            LOADS
            + "neg.f32 %f2, %f1; selp.f32 %f3, %f2, 0f00000000, %p1; neg.f32 %f4, %f3; st.global.f32 [%rd2], %f4;",
            BARE,
            "what is loaded",
        ),
        (
            LOADS + "cvt.ftz.f64.f32 %fd1, %f1; selp.f64 %fd2, %fd1, %fd9, %p1; cvt.rn.ftz.f32.f64 %f2, %fd2; "
            "st.global.f32 [%rd2], %f2;",
            BARE,
            "what is loaded",
        ),
        (  # through memory
            BARE + "ld.global.f32 %f2, [%rd2]; st.global.f32 [%rd3], %f2;",
            BARE + "st.global.f32 [%rd3], %f1;",
            "",
        ),
        (
            BARE + "ld.global.f32 %f2, [%rd2]; max.f32 %f3, %f2, %f1; st.global.f32 [%rd3], %f3;",
            BARE + "st.global.f32 [%rd3], %f1;",
            "what is loaded",
        ),
        (
            LOADS + "st.shared.f32 [%r9], %f1; ld.shared.f32 %f2, [%r8]; st.global.f32 [%rd2], %f2;",
            BARE,
            "",
        ),
        (BARE, LOADS + "st.global.f32 [%rd3], %f1;", "what is loaded"),  # elsewhere
        (LOADS, LOADS + "shfl.sync.idx.b32 %r1|%p1, %f1, 0, 31, -1;", "what is loaded"),
        (LOADS, LOADS + "mov.b32 %r1, %f1; and.b32 %r2, %r1, 65535;", "what is loaded"),  # its bits
        (LOADS, "ld.global.u32 %r1, [%rd2]; and.b32 %r2, %r1, 65535;", ""),  # integers
        (LOADS, LOADS + "setp.gt.f32 %p1, %f1, 0f00000000; add.f32 %f2, %f1, %f1; st.global.f32 [%rd2], %f2;", ""),
        (  # one address of two
            "selp.b64 %rd4, %rd1, %rd3, %p1; ld.global.f32 %f1, [%rd4]; st.global.f32 [%rd2], %f1;",
            BARE,
            "",
        ),
        (  # the sum again, behind a barrier
            LOADS + "add.f32 %f2, %f1, %f1; st.global.f32 [%rd2], %f2; st.global.f32 [%rd3], %f2;",
            LOADS + "add.f32 %f2, %f1, %f1; st.global.f32 [%rd2], %f2; bar.sync 0; ld.global.f32 %f3, [%rd2]; "
            "st.global.f32 [%rd3], %f3;",
            "",
        ),
        (  # 1, which the original does not multiply by
            "st.global.u32 [%rd3], 1065353216; " + BARE,
            "st.global.u32 [%rd3], 1065353216; bar.sync 0; ld.global.f32 %f2, [%rd3]; "
            + LOADS
            + "mul.f32 %f3, %f1, %f2; st.global.f32 [%rd2], %f3;",
            "another operation",
        ),
        (  # as much is known: the condition is
            BARE,
            "ld.global.f32 %f2, [%rd3]; " + LOADS + "mul.f32 %f3, %f1, %f2; st.global.f32 [%rd2], %f3;",
            "",
        ),
        (
            BARE + "ld.global.f32 %f2, [%rd2]; st.global.f32 [%rd3], %f2;",
            BARE + "bar.sync 0; ld.global.f32 %f2, [%rd2]; st.global.f32 [%rd3], %f2;",
            "",
        ),
        (
            BARE + "st.global.f32 [%rd3], %f1;",
            BARE + "bar.sync 0; ld.global.f32 %f2, [%rd2]; st.global.f32 [%rd3], %f2;",
            "",
        ),
        (  # a sum, which the original has in a register and the version loads again
            LOADS + "ld.global.f32 %f4, [%rd2]; @%p1 bra $L; add.f32 %f4, %f4, %f1; $L: st.global.f32 [%rd2], %f4;",
            LOADS + "bar.sync 0; ld.global.f32 %f2, [%rd2]; add.f32 %f3, %f2, %f1; st.global.f32 [%rd2], %f3;",
            "",
        ),
        (BARE, "ld.global.cg.u32 %r1, [%rd1]; mov.b32 %f1, %r1; st.global.f32 [%rd2], %f1;", ""),
    ],
)
def test_numbers_that_are_seen_as_they_were_loaded(text: str, others: str, found: str) -> None:
    assert laid_bare(of(text), of(others, 1), 1, follows=False) == found


KEPT = "ld.global.f32 %f4, [%rd2]; @%p1 bra $L; {} mov.f32 %f4, %f3; $L: st.global.f32 [%rd2], %f4;"


@pytest.mark.parametrize(
    ("done", "follows", "found"),
    [
        ("add.f32 %f3, {}, %f1;", True, ""),
        ("add.f32 %f3, {}, %f1;", False, "what is loaded"),
        ("neg.f32 %f3, {};", True, "what is loaded"),  # twice
    ],
)
def test_sums_in_registers_go_back_where_nothing_is_added(done: str, follows: bool, found: str) -> None:
    original = of(LOADS + "ld.global.f32 %f2, [%rd2]; " + done.format("%f2") + " st.global.f32 [%rd2], %f3;")
    assert laid_bare(original, of(LOADS + KEPT.format(done.format("%f4")), 1), 1, follows=follows) == found


VECTOR = (
    "ld.global.v2.f32 {%f4, %f5}, [%rd2]; add.f32 %f6, %f4, %f1; selp.f32 %f7, %f6, %f4, %p1; "
    "st.global.v2.f32 [%rd2], {%f7, %f6}; "
)


@pytest.mark.parametrize(
    ("theirs", "mine", "found"),
    [
        ("st.global.f32 [%rd2], %f3;", VECTOR, ""),
        (
            "st.global.f32 [%rd2], %f3;",
            VECTOR.replace("st.global.v2.f32 [%rd2]", "st.global.v2.f32 [%rd3]"),
            "what is loaded",
        ),
        ("st.global.v2.f32 [%rd2], {%f3, %f3};", VECTOR, "what is loaded"),  # the kernel's own vectors
        (
            "st.global.f32 [%rd2], %f3;",
            VECTOR.replace("st.global.v2.f32 [%rd2], {%f7, %f6}", "st.global.f32 [%rd2], %f7"),
            "what is loaded",
        ),
    ],
)
def test_vectors_of_neighbours_put_back_what_threads_that_store_nothing_have_there(
    theirs: str, mine: str, found: str
) -> None:
    original = of(LOADS + "ld.global.f32 %f2, [%rd2]; add.f32 %f3, %f2, %f1; " + theirs)
    assert laid_bare(original, of(LOADS + mine, 1), 1, follows=False) == found
