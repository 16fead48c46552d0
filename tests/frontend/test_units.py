"""Whole units: files, encodings, templates, includes, macros, overlays, errors."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from gpuopt_driver.errors import ParseError
from gpuopt_driver.frontend import libclang, translation
from gpuopt_driver.frontend.expr import to_text
from gpuopt_driver.frontend.model import ParseLevel
from gpuopt_driver.frontend.parse import ParseOptions, has_device_code, parse_unit

from .conftest import access, text

PLAIN = "__global__ void k(float *a)\n{\n  a[threadIdx.x] = 1; // x\n}\n"


@pytest.mark.parametrize(
    ("source", "encoded"),
    [
        ("lf", PLAIN.encode()),
        ("crlf", PLAIN.replace("\n", "\r\n").encode()),
        ("bom", b"\xef\xbb\xbf" + PLAIN.encode()),
        ("latin-1", b"// caf\xe9 \xb5\xdf\n" + PLAIN.replace("// x", "/* \u00e9 */").encode("latin-1")),
        ("utf-8", ("// caf\u00e9 \u4e16\u754c\n" + PLAIN).encode()),
        ("#line", b'#line 77 "other.cu"\n' + PLAIN.encode()),
        ("no newline at end", PLAIN.rstrip().encode()),
        ("form feed", b"\f\n" + PLAIN.encode()),
        ("continued in front of the name", PLAIN.replace("void k", "void \\\n\\\nk").encode()),
        ("continued", PLAIN.replace("threadIdx", "thread\\\nIdx").encode()),
    ],
)
def test_offsets_are_bytes(parse, source, encoded):
    unit = parse(encoded)
    (kernel,) = unit.kernels
    assert kernel.problems == ()
    data = unit.files[unit.main].data
    assert data == encoded
    assert data[kernel.span.start : kernel.span.end].startswith(b"__global__ void ")
    assert data[kernel.body.start : kernel.body.end].strip()[-1:] == b"}"
    assert data[kernel.name_span.start : kernel.name_span.end] == b"k"
    assert data[kernel.params_span.start : kernel.params_span.end] == b"(float *a)"
    statement = kernel.stmts[1]
    assert data[statement.span.start : statement.span.end].endswith(b"= 1;")
    assert statement.span.line == data[: statement.span.start].count(b"\n") + 1
    assert to_text(kernel.accesses[0].offset) == "4*threadIdx.x"


def test_kernels_in_included_files(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "k.cuh").write_text("#pragma once\n__global__ void included(float *a) { a[0] = N; }\n")
    (tmp_path / "other.cu").write_text("__global__ void other(float *a) { a[1] = 2; }\n")
    main = tmp_path / "main.cu"
    main.write_text('#include "k.cuh"\n#include "other.cu"\nvoid run(float *a) { included<<<1, 1>>>(a); }\n')
    unit = parse_unit(main, ParseOptions(include_dirs=("inner",), defines=("N=3",), working_dir=str(tmp_path)))
    assert [(Path(kernel.span.file).name, kernel.name) for kernel in unit.kernels] == [
        ("k.cuh", "included"),
        ("other.cu", "other"),
    ]
    assert set(unit.files) == {str(main), str(inner / "k.cuh"), str(tmp_path / "other.cu")}
    assert unit.main == str(main)
    assert unit.launches[0].kernel == unit.kernels[0].usr


def test_file_included_twice_is_not_transformed(tmp_path):
    (tmp_path / "k.inc").write_text("__global__ void NAME(float *a) { a[0] = 1; }\n")
    main = tmp_path / "main.cu"
    main.write_text('#define NAME one\n#include "k.inc"\n#undef NAME\n#define NAME two\n#include "k.inc"\n')
    unit = parse_unit(main)
    assert [kernel.name for kernel in unit.kernels] == ["one", "two"]
    assert all("seen more than once in this unit" in kernel.problems for kernel in unit.kernels)


def test_scopes_and_linkage(parse):
    unit = parse("""
namespace a { namespace { __global__ void hidden(int *p) { p[0] = 0; } } }
extern "C" __global__ void c_one(int *p) { p[0] = 1; }
extern "C" {
static __global__ void c_two(int *p) { p[0] = 2; }
}
struct S { static __global__ void member(int *p); };
__global__ void __launch_bounds__(256, 2) bounded(int *p, int n = 3) { p[n] = 4; }
""")
    hidden, one, two, bounded = unit.kernels
    assert hidden.namespace == ("a", "")
    assert (one.extern_c, two.extern_c, two.is_static, bounded.extern_c) == (True, True, True, False)
    assert text(unit, one.span).startswith('extern "C" __global__ void c_one')
    assert text(unit, two.span).startswith("static __global__")
    data = unit.files[unit.main].data
    assert data[two.top_start :].startswith(b'extern "C" {')
    assert data[hidden.top_start :].startswith(b"namespace a {")
    assert bounded.launch_bounds == ("256, 2",)
    assert [
        (param.name, param.text, param.default, param.is_pointer, param.size_bytes) for param in bounded.params
    ] == [
        ("p", "int *p", None, True, 8),
        ("n", "int n", "3", False, 4),
    ]


def test_templates(parse):
    unit = parse("""
template <class T, int N>
__global__ void t(T *a, int n) { __shared__ T s[N]; s[threadIdx.x] = a[n * N]; }
template __global__ void t<double, 4>(double *, int);
template <class T> __global__ void never(T *a) { a[threadIdx.x] = 0; }
template <> __global__ void t<char, 1>(char *a, int n) { a[n] = 0; }
void run(float *a) { t<float, 8><<<1, 8>>>(a, 1); }
""")
    found = {(kernel.name, kernel.facts_of.arguments if kernel.facts_of else None): kernel for kernel in unit.kernels}
    double, single = found["t", ("double", "4")], found["t", ("float", "8")]
    assert to_text(access(double, "a[n * N]").offset) == "32*n"
    assert to_text(access(single, "a[n * N]").offset) == "32*n"
    assert (double.static_shared_bytes, single.static_shared_bytes) == (32, 32)
    assert access(double, "s[threadIdx.x]").bytes == 8
    assert double.usr == single.usr
    assert double.span == single.span
    assert double.template_head == "template <class T, int N>"
    assert double.template_params == ("T", "N")
    assert single.facts_of.values == {"N": 8}
    never = found["never", None]
    assert never.template_head == "template <class T>"
    assert found["t", ("char", "1")].problems == ("an explicit specialisation of a template",)


def test_kernel_from_a_macro(parse):
    unit = parse("#define KERNEL(name, T) __global__ void name(T *a) { a[0] = 1; }\nKERNEL(mk, float)\n")
    (kernel,) = unit.kernels
    assert "defined by a macro" in kernel.problems
    assert not kernel.span.editable


def test_markers(parse):
    unit = parse("""
#ifndef GPUOPT
#define GPUOPT(...)
#endif
__global__ void plain(float *a) { a[0] = 0; }
#pragma gpuopt off
__global__ void pragma(float *a) { a[0] = 0; }
GPUOPT("catt: off")
__global__ void macro(float *a) { a[0] = 0; }
__global__ void inside(float *a) { GPUOPT(vtb: on) /* GPUOPT(no) */ a[0] = 0; }
""")
    assert [kernel.markers for kernel in unit.kernels] == [(), ("off",), ("catt: off",), ("vtb: on",)]


@pytest.mark.parametrize(
    ("statement", "reads"),
    [
        ('asm("add.u32 %0, %0, %1;" : "+r"(v) : "r"(3));', False),
        ('asm volatile ("{ .reg .pred p;" /* two */ "mov.u32 %0, 1; }" : "=r"(v));', True),  # a comment: not looked at
        ('asm volatile("{ .reg .pred p; "\n "mov.u32 %[to], 1; }" : [to] "=r"(v));', False),
        ('__asm__ __volatile__("mov.u32 %0, %%tid.x;" : "=r"(v));', True),
        ('asm("mov.u32 %0, %%lanemask_lt;" : "=r"(v));', True),
        ('asm(LANE : "=r"(v));', True),
        ('asm("mov.u32 %0, " REGISTER ";" : "=r"(v));', True),
        ("ASK(v);", True),
    ],
)
def test_assembly_that_may_read_a_special_register(parse, statement, reads):
    unit = parse(f"""
#define LANE "mov.u32 %0, %%laneid;"
#define REGISTER "%%laneid"
#define ASK(v) asm(LANE : "=r"(v))
__device__ unsigned ask(unsigned v) {{ {statement} return v; }}
__global__ void k(unsigned *a) {{ a[0] = ask(1); }}
""")
    (kernel,) = unit.kernels
    assert ("sreg" in kernel.special) is reads


@pytest.mark.parametrize(
    ("statement", "ends"),
    [
        ('asm("exit;");', True),
        ('asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 1; @p exit; }" :: "r"(v));', True),
        ('asm("ret;");', True),
        ('asm("add.u32 %0, %0, %1;" : "+r"(v) : "r"(3));', False),
    ],
)
def test_assembly_that_ends_the_thread(parse, statement, ends):
    unit = parse(f"__global__ void k(unsigned *a) {{ unsigned v = a[0]; {statement} a[0] = v; }}\n")
    assert ("exit" in unit.kernels[0].special) is ends


def test_special_and_conditional(parse):
    unit = parse("""
__global__ void k(float *a) {
#if __CUDA_ARCH__ >= 700
  a[0] = 1;
#endif
  printf("%s", __func__);
  assert(a);
  a[1] = clock();
  asm volatile("mov.u32 %0, %%smid;" : "=f"(a[2]));
  a[3] = gridDim.x;
  float *p = (float *)malloc(4);
  free(p);
}""")
    (kernel,) = unit.kernels
    assert kernel.special == {"printf", "func", "assert", "clock", "asm", "sreg", "smid", "gridDim", "malloc"}
    assert kernel.conditional
    assert kernel.accesses[0].text == "a[0]"


def test_conditionals_through_macros(parse):
    unit = parse("""
#if __CUDA_ARCH__ >= 700
#define NEW 1
#endif
#ifdef OTHER
#define PLAIN 1
#endif
__global__ void direct(int *a) {
#ifdef NEW
  a[0] = 1;
#endif
}
__global__ void plain(int *a) {
#ifdef PLAIN
  a[0] = 1;
#endif
  a[1] = 2;
}
""")
    assert [kernel.conditional for kernel in unit.kernels] == [True, False]


@pytest.mark.parametrize("level", [ParseLevel.BUNDLED, ParseLevel.HOST])
def test_macros_of_the_command_line(parse, level):
    unit = parse(
        "#include <cooperative_groups.h>\n#ifdef GONE\n#error gone\n#endif\n"
        "__global__ void k(T *a) { a[N] = TWICE(3) + FLAG; cooperative_groups::this_thread_block().sync(); }\n",
        level=level,
        defines=("N=32", "T=float", "TWICE(x)=(2 * (x))", "FLAG", "GONE=1"),
        undefines=("GONE",),
    )
    (kernel,) = unit.kernels
    assert kernel.problems == ()
    assert to_text(kernel.accesses[0].offset) == "128"


def test_architecture_selects_branches(parse):
    source = "__global__ void k(int *a) {\n#if __CUDA_ARCH__ >= 800\na[0] = 1;\n#else\na[1] = 2;\n#endif\n}\n"
    (new,) = parse(source, arch=90).kernels
    (old,) = parse(source, arch=70).kernels
    assert (new.accesses[0].text, old.accesses[0].text) == ("a[0]", "a[1]")


def test_overlay_replaces_bytes(tmp_path):
    main = tmp_path / "k.cu"
    main.write_text(PLAIN)
    patched = b"// caf\xe9\n" + PLAIN.replace("= 1", "= 2").encode()
    unit = parse_unit(main, overlay={str(main): patched})
    assert unit.files[str(main)].data == patched
    assert unit.kernels[0].span.line == 2
    assert main.read_text() == PLAIN
    fresh = parse_unit(tmp_path / "new.cu", overlay={str(tmp_path / "new.cu"): PLAIN.encode()})
    assert fresh.kernels[0].name == "k"


def test_overlay_of_an_included_file(tmp_path):
    header = tmp_path / "h.cuh"
    header.write_text(PLAIN)
    main = tmp_path / "m.cu"
    main.write_text('#include "h.cuh"\n')
    patched = PLAIN.replace("threadIdx.x", "3").encode()
    unit = parse_unit(main, overlay={str(header): patched})
    assert to_text(unit.kernels[0].accesses[0].offset) == "12"
    assert unit.files[str(header)].data == patched


@pytest.mark.parametrize("name", ["missing.cu", "directory"])
def test_unreadable_file_is_one_line(tmp_path, name):
    (tmp_path / "directory").mkdir()
    with pytest.raises(ParseError) as caught:
        parse_unit(tmp_path / name)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


def test_paths_are_absolute_as_spelled(tmp_path, monkeypatch):
    real = tmp_path / "real"
    real.mkdir()
    (real / "k.cu").write_text(PLAIN)
    (tmp_path / "link").symlink_to(real)
    monkeypatch.chdir(tmp_path)
    unit = parse_unit("link/k.cu")
    assert unit.main == str(tmp_path / "link" / "k.cu")
    assert unit.kernels[0].span.file == unit.main


def test_no_cache_directory_is_no_problem(tmp_path):
    main = tmp_path / "k.cu"
    main.write_text(PLAIN)
    blocked = tmp_path / "file"
    blocked.write_text("")
    unit = parse_unit(main, ParseOptions(cache_dir=str(blocked)))
    assert unit.kernels[0].problems == ()


def test_damaged_precompiled_header_is_rebuilt(tmp_path):
    main = tmp_path / "k.cu"
    main.write_text(PLAIN)
    options = ParseOptions(cache_dir=str(tmp_path / "cache"))
    parse_unit(main, options)
    (header,) = (tmp_path / "cache" / "pch").glob("*.pch")
    whole, state = header.read_bytes(), header.stat()
    header.write_bytes(whole[:1000])
    assert parse_unit(main, options).kernels[0].problems == ()
    whole = header.read_bytes()
    header.write_bytes(whole[:1000] + bytes(len(whole) - 1000))  # as long and, as far as its time tells, as old
    os.utime(header, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert parse_unit(main, options).kernels[0].problems == ()
    assert header.read_bytes()[1000:].strip(b"\0")


def test_same_input_same_model(tmp_path):
    main = tmp_path / "k.cu"
    main.write_text(
        "__device__ float f(float *p, int n) { for (int i = 0; i < n; i++) p[i] += 1; return p[n]; }\n"
        "__global__ void k(float *a, int *b, int n) { int i = b[threadIdx.x];\n"
        "while (i < n) { a[i] = f(a, i); i = b[i]; } }\n"
    )
    code = f"import sys; from gpuopt_driver.frontend.parse import parse_unit; print(parse_unit({str(main)!r}).kernels)"
    outputs = set()
    for seed in ("0", "1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1


def test_has_device_code():
    assert has_device_code(b"static __global__ void k() {}")
    assert has_device_code(b"k<<<1, 2>>>();")
    assert has_device_code(b"cudaLaunchKernel(f)")
    assert not has_device_code(b"int main() { return 1 << 3; }")


def test_work_is_linear_in_length(parse):
    """Calls of functions are counted, which no other process can change."""

    def calls(count: int) -> int:
        made = 0

        def count_one(_frame: object, event: str, _what: object) -> None:
            nonlocal made
            made += event in ("call", "c_call")

        body = "".join(f"  a[{at} + t] = a[t + {at + 1}] * {at};\n" for at in range(count))
        before = sys.getprofile()
        sys.setprofile(count_one)
        try:
            unit = parse(f"__global__ void k(float *a) {{ int t = threadIdx.x;\n{body}}}\n")
        finally:
            sys.setprofile(before)
        assert len(unit.kernels[0].accesses) == 2 * count
        return made

    calls(50)  # what is read once
    assert calls(1200) < 6 * calls(300)  # four times as many


def test_deep_nesting(parse):
    deep = "(" * 500 + "1" + ")" * 500
    unit = parse(f"__global__ void k(float *a) {{ a[{deep}] = 0; {'if (a[0] > 1) {' * 150}{'}' * 150} }}\n")
    assert unit.kernels[0].problems == ()
    assert to_text(unit.kernels[0].accesses[0].offset) == "4"


@pytest.mark.nvcc
def test_number_of_accesses_agrees_with_unoptimised_ptx(tmp_path, real_nvcc):
    main = tmp_path / "k.cu"
    main.write_text(
        "struct P { float x, y; };\n"
        "__device__ float twice(const float *p, int i) { return p[i] + p[i]; }\n"
        'extern "C" __global__ void k(float *a, const float *b, P *p, float4 *v, int n) {\n'
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i >= n) return;\n"
        "  for (int j = 0; j < n; j++) a[i] += b[i * n + j] * p[j].y;\n"
        "  v[i].x = a[i];\n"
        "  p[i].x *= 2;\n"
        "}\n"
    )
    ptx = tmp_path / "k.ptx"
    subprocess.run([real_nvcc, "-ptx", "-G", "-arch=sm_90", str(main), "-o", str(ptx)], check=True, capture_output=True)
    body = ptx.read_text().split(".entry k(")[1].split("\n}\n")[0]
    loads = sum(line.strip().startswith(("ld.f", "ld.global.f")) for line in body.splitlines())
    stores = sum(line.strip().startswith(("st.f", "st.global.f")) for line in body.splitlines())
    (kernel,) = parse_unit(main).kernels
    assert (loads, stores) == (
        sum(each.is_read for each in kernel.accesses),
        sum(each.is_write for each in kernel.accesses),
    )


def test_whether_a_file_is_the_systems_is_asked_once(tmp_path, monkeypatch):
    """libclang takes a time for it that grows with the files that were read."""
    main = tmp_path / "main.cu"
    main.write_text("".join(f"__global__ void k{n}(float *x) {{ x[0] = sqrtf(x[1]); }}\n" for n in range(40)))
    lib = libclang.library()
    asked: list[int] = []
    real = lib.clang_getLocationForOffset

    def noted(unit, file, offset):
        asked.append(file)
        return real(unit, file, offset)

    monkeypatch.setattr(lib, "clang_getLocationForOffset", noted)
    assert len(parse_unit(main, ParseOptions()).kernels) == 40
    assert len(asked) == len(set(asked))


def test_a_file_with_spaced_launches_is_parsed_once(tmp_path, monkeypatch):
    opened: list[str] = []
    real = translation.Index

    def noted(main, *given):
        opened.append(main)
        return real(main, *given)

    monkeypatch.setattr(translation, "Index", noted)
    main = tmp_path / "main.cu"
    main.write_text(f"{PLAIN}void run(float *a) {{ k<< <2, 3>> >(a); }}\n")
    unit = parse_unit(main, ParseOptions())
    assert len(unit.launches) == 1
    assert unit.files[unit.main].data == main.read_bytes()
    assert opened == [str(main)]


def test_arrays_of_a_million_cost_no_memory(parse):
    """clang makes the elements of `new float[1 << 20]` where that may be a constant: 300 MB."""
    source = "struct P { double x, v; bool alive; };\n__global__ void k(P *p) { p[threadIdx.x].x = 1; }\n"
    host = "int main() { P *p; p = new P[1000000]; k<<<1, 32>>>(p); }\n"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    unit = parse(source + host)
    assert len(unit.launches) == 1
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 100_000  # KB


def test_constants_of_many_steps(parse):
    unit = parse(
        "constexpr int odd(int n) { int c = 0; for (int i = 0; i < n; i++) c += i & 1; return c; }\n"
        "template <int N> __global__ void k(int *a) { for (int i = 0; i < N; i++) a[i] = threadIdx.x; }\n"
        "void f(int *a) { k<odd(100000)><<<1, 32>>>(a); }\n"
    )
    assert unit.kernels[0].facts_of.values == {"N": 50000}


def test_functions_of_the_runtime_take_arrays_of_variable_size(parse):
    unit = parse("void f(int n, float *d) { float h[n]; cudaMemcpy(h, d, 4 * n, cudaMemcpyDeviceToHost); }\n")
    assert unit.diagnostics == ()
