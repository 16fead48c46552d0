"""Launch sites and their configurations."""

from __future__ import annotations

import pytest

from gpuopt_driver.frontend.expr import evaluate, to_text
from gpuopt_driver.frontend.launch_sites import LaunchKind

from .conftest import text

KERNEL = "__global__ void k(float *a, int n) { a[n] = 0; }\n"


def configuration(launch):
    """Grid and block as texts."""
    return [
        [None if part is None else to_text(part) for part in (dim.x, dim.y, dim.z)]
        for dim in (launch.grid, launch.block)
    ]


@pytest.mark.parametrize(
    ("before", "config", "grid", "block"),
    [
        ("", "7, 256", (7, 1, 1), (256, 1, 1)),
        ("dim3 b(32, 8), g(4, 5, 6);", "g, b", (4, 5, 6), (32, 8, 1)),
        ("dim3 b; b.x = 16; b.y = 2; dim3 g = dim3(3);", "g, b", (3, 1, 1), (16, 2, 1)),
        ("const int T = 64; int blocks = (1000 + T - 1) / T;", "blocks, T", (16, 1, 1), (64, 1, 1)),
        ("dim3 b(DX, DY); dim3 g((size_t)(ceil(((float)N) / ((float)b.x))), N / 2);", "g, b", (16, 250, 1), (32, 8, 1)),
        ("int g = div_up(N, 128);", "g, 128", (4, 1, 1), (128, 1, 1)),
        ("", "dim3{2, 3}, dim3(LIMIT)", (2, 3, 1), (96, 1, 1)),
        ("int t; t = 32;", "1, t", (1, 1, 1), (32, 1, 1)),
        ("dim3 g(1); for (int i = 0; i < 3; i++) { g.x = 9; g.y = 2;", "g, 4", (9, 2, 1), (4, 1, 1)),
        ("int t = N % 2 ? 64 : 128;", "1, t", (1, 1, 1), (128, 1, 1)),
    ],
)
def test_constant_configurations(parse, before, config, grid, block):
    closing = "}" * before.count("{") if before.count("{") > before.count("}") else ""
    unit = parse(
        "#define DX 32\n#define DY 8\n#define N 500\nenum { LIMIT = 96 };\n"
        f"int div_up(int a, int b) {{ return (a + b - 1) / b; }}\n{KERNEL}"
        f"void run(float *a) {{ {before} k<<<{config}>>>(a, 1); {closing} }}\n"
    )
    (launch,) = unit.launches
    assert [evaluate(part, {}) for part in (launch.grid.x, launch.grid.y, launch.grid.z)] == list(grid)
    assert [evaluate(part, {}) for part in (launch.block.x, launch.block.y, launch.block.z)] == list(block)
    assert evaluate(launch.shared, {}) == 0
    assert unit.launches_of(unit.kernels[0]) == (launch,)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("<< <", ">> >"), ("<<  <", ">>>"), ("<<<", ">>\t>"), ("<</*a*/<", ">> /*b*/ >"), ("<<<", ">>>")],
)
def test_chevrons_with_blanks(parse, opening, closing):
    """As nvcc takes them, and formatters write them."""
    unit = parse(
        f"{KERNEL}template <class T> __global__ void t(T *a) {{ *a = 0; }}\n"
        f"int f(int a, int b) {{ return a >> (b >> 2); }}\n"
        f'const char *said = "{opening}1, 2{closing}";\n'
        f"void run(float *a) {{ k{opening} f(4, 1), 64 {closing} (a, 1); t<float>{opening}1, 32{closing}(a); }}\n"
        f"void more(float *a) {{ k<<<1, 2>>>(a, 1); k{opening}3, 4{closing}(a, 1); }}\n"
    )
    assert unit.diagnostics == ()
    assert [text(unit, launch.callee) for launch in unit.launches] == ["k", "t<float>", "k", "k"]
    written = [text(unit, launch.config) for launch in unit.launches]
    spaced = [f"{opening} f(4, 1), 64 {closing}", f"{opening}1, 32{closing}", "<<<1, 2>>>", f"{opening}3, 4{closing}"]
    assert written == spaced
    assert [text(unit, launch.args) for launch in unit.launches] == ["(a, 1)", "(a)", "(a, 1)", "(a, 1)"]
    assert f'"{opening}1, 2{closing}"' in unit.files[unit.main].data.decode()


@pytest.mark.parametrize(
    ("before", "config", "grid", "block"),
    [
        ("", "(n + 255) / 256, 256", "(n + 255) / 256", "256"),
        ("int t = n; if (n > 3) t = 64;", "1, t", "1", None),
        ("int t = 64; read(&t);", "1, t", "1", None),
        ("for (int t = 32; t < 512; t *= 2)", "1, t", "1", None),
    ],
)
def test_symbolic_configurations(parse, before, config, grid, block):
    unit = parse(f"void read(int *);\n{KERNEL}void run(float *a, int n) {{ {before} k<<<{config}>>>(a, 1); }}\n")
    (launch,) = unit.launches
    assert to_text(launch.grid.x).strip("()") == grid.strip("()") or evaluate(launch.grid.x, {"n": 1000}) == 4
    assert (evaluate(launch.block.x, {}) is None) == (block is None)


def test_unknown_configuration(parse):
    unit = parse(
        f"dim3 choose(int);\n{KERNEL}void run(float *a, int n) {{ k<<<choose(n), choose(2), n * 4>>>(a, n); }}\n"
    )
    (launch,) = unit.launches
    assert configuration(launch) == [[None] * 3, [None] * 3]
    assert to_text(launch.shared) == "4*n"
    assert launch.config_texts == ("choose(n)", "choose(2)", "n * 4")


def test_spans(parse):
    unit = parse(
        f"template <class T> __global__ void t(T *a) {{ a[0] = 0; }}\n{KERNEL}"
        "void run(float *a) { k <<< 1, 2 >>> (a, 3); t<float> <<<1, 2, 3, 0>>>( a ); }\n"
    )
    first, second = unit.launches
    assert [text(unit, part) for part in (first.span, first.callee, first.config, first.args)] == [
        "k <<< 1, 2 >>> (a, 3)",
        "k",
        "<<< 1, 2 >>>",
        "(a, 3)",
    ]
    assert [text(unit, part) for part in (second.callee, second.config, second.args)] == [
        "t<float>",
        "<<<1, 2, 3, 0>>>",
        "( a )",
    ]
    assert second.instantiation == ("float",)
    assert second.config_texts == ("1", "2", "3", "0")


def test_template_arguments_are_written_as_the_source_may_write_them(parse):
    unit = parse(
        "namespace a { enum class E { A, B }; }\n"
        "template <unsigned N, bool P, signed char C, a::E e, class T> __global__ void k(T *a) { a[0] = P ? N : C; }\n"
        "void run(float *a) { k<4294967295u, true, -3, a::E::B, float><<<1, 2>>>(a); }\n"
    )
    (launch,) = unit.launches
    assert launch.instantiation == ("4294967295", "1", "-3", "(a::E)1", "float")


def test_runtime_cooperative_and_pointer_launches(parse):
    unit = parse(
        KERNEL
        + """
void run(float *a, cudaStream_t s) {
  void *args[] = {&a};
  cudaLaunchKernel((const void *)k, dim3(3), dim3(4, 5), args, 64, s);
  cudaLaunchCooperativeKernel((void *)k, 8, 128, args);
  void (*p)(float *, int) = k;
  p<<<1, 2>>>(a, 1);
}"""
    )
    runtime, cooperative, pointer = unit.launches
    usr = unit.kernels[0].usr
    assert [each.kind for each in unit.launches] == [LaunchKind.RUNTIME, LaunchKind.COOPERATIVE, LaunchKind.POINTER]
    assert (runtime.kernel, cooperative.kernel, pointer.kernel) == (usr, usr, usr)
    assert configuration(runtime) == [["3", "1", "1"], ["4", "5", "1"]]
    assert evaluate(runtime.shared, {}) == 64
    assert configuration(cooperative) == [["8", "1", "1"], ["128", "1", "1"]]


def test_launches_in_macros_are_not_editable(parse):
    unit = parse(f"#define RUN(f, ...) f<<<1, 32>>>(__VA_ARGS__)\n{KERNEL}void run(float *a) {{ RUN(k, a, 1); }}\n")
    (launch,) = unit.launches
    assert launch.kernel == unit.kernels[0].usr
    assert not launch.config.editable
    assert configuration(launch)[1] == ["32", "1", "1"]


def test_launches_in_templates(parse):
    unit = parse("""
template <class T, int B> __global__ void t(T *a) { a[threadIdx.x] = B; }
template <class T> void run(T *p, int n) { t<T, 64><<<n / 64, 64>>>(p); }
template <class T> void never(T *p) { t<T, 8><<<1, 8>>>(p); }
int main() { float *f = 0; double *d = 0; run(f, 128); run(d, 256); }
""")
    found = {(launch.instantiation, launch.in_template, launch.in_device_code) for launch in unit.launches}
    assert found == {
        (("float", "64"), True, False),
        (("double", "64"), True, False),
        (None, True, False),
    }
    template = next(kernel for kernel in unit.kernels if kernel.facts_of)
    assert all(launch.kernel == template.usr for launch in unit.launches)
    assert {kernel.facts_of.arguments for kernel in unit.kernels if kernel.facts_of} == {
        ("float", "64"),
        ("double", "64"),
    }


def test_launch_from_a_kernel_keeps_that_kernel_untouched(parse):
    unit = parse(f"{KERNEL}__global__ void parent(float *a) {{ k<<<1, 2>>>(a, 1); }}\n")
    parent = next(kernel for kernel in unit.kernels if kernel.name == "parent")
    assert "cdp" in parent.special


@pytest.mark.parametrize(
    ("before", "how"),
    [
        ("__device__ void f(float *a) { k<<<1, 2>>>(a, 1); }", "f(a);"),
        ("#define GO(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)\n", "GO(k, 1, 2, a, 1);"),
        ("struct F { __device__ void operator()(float *a) const { k<<<1, 2>>>(a, 1); } };", "F{}(a);"),
        ("template <void (*K)(float *, int)> __device__ void f(float *a) { K<<<1, 2>>>(a, 1); }", "f<k>(a);"),
        ("template <class F> __device__ void f(F g) { g(); }", "f([=] { k<<<1, 2>>>(a, 1); });"),
        ("__device__ void f(float *a, void (*g)(float *, int)) { g<<<1, 2>>>(a, 1); }", "f(a, k);"),
    ],
)
def test_a_kernel_that_another_one_launches_is_no_function_of_it(parse, before, how):
    """Its threads are others: what it reads and stores is none of the parent's accesses, and it is not copied."""
    unit = parse(f"{KERNEL}{before}\n__global__ void parent(float *a) {{ {how} }}\n")
    child, parent = (next(each for each in unit.kernels if each.name == name) for name in ("k", "parent"))
    assert "cdp" in parent.special
    assert child.usr not in {one.usr for one in parent.functions}
    assert all(access.array.name != "a" for access in parent.accesses)


@pytest.mark.parametrize(
    "value", ["t.size(0)", "n + missing(2)", "two(7)", "(int)lost::f(9)", "two(3, missing)", "t.size(0) + 1"]
)
def test_what_an_error_leaves_of_an_expression_is_not_taken_for_its_value(parse, value):
    unit = parse(
        f"{KERNEL}int two(int, int);\n"
        f"void run(lost::Tensor t, float *a, int n) {{ const int rows = {value}; k<<<rows, 64>>>(a, 1); }}\n"
    )
    (launch,) = unit.launches
    assert evaluate(launch.block.x, {}) == 64
    assert to_text(launch.grid.x).startswith("rows")


def test_arguments_that_host_code_gives_as_constants(parse):
    unit = parse(
        "enum class E { A, B = 5 }; enum { LIMIT = 96 }; struct S { int v; S(int a) : v(a) {} };\n"
        "__global__ void k(float *a, int n, bool b, E e, S s, unsigned u, double d, short q = 3) { a[n] = u + q; }\n"
        "template <class T> __global__ void t(T *a, T n) { a[0] = n; }\n"
        "void run(float *a, int w) {\n"
        "  int c = 4; const int twice = LIMIT * 2;\n"
        "  k<<<2, 64>>>(a, c, true, E::B, 5, -1, 2.0);\n"
        "  k<<<2, 64>>>(a, twice + 1, w, E::A, S(3), sizeof(int), 7, 1 << 3);\n"
        "  for (c = 0; c < 4; ++c) k<<<2, 64>>>(a, c, c == 2, E::A, 1, 3.7, 1, 2);\n"
        "  t<float><<<2, 64>>>(a, 5); t<<<2, 64>>>((char *)a, (char)6);\n"
        "}\n"
    )
    values = [[getattr(part, "value", None) for part in launch.arguments] for launch in unit.launches]
    assert values == [
        [None, 4, 1, 5, None, -1, None],
        [None, 193, None, 0, None, 4, None, 8],
        [None, None, None, 0, None, 3, None, 2],
        [None, None],
        [None, 6],
    ]
    assert [param.is_integer for param in unit.kernels[0].params] == [0, 1, 1, 1, 0, 1, 0, 1]
