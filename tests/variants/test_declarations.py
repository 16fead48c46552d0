"""Kernels that are declared in unusual ways: they have versions, or the reason why not is the true one."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gpuopt_driver.frontend.parse import ParseOptions, parse_unit
from gpuopt_driver.hooks import Proposal
from gpuopt_driver.phases import Examination, Job, process
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.model import Decision
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants import elsewhere
from tests.host.small_plugins import finding, plugin, together
from tests.variants.test_emit import SOURCES, build_fast, versions

FILES = {"declarations.cu": "c++17", "constraints.cu": "c++20"}


@pytest.fixture(params=FILES)
def patched(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str, Examination]:
    """A source, its standard, and what becomes of it."""
    source = tmp_path / "a.cu"
    source.write_bytes((SOURCES / request.param).read_bytes())
    std = FILES[request.param]
    return source, std, process(Job(str(source), ParseOptions(std=std), Policy()), together(versions()))


def test_each_has_a_version_that_runs(patched: tuple[Path, str, Examination], host_compiler: str) -> None:
    source, std, result = patched
    assert {item.kernel: item.message for item in result.report.findings if item.decision is Decision.DECLINED} == {}
    assert len(result.report.findings) == len(result.unit.kernels if result.unit else ())
    source.write_bytes(result.patched[str(source)])
    program = source.with_name("program")
    build_fast(source.parent, f"-std={std}", str(source), "-o", str(program))
    for dispatch, each in (("only:ver", 100), ("original", 1)):
        env = {**os.environ, "GPUOPT_EMU_GPU": "titan-v", "GPUOPT_DISPATCH": dispatch}
        done = subprocess.run([str(program)], env=env, capture_output=True, text=True, timeout=60, check=True)
        numbers = [int(line.split()[-1]) for line in done.stdout.splitlines()]
        assert set(numbers) == ({each} if std == "c++17" else {6 * each})


@pytest.mark.nvcc
def test_nvcc_says_nothing_of_it(patched: tuple[Path, str, Examination], real_nvcc: str) -> None:
    source, std, result = patched
    source.write_bytes(result.patched[str(source)])
    words = [real_nvcc, "-arch=sm_90", f"-std={std}", "-c", source.name, "-o", "a.o"]
    rare = "-Winline,-Waggregate-return,-Wunused-macros,-Wcast-qual"
    for more in ("-Werror=all-warnings", f"-Xcompiler=-Wall,-Wextra,-Wold-style-cast,-Weffc++,{rare}"):
        done = subprocess.run(
            [*words, more], cwd=source.parent, capture_output=True, text=True, timeout=280, check=False
        )
        assert done.returncode == 0, done.stderr
        # What nvcc itself writes for each kernel (its stub) and its headers are not ours.
        assert re.findall(r"^[^/\n]*\ba\.cu.*warning.*", done.stderr, re.MULTILINE) == []


DEPRECATED = """
struct [[deprecated]] old { int a; };
__global__ void k(const old *o, int *x) { x[0] += /*step*/1; x[1] += o->a; }
template <class T> __global__ void t(const old *o, const double4 *f, T *x) { x[0] += /*step*/1; x[1] += (T)f->x; }
void all(const old *o, const double4 *f, int *x, float *y) {
  k<<<2, 1>>>(o, x); t<<<2, 1>>>(o, f, x); t<<<2, 1>>>(o, f, y);
}
"""


@pytest.mark.nvcc
def test_versions_do_not_repeat_that_a_type_is_deprecated(tmp_path: Path, real_nvcc: str) -> None:
    source = tmp_path / "a.cu"
    source.write_text(DEPRECATED)
    result = process(Job(str(source), ParseOptions(), Policy()), together(versions()))
    said = []
    for data in (source.read_bytes(), result.patched[str(source)]):
        source.write_bytes(data)
        words = [real_nvcc, "-arch=sm_90", "-c", source.name, "-o", "a.o"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=280, check=True)
        said.append(re.findall(r"^a\.cu:(\d+):\d+: (warning: .*)", done.stderr, re.MULTILINE))
    assert b"t__gpuopt_ver" in data
    assert set(said[1]) == set(said[0])  # where they are, and of what
    assert all(said[1].count(one) <= said[0].count(one) for one in said[1])


IGNORED = """
inline __global__ void a(int *x) { x[0] += /*step*/1; }
__forceinline__ __global__ void b(int *x) { x[0] += /*step*/1; }
__attribute__((always_inline)) __global__ void c(int *x) { x[0] += /*step*/1; }
[[nodiscard]] __global__ void d(int *x) { x[0] += /*step*/1; }
[[nobody::knows]] __global__ void e(int *x) { x[0] += /*step*/1; }
__global__ void f(int *x) { x[0] += /*step*/1; long double y = x[1]; x[1] = (int)(y * y); }
void all(int *x) {
  a<<<2, 1>>>(x); b<<<2, 1>>>(x); c<<<2, 1>>>(x); d<<<2, 1>>>(x); e<<<2, 1>>>(x); f<<<2, 1>>>(x);
}
"""


@pytest.mark.nvcc
def test_nvcc_says_once_that_it_ignores_a_word(tmp_path: Path, real_nvcc: str) -> None:
    source = tmp_path / "a.cu"
    source.write_text(IGNORED)
    result = process(Job(str(source), ParseOptions(), Policy()), together(versions()))
    said = []
    for data in (source.read_bytes(), result.patched[str(source)]):
        source.write_bytes(data)
        words = [real_nvcc, "-arch=sm_90", "-c", source.name, "-o", "a.o"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=280, check=True)
        said.append(sorted(re.findall(r"warning #.*", done.stderr)))
    assert said[0] == said[1]
    assert len(said[0]) >= 6
    assert sum(item.decision is Decision.APPLIED for item in result.report.findings) == 6


BODY = "{ x[0] += /*step*/1; }"
WEAK, STEP = "the kernel is weak: another file's definition may take its place", "k<<<2, 1>>>(x);"
UNWRITABLE = (
    "its template arguments cannot be written behind it: local or later types, lambdas, templates, functions or packs"
)


@pytest.mark.parametrize(
    ("definition", "launch", "reason"),
    [
        (f"__attribute__((weak)) __global__ void k(int *x) {BODY}", STEP, WEAK),
        (f"[[gnu::weak]] __global__ void k(int *x) {BODY}", STEP, WEAK),
        (f"#define WEAK __attribute__((__weak__))\nWEAK __global__ void k(int *x) {BODY}", STEP, WEAK),
        (f"__attribute__((weak)) __global__ void k(int *);\n__global__ void k(int *x) {BODY}", STEP, WEAK),
        (f'#pragma weak k\nextern "C" __global__ void k(int *x) {BODY}', STEP, WEAK),
        (
            f"[[deprecated]] __global__ void k(int *x) {BODY}",
            STEP,
            "the compilers have to see every launch of the kernel: it is declared deprecated",
        ),
        (
            f'#define C extern "C" __global__\nC void k(int *x) {BODY}',
            STEP,
            'the kernel\'s extern "C" comes out of a macro',
        ),
        (
            f"template <class... A> __global__ void k(int *x, A...) {BODY}",
            "k<<<2, 1>>>(x, 1);",
            "a parameter is a pack",
        ),
        (
            f"__global__ void k(int *x, int *k) {BODY}",
            "k<<<2, 1>>>(x, x);",
            "a parameter has the kernel's own name, which the functions that launch it could not use",
        ),
        (f"__global__ void k(int *x, auto) {BODY}", "k<<<2, 1>>>(x, 1);", "a parameter is written as auto"),
        (
            f"#define HEAD template <class T>\nHEAD __global__ void k(T *x) {BODY}",
            STEP,
            "the kernel's template parameters come out of a macro",
        ),
        (f"template <template <class> class> __global__ void k(int *x) {BODY}", "k<Any><<<2, 1>>>(x);", UNWRITABLE),
        (f"template <class F> __global__ void k(int *x, F) {BODY}", "k<<<2, 1>>>(x, [] {});", UNWRITABLE),
        (
            f"struct S {{ int a; }};\n__global__ void k(int *x, int S::*) {BODY}",
            "k<<<2, 1>>>(x, &S::a);",
            "nvcc does not compile a static kernel with a pointer to a member as its parameter",
        ),
        (
            '#define HIDE __attribute__((visibility("hidden")))\n'
            f"template <class T> HIDE __global__ void k(T *x, int visibility = 1) {BODY}",
            STEP,
            "a macro declares the kernel visibility, which a version cannot be",
        ),
        (
            f"struct S {{ friend __global__ void k(int *x) {BODY} }};\n__global__ void k(int *);",
            STEP,
            "the kernel is a class member",
        ),
        (
            f"template <class T> requires (sizeof(T) == 4) __global__ void k(T *x) {BODY}\n"
            "template <class T> requires (sizeof(T) == 8) __global__ void k(T *x) {}",
            STEP,
            "another template differs from it in nothing but its constraints",
        ),
    ],
)
def test_what_has_none_says_why_and_leaves_others_theirs(
    definition: str, launch: str, reason: str, tmp_path: Path
) -> None:
    source = tmp_path / "a.cu"
    source.write_text(
        f"template <class> struct Any {{}};\n{definition}\n"
        "__global__ void other(int *x) { x[0] += /*step*/1; }\n"
        f"void all(int *x) {{ {launch} other<<<2, 1>>>(x); }}\n"
    )
    result = process(Job(str(source), ParseOptions(std="c++20"), Policy()), together(versions()))
    said = {(item.kernel, item.decision, item.message) for item in result.report.findings}
    assert said == {("k", Decision.DECLINED, reason), ("other", Decision.APPLIED, "")}
    assert b"other__gpuopt_ver(" in result.patched[str(source)]


SPLIT = "a namespace around the kernel begins or ends in another file"
KERNEL, LAUNCHING = f"__global__ void k(int *x) {BODY}", f"inline void f(int *x) {{ {STEP} }}"


@pytest.mark.parametrize(
    ("main", "header", "reason"),
    [
        (f'namespace m {{\n#include "k.h"\n{LAUNCHING}\n}}', f"#pragma once\n{KERNEL}", SPLIT),
        (f'namespace m {{\nnamespace {{\n#include "k.h"\n}}\n{LAUNCHING}\n}}', KERNEL, SPLIT),
        (f'#include "k.h"\n{KERNEL}\n{LAUNCHING}\n}}', "namespace m {", SPLIT),
        (f'namespace m {{\n{KERNEL}\n{LAUNCHING}\n#include "k.h"', "}", SPLIT),
        (
            '#include "k.h"',
            f'#ifndef K\n#define K\n#include "k.h"\n{KERNEL}\n{LAUNCHING}\n#endif',
            "its file includes itself",
        ),
        (
            '#include "k.h"\n#define BODIES\n#include "k.h"',
            f"#ifdef BODIES\n{KERNEL}\n{LAUNCHING}\n#else\n__global__ void k(int *x);\n#endif",
            "its file is included before, without the kernel",
        ),
    ],
)
def test_what_stands_at_the_end_of_a_file_is_behind_its_kernels(
    main: str, header: str, reason: str, tmp_path: Path
) -> None:
    """Or in another namespace, or read before them."""
    (tmp_path / "k.h").write_text(header)
    source = tmp_path / "a.cu"
    source.write_text(main)
    result = process(Job(str(source), ParseOptions(), Policy()), together(versions()))
    assert [(item.decision, item.message) for item in result.report.findings] == [(Decision.DECLINED, reason)]
    assert (result.patched, result.report.problems) == ({}, ())


KEEPS = """
template <class T> __global__ void k(T *x, const float *y, int n);
template <class T> __global__ void k(T *x, const float *y, int n) { x[0] += y[0] + n; }
__global__ void plain(const float *y, int n);
__global__ void plain(const float *y, int n) {}
__global__ void alone(const float *y, int n) {}
void all(int *x, float *y) { k<<<1, 1>>>(x, y, 1); plain<<<1, 1>>>(y, 1); alone<<<1, 1>>>(y, 1); }
"""


@pytest.mark.parametrize(("old", "new"), [(b"float *y", b"float *__restrict__ y"), (b"int n", b"const int n")])
def test_qualifiers_of_a_parameter_can_be_changed_in_place(old: bytes, new: bytes, tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_text(KEEPS)

    def propose(kernel: Any, context: Any, _facts: Any) -> Proposal:
        data = context.unit.files[kernel.span.file].data
        at = data.find(old, kernel.span.start)
        edit = Edit(kernel.span.file, at, at + len(old), new)
        return Proposal((finding("quali", kernel, Decision.APPLIED),), (edit,))

    result = process(Job(str(source), ParseOptions(), Policy()), together(plugin("quali", propose)))
    assert {(item.kernel, item.message) for item in result.report.findings} == {("k", ""), ("plain", ""), ("alone", "")}
    assert result.patched[str(source)].count(new) == 3
    assert result.unit is not None
    before = {kernel.name: kernel.usr for kernel in result.unit.kernels}
    source.write_bytes(result.patched[str(source)])
    after = parse_unit(str(source), ParseOptions())
    assert {kernel.name: kernel.usr for kernel in after.kernels} == before
    assert {launch.kernel for launch in after.launches} == set(before.values())


def test_a_launch_knocks_at_the_door_of_a_kernel_defined_with_other_qualifiers(tmp_path: Path) -> None:
    """Two files: the one that launches declares it without."""
    defines, launches = tmp_path / "a.cu", tmp_path / "b.cu"
    defines.write_text("__global__ void k(const float *__restrict__ y, const int n) {}\n")
    launches.write_text("__global__ void k(const float *, int);\nvoid all(float *y) { k<<<1, 1>>>(y, 1); }\n")
    kernel = parse_unit(str(defines), ParseOptions()).kernels[0]
    unit = parse_unit(str(launches), ParseOptions())
    door, _ = elsewhere.names_of(kernel.usr)
    assert any(door.encode() in edit.text for edit in elsewhere.edits(unit, per_thread=False))


def test_types_still_tell_functions_apart(tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_text(
        "template <class T> struct V {};\nnamespace m { __global__ void k(int *) {} }\n"
        "__global__ void k(const int *) {}\n__global__ void k(int *) {}\n__global__ void k(V<int>) {}\n"
        "__global__ void k(V<const int>) {}\ntemplate <class T> __global__ void k(T *const *) {}\n"
        "template <class T> __global__ void k(T **) {}\ntemplate <int N> __global__ void k(int (*)[N]) {}\n"
    )
    assert len({kernel.usr for kernel in parse_unit(str(source), ParseOptions()).kernels}) == 8
