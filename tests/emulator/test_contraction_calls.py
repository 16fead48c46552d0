"""Functions of complex numbers: nvcc fuses one product or the other by what they are called with, as its PTX shows."""

from __future__ import annotations

import re

import pytest

from gpuopt_driver.emulator.kernels import Dialect
from gpuopt_driver.emulator.rewrite import rewrite

PRODUCT = "float2 %s(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }"
KERNEL = "__global__ void k(const float2 *p, const float *x, float2 *o) { %s }"
FIRST, SECOND = "a.x *F b.y + a.y * b.x", "a.x * b.y + a.y *F b.x"  # which product of the sum is fused
TWO_CALLS = "o[0] = m(p[0], p[1]); o[1] = m(p[0], make_float2(cosf(x[0]), sinf(x[0])));"


def written(source: str) -> str:
    """The unit as the emulator has it: `F` before the second factor of a fused product, `A` of one that is not."""
    text = rewrite(source.encode(), dialect=Dialect(fuses=True)).text.decode()
    for old, new in (("::gpuopt_emu::", ""), ("* fuse *", "*F"), ("* alone *", "*A"), ("= settled =", "=")):
        text = text.replace(old, new)
    return text


def called(source: str) -> list[str]:
    """The sum in the form of the function that each call in the kernel calls."""
    text = written(source)
    sums = dict(re.findall(r"([\w*]+) ?\(float2 a, float2 b\) ?\{ return make_float2\(.*, (.*)\); \}", text))
    names = re.findall(r"o\[\d\] = (?:(\w+) ?\(|\w+(?:\[0\])? \*)", text)
    return [sums[name or "operator*"] for name in names]


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("o[0] = m(p[0], p[1]);", [FIRST]),  # members of what is loaded as a whole have the same rank
        ("float2 b, a = p[0]; b.x = x[0]; b.y = x[1]; o[0] = m(a, b);", [SECOND]),  # x[1] is loaded later
        ("o[0] = m(p[0], make_float2(x[0], x[1]));", [FIRST]),  # so have those of what a function gives
        ("o[0] = m(p[0], make_float2(cosf(x[0]), sinf(x[0])));", [SECOND]),  # ... unless LLVM looks at them again
        ("o[0] = m(p[0], make_float2(x[0], x[1])); o[1] = m(p[0], make_float2(tanf(x[2]), x[3]));", [SECOND, SECOND]),
        (TWO_CALLS, [FIRST, SECOND]),
    ],
)
@pytest.mark.parametrize("qualifiers", ["__device__ inline", "__host__ __device__", "static __device__"])
def test_functions_are_fused_as_they_are_called(body: str, wanted: list[str], qualifiers: str) -> None:
    kernel = KERNEL % body
    assert called(f"{qualifiers} {PRODUCT % 'm'}\n{kernel}") == wanted
    as_operator = re.sub(r"m\((p\[0\]|a), (.*?)\);", r"\1 * \2;", kernel)
    names = [PRODUCT % "operator*", "float2 operator*(float2 a, float b) { return make_float2(a.x * b, a.y * b); }"]
    assert called("\n".join(f"{qualifiers} {one}" for one in names) + "\n" + as_operator) == wanted


def test_sums_that_are_stored_together_are_behind_what_the_last_one_needs() -> None:
    function = "__device__ inline float f(float a, float b, float c) { float d = a / b; return c * d - b * d; }"
    text = written(f"{function}\n{KERNEL % 'o[0] = make_float2(f(x[0], x[1], x[2]), f(x[3], x[4], x[5]));'}")
    assert set(re.findall(r"return (c .*?) ?; ?\}", text)) == {"c *A d - b *A d", "c *F d - b * d"}


@pytest.mark.parametrize(
    "function",
    [
        f"namespace n {{ __device__ {PRODUCT % 'm'} }} using n::m;",  # a copy would not be found
        f"template <int N> __device__ {PRODUCT % 'm'}",
        f"__device__ __noinline__ {PRODUCT % 'm'}",
        f'extern "C" __device__ {PRODUCT % "m"}',
        f"__device__ {PRODUCT % 'm'} template <class T> __device__ T m(T a, int b) {{ return a; }}",
    ],
)
def test_functions_that_are_not_copied(function: str) -> None:
    assert "_form_" not in written(f"{function}\n{KERNEL % TWO_CALLS}")


@pytest.mark.parametrize(
    ("before", "kernel"),
    [
        ("", KERNEL % TWO_CALLS.replace("p[1]", "other").replace("make_float2(cosf(x[0]), sinf(x[0]))", "unknown(x)")),
        ("", "template <class M> " + (KERNEL % TWO_CALLS).replace("float2 *o", "float2 *o, M m")),  # another m
        ("", KERNEL % f"Function m; {TWO_CALLS}"),
        (f"namespace n {{ __device__ {PRODUCT % 'm'} }}", KERNEL % f"using n::m; {TWO_CALLS}"),
        (
            "typedef double2 V; namespace n { typedef float2 V; }",
            KERNEL % f"V w = V(); {TWO_CALLS.replace('p[0]', 'w')}",
        ),
    ],
)
def test_calls_whose_function_is_not_certain_are_left(before: str, kernel: str) -> None:
    assert "_form_" not in written(f"__device__ inline {PRODUCT % 'm'}\n{before}\n{kernel}")


def test_copies_keep_the_lines_of_what_stands_around_them() -> None:
    function = "__device__ " + (PRODUCT % "m").replace(" { ", "\n{\n    ").replace("; }", ";\n}")
    source = f"{function} int behind;\n{KERNEL % TWO_CALLS}\nint last;\n"
    lines: dict[str, set[int]] = {}
    line = 0
    for text in written(f'# 1 "a.cu"\n{source}').split("\n"):
        found = re.match(r'# (\d+) "a.cu"', text)
        line = int(found[1]) - 1 if found else line + 1
        for word in ("return make_float2", "int behind", "int last"):
            if word in text:
                lines.setdefault(word, set()).add(line)
    assert lines == {"return make_float2": {3}, "int behind": {4}, "int last": {6}}
