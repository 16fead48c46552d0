"""Kernels and functions that name what means something else at the end of their file, where versions stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.analysis.copyable import why_not_copyable
from gpuopt_driver.frontend.model import FunctionProblem

from .conftest import Parse

K = "__global__ void k(int *o, int n) { o[n] = %s; }\n"


def _macro(name: str, line: int) -> str:
    return f"the macro {name} is another one behind it (line {line})"


def _function(name: str) -> str:
    return f"another {name}() is declared behind it (line 3)"


Q = "struct Q { __device__ operator int() const; };\n"
D = "struct D; struct B {}; __device__ int f(void *), f(B *);\n"
A = "__device__ int f(double);\nnamespace a { __device__ int f(int); const int n2 = 3; }\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (A + K % "f(1)" + "using namespace a;\n", "a using behind it brings another f (line 4)"),
        (A + K % "f(1)" + "using a::f;\n", "a using behind it brings another f (line 4)"),
        (A + "const int n2 = 4;\n" + K % "n2" + "namespace b { using namespace a; }\n", ""),
        (A + "namespace b { " + K % "f(1)" + "using namespace a; }\n", "a using behind it brings another f (line 4)"),
        (A + K % "f(1)" + "void h() { using namespace a; }\n", ""),
        (A + K % "n" + "using namespace a;\n", ""),
        (A + K % "::f(1)" + "using namespace a;\n", ""),
        (A + "__global__ void k(int *o) { int n2 = 4; o[0] = n2; }\n" + "using namespace a;\n", ""),
        (A + "using namespace a;\n" + K % "f(1)" + "using namespace a;\n", ""),
        (A + "using a::f;\n" + K % "f(1)" + "using a::f;\nusing namespace a;\n", ""),
    ],
)
def test_names_that_a_using_brings_behind_a_kernel(parse: Parse, text: str, reason: str) -> None:
    assert parse(text).kernels[-1].changed_behind == reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("#define N 4\n" + K % "N" + "#undef N\n", _macro("N", 3)),
        ("#define N 4\n" + K % "N" + "#undef N\n#define N 5\n", _macro("N", 3)),
        ("#define N 4\n#define M (N + 1)\n" + K % "M" + "# undef \\\n N\n", _macro("N", 4)),
        (
            '#define N 4\n#pragma push_macro("N")\n#undef N\n#define N 5\n' + K % "N" + '#pragma pop_macro("N")\n',
            _macro("N", 6),
        ),
        ('#define N 4\n_Pragma("push_macro(\\"N\\")")\n' + K % "N" + '_Pragma("pop_macro(\\"N\\")")\n', _macro("N", 4)),
        (K % "n" + "#define n 5\n", _macro("n", 2)),
        ("#define N 4\n__global__ void k(int *o) { *o = N;\n#undef N\n}\n", _macro("N", 3)),
        ("#define N 4\n" + K % "N" + "#define M 3\n#undef OTHER\n", ""),
        ("__global__ void k(int *o) {\n#define STEP 2\n*o = STEP;\n#undef STEP\n}\n", ""),
        ("__device__ int f(double);\n" + K % "f(1)" + "__device__ int f(int);\n", _function("f")),
        (
            "__device__ int f(double);\nnamespace q { " + K % "f(1)" + "__device__ int f(float); }\n",
            _function("f"),
        ),
        (
            "struct A {}; __device__ int operator+(A, double);\n" + K % "A() + 1"
            + "__device__ int operator+(A, int);\n",
            _function("operator+"),
        ),
        ("__device__ int f(int);\n" + K % "f(1)" + "__device__ int f(int a) { return a; }\n", ""),
        ("__device__ int f(int);\n" + K % "f(1)" + "struct S { int f(float); };\n", ""),
        (Q + K % "Q() + Q()" + "__device__ int operator+(const Q &, Q);\n", _function("operator+")),
        (Q + K % "Q() + Q()" + "template <class T> __device__ int operator+(T, Q);\n", _function("operator+")),
        (Q + K % "Q() - Q()" + "__device__ int operator+(Q, Q);\n", ""),
        (Q + K % "n + 1" + "__device__ int operator+(Q, Q);\n", ""),
        (Q + "__device__ int operator+(Q, Q);" + K % "Q() + Q()" + "__device__ int operator+(Q, Q);\n", ""),
        (
            "__device__ int f(...), f(int, int);\n" + K % "f(1)" + "__device__ int f(int, int = 3);\n",
            "f() gets default arguments behind it (line 3)",
        ),
        ("__device__ int f(int, int = 3);\n" + K % "f(1)" + "__device__ int f(int a, int b) { return a; }\n", ""),
        (D + "D *at;\n" + K % "f(at)" + "struct D : B {};\n", "D is defined behind it (line 4)"),
        (D + "struct D : B {}; D *at;\n" + K % "f(at)", ""),
        (D + "D *at;\n" + K % "n" + "struct D : B {};\n", ""),
    ],
)  # fmt: skip
def test_names_that_change_behind_a_kernel(parse: Parse, text: str, reason: str) -> None:
    (kernel,) = parse(text).kernels
    assert kernel.problems == ()
    assert kernel.changed_behind == reason
    assert why_not_copyable(kernel) == (reason or None)


@pytest.mark.parametrize(
    ("name", "behind"),
    [
        ("M", "namespace q { const int M = 5; }"),
        ("T", "namespace q { typedef char T; }"),
        ("T", "namespace p { struct T { char c; }; }"),
        ("", "namespace other { const int M = 5; typedef char T; }"),
        ("", "const int L = 3; namespace q { const int L = 5; void f() { int M = 3; } }"),
        ("own", "namespace q { extern __device__ int own; }"),
        ("", "namespace p { extern __device__ int own; }"),
    ],
)
def test_what_a_namespace_declares_behind_a_kernel(parse: Parse, name: str, behind: str) -> None:
    text = "const int M = 3; typedef double T; namespace p { __device__ int own; }\n"
    behind = behind.replace("namespace q {", "namespace p { namespace q {").replace("}", "} }", behind.count("q {"))
    text += "namespace p { namespace q { " + K % "own + M + sizeof(T)" + "} }\n"
    (kernel,) = parse(text + behind + "\n").kernels
    assert kernel.problems == ()
    assert kernel.changed_behind == (name and f"another {name} is declared in its namespace behind it (line 4)")


@pytest.mark.parametrize("what", ["__LINE__", "WHERE", "sizeof(__FILE__)"])
def test_lines_that_a_file_gives_itself(parse: Parse, what: str) -> None:
    text = '#define WHERE (__LINE__ + 1)\n#line 200 "other.cu"\n'
    (kernel,) = parse(text + K % what).kernels
    assert kernel.changed_behind == "it says where it stands, and a #line gives its file other lines (line 2)"
    (kernel,) = parse(text + K % "n").kernels
    assert kernel.changed_behind == ""
    (kernel,) = parse(K % "__LINE__").kernels
    assert kernel.changed_behind == ""


def test_a_header_that_cleans_up_behind_itself(parse: Parse, tmp_path: Path) -> None:
    (tmp_path / "kernel.cuh").write_text("#pragma once\n#define TILE 8\n" + K % "TILE" + '#include "clean.cuh"\n')
    (tmp_path / "clean.cuh").write_text("#undef TILE\n")
    (kernel,) = parse('#include "kernel.cuh"\nvoid f(int *o) { k<<<1, 1>>>(o, 3); }\n').kernels
    assert kernel.changed_behind == _macro("TILE", 4)


def test_a_source_behind_its_header(parse: Parse, tmp_path: Path) -> None:
    (tmp_path / "kernel.cuh").write_text("#pragma once\n#define TILE 8\n" + K % "TILE")
    (kernel,) = parse('#include "kernel.cuh"\nvoid f(int *o) { k<<<1, 1>>>(o, 3); }\n#undef TILE\n').kernels
    assert kernel.changed_behind == ""


def test_functions_that_cannot_stand_there(parse: Parse) -> None:
    text = "#define N 4\n__device__ int f() { return N; }\n#undef N\n"
    (kernel,) = parse(text + K % "f()").kernels
    assert kernel.changed_behind == ""
    assert [one.problems for one in kernel.functions] == [(FunctionProblem.CHANGED,)]


def test_headers_that_include_each_other_are_followed_once(parse: Parse, tmp_path: Path) -> None:
    """Each way from one to another one counted by itself would take all memory: CUTLASS has such headers."""
    names = [f"h{number}.h" for number in range(24)]
    for name in names:
        includes = "".join(f'#include "{other}"\n' for other in names)
        (tmp_path / name).write_text(f"#pragma once\n{includes}#define OF_{name[:-2].upper()} 1\n")
    text = '#include "h0.h"\n' + K % "OF_H7" + '#undef OF_H3\n#include "h7.h"\n'
    (found,) = parse(text).kernels
    assert found.changed_behind == _macro("OF_H7", 4)


@pytest.mark.parametrize(("early", "late"), [("", "f.cuh"), ("f.cuh", ""), ("f.cuh", "f.cuh"), ("", "other.cuh")])
def test_a_header_that_is_included_behind_a_kernel(parse: Parse, tmp_path: Path, early: str, late: str) -> None:
    (tmp_path / "f.cuh").write_text("#pragma once\n__device__ int f(int);\n")
    (tmp_path / "other.cuh").write_text('#include "f.cuh"\n')
    before, behind = (f'#include "{one}"\n' if one else "" for one in (early, late))
    (kernel,) = parse("__device__ int f(double);\n" + before + K % "f(1)" + behind).kernels
    assert kernel.changed_behind == ("" if early else "another f() is declared behind it (f.cuh, line 2)")


def test_a_template_without_a_head(parse: Parse) -> None:
    """libclang has no place for it; it does not reach over what stands in front of it."""
    text = K.replace(" k(", " first(") % "1" + "static __global__ void k(auto *o, int n) { o[n] = 2; }\n"
    text += "__device__ int f(auto x) { return x; }\n" + K.replace(" k(", " last(") % "f(n)"
    unit = parse(text + "void g(auto *o) { k<<<1, 1>>>(o, 3); }\nvoid h(int *o) { g(o); }\n", std="c++20")
    first, k, last = unit.kernels
    assert (first.problems, last.problems) == ((), ())
    assert text.encode()[k.span.start :].startswith(b"static __global__ void k")
    assert [text.encode()[one.span.start : one.span.end].split(b"(")[0] for one in last.functions] == [
        b"__device__ int f"
    ]
    assert len(unit.launches_of(k)) == 1


S = "struct L { char c; int v; }; o[0] = sizeof(L);"
P = "__global__ void k(int *o, int n) { %s }\n"
_LAID = "classes are laid out otherwise behind it"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("#pragma pack(push, 1)\n" + P % S + "#pragma pack(pop)\n", f"{_LAID} (line 3)"),
        ("# pragma  pack ( 1 )\n" + P % S + "# pragma pack()\n", f"{_LAID} (line 3)"),
        (P % S + "#pragma pack(2)\n", f"{_LAID} (line 2)"),
        (P % S + "#pragma pack(push, 2)\nstruct Q { int a; };\n#pragma pack(pop)\n", ""),
        (P % S + "#pragma pack(push, 2)\n", _LAID),
        ("#pragma pack(1)\n" + P % S, ""),
        ("#pragma pack(push, 1)\n" + P % "o[n] = 1;" + "#pragma pack(pop)\n", ""),
        (
            "#pragma pack(1)\n" + P % "auto f = [=](int i) { return i + n; }; o[0] = sizeof(f);" + "#pragma pack()\n",
            f"{_LAID} (line 3)",
        ),
        ('_Pragma("pack(1)")\n' + P % S + '_Pragma("pack()")\n', f"{_LAID} (line 3)"),
        ('#define E _Pragma("pack(pop)")\n#pragma pack(push, 1)\n' + P % S + "E\n", f"{_LAID} (by a macro)"),
    ],
)
def test_how_classes_are_laid_out_behind_a_kernel(parse: Parse, text: str, reason: str) -> None:
    assert parse(text).kernels[-1].changed_behind == reason
