"""Divisions under -use_fast_math: what is written for them (their bits: conformance program lang_fast_math)."""

from __future__ import annotations

import pytest

from gpuopt_driver.emulator.kernels import Dialect
from gpuopt_driver.emulator.rewrite import rewrite


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("a / b", "a / quick / b"),
        ("1.0f / sqrtf(a)", "gpuopt_emu_rsqrtf(a)"),
        ("b * (1 / sqrtf(a + b))", "b * ( gpuopt_emu_rsqrtf(a + b))"),
        ("b - 1.f / sqrtf(a)", "b - gpuopt_emu_rsqrtf(a)"),
        ("1.0f / sqrt(a)", "gpuopt_emu_over_sqrt(1.0f,a)"),
        ("b * 1.0f / sqrtf(a)", "b * 1.0f / quick / gpuopt_emu_sqrtf(a)"),  # b / sqrt(a)
        ("-1.0f / sqrtf(a)", "-1.0f / quick / gpuopt_emu_sqrtf(a)"),
        ("(float)-1.0f / sqrtf(a)", "(float)-1.0f / quick / gpuopt_emu_sqrtf(a)"),
        ("2.0f / sqrtf(a)", "2.0f / quick / gpuopt_emu_sqrtf(a)"),
    ],
)
def test_divisions_as_they_are_written(expression: str, wanted: str) -> None:
    source = f"__device__ float f(float a, float b) {{ return {expression}; }}"
    text = rewrite(source.encode(), dialect=Dialect(quick=True)).text.decode().replace("::gpuopt_emu::", "")
    assert " ".join(text[text.index("return") + 6 : text.rindex(";")].split()) == wanted
