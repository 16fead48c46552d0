"""Divisions: what is written for them (their bits: conformance programs lang_fast_math and lang_no_numbers)."""

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


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("float v = a / b;", "float v = a / exact / b;"),
        ("a /= b;", "a /= Divisor<Exact>() = b;"),
        ("float v = n / a;", "float v = n / exact / a;"),
        ("float v = a / 3.0f;", "float v = a / 3.0f;"),  # a number, where a is one
        ("float v = a / 0.0f;", "float v = a / exact / 0.0f;"),
        ("double v = d / a;", "double v = d / a;"),  # the host processor's is a GPU's
        ("int v = n / n;", "int v = n / n;"),
        ("T v = t / a;", "T v = t / a;"),  # of a type with operators of its own, perhaps
    ],
)
def test_quotients_that_may_be_no_numbers(statement: str, wanted: str) -> None:
    parameters = "float a, float b, double d, int n, T t"
    source = f"template <class T> __global__ void k({parameters}) {{ {statement} }}"
    text = rewrite(source.encode(), dialect=Dialect(fuses=True)).text.decode().replace("::gpuopt_emu::", "")
    assert wanted in " ".join(text.split())
