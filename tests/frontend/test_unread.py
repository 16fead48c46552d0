"""Kernels that can have no version where nobody asks for one of them: they are not read, and say why."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.frontend import declarations, libclang
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

IDLE = """
template <class T> __global__ void made(T *x) { (void)x[threadIdx.x]; }
template <class T> __global__ void lost(T *x) { for (int i = 0; i < 9; i++) (void)x[i]; }
__global__ void idle(const float *x, int n) { for (int i = 0; i < n; i++) not_there(x); }
void run(float *x, void (*k)(float *))
{
    auto of = [](int i) { return i; };
    made<<<1, 2>>>(x);
    made<<<1, 2>>>(&of);
    lost<<<1, 2>>>(&of);
    k<<<1, 2>>>(x);
}
"""


def test_kernels_that_can_have_no_version_are_not_read_where_nobody_asks(parse) -> None:
    found = {(one.name, one.idle.partition(" ")[0]): one for one in parse(IDLE, launched_only=True).kernels}
    assert sorted(found) == [("idle", "nothing"), ("lost", "its"), ("made", "")]
    idle = found["idle", "nothing"]
    assert (idle.loops, idle.has_errors, idle.problems) == ((), False, (idle.idle,))
    assert [param.name for param in idle.params] == ["x", "n"]
    everything = {one.name: one for one in parse(IDLE).kernels}
    assert [one.idle for one in everything.values()] == ["", "", ""]
    assert everything["idle"].has_errors
    assert len(everything["lost"].loops) == 1
    assert everything["idle"].span == idle.span


STAYING = """
__global__ void k(float *x) { for (int i = 0; i < 9; i++) x[i] = i; }
#define RUN(kernel, ...) kernel<<<1, 2>>>(__VA_ARGS__)
__global__ void parent(float *x) { k<<<1, 2>>>(x); }
"""
STAYS = {
    "macro": ("void f(float *x) { RUN(k, x); }", "line 4 launches it in device code"),
    "runtime": (
        "void f(void **x) { cudaLaunchKernel((void *)k, 1, 2, x, 0, 0); }",
        "line 4 launches it in device code",
    ),
    "one may be rewritten": ("void f(float *x) { RUN(k, x); k<<<1, 2>>>(x); RUN(k, x); }", ""),
}


@pytest.mark.parametrize(("text", "why"), STAYS.values(), ids=STAYS)
def test_kernels_all_of_whose_launches_stay_as_they_are_are_not_read(parse, text: str, why: str) -> None:
    kernels = {one.name: one for one in parse(STAYING + text, launched_only=True).kernels}
    assert (kernels["k"].idle, len(kernels["k"].loops)) == (why, 0 if why else 1)


def test_a_kernel_that_is_not_read_says_how_it_is_launched(parse) -> None:
    made = "template <class T> __global__ void k(T *x) {}\n#define RUN k<<<1, 2>>>\nvoid f(int *x) { RUN(x); RUN(x); }"
    assert [one.idle for one in parse(made, launched_only=True).kernels] == ["line 3 launches it in a macro"]


# A library of templates with kernels that its functions return, and one that a launch names.
LIBRARY = """
template <class F> __global__ void by_pointer(F f) { for (int i = 0; i < 9; i++) f(i); }
template <class T> __global__ void by_name(T *x) { for (int i = 0; i < 9; i++) x[i] = i; }
template <class F> struct Run {
    static auto *kernel() { return by_pointer<F>; }
    static void run(F f) { (kernel())<<<1, 2>>>(f); }
};
template <class F> void each(F f) { Run<F>::run(f); }
template <class T> void fill(T *x) { by_name<<<1, 2>>>(x); }
struct Of { __device__ void operator()(int) const {} };
"""
USES = {
    "neither": "int f();",
    "by pointer": "inline void f() { each(Of()); }",
    "by name": "void f(int *x) { fill(x); }",
    "both": "void f(int *x) { each(Of()); fill(x); }",
}


@pytest.mark.parametrize("text", USES.values(), ids=USES)
def test_kernels_of_headers_that_no_launch_names_are_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    walked = []
    real = declarations.build
    monkeypatch.setattr(
        declarations, "build", lambda cursor, place: walked.append(libclang.spelling(cursor)) or real(cursor, place)
    )
    (tmp_path / "library.h").write_text(LIBRARY)
    main = tmp_path / "main.cu"
    main.write_text(f'#include "library.h"\n{text}\n')
    unit = parse_unit(main, ParseOptions(launched_only=True))
    assert {one.name: one.idle for one in unit.kernels} == {
        "by_pointer": "no launch in this file names it",
        "by_name": "",
    }
    assert [launch.instantiation for launch in unit.launches if launch.callee_name == "by_name"] == [
        ("int",) if "fill" in text else None
    ]
    assert "each" not in walked
    assert ("f" in walked) is ("fill" in text)


def test_kernels_of_the_source_itself_say_how_they_are_launched(tmp_path: Path) -> None:
    main = tmp_path / "main.cu"
    main.write_text(f"{LIBRARY}void f() {{ each(Of()); }}\n")
    why = {one.name: one.idle for one in parse_unit(main, ParseOptions(launched_only=True)).kernels}
    assert why["by_pointer"] == "nothing in this file launches it"


def test_explicit_specialisations_are_not_read(parse) -> None:
    made = (
        "template <class T> __global__ void k(T *x) { x[0] = 1; }\n"
        "template <> __global__ void k<char>(char *x) { for (int i = 0; i < 9; i++) x[i] = 2; }\n"
        "void f(int *x, char *y) { k<<<1, 2>>>(x); k<<<1, 2>>>(y); }\n"
    )
    assert [one.idle for one in parse(made, launched_only=True).kernels] == [
        "",
        "it is an explicit specialisation of a template",
    ]


def test_templates_that_are_declared_before_they_are_defined_say_so(parse) -> None:
    made = (
        "template <class T> __global__ void k(T *x);\n"
        "void f(int *x) { k<<<1, 2>>>(x); }\n"
        "template <class U> __global__ void k(U *x) { for (int i = 0; i < 9; i++) x[i] = 2; }\n"
        "void g(int *x) { k<<<1, 2>>>(x); }\n"
    )
    kernels = parse(made, launched_only=True).kernels
    assert [(one.idle, one.span.line) for one in kernels] == [("its template is declared before it is defined", 3)]
    assert [one.problems for one in parse(made).kernels] == [("of a template that is declared before it is defined",)]
