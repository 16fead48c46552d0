"""Kernels whose text means something else once more, under another name and in another place."""

from __future__ import annotations

import pytest

from gpuopt_driver.analysis.copyable import why_not_copyable
from gpuopt_driver.frontend.model import FunctionProblem

from .conftest import Parse

_OWN = "it uses its own name (__func__)"
_COUNTER = "it uses __COUNTER__"
_KNOWN = "it depends on what the compiler knows (__builtin_constant_p)"
_FRIEND = "it is a friend of a class, which a copy would not be"
_HIDES = "a parameter has the name of a built-in variable"
_COPIES = "copying one of its arguments does more than copy"


def _reason(parse: Parse, text: str) -> str | None:
    (kernel,) = [one for one in parse(text).kernels if one.name == "k"]
    assert kernel.problems == ()
    return why_not_copyable(kernel)


@pytest.mark.parametrize(
    ("reason", "before", "body"),
    [
        (_OWN, "", "o[0] = __func__[0];"),
        (_OWN, "#define ME __FUNCTION__\n#define LOG(x) (ME[0] + (x))", "o[0] = LOG(3);"),
        (_OWN, "", "o[0] = __builtin_FUNCTION()[0];"),
        (_COUNTER, "", "o[0] = __COUNTER__;"),
        (
            _COUNTER,
            "#define CAT2(a, b) a##b\n#define CAT(a, b) CAT2(a, b)\n#define NEW CAT(v, __COUNTER__)",
            "int NEW = 1;",
        ),
        (None, "#define ME __func__\n#define OTHER 3", "o[0] = OTHER;"),
        (_KNOWN, "", "if (__builtin_constant_p(o[0])) o[1] = 3;"),
        (_KNOWN, "#define SURE(x) (__builtin_constant_p(x) ? (x) : 0)", "o[0] = SURE(o[1]);"),
        (_KNOWN, "__device__ int sure(int x) { return __builtin_constant_p(x); }", "o[0] = sure(o[1]);"),
        (
            None,
            'extern "C" __device__ void __assert_fail(const char *, const char *);\n'
            "#define MUST(x) if (!(x)) __assert_fail(#x, __func__)",
            "MUST(o[0] > 0);",
        ),
    ],
)
def test_words_that_mean_where_they_stand(parse: Parse, reason: str | None, before: str, body: str) -> None:
    assert _reason(parse, f"{before}\n__global__ void k(int *o) {{ {body} }}\n") == reason


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        (
            _FRIEND,
            "class S { int x; friend __global__ void k(int *, S); };\n__global__ void k(int *o, S s) { *o = s.x; }",
        ),
        (
            _FRIEND,
            "class S { int x; template <class T> friend __global__ void k(T *, S); };\n"
            "template <class T> __global__ void k(T *o, S s) { *o = s.x; }\nvoid f(int *o) { k<<<1, 1>>>(o, S()); }",
        ),
        (_HIDES, "__global__ void k(int *o, uint3 gridDim) { *o = gridDim.x; }"),
        (
            _HIDES,
            "template <int blockDim> __global__ void k(int *o) { *o = blockDim; }\n"
            "void f(int *o) { k<3><<<1, 1>>>(o); }",
        ),
        (
            None,
            "class S { friend void other(S); };\n__global__ void k(int *o, S s) { uint3 at = blockIdx; *o = at.x; }",
        ),
    ],
)
def test_what_a_copy_would_not_be(parse: Parse, reason: str | None, text: str) -> None:
    assert _reason(parse, text) == reason


@pytest.mark.parametrize(
    ("reason", "members"),
    [
        (_COPIES, "int *c; S(const S &o) : c(o.c) { ++*c; }"),
        (_COPIES, "int c; S(const S &o); "),
        (_COPIES, "int *c; ~S() { *c = 0; }"),
        (_COPIES, "int c; S(S &&o) : c(o.c) { o.c = 0; }"),
        (_COPIES, "int c; S(const S &o) : c(o.c) { note(); }"),
        (_COPIES, "int c; S(const S &o) : c(o.c) {\n#ifndef __CUDA_ARCH__\nnote();\n#endif\n}"),
        (_COPIES, "struct Part { int c; ~Part() { note(); } } part[2]; S();"),
        (None, "float x, y[2]; S(const S &o) { x = o.x; for (int i = 0; i < 2; i++) y[i] = o.y[i]; }"),
        (None, "struct Part { int c; Part(const Part &o) : c(o.c) {} } part; S(const S &o) : part(o.part) {} ~S() {}"),
        (None, "int c; S(const S &) = default; ~S() = default; S(int n) { note(); }"),
    ],
)
def test_arguments_whose_copies_are_seen(parse: Parse, reason: str | None, members: str) -> None:
    text = (
        f"__host__ __device__ void note();\nstruct S {{ {members} }};\n__global__ void k(int *o, S s) {{ *o = 1; }}\n"
    )
    assert _reason(parse, text) == reason


def test_functions_that_say_where_they_stand(parse: Parse) -> None:
    text = "#define ME __func__\n__device__ int f() { return ME[0]; }\n__device__ int g() { return __COUNTER__; }\n"
    (kernel,) = parse(text + "__global__ void k(int *o) { *o = f() + g(); }\n").kernels
    assert why_not_copyable(kernel) is None
    assert {one.name: one.problems for one in kernel.functions} == {
        "f": (FunctionProblem.OWN_NAME,),
        "g": (FunctionProblem.COUNTER,),
    }


def test_a_word_on_two_lines(parse: Parse) -> None:
    (kernel,) = parse("__global__ void k(unsi\\\ngned *o, \\\n int n) { o[n] = 1; }\n").kernels
    assert why_not_copyable(kernel) == "its declaration has a line that is spliced within a word"
    (kernel,) = parse("__global__ void k(unsigned *o, \\\n int n) { \\\n o[n] = 1; }\n").kernels
    assert why_not_copyable(kernel) is None
