"""Products that loops add up are rounded with their sum, as nvcc has it, whatever the host compiler would do."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.emulator.kernels import Dialect
from gpuopt_driver.emulator.rewrite import rewrite
from tests.emulator.support import PROGRAMS, compile_with, run

FUSED = "* ::gpuopt_emu::fuse *"


def rewritten(statement: str, *, fuses: bool = True) -> str:
    source = f"__device__ float f(float a, float b, float s, int n) {{ for (;;) {{ {statement} }} return s; }}"
    return rewrite(source.encode(), dialect=Dialect(fuses=fuses)).text.decode()


@pytest.mark.parametrize(
    ("statement", "wanted"),
    [
        ("s += a * b;", f"s += a {FUSED} b;"),
        ("s -= -a * b * (a + b);", "s -= -a * b * ::gpuopt_emu::alone * (a + b);"),  # computed before the loop
        ("s = s + a * b;", f"s = s + a {FUSED} b;"),
        ("s = a * b - s;", f"s = a {FUSED} b - s;"),
        ("while (n--) s += p[n] * (float)*q;", f"s += p[n] {FUSED} (float)*q;"),
        ("s += a * b + s;", f"s += a {FUSED} b + s;"),
        ("s = a * b + s * a;", f"s = a * b + s {FUSED} a;"),  # a * b is known before the loop
        ("s = g[n] * s + a * s;", f"s = g[n] * s + a {FUSED} s;"),  # what is loaded last is rounded by itself
        ("s = g[n] * s - a * s;", f"s = g[n] {FUSED} s - a * s;"),
        ("s = -s * g[n] + g[n + 1] * s - a * g[n];", f"s = -s * g[n] + g[n + 1] {FUSED} s - a {FUSED} g[n];"),
        ("f((s * g[n] + (s + g[n]) * s) * a);", f"f((s {FUSED} g[n] + (s + g[n]) * s) * a);"),
        ("s = f(s * g[n] + (s + g[n + 1]) * s, a);", f"s = f(s {FUSED} g[n] + (s + g[n + 1]) * s, a);"),
        ("s += f(a) * g[n].x * *p;", f"s += f(a) * g[n].x {FUSED} *p;"),
        ("s = -(g[n] * s) + g[n + 1] * s;", f"s = -(g[n] * s) + g[n + 1] {FUSED} s;"),
        ("s = -(g[n] * s) - g[n + 1] * s;", f"s = -(g[n] {FUSED} s) - g[n + 1] * s;"),
        ("g(s += x<a, b>::y * b);", f"g(s += x<a, b>::y {FUSED} b);"),
        ("s -= -((s * g[n]));", f"s -= -((s {FUSED} g[n]));"),
    ],
)
def test_sums_of_products(statement: str, wanted: str) -> None:
    assert wanted in rewritten(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "s += a * b < s;",
        "s = a * b;",
        "s += (T) * p;",  # a cast, or not: types are not known here
        "s += (T * const) - q + (T *) - q;",
        "s += a < b ? a * b : 0;",
        "s += a / b;",
        "s += a * b / n;",
        "constexpr float s = a * b + a * a;",
        "p[a * b + a * a] = s;",
        "s *= a * b;",
    ],
)
def test_what_is_left_alone(statement: str) -> None:
    assert "fuse" not in rewritten(statement)


def test_pairs_of_products_outside_of_loops() -> None:
    source = b"__device__ float f(float a, float b, float *p) { return p[0] * a + a * b; }"
    text = rewrite(source, dialect=Dialect(fuses=True)).text.decode()
    assert f"p[0] * a + a {FUSED} b" in text  # the parameters' product comes first


@pytest.mark.parametrize("clang", [False, True])
def test_sums_outside_of_loops_are_written_for_clang_alone(clang: bool) -> None:
    body = "switch (n) { case 1: return a * b + n; } return (a * b + 1) * b;"  # a function that is not read
    source = f"__device__ float f(int n, float a, float b) {{ {body} }}".encode()
    text = rewrite(source, dialect=Dialect(fuses=True, clang=clang)).text.decode()
    assert (f"a {FUSED} b + n" in text) == (f"(a {FUSED} b + 1) * b" in text) == clang


def test_host_code_and_builds_without_fusing_are_left_alone() -> None:
    assert "fuse" not in rewritten("s += a * b;", fuses=False)
    host = b"__host__ __device__ void f(float s) { for (;;) s += s * s; } void g(float s) { for (;;) s += s * s; }"
    assert b"fuse" not in rewrite(host, dialect=Dialect(fuses=True)).text


def test_they_are_rounded_once(tmp_path: Path, host_compiler: str) -> None:
    binary = tmp_path / "products"
    assert compile_with(PROGRAMS / "products.cu", "-std=c++14", "-o", binary, cwd=tmp_path, soon=False) == 0
    done = run(binary)
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("0 ")
    assert done.stdout.endswith("no error\n")
