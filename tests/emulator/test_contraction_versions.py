"""A version of a kernel rounds as its original does, whatever stands around its sums."""

from __future__ import annotations

import re

import pytest

from gpuopt_driver.emulator.kernels import Dialect
from gpuopt_driver.emulator.lexer import lex
from gpuopt_driver.emulator.products import fuse_products
from gpuopt_driver.emulator.rewrite import rewrite
from gpuopt_driver.emulator.structure import outline

HALF = "struct __half { short x; }; __half operator*(__half, __half); __half operator+(__half, __half); "
MARKS = re.compile(r"::gpuopt_emu::(fuse_sixteen|fuse_half|fuse_all\w*|fuse|alone|again|settled|exact|FuseIf)\b")


def fused(source: str) -> str:
    """The unit with its products as they are fused, and nothing else rewritten."""
    tokens = lex(source.encode())
    structure = outline(tokens)
    regions = [(function.body + 1, tokens.match[function.body]) for function in structure.device()]
    fuse_products(tokens, structure.device(), structure.in_class, regions, set(), Dialect(fuses=True))
    return tokens.bytes().decode()


def written(original: str, version: str, before: str = "") -> list[list[str]]:
    """The marks in the second lines of the original and of the version."""
    text = fused(f'# 1 "a.cu"\n{before}\n{original}\n# 2 "a.cu"\n{version}\n').split("\n")
    return [MARKS.findall(text[3]), MARKS.findall(text[7])]


PARAMETERS = "float *o, const float *x, float a, float b, float c, float d, int n"
KERNEL = "__global__ void k(%s) {\n%s\n}"
# A closure, which is not read as the kernel's own statements are; a loop; a branch; statements behind.
AROUND = [
    "auto gpuopt_body = [&](int) { %s }; gpuopt_body(1);",
    "for (unsigned gpuopt_g = 0; gpuopt_g < gpuopt_plan.n[0]; ++gpuopt_g) { %s }",
    "if (gpuopt_plan.n[0] > 1) { %s }",
    "%s if (gpuopt_plan.n[0]) o[1] = a * b;",
]
SUMS = [
    "o[0] = a * b + c * d;",
    "float t = a * b; o[0] = t + c;",
    "float t = a * b; o[0] = t; o[1] = t + c;",
    "float t = a * b, u = c * d; o[0] = u - t; o[1] = t - c;",
    "for (int j = 0; j < 12; j += 3) a = 0.5f * a + 1.0f * 1.0f; o[0] = 1.25f * a + 3.5f * b;",
    "for (int j = 0; j < n; ++j) o[j] = x[j] * x[j + 5] + a * b;",
    "float t = a * b; if (n > 3) o[0] = t + c; else o[0] = t - c;",
    "float t = a * b; t += c; o[0] = t * d - x[n] / c;",
    "float s = 0; for (int j = 0; j < n; ++j) s += x[j] * a; o[0] = s * b + c;",
]


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("body", SUMS)
def test_sums_are_the_originals(body: str, around: str) -> None:
    version = KERNEL.replace("void k(", "void k__gpuopt_some(::gpuopt_rt::plan gpuopt_plan, ") % (PARAMETERS, "%s")
    first, second = written(KERNEL % (PARAMETERS, body), version % (around % body))
    inserted = [mark for mark in second if mark not in first or second.count(mark) != first.count(mark)]
    assert second == first or (around == AROUND[-1] and set(inserted) <= {"settled"})
    assert first


def test_the_original_is_what_it_is_without_a_version() -> None:
    """A version that is not read does not count as a caller of which nothing is known."""
    function = "__device__ float f(float a, float b, float c, float d) { return a * b + c * d; }"
    body = "float p = x[1], q = x[0]; o[0] = f(q, p, p, p * q) + f(x[2], q, x[3], x[4]);"
    original = KERNEL % (PARAMETERS, body)
    version = "__global__ void k__gpuopt_some(::gpuopt_rt::plan gpuopt_plan, %s) {\nauto b_ = [&] { %s }; b_();\n}"
    alone = f'# 1 "a.cu"\n{function}\n{original}\n'
    both = fused(f'{alone}# 2 "a.cu"\n{version % (PARAMETERS, body)}\n')
    assert both.startswith(fused(alone))


def test_expressions_that_were_moved_and_doubled() -> None:
    body = "o[0] = x[0] * a + c * d; if (n) o[1] = a * b - x[n] * x[1];"
    moved = "const float gpuopt_v = x[0] * a + c * d; o[0] = gpuopt_v; if (gpuopt_plan.n[0]) { if (n) o[1] = %s; }"
    version = KERNEL.replace("void k(", "void k__gpuopt_some(::gpuopt_rt::plan gpuopt_plan, ")
    twice = moved % "a * b - x[n] * x[1]" + " else { if (n) o[1] = a * b - x[n] * x[1]; }"
    first, second = written(KERNEL % (PARAMETERS, body), version % (PARAMETERS, twice))
    assert first.count("fuse") == 2
    assert second.count("fuse") == 3


def test_halves() -> None:
    parameters = "__half *o, __half a, __half b, __half c"
    body = "__half t = a * b; o[0] = a * c + b * b;"
    version = KERNEL.replace("void k(", "void k__gpuopt_some(::gpuopt_rt::plan gpuopt_plan, ")
    first, second = written(
        KERNEL % (parameters, body), version % (parameters, "auto b_ = [&] { " + body + " }; b_();"), HALF
    )
    assert first == second
    assert first


def test_copies_of_functions() -> None:
    """A copy of a function, and the copies of it for calls that are fused in another way, are those of the function."""
    function = "__device__ float f(%sfloat a, float b) { return a * a + b * b; }"
    body = "float p = x[1], q = x[0]; o[0] = f(%sq, p) + f(%sp * q, a);"
    copy = function.replace("float f", "float f__gpuopt_some_12") % "::gpuopt_rt::plan gpuopt_plan, "
    original = KERNEL % (PARAMETERS, body % ("", ""))
    version = "__global__ void k__gpuopt_some(::gpuopt_rt::plan gpuopt_plan, %s) {\nauto b_ = [&] { %s }; b_();\n}"
    plan = "gpuopt_plan, "
    called = version % (PARAMETERS, (body % (plan, plan)).replace("f(", "f__gpuopt_some_12("))
    source = f'# 1 "a.cu"\n{function % ""}\n{original}\n# 1 "a.cu"\n{copy}\n# 2 "a.cu"\n{called}\n'
    text = rewrite(source.encode(), dialect=Dialect(fuses=True)).text.decode()
    forms = {}
    for name, written_body in re.findall(r"float (f\w*|gpuopt_emu_\w+)\([^)]*\) \{(.*?)\}", text):
        forms[name] = MARKS.findall(written_body), re.sub(r"\s", "", written_body)
    assert forms["f"] == forms["f__gpuopt_some_12"]
    for name in [name for name in forms if "_form_" in name and "__gpuopt" not in name]:
        assert forms[name + "__gpuopt_some_12"] == forms[name]
    calls = [
        re.findall(r"(f\w*|gpuopt_emu_\w+form\w+)\((?:gpuopt_plan, )?(?:q, p|p \*.*?q, a)\)", line)
        for line in text.split("\n")
        if re.search(r"o\s*\[0\]", line)
    ]
    assert [name.replace("__gpuopt_some_12", "") for name in calls[1]] == calls[0]
    assert len(calls[0]) == 2
