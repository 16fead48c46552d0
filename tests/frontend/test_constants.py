"""Numbers that are known when a source is compiled: by whatever name, they are numbers in index forms and bounds."""

from __future__ import annotations

import pytest

from gpuopt_driver.analysis.copyable import why_not_copyable
from gpuopt_driver.frontend.expr import Const
from gpuopt_driver.frontend.model import Space
from tests.frontend.conftest import access, factor

_NAMES = """
namespace sizes {
static const int WIDTH = 48;
inline constexpr unsigned THIRD = WIDTH / 3;
enum { PAD = 5 };
enum class Mode : int { A = 3 };
template <class T> constexpr int lanes = 16 / sizeof(T);
constexpr int table[3] = {7, 11, 13};
struct Shape { int w, h; };
constexpr Shape shape{21, 22};
constexpr float half = 2.5f;
}
template <class T, int N> struct Traits {
    static const int PITCH = N * 3;
    static constexpr int ROWS = PITCH + sizeof(T);
    enum { COLS = ROWS * 2 };
    static constexpr int twice() { return COLS * 2; }
    static const int LATE;
};
template <class T, int N> const int Traits<T, N>::LATE = N + 1;
template <> struct Traits<double, 1> { static const int PITCH = 99; };
constexpr int up(int a, int b) { return (a + b - 1) / b * b; }
constexpr int triangle(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
template <class T, int N> __global__ void k(float *o, int n) {
    static const int A = 3;
    static constexpr int B = N / 2;
    static const auto E = Traits<T, N>::ROWS;
    static constexpr int D[2] = {4, 6};
    o[threadIdx.x * %s] = 1;
}
void run(float *o) { k<float, 64><<<1, 32>>>(o, 1); }
"""


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("A", 3),
        ("B", 32),
        ("E", 196),
        ("D[1]", 6),
        ("sizes::WIDTH", 48),
        ("sizes::THIRD", 16),
        ("sizes::PAD", 5),
        ("(int)sizes::Mode::A", 3),
        ("sizes::lanes<T>", 4),
        ("sizes::table[1]", 11),
        ("sizes::shape.h", 22),
        ("(int)sizes::half", 2),
        ("Traits<T, N>::PITCH", 192),
        ("Traits<T, N>::ROWS", 196),
        ("Traits<T, N>::COLS", 392),
        ("Traits<T, N>::twice()", 784),
        ("Traits<T, N>::LATE", 65),
        ("Traits<double, 1>::PITCH", 99),
        ("up(N, 50)", 100),
        ("triangle(5)", 10),
    ],
)
def test_a_constant_of_any_kind_is_its_number_in_an_index(kernel, name, value):
    made = kernel(_NAMES % name)
    assert factor(access(made, f"o[threadIdx.x * {name}]").offset, "threadIdx.x") == 4 * value
    assert len(made.accesses) == 1  # a constant is not read from memory
    assert why_not_copyable(made) is None


def test_constants_bound_loops_and_size_arrays_and_launches(parse):
    unit = parse(
        "struct S { static const int STEP = 4, END = 40; };\n"
        "__global__ void k(float *o) {\n"
        "    static const int FIRST = S::STEP * 2;\n"
        "    __shared__ float part[S::END + FIRST];\n"
        "    for (int j = FIRST; j < S::END; j += S::STEP) o[j] = part[j];\n"
        "}\n"
        "void run(float *o) { k<<<S::END, S::STEP * 8>>>(o); }\n"
    )
    (kernel,) = unit.kernels
    assert kernel.loops[0].trips == Const(8)
    assert kernel.static_shared_bytes == 4 * 48
    assert (unit.launches[0].grid.x, unit.launches[0].block.x) == (Const(40), Const(32))


@pytest.mark.parametrize(
    "declaration",
    [
        "static int kept = 3;",
        "static const volatile int kept = 3;",
        "static __shared__ int other; static unsigned kept[2] = {1, 2};",
        "struct P { mutable int v; }; static const P pair = {1}; int kept = pair.v;",
        "static __device__ const int kept = 3;",
    ],
)
def test_what_may_change_is_no_constant(kernel, declaration):
    made = kernel("__global__ void k(int *o, int n) { KEPT o[threadIdx.x] = n; }".replace("KEPT", declaration))
    assert why_not_copyable(made) == "it has static local variables"


def test_a_static_table_is_read_from_global_memory(kernel):
    made = kernel(
        "__global__ void k(int *o, const int *n) {\n"
        "    static constexpr int table[4] = {3, 1, 2, 9};\n"
        "    o[threadIdx.x] = table[n[threadIdx.x] & 3];\n"
        "}\n"
    )
    assert access(made, "table[n[threadIdx.x] & 3]").array.space is Space.GLOBAL
    assert why_not_copyable(made) is None


@pytest.mark.parametrize(("kind", "seen"), [("int count = 0", {Space.GLOBAL}), ("const int count = 1", set())])
def test_a_function_that_keeps_a_count_changes_memory(kernel, kind, seen):
    use = "count" if "const" in kind else "count++"
    made = kernel(
        f"__device__ int next(int v) {{ static {kind}; return v + {use}; }}\n"
        "__global__ void k(int *o) { int w = next(2); o[threadIdx.x] = w; }\n"
    )
    start = next(one for one in made.variables if one.name == "w").span.start
    ours = [one for one in made.effects if one.start >= start and one.place and one.place.name != "w"]
    assert {one.place.space for one in ours if one.is_write and one.end < made.span.end - 20} == seen
