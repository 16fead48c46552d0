"""Divisions: what is written for them (their bits: conformance programs lang_fast_math and lang_no_numbers)."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.emulator.kernels import Dialect
from gpuopt_driver.emulator.rewrite import rewrite
from tests.emulator.support import PROGRAMS, compile_with, run


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


@pytest.mark.parametrize(
    ("statement", "marked"),
    [
        ("p[n] = a + b;", True),
        ("p[n] = a * b - p[n];", True),
        ("float v = a * b; p[n] = v;", True),
        ("float v = 0; for (int i = 0; i < n; ++i) v += p[i]; p[n] = v;", True),
        ("float v = n ? 1.0f : 2.0f; if (n) v = a * b; else v = a - b; p[n] = v;", True),
        ("T v = 0; for (int i = 0; i < n; ++i) v += t[i]; t[n] = v;", True),
        ("p[n] = p[0];", False),  # moved as it is
        ("float v = p[0]; for (int i = 0; i < n; ++i) v += p[i]; p[n] = v;", False),  # of no turns: moved
        ("p[n] = 1.0f;", False),
        ("p[n] = p[0] * 1.0f; p[1] = p[2] - 0.0f;", False),  # LLVM makes moves of them
        ("p[n] = p[0] * 1.0f + p[1];", True),
        ("p[n] = p[0] + 0.0f;", True),
        ("p[n] = n + 1;", False),
        ("q[n] = d + a;", False),  # the host processor's is a GPU's
        ("float v; v = a + b; p[n] = v / b;", False),  # the quotient is marked
        ("float own[4]; own[0] = a + b; p[n] = own[0];", False),  # registers; nobody sees it there
        ("p[n] += a * b;", False),  # would make chains of loops' turns longer
        ("T v = t[0]; t[n] = v * v;", True),  # by the type in the end
    ],
)
def test_sums_that_are_stored(statement: str, *, marked: bool) -> None:
    parameters = "float a, float b, double d, int n, float *p, double *q, T *t"
    source = f"template <class T> __global__ void k({parameters}) {{ {statement} }}"
    text = rewrite(source.encode(), dialect=Dialect(fuses=True)).text
    assert (b"= ::gpuopt_emu::settled =" in text) == marked


@pytest.mark.parametrize("options", [(), ("-use_fast_math",)], ids=["exact", "quick"])
def test_constants_stay_constants(options: tuple[str, ...], tmp_path: Path, host_compiler: str) -> None:
    """What is marked may stand in constant expressions, and be stored in bit-fields and packed members."""
    assert (
        compile_with(PROGRAMS / "constants.cu", *options, "-std=c++17", "-o", "program", cwd=tmp_path, soon=False) == 0
    )
    assert run(tmp_path / "program").stdout.splitlines() == ["ok"]
