"""Errors in sources, and how many headers a source is read with because of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.frontend import libclang, translation
from gpuopt_driver.frontend.expr import Const
from gpuopt_driver.frontend.kernels import KernelReader
from gpuopt_driver.frontend.model import ParseLevel, Unit
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

HAS_HOST_HEADERS = any(Path("/usr/include/c++").glob("*/array"))


def with_host_headers(main: Path) -> Unit:
    """A unit that needs them; where there are none for certain, there is nothing to test."""
    unit = parse_unit(main)
    if unit.level is ParseLevel.BUNDLED and not HAS_HOST_HEADERS:
        pytest.skip("no host headers on this machine")
    return unit


def test_errors_in_a_kernel_are_its_problem_alone(parse):
    unit = parse("""
__device__ int helper(int i) { return undeclared + i; }
__global__ void bad(int *a) { a[0] = nonsense; }
__global__ void uses(int *a) { a[0] = helper(1); }
__global__ void good(int *a) { a[0] = 1; }
""")
    bad, uses, good = unit.kernels
    assert "nonsense" in bad.problems[0]
    assert "undeclared" in uses.problems[0]
    assert good.problems == ()
    assert any("nonsense" in line for line in unit.diagnostics)


def test_errors_in_types_and_variables_that_a_kernel_uses(parse):
    unit = parse("""
struct Broken { Missing m; int n; };
Missing2 *table;
__constant__ Missing3 constants[4];
struct Fine { int n; __device__ int get() const { return n; } };
template <class T> __device__ int through(T *p) { return p->n; }
__global__ void a(Broken *b) { b->n = 1; }
__global__ void b(int *p) { p[0] = constants[1]; }
__global__ void c(Fine f, int *p) { p[0] = f.get() + through(&f); }
int main() { Missing4 m; m.run(); }
""")
    assert [bool(kernel.problems) for kernel in unit.kernels] == [True, True, False]


def test_an_error_in_a_header_has_its_file_s_name(tmp_path):
    (tmp_path / "far.h").write_text("\n" * 98 + "__device__ inline float far(float x) { return nearest(x); }\n")
    main = tmp_path / "main.cu"
    main.write_text(
        '#include "far.h"\n__global__ void k(float *x) { x[0] = far(x[1]); }\n__global__ void m() { nil(); }\n'
    )
    problems = [kernel.problems for kernel in parse_unit(main, ParseOptions(level=ParseLevel.BUNDLED)).kernels]
    assert problems[0][0].startswith("line 99 of far.h: use of undeclared identifier 'nearest'")
    assert problems[1][0].startswith("line 3: use of undeclared identifier 'nil'")


def test_levels_escalate_while_kernels_have_errors(tmp_path):
    main = tmp_path / "k.cu"
    main.write_text("#include <bitset>\n__global__ void k(float *a) { std::bitset<3> r; a[0] = r.size(); }\n")
    assert parse_unit(main, ParseOptions(level=ParseLevel.BUNDLED)).kernels[0].problems
    unit = with_host_headers(main)
    assert unit.level is ParseLevel.HOST


def test_host_headers_keep_kernels_clean(tmp_path):
    main = tmp_path / "k.cu"
    main.write_text(
        "#include <cstdio>\n#include <cmath>\n#include <vector>\n#include <algorithm>\n"
        '__global__ void k(float *a, int n) { a[0] = sqrtf(a[1]) + std::min(n, 3); printf("%d", n); }\n'
        "int main() { std::vector<float> v(3); k<<<1, 32>>>(v.data(), 3); }\n"
    )
    unit = parse_unit(main, ParseOptions(level=ParseLevel.HOST))
    if any("file not found" in line for line in unit.diagnostics) and not HAS_HOST_HEADERS:
        pytest.skip("no host headers on this machine")
    assert unit.kernels[0].problems == ()
    assert unit.diagnostics == ()


@pytest.mark.parametrize(
    "source", ["", "\n", "// nothing\n", "__global__", "__global__ void k(", "}}}", "\x00", '"', "/*"]
)
def test_broken_sources_are_parsed_as_far_as_possible(parse, source):
    assert all(kernel.problems for kernel in parse(source).kernels)


@pytest.fixture
def read(monkeypatch):
    """The kernels that are read, and at which levels."""
    found: list[tuple[ParseLevel, str]] = []
    real = KernelReader.read

    def noted(reader, source):
        found.append((reader.translation.level, libclang.spelling(source.cursor)))
        return real(reader, source)

    monkeypatch.setattr(KernelReader, "read", noted)
    return found


def test_kernels_are_not_read_at_a_level_at_which_some_have_errors_before_another_is_tried(tmp_path, read):
    main = tmp_path / "main.cu"
    main.write_text(
        "#include <bitset>\n__global__ void a(int *x) { std::bitset<3> r; x[0] = r.size(); }\n"
        "__global__ void b(float *x) { x[0] = 1; }\n"
    )
    with_host_headers(main)
    assert read == [(ParseLevel.HOST, "a"), (ParseLevel.HOST, "b")]


def test_kernels_are_not_read_where_errors_have_spoiled_their_launches(tmp_path, read):
    main = tmp_path / "main.cu"
    main.write_text(
        "#include <deque>\n__global__ void a(int *x) { x[0] = 1; }\n"
        "void f(int *x) { std::deque<int> d(3); a<<<d.size(), 32>>>(x); }\n"
    )
    with_host_headers(main)
    assert read == [(ParseLevel.HOST, "a")]


def test_no_more_kernels_are_read_once_one_has_errors_in_what_it_calls(tmp_path, read):
    main = tmp_path / "main.cu"
    main.write_text(
        "#include <bitset>\n__device__ int size() { std::bitset<3> r; return r.size(); }\n"
        "__global__ void a(int *x) { x[0] = 1; }\n__global__ void b(int *x) { x[0] = size(); }\n"
        "__global__ void c(int *x) { x[0] = 2; }\n"
    )
    with_host_headers(main)
    assert read == [(ParseLevel.BUNDLED, one) for one in "ab"] + [(ParseLevel.HOST, one) for one in "abc"]


def test_a_level_is_read_after_all_where_no_other_has_less_damage(tmp_path, read):
    """Errors in a callee show when kernels are read: all levels have those."""
    main = tmp_path / "main.cu"
    callee = "__device__ float called(float x) { return neither_does_this(x); }\n"
    main.write_text(
        f"{callee}__global__ void a(float *x) {{ x[0] = nobody_has_this(x); }}\n"
        "__global__ void b(float *x) { x[0] = called(x[1]); }\n"
    )
    unit = parse_unit(main)
    assert unit.level is ParseLevel.BUNDLED
    assert [bool(kernel.problems) for kernel in unit.kernels] == [True, True]
    assert read[:2] == [(ParseLevel.BUNDLED, "a"), (ParseLevel.BUNDLED, "b")]


def test_the_level_with_the_least_damage_is_taken_though_all_have_some(tmp_path, read):
    main = tmp_path / "main.cu"
    main.write_text(
        "#include <bitset>\n#include <deque>\n__device__ int size() { std::bitset<3> r; return r.size(); }\n"
        "__global__ void a(int *x) { x[0] = nobody_has_this(x); }\n__global__ void b(int *x) { x[0] = size(); }\n"
    )
    unit = with_host_headers(main)
    assert unit.level is ParseLevel.HOST
    assert [bool(kernel.problems) for kernel in unit.kernels] == [True, False]
    assert [level for level, _ in read[:2]] == [ParseLevel.BUNDLED] * 2  # as many errors show in HOST's text


def test_levels_with_as_much_damage_are_left_early(tmp_path, read):
    """What costs most is reading kernels; a level at which no fewer can be right is left before that."""
    main = tmp_path / "main.cu"
    callee = "__device__ float called(float x) { return neither_does_this(x); }\n"
    main.write_text(
        f"{callee}__global__ void a(float *x) {{ x[0] = nobody_has_this(x); }}\n"
        "__global__ void b(float *x) { x[0] = called(x[1]); }\n__global__ void c(float *x) { x[0] = 1; }\n"
    )
    unit = parse_unit(main, ParseOptions())
    assert unit.level is ParseLevel.BUNDLED
    assert [kernel.name for kernel in unit.kernels if kernel.problems] == ["a", "b"]
    names = [name for _, name in read]
    assert names[:3] == ["a", "b", "c"]
    assert "c" not in names[3:]


def test_a_template_whose_only_call_needs_headers_is_read_with_them(tmp_path):
    """Without <deque> nobody is seen to call `run`, and of `twice` there is the dependent pattern alone."""
    main = tmp_path / "main.cu"
    main.write_text(
        "#include <deque>\n"
        "template <class T> __global__ void twice(T *x, int n) { for (int i = 0; i < n; i++) x[i] = x[i] + x[i]; }\n"
        "template <class T> void run(T *x, int n) { twice<<<1, 32>>>(x, n); }\n"
        "void all() { std::deque<float> rows(3); run(&rows[0], 100); }\n"
    )
    unit = parse_unit(main, ParseOptions())
    assert unit.level is ParseLevel.HOST
    assert [kernel.facts_of.arguments for kernel in unit.kernels] == [("float",)]
    assert [launch.instantiation for launch in unit.launches] == [("float",)]


def test_what_includes_thousands_of_files_is_read_with_few_headers_alone(tmp_path, monkeypatch):
    """The template gets versions as it stands, whatever it is instantiated with."""
    for number in range(30):
        (tmp_path / f"part{number}.h").write_text(f"int part{number}();\n")
    main = tmp_path / "main.cu"
    main.write_text(
        "".join(f'#include "part{number}.h"\n' for number in range(30)) + "#include <deque>\n"
        "template <class T> __global__ void twice(T *x, int n) { for (int i = 0; i < n; i++) x[i] = x[i] + x[i]; }\n"
        "template <class T> void run(T *x, int n) { twice<<<1, 32>>>(x, n); }\n"
        "void all() { std::deque<float> rows(3); run(&rows[0], 100); }\n"
    )
    assert parse_unit(main, ParseOptions()).level is ParseLevel.HOST
    monkeypatch.setattr(translation, "MANY", 20)
    unit = parse_unit(main, ParseOptions())
    assert unit.level is ParseLevel.BUNDLED
    assert [(kernel.facts_of, kernel.problems) for kernel in unit.kernels] == [(None, ())]
    assert [launch.instantiation for launch in unit.launches] == [None]


def test_a_template_that_nobody_launches_needs_no_more_headers(tmp_path):
    main = tmp_path / "main.cu"
    main.write_text(
        "#include <deque>\ntemplate <class T> __global__ void twice(T *x) { x[0] = x[0] + x[0]; }\n"
        "void all() { std::deque<float> rows(3); }\n"
    )
    unit = parse_unit(main, ParseOptions())
    assert unit.level is ParseLevel.BUNDLED
    assert [kernel.facts_of for kernel in unit.kernels] == [None]


@pytest.mark.parametrize(
    ("use", "is_made"),
    [
        ("void f(S<float> &s) { s.p = 0; }", False),
        ("void f(S<float> &s) { s.fill(9); }", True),
        ("template struct S<float>;", True),
        ("template __global__ void k<float>(float *, float);", True),
        ("void (*table[])(float *, float) = {k<float>};", True),
        ("void f(S<float> &s) { s.p = unknown(); }", None),
    ],
)
def test_a_template_that_nothing_instantiates_is_no_kernel(parse, use, is_made):
    """Versions of it would not be seen in what nvcc makes; with errors (None) who instantiates it may be hidden."""
    (kernel,) = parse(f"""
template <class T> __global__ void k(T *a, T b) {{ a[blockIdx.x * blockDim.x + threadIdx.x] = b; }}
template <class T> struct S {{ T *p; void fill(int n) {{ k<T><<<n, 128>>>(p, 1); }} }};
{use}
""").kernels
    assert (kernel.facts_of is not None) is bool(is_made)
    assert (kernel.problems == ()) is (is_made is not False)


@pytest.mark.parametrize(
    "declaration",
    [
        "void f(int a, std::chrono::seconds\n    n);",
        "std::chrono::seconds\nf(std::chrono::seconds i, int n);",
        "template <class T> using other = typename std::make_unsigned<T>::type; extern other<int> *no;",
        "template <class T, int n> struct other : std::make_unsigned<T> { int no; };",
        "std::deque<int> other;  // n of T",
        "typedef int whole;\nstatic constexpr whole other = std::missing<whole>(3);",
        "typedef int whole;\nconst whole other = 3 * std::missing;",
        "constexpr int unknown(); typedef int whole;\nconstexpr whole other[2] = {unknown(), 2};",
        "void f(std::deque<int> *a,\n       int n) {\n  a->resize(n);\n}",
    ],
)
def test_parameters_of_broken_declarations_are_nobody_elses_names(tmp_path, declaration):
    """A kernel that has names in common with them, or words of its comments, is whole without more headers."""
    main = tmp_path / "main.cu"
    main.write_text(
        f"#include <chrono>\n#include <deque>\n{declaration}\ntypedef int whole;\n"
        "template <class T> __global__ void k(T *a, int n) {\n"
        "  for (int i = 0; i < n; i++) a[i] = i + sizeof(whole); /* no other f */\n}\n"
        "void go(int *a) { k<<<1, 32>>>(a, 3); }\n"
    )
    unit = parse_unit(main, ParseOptions())
    assert unit.diagnostics
    assert unit.level is ParseLevel.BUNDLED
    assert [kernel.problems for kernel in unit.kernels] == [()]


@pytest.mark.parametrize(
    "text",
    [
        "__device__ std::chrono::seconds table(int);\n__global__ void k(int *a) { a[0] = sizeof(table(1)); }\n",
        "using table = std::deque<int>;\n__global__ void k(int *a) { a[0] = sizeof(table); }\n",
        "std::deque<int> table[3];\n__global__ void k(int *a) { a[0] = sizeof(table); }\n",
        "template <class T> struct table : std::deque<T> {};\n"
        "__global__ void k(int *a) { a[0] = sizeof(table<int>); }\n",
        "static const int table = sizeof(std::deque<int>);\n__global__ void k(int *a) { a[0] = table; }\n",
        "int constexpr table[2] = {sizeof(std::deque<int>), 1};\n__global__ void k(int *a) { a[0] = sizeof(table); }\n",
        "static std::deque<int> (*table)(int);\n__global__ void k(int *a) { a[0] = sizeof(table); }\n",
    ],
)
def test_what_broken_declarations_declare_spoils_kernels(tmp_path, text):
    main = tmp_path / "main.cu"
    main.write_text(f"#include <chrono>\n#include <deque>\n{text}")
    assert parse_unit(main, ParseOptions(level=ParseLevel.BUNDLED)).kernels[0].problems
    assert parse_unit(main, ParseOptions()).level is ParseLevel.HOST


def test_launches_in_a_function_that_is_lost_are_read_with_more_headers(tmp_path):
    """Without <regex> the parser makes a variable of the function, and its launch is not in the tree."""
    main = tmp_path / "main.cu"
    main.write_text(
        "#include <regex>\n__global__ void k(int *a) { a[threadIdx.x] = 1; }\nnamespace n {\n"
        "int go(\n    std::match_results<const char *> other,\n    int *p, const int many)\n{\n"
        "  if (many) { k<< <many, 32>>>(p); }\n  return other.size();\n}\n}\n"
    )
    unit = parse_unit(main, ParseOptions())
    assert unit.level is ParseLevel.HOST
    assert [launch.block.x for launch in unit.launches if launch.kernel] == [Const(32)]


def test_functions_as_parameters_need_no_headers(tmp_path):
    main = tmp_path / "main.cu"
    main.write_text(
        "#include <functional>\n__global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
        "void go(std::function<char *(size_t)> other, const std::function<void()> &then, int many) {\n"
        "  k<<<many, 32>>>((int *)other(4));\n  if (then) then();\n}\n"
        "void all(int *p) {\n  go([&](size_t) { return (char *)p; }, {}, 3);\n"
        "  go([](size_t) { return (char *)0; }, [] {}, 4);\n}\n"
    )
    unit = parse_unit(main, ParseOptions())
    assert unit.level is ParseLevel.BUNDLED
    assert [line for line in unit.diagnostics if "file not found" not in line] == []
    assert [launch.block.x for launch in unit.launches if launch.kernel] == [Const(32)]


@pytest.mark.parametrize("std", ["c++14", "c++20"])
def test_limits_and_lists_need_no_headers(tmp_path, std):
    main = tmp_path / "main.cu"
    main.write_text(
        "#include <initializer_list>\n#include <limits>\nusing idx_t = long;\n"
        "constexpr idx_t most = std::numeric_limits<idx_t>::max(), least = std::numeric_limits<int>::min();\n"
        'static_assert(std::numeric_limits<unsigned>::max() == 4294967295u, "");\n'
        "constexpr bool is = std::numeric_limits<long>::is_signed;\n"
        "constexpr bool none_is = std::numeric_limits<unsigned long>::is_signed;\n"
        'static_assert(is && !none_is, "");\n'
        "constexpr float far = std::numeric_limits<float>::max(), none = -std::numeric_limits<float>::infinity();\n"
        "struct Shape { Shape(std::initializer_list<int> sizes); int at(int) const; };\n"
        "__global__ void k(idx_t *a, float *b) { a[threadIdx.x] = most + least; b[0] = far + none; }\n"
        "void go(idx_t *a, float *b) { Shape s{1, 2, 3}; k<<<s.at(1), 32>>>(a, b); }\n"
    )
    unit = parse_unit(main, ParseOptions(std=std))
    assert unit.level is ParseLevel.BUNDLED
    assert [line for line in unit.diagnostics if "file not found" not in line] == []


@pytest.mark.parametrize(("header", "kind"), [("fp16", "half"), ("bf16", "bfloat16")])
def test_the_toolkits_headers_do_not_declare_small_floats_again(tmp_path, header, kind):
    """Those of CUB include a header that includes its neighbour: then every use of a function was ambiguous."""
    toolkit = tmp_path / "include"
    (toolkit / "cccl" / "cub").mkdir(parents=True)
    (toolkit / "cuda_runtime.h").write_text("")
    theirs = f"static inline __device__ float __{kind}2float(const struct __{kind}_other a);\n"
    again = f"#ifndef __CUDA_{header.upper()}_H__\nstruct __{kind}_other {{}};\n{theirs}"
    (toolkit / f"cuda_{header}.h").write_text(f"{again}static __device__ float __{kind}2float({kind}_t a);\n#endif\n")
    (toolkit / "cuda_fp8.h").write_text(f'#include "cuda_{header}.h"\n')
    (toolkit / "cccl" / "cub" / "cub.cuh").write_text(
        "#pragma once\n#include <cuda_fp8.h>\n"
        "namespace cub { template <class T> __device__ T sum(T a) { return a; } }\n"
    )
    name = "__half" if kind == "half" else "__nv_bfloat16"
    main = tmp_path / "main.cu"
    main.write_text(
        f"#include <cuda_{header}.h>\n#include <cub/cub.cuh>\n"
        f"__global__ void k({name} *a, float *b) {{ b[0] = cub::sum(__{kind}2float(a[0])); }}\n"
    )
    unit = parse_unit(main, ParseOptions(cuda_include=str(toolkit)))
    assert unit.level is ParseLevel.TOOLKIT
    assert unit.kernels[0].problems == ()
    assert unit.diagnostics == ()


def test_a_template_in_a_header_of_streams_and_pointers_needs_no_others(tmp_path):
    """What else stands in the headers that define a vector of the device's; nothing instantiates its kernel."""
    main = tmp_path / "main.cu"
    main.write_text(
        "#include <fstream>\n#include <memory>\n#include <stdexcept>\n#include <string>\n"
        "template <class T> __global__ void fill(T *a, T v, int n) { if (threadIdx.x < n) a[threadIdx.x] = v; }\n"
        "template <class T> struct Vector { T *p; int n; void set(T v) { fill<<<1, 128>>>(p, v, n); } };\n"
        "struct Base { virtual ~Base(); virtual void go(int) = 0; };\n"
        "struct Held { std::unique_ptr<Base> one; std::shared_ptr<Base> two; std::unique_ptr<int[]> three; };\n"
        "void read(std::ifstream &in, std::istream &other, std::ofstream *out, std::string &word);\n"
        "__global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
        'void go(Held &h, Vector<int> &v) {\n  if (!h.one) throw std::runtime_error("nothing");\n'
        "  h.one->go(h.three[0]);\n  k<<<h.three[1], 64>>>(v.p);\n"
        "  try { h.two->go(1); } catch (const std::exception &e) { e.what(); }\n}\n"
    )
    unit = parse_unit(main, ParseOptions())
    assert unit.level is ParseLevel.BUNDLED
    assert [line for line in unit.diagnostics if "file not found" not in line] == []
    assert [kernel.problems for kernel in unit.kernels] == [("nothing in this file instantiates the template",), ()]


def test_launches_by_the_runtime_need_no_other_headers(tmp_path):
    """They stay as they are: nothing that more headers show would have a version."""
    main = tmp_path / "main.cu"
    main.write_text(
        "#include <memory_resource>\n"
        "template <class... A> void run(dim3 *where, void (*kernel)(A...), A... a) {\n"
        "  void *all[] = {&a...};\n  static_assert(sizeof(std::pmr::polymorphic_allocator<decltype(where)>));\n"
        "  cudaLaunchKernel((const void *)kernel, where[0], where[1], all, 0, 0);\n}\n"
        "__global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
        "void go(dim3 *where, int *a) { run(where, k, a); }\n"
    )
    assert parse_unit(main, ParseOptions(std="c++17")).level is not ParseLevel.BUNDLED
    unit = parse_unit(main, ParseOptions(std="c++17", launched_only=True))
    assert unit.level is ParseLevel.BUNDLED


def test_what_a_launch_by_the_runtime_means_is_not_seen_with_few_headers(tmp_path):
    main = tmp_path / "main.cu"
    main.write_text(
        "void run(const void *kernel, void **all) { cudaLaunchKernel(kernel, dim3(1), dim3(2), all, 0, 0); }\n"
        "__global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
    )
    unit = parse_unit(main, ParseOptions(launched_only=True))
    assert [kernel.idle for kernel in unit.kernels] == [
        "nothing in this file launches it; which kernel line 1 launches by a function of the runtime is not seen"
    ]


def test_tuples_and_functors_need_no_host_headers(tmp_path):
    main = tmp_path / "main.cu"
    main.write_text(
        "#include <functional>\n#include <tuple>\n#include <map>\n"
        "template <class F> __global__ void fold(int *x, int n, F f)\n"
        "{ for (int i = 0; i < n; i++) x[0] = f(x[0], x[i]); }\n"
        "__global__ void flag(float *x) { if (std::less<>()(x[0], 1)) x[1] = std::plus<float>()(x[0], x[1]); }\n"
        "std::tuple<int, int *> sizes(int n) { return std::make_tuple(n, (int *)0); }\n"
        "std::map<int, float, std::greater<>> sorted;\n"
        "void go(float *y) {\n  int n;\n  int *x;\n  std::tie(n, x) = sizes(3);\n  auto t = sizes(4);\n"
        "  flag<<<1, 32>>>(y);\n  fold<<<1, 32>>>(x, n, std::multiplies<int>());\n"
        "  fold<<<1, 32>>>(std::get<1>(t), std::get<0>(t), std::bit_xor<int>{});\n}\n"
    )
    unit = parse_unit(main, ParseOptions())
    assert unit.level is ParseLevel.BUNDLED
    assert [line for line in unit.diagnostics if "file not found" not in line] == []
    assert [(kernel.name, kernel.problems) for kernel in unit.kernels] == [("fold", ()), ("fold", ()), ("flag", ())]


@pytest.mark.parametrize("made", ["std::make_unique<Series<float>>(n)", "std::make_shared<Series<float>>(n)"])
def test_who_makes_an_object_on_the_heap_instantiates_what_it_launches(tmp_path, made):
    """The kernel would else seem to be made by nobody, and the host's or the toolkit's headers would be read for it."""
    main = tmp_path / "main.cu"
    main.write_text(
        "#include <memory>\n#include <random>\n"
        "template <class T> __global__ void fill(T *x) { x[threadIdx.x] = 1; }\n"
        "template <class T> struct Series {\n  T *x;\n"
        "  explicit Series(int n) { cudaMalloc(&x, n * sizeof(T)); fill<<<1, 32>>>(x); }\n};\n"
        "std::mt19937 &twister();\nstd::unique_ptr<int[]> row = std::make_unique<int[]>(4);\n"
        f"void go(int n) {{ auto made = {made}; }}\n"
    )
    unit = parse_unit(main, ParseOptions(std="c++17"))
    assert unit.level is ParseLevel.BUNDLED
    assert [kernel.facts_of.arguments for kernel in unit.kernels] == [("float",)]
    assert [launch.instantiation for launch in unit.launches] == [("float",)]


def test_arrays_and_traits_need_no_host_headers(tmp_path):
    main = tmp_path / "main.cu"
    main.write_text(
        "#include <array>\n#include <limits>\n#include <type_traits>\n#include <vector>\n"
        "struct Weights { std::array<float, 3> of; int n; };\n"
        'template <class T> struct Row { static_assert(std::is_trivially_copyable<T>::value, ""); T *at; };\n'
        "template <size_t N> __global__ void sum(std::array<const float *, N> in, float *out, int n)\n"
        "{ for (size_t j = 0; j < in.size(); j++) out[threadIdx.x] += in[j][threadIdx.x]; }\n"
        "__global__ void scale(Weights w, Row<float> row)\n"
        "{ if (std::is_same<std::decay<const float &>::type, float>::value && std::numeric_limits<float>::is_iec559)\n"
        "    for (float one : w.of) row.at[threadIdx.x] *= one; }\n"
        "enum class Kind : unsigned char { first };\n"
        'static_assert(std::is_same<std::underlying_type<Kind>::type, unsigned char>::value, "");\n'
        'static_assert(!std::is_trivially_copyable<std::vector<int>>::value, "");\n'
        "void go(float *x) {\n  std::array<const float *, 2> in = {x, nullptr};\n  auto [a, b] = in;\n"
        "  std::vector<int> many{1, 2, 3};\n  sum<<<1, 32>>>(in, x, 3);\n  Weights w{{1, 2, 3}, many[2]};\n"
        "  scale<<<1, 32>>>(w, Row<float>{x});\n}\n"
    )
    unit = parse_unit(main, ParseOptions(std="c++17"))
    assert unit.level is ParseLevel.BUNDLED
    assert [line for line in unit.diagnostics if "file not found" not in line] == []
    assert [(kernel.name, kernel.problems) for kernel in unit.kernels] == [("sum", ()), ("scale", ())]
