"""Which elements a compiler that knows distances may follow, and the parameters that addresses come from."""

from __future__ import annotations

import pytest

from gpuopt_driver.ptx.elements import elements, updated
from gpuopt_driver.ptx.read import function
from gpuopt_driver.ptx.values import values_of

READS = "ld.param.u64 %rd1, [k_param_0]; ld.param.u64 %rd2, [k_param_1+8]; ld.param.u64 %rd3, [k_param_1+16]; "
STORE, LOAD = "st.global.f32 [%rd1], %f1; ", "ld.global.f32 %f2, [%rd1+64]; "


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (STORE + LOAD, 1),
        (STORE + "bar.sync 0; " + LOAD, 0),
        (STORE + "@%p1 bra $L; bar.sync 0; $L: " + LOAD, 1),  # one way has no barrier
        ("$L: " + LOAD + STORE + "@%p1 bra $L;", 1),  # in the next turn
        ("$L: " + LOAD + STORE + "bar.sync 0; @%p1 bra $L;", 0),
        (LOAD + STORE, 0),
        (STORE + "ret; " + LOAD, 0),
        ("st.global.f32 [%rd2], %f1; " + LOAD, 0),
        ("st.global.f32 [%rd2], %f1; ld.global.f32 %f2, [%rd3];", 0),  # two pointers in one structure
        ("st.shared.f32 [%r1], %f1; ld.shared.f32 %f2, [%r1+4];", 1),
        ("mov.u32 %r1, s; st.shared.f32 [%r1], %f1; ld.shared.f32 %f2, [%r1+4];", 1),
    ],
)
def test_arrays_that_are_read_behind_stores(text: str, found: int) -> None:
    assert len(updated(values_of(function("k", [READS + text], is_entry=True))).loads) == found


def test_elements_behind_parameters() -> None:
    text = "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; st.global.f32 [%rd3], %f2; ld.shared.f32 %f3, [%r1];"
    values = values_of(function("k", [READS + text], is_entry=True))
    assert [len(half) for half in elements(values, [1])] == [1, 1]
    assert [len(half) for half in elements(values, [0, 1], shared=True)] == [3, 1]
    assert [len(half) for half in elements(values, [])] == [0, 0]
