"""What runs without a call in the text: every way to it finds the built-in variable and the effect behind it."""

from __future__ import annotations

import pytest

from gpuopt_driver.frontend import libclang
from gpuopt_driver.frontend.libclang import Cursor
from gpuopt_driver.frontend.model import Kernel, SyncKind
from gpuopt_driver.frontend.pieces import Piece, Pieces
from gpuopt_driver.frontend.translation import Place
from gpuopt_driver.frontend.uses import Construct
from gpuopt_driver.variants.copies import CopyObstacle, can_capture, why_not_copied, why_not_redefined

from .conftest import factor

Q = Construct.QUALIFIED
# name: (declarations, body, the construct through which blockIdx is read)
WAYS = {
    "default constructor": (
        "struct S { int v; __device__ S() : v(blockIdx.x) {} };",
        "S s; o[0] = s.v;",
        Construct.MEMBER_INITIALISER,
    ),
    "default member initialiser": (
        "struct S { int v = blockIdx.x; };",
        "S s; o[0] = s.v;",
        Construct.MEMBER_INITIALISER,
    ),
    "of an aggregate": ("struct S { int w, v = blockIdx.x; };", "S s{1}; o[0] = s.v;", Construct.MEMBER_INITIALISER),
    "of a temporary": ("struct S { int v = blockIdx.x; };", "o[0] = S().v;", Construct.MEMBER_INITIALISER),
    "of an array": ("struct S { int v = blockIdx.x; };", "S s[2]; o[0] = s[1].v;", Construct.MEMBER_INITIALISER),
    "of a member of a member": (
        "struct A { int v = blockIdx.x; }; struct B { A a[2]; }; struct S { B b; };",
        "S s; o[0] = s.b.a[1].v;",
        Construct.MEMBER_INITIALISER,
    ),
    "base class": (
        "struct A { int v; __device__ A() { v = blockIdx.x; } }; struct S : A {};",
        "S s; o[0] = s.v;",
        Construct.CONSTRUCTOR,
    ),
    "inherited constructor": (
        "struct A { int v; __device__ A(int n) { v = n; } }; struct S : A { using A::A; int w = blockIdx.x; };",
        "S s(1); o[0] = s.v;",
        Construct.MEMBER_INITIALISER,
    ),
    "default argument": (
        "__device__ int f(int v = blockIdx.x) { return v; }",
        "o[0] = f();",
        Construct.DEFAULT_ARGUMENT,
    ),
    "in a macro's argument": (
        "#define TWICE(x) (2 * (x))\n__device__ int f(int v = blockIdx.x) { return v; }",
        "o[0] = TWICE(f());",
        Construct.DEFAULT_ARGUMENT,
    ),
    "that a macro leaves out": (
        "__device__ int f(int a, int v = blockIdx.x) { return a + v; }\n#define F(a) f(a)\n",
        "o[0] = F(1);",
        Construct.DEFAULT_ARGUMENT,
    ),
    "of a constructor in a macro": (
        "struct S { int v; __device__ S(int w = blockIdx.x) : v(w) {} };\n#define MADE(a) S a\n",
        "MADE(s); o[0] = s.v;",
        Construct.DEFAULT_ARGUMENT,
    ),
    "in a macro of a callee": (
        "#define TWICE(x) (2 * (x))\n__device__ int f(int v = blockIdx.x) { return v; } "
        "__device__ int g() { return TWICE(f()); }",
        "o[0] = g();",
        Construct.DEFAULT_ARGUMENT,
    ),
    "of an earlier declaration": (
        "__device__ int f(int v = blockIdx.x); __device__ int f(int v) { return v; }",
        "o[0] = f();",
        Construct.DEFAULT_ARGUMENT,
    ),
    "of a template": (
        "template <class T> __device__ T f(T v, int w = blockIdx.x) { return v + w; }",
        "o[0] = f(1);",
        Construct.DEFAULT_ARGUMENT,
    ),
    "of a constructor": (
        "struct S { int v; __device__ S(int w = blockIdx.x) : v(w) {} };",
        "S s; o[0] = s.v;",
        Construct.DEFAULT_ARGUMENT,
    ),
    "that calls a function": (
        "__device__ int g() { return blockIdx.x; } __device__ int f(int v = g()) { return v; }",
        "o[0] = f();",
        Construct.DEFAULT_ARGUMENT,
    ),
    "in a callee": (
        "__device__ int f(int v = blockIdx.x) { return v; } __device__ int g() { return f(); }",
        "o[0] = g();",
        Construct.DEFAULT_ARGUMENT,
    ),
    "destructor": (
        "struct S { int v; __device__ ~S() { v = blockIdx.x; } };",
        "S s; o[0] = s.v;",
        Construct.DESTRUCTOR,
    ),
    "destructor's callee": (
        "__device__ int g() { return blockIdx.x; } struct S { int v; __device__ ~S() { v = g(); } };",
        "S s; o[0] = s.v;",
        Construct.DESTRUCTOR,
    ),
    "destructor in a class template": (
        "template <class T> struct S { T v; __device__ ~S() { v = blockIdx.x; } };",
        "S<int> s; o[0] = s.v;",
        Construct.DESTRUCTOR,
    ),
    "copy constructor": (
        "struct S { int v; __device__ S() : v(0) {} __device__ S(const S &o) : v(o.v + blockIdx.x) {} };",
        "S s; S t = s; o[0] = t.v;",
        Construct.CONSTRUCTOR,
    ),
    "assignment of a member": (
        "struct A { int v; __device__ A &operator=(const A &o) { v = blockIdx.x; return *this; } }; struct S { A a; };",
        "S s, t; t = s; o[0] = t.a.v;",
        Construct.ASSIGNMENT,
    ),
    "operator of a template argument": (
        "struct E { int v; __device__ void operator+=(int n) { v = n + blockIdx.x; } };"
        "template <class T> struct S { T t; __device__ ~S() { t += 1; } };",
        "S<E> s; o[0] = s.t.v;",
        Construct.OPERATOR,
    ),
    "range-for": (
        "struct I { int v; __device__ int operator*() const { return v; } "
        "__device__ I &operator++() { ++v; return *this; }"
        " __device__ bool operator!=(I o) const { return v != o.v; } };"
        "struct S { __device__ I begin() const { return I{(int)blockIdx.x}; } "
        "__device__ I end() const { return I{9}; } };",
        "S s; for (int v : s) o[0] += v;",
        Construct.RANGE,
    ),
    "structured binding": (
        "struct P { int a, b; }; template <int I> __device__ int get(const P &) { return blockIdx.x; }"
        "namespace std { template <class T> struct tuple_size; "
        "template <unsigned long I, class T> struct tuple_element; }"
        "template <> struct std::tuple_size<P> { static constexpr unsigned long value = 2; };"
        "template <unsigned long I> struct std::tuple_element<I, P> { using type = int; };",
        "P p{1, 2}; auto [v, w] = p; o[0] = v;",
        Construct.BINDING,
    ),
    "qualified": ("", "o[0] = ::blockIdx.x;", Q),
    "qualified with a blank": ("", "o[0] = :: /* the */ blockIdx.x;", Q),
    "qualified in a macro": ("#define B ::blockIdx.x\n", "o[0] = B;", Q),
    "qualified through a macro": ("#define OF(v) ::v.x\n", "o[0] = OF(blockIdx);", Q),
    "qualified in a function": ("__device__ int f() { return ::blockIdx.x; }", "o[0] = f();", Q),
    "lambda": ("", "auto f = [](int i) { return i + (int)blockIdx.x; }; o[0] = f(1);", Construct.LAMBDA),
    "lambda that captures others": (
        "",
        "int n = 2; auto f = [n, &o](int i) { o[n] = i; return (int)blockIdx.x; }; o[0] = f(1);",
        Construct.LAMBDA,
    ),
    "lambda that captures by reference": (
        "",
        "int n = 2; auto f = [&n] { return n + (int)blockIdx.x; }; o[0] = f();",
        Construct.LAMBDA,
    ),
    "generic lambda": ("", "auto f = [](auto i) { return i + blockIdx.x; }; o[0] = f(1);", Construct.LAMBDA),
    "inner lambda": (
        "",
        "auto f = [&] { auto g = [](int i) { return i + blockIdx.x; }; return g(1); }; o[0] = f();",
        Construct.LAMBDA,
    ),
    "outer lambda": (
        "",
        "auto f = [] { auto g = [&](int i) { return i + blockIdx.x; }; return g(1); }; o[0] = f();",
        Construct.LAMBDA,
    ),
    "init-capture in a lambda": (
        "",
        "auto f = [] { auto g = [b = blockIdx.x] { return b; }; return g(); }; o[0] = f();",
        Construct.LAMBDA,
    ),
    "constexpr lambda": (
        "",
        "constexpr auto f = [=](int i) { return i + (int)blockIdx.x; }; o[0] = f(1);",
        Construct.LAMBDA,
    ),
    "macro's lambda": (
        "#define OF(v) [](int i) { return i + v; }\n",
        "auto f = OF((int)blockIdx.x); o[0] = f(1);",
        Construct.LAMBDA,
    ),
    "lambda of a macro's macro": (
        "#define F [](int i) { return i + (int)blockIdx.x; }\n#define G F\n",
        "auto f = G; o[0] = f(1);",
        Construct.LAMBDA,
    ),
    "closed lambda in a macro's argument": (
        "#define DO(...) __VA_ARGS__\n",
        "DO(auto f = [] { return (int)blockIdx.x; };) o[0] = f();",
        Construct.LAMBDA,
    ),
    "lambda of a function": (
        "__device__ int f() { auto g = [] { return (int)blockIdx.x; }; return g(); }",
        "o[0] = f();",
        Construct.LAMBDA,
    ),
    "variable's lambda": (
        "constexpr auto f = [] __device__ () { return (int)blockIdx.x; };",
        "o[0] = f();",
        Construct.INITIALISER,
    ),
    "functor given to a library": (
        "#include <cooperative_groups/reduce.h>\n"
        "struct S { __device__ int operator()(int a, int b) const { return a + b + blockIdx.x; } };",
        "auto t = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());"
        " o[0] = cooperative_groups::reduce(t, 1, S());",
        Construct.LIBRARY,
    ),
}
REACHED = {  # a local variable at the start of the body, or of a copy's body, is what these see
    "the kernel": ("", "o[0] = blockIdx.x;"),
    "a macro": ("#define B blockIdx.x\n", "o[0] = B;"),
    "a function": ("__device__ int f() { return blockIdx.x; }", "o[0] = f();"),
    "a callee of a callee": (
        "template <class T> __device__ T f(T v) { return v + blockIdx.x; } __device__ int g() { return f(1); }",
        "o[0] = g();",
    ),
    "a lambda of the kernel": ("", "auto f = [&] { return blockIdx.x; }; o[0] = f();"),
    "a default argument that is given": ("__device__ int f(int v = blockIdx.x) { return v; }", "o[0] = f(1);"),
    "one that is given in a macro": (
        "#define TWICE(x) (2 * (x))\n__device__ int f(int v = blockIdx.x) { return v; }",
        "o[0] = TWICE(f(1));",
    ),
    "another kernel's": ("struct S { int v = blockIdx.x; }; __device__ int f() { S s; return s.v; }", "o[0] = 1;"),
    "the host's": ("struct S { int v; S() : v(1) {} __device__ S(int n) : v(n) {} };", "S s(1); o[0] = s.v;"),
    "a local variable of that name": ("", "{ const uint3 blockIdx = make_uint3(1, 2, 3); o[0] = blockIdx.x; }"),
    "lambda by reference": ("", "auto f = [&](int i) { return i + (int)blockIdx.x; }; o[0] = f(1);"),
    "lambda by value": ("", "auto f = [ = ] { return (int)blockIdx.x; }; o[0] = f();"),
    "lambda with exceptions": (
        "",
        "int n = 1, m = 2; auto f = [&, n] { return n + (int)blockIdx.x; }; auto g = [/* all */ =, &m] { m = 1; "
        "return (int)threadIdx.x; }; o[0] = f() + g();",
    ),
    "lambda in a lambda": ("", "auto f = [&] { auto g = [=] { return (int)blockIdx.x; }; return g(); }; o[0] = f();"),
    "what an init-capture reads": ("", "auto f = [b = blockIdx.x](int i) { return i + b; }; o[0] = f(1);"),
    "a macro's lambda": ("#define OF(v) [&](int i) { return i + v; }\n", "auto f = OF((int)blockIdx.x); o[0] = f(1);"),
    "a lambda in a macro's argument": (
        "#define DO(...) __VA_ARGS__\n",
        "DO(auto f = [&] { return (int)blockIdx.x; };) o[0] = f();",
    ),
    "closed lambda that names none": ("", "auto f = [](int i) { return i + 1; }; o[blockIdx.x] = f(threadIdx.x);"),
}
EFFECTS = {
    "barrier in a destructor": "struct S { __device__ ~S() { __syncthreads(); } };",
    "atomic in a destructor": "__device__ int n; struct S { __device__ ~S() { atomicAdd(&n, 1); } };",
    "write in a destructor": "struct S { int *p; __device__ ~S() { *p = 1; } };",
    "vote in a destructor": "struct S { int v; __device__ ~S() { v = __any_sync(~0u, v); } };",
    "shuffle of a base": "struct A { int v; __device__ A() { v = __shfl_sync(~0u, v, 0); } }; struct S : A {};",
    "barrier of a member": "struct A { __device__ A() { __syncthreads(); } }; struct S { A a; };",
    "through a reference": "struct S { int &r; __device__ ~S() { r = 1; } __device__ S() : r(*new int) {} };",
    "assembly": 'struct S { __device__ ~S() { asm volatile("bar.sync 0;"); } };',
    "of a callee": "__device__ void f() { __syncthreads(); } struct S { __device__ ~S() { f(); } };",
    "not known": "__device__ void f(); struct S { __device__ ~S() { f(); } };",
    "virtual": "struct B { __device__ virtual int f() { return 1; } }; struct S { B *b; __device__ ~S() { b->f(); } };",
    "default argument": "__device__ int f() { return __syncthreads_count(1); } "
    "struct S { __device__ S(int n = f()) {} };",
    "dependent": "template <class T> struct A { T t; __device__ ~A() { t.end(); } };"
    " struct E { __device__ void end() { __syncthreads(); } }; struct S { A<E> a; };",
}
HARMLESS = {
    "its own members": "struct S { int v[4], n; __device__ S() { for (int i = 0; i < 4; ++i) v[i] = i; }"
    " __device__ S(const S &o) : n(o.n) {} __device__ ~S() { n = 0; v[n] = 2; } };",
    "maths": "struct S { float v; __device__ S() : v(sqrtf(2)) {} __device__ ~S() { v = fmaxf(v, 1); } };",
    "written members": "struct S { int *p; __device__ S() : p(0) {} __device__ void set() { *p = 1; }"
    " __device__ int &operator[](int n) { return p[n]; } };",
    "the host's": "struct S { int *p; __device__ S() {} S(int n) { p = new int[n]; } };",
}


def _source(declarations: str, body: str) -> str:
    return f"{declarations}\n__global__ void k(int *o) {{ {body} }}\n"


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_no_use_is_missed(kernel, way) -> None:
    declarations, body, construct = way
    found: Kernel = kernel(_source(declarations, body), std="c++17")
    ways = {use.construct for use in found.builtin_uses if use.name == "blockIdx" and not use.shadowed}
    assert construct in ways
    reason = why_not_redefined(found, ("blockIdx",))
    assert reason is not None
    assert "blockIdx" in reason
    assert why_not_redefined(found, ("blockDim",)) is None


@pytest.mark.parametrize("way", REACHED.values(), ids=REACHED.keys())
def test_what_versions_reach_is_not_refused(kernel, way) -> None:
    found = kernel(_source(*way), std="c++17")
    assert why_not_redefined(found, ("threadIdx", "blockIdx", "blockDim", "gridDim")) is None
    assert all(call.known for call in found.calls)


def test_where_a_version_can_name_its_variables(kernel) -> None:
    """A call of a copied function hands on the plan, a barrier is the virtual block's: neither is captured by `[]`."""
    found = kernel(
        "__device__ int f() { return blockIdx.x; }\n__global__ void k(int *o) { auto g = [] { return f(); };"
        " auto h = [&] { __syncthreads(); return f(); }; o[0] = g() + h(); }"
    )
    assert [can_capture(found, site.name) for site in found.call_sites] == [False, True]
    assert [can_capture(found, sync.span) for sync in found.syncs] == [True]
    refused = why_not_copied(found, found.functions)
    assert refused is not None
    assert (refused.obstacle, "a lambda without a default capture" in refused.reason) == (CopyObstacle.LAMBDA, True)


@pytest.mark.parametrize("declarations", EFFECTS.values(), ids=EFFECTS.keys())
def test_hidden_effects_are_calls_of_which_nothing_is_known(kernel, declarations: str) -> None:
    found = kernel(_source(declarations, "S s; if (threadIdx.x) o[0] = 1;"))
    assert not all(call.known for call in found.calls)
    assert SyncKind.UNKNOWN in {sync.kind for sync in found.syncs}
    assert not any(stmt.uniform or stmt.reached_uniformly for stmt in found.stmts)


@pytest.mark.parametrize("declarations", HARMLESS.values(), ids=HARMLESS.keys())
def test_what_only_computes_is_no_effect(kernel, declarations: str) -> None:
    found = kernel(_source(declarations, "S s; S t = s; if (threadIdx.x) o[0] = 1;"))
    assert all(call.known for call in found.calls)
    assert found.syncs == ()


def test_a_lambda_that_library_code_calls_is_not_passed_over(kernel) -> None:
    found = kernel(
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;"
        "__global__ void k(int *o) { cg::invoke_one(cg::coalesced_threads(), [&] { atomicAdd(o, 1); }); }"
    )
    assert not all(call.known for call in found.calls)


def test_library_functions_that_ask_which_thread_runs(parse, tmp_path) -> None:
    """A header that is no file of the project: what it says depends on the thread, and no version reaches it."""
    (tmp_path / "system").mkdir()
    (tmp_path / "system" / "lanes.h").write_text("__device__ inline int lane() { return threadIdx.x & 31; }\n")
    unit = parse(
        "#include <lanes.h>\n__global__ void k(int *o) { if (lane()) o[0] = 1; }",
        system_dirs=(str(tmp_path / "system"),),
    )
    (found,) = unit.kernels
    assert why_not_redefined(found, ("threadIdx",)) is not None
    assert not any(stmt.uniform for stmt in found.stmts if stmt.condition is not None)


def test_intrinsics_that_ask_which_block_runs(parse, tmp_path) -> None:
    (tmp_path / "system").mkdir()
    (tmp_path / "system" / "rt.h").write_text("__device__ dim3 __clusterIdx(); __device__ int __lane();\n")
    unit = parse(
        "#include <rt.h>\n__global__ void k(int *o) { o[0] = __clusterIdx().x + __lane(); }",
        system_dirs=(str(tmp_path / "system"),),
    )
    (found,) = unit.kernels
    assert {use.name for use in found.builtin_uses} == {"blockIdx", "gridDim"}
    assert {use.construct for use in found.builtin_uses} == {Construct.INTRINSIC}


def test_calls_in_structured_bindings_are_entered(kernel) -> None:
    found = kernel(
        "struct P { int a, b; }; __device__ P f() { __syncthreads(); return P{1, 2}; }"
        "__global__ void k(int *o) { auto [v, w] = f(); o[v] = w; }"
    )
    assert [sync.kind for sync in found.syncs] == [SyncKind.BLOCK]


PLACES = {  # every place at which a call can be written
    "array": "int m[2] = {f(), S(1).twice()}; o[0] = m[0];",
    "array of classes": "S m[2] = {S(f()), S(2)}; o[0] = m[0].v;",
    "aggregate": "P p = {f(), S(1).twice()}; o[0] = p.a;",
    "designated": "P p = {.a = f(), .b = 1}; o[0] = p.a;",
    "compound literal": "P p = (P){f(), 1}; o[0] = p.a;",
    "nested list": "int m[2][2] = {{1, f()}, {2, 3}}; o[0] = m[0][1];",
    "if with a variable": "if (int w = f()) o[0] = w;",
    "if with an initialiser": "if (int w = f(); w > 1) o[0] = w;",
    "switch": "switch (int w = f(); w) { case 1: o[0] = w; }",
    "while with a variable": "while (int w = f()) { o[0] = w; break; }",
    "for": "for (int w = f(); w < 3; ++w) o[0] = w;",
    "range-for": "int m[2] = {1, 2}; for (int w : m) o[0] = w + f();",
    "range": "struct R { int m[2]; __device__ int *begin() { return m; } __device__ int *end() { return m + 2; } };"
    " for (int w : R{{f(), 2}}) o[0] = w;",
    "conditional": "o[0] = o[1] ? f() : 2;",
    "logical": "if (o[1] && f()) o[0] = 1;",
    "comma": "o[0] = (f(), 1);",
    "statement expression": "o[0] = ({ int w = f(); w; });",
    "constructor": "S s(f()); o[0] = s.v;",
    "functional cast": "o[0] = S(f()).v;",
    "subscript": "o[f()] = 1;",
    "increment": "o[f()]++;",
    "lambda": "auto l = [&] { return f(); }; o[0] = l();",
    "init-capture": "auto l = [w = f()] { return w; }; o[0] = l();",
    "argument of a template": "o[0] = id(f());",
    "reference": "const int &w = f(); o[0] = w;",
    "static cast": "o[0] = static_cast<int>(f());",
    "atomic's argument": "atomicAdd(o, f());",
    "init-capture of a class": "auto l = [s = S(f())] { return s.v; }; o[0] = l();",
    "structured binding": "auto [a, b] = P{f(), 1}; o[0] = a;",
    "do": "do { o[0] = 1; } while (f());",
    "template's body": "o[0] = twice<int>();",
    "function pointer": "int (*g)() = f; o[0] = g();",
    "new": "int *w = new int(f()); o[0] = *w;",
    "array size": "int w[4]; w[f() & 3] = 1; o[0] = w[1];",
}
DECLARED = """
__device__ int f() { __syncthreads(); return blockIdx.x; }
struct S { int v; __device__ S(int n) : v(n) {} __device__ int twice() const { return 2 * v; } };
struct P { int a, b; };
template <class T> __device__ T id(T v) { return v; }
template <class T> __device__ T twice() { T m[2] = {f(), S(1).twice()}; return m[0]; }
"""


@pytest.mark.parametrize("body", PLACES.values(), ids=PLACES.keys())
def test_calls_are_found_wherever_they_stand(parse, body: str) -> None:
    """Entered, so that they are among the kernel's functions, or of unknown effect and out of reach for versions."""
    (found,) = parse(_source(DECLARED, body), std="c++20").kernels
    assert found.problems == ()
    if all(call.known for call in found.calls):
        assert "f" in {function.name for function in found.functions}
        assert SyncKind.BLOCK in {sync.kind for sync in found.syncs}


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("cg::this_grid().thread_rank()", {"threadIdx", "blockIdx", "blockDim", "gridDim"}),
        ("cg::this_grid().block_rank()", {"blockIdx", "gridDim"}),
        ("cg::this_grid().num_blocks()", {"gridDim"}),
        ("cg::this_thread_block().group_index().x", {"blockIdx"}),
        ("cg::this_thread_block().thread_index().y", {"threadIdx"}),
        ("cg::this_thread_block().thread_rank()", {"threadIdx", "blockDim"}),
        ("cg::this_thread_block().size()", {"blockDim"}),
        ("cg::tiled_partition<32>(cg::this_thread_block()).thread_rank()", {"threadIdx", "blockDim"}),
        ("cg::this_cluster().block_rank()", {"blockIdx", "gridDim"}),
        ("place(cg::this_thread_block())", {"blockIdx"}),
    ],
)
def test_what_a_group_tells_is_a_use_of_what_it_means(kernel, query: str, meant: set[str]) -> None:
    found = kernel(
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
        "__device__ int place(const cg::thread_block &b) { return b.group_index().x; }\n"
        f"__global__ void k(int *o) {{ o[{query}] = 1; }}"
    )
    assert {use.name for use in found.builtin_uses if use.construct is Construct.GROUP} == meant
    for name in meant:
        assert "a cooperative group" in (why_not_redefined(found, (name,)) or "")
        assert why_not_redefined(found, (name,), groups=False) is None


def test_groups_ranks_are_index_forms(kernel) -> None:
    found = kernel(
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
        "__global__ void k(int *o) { auto g = cg::this_grid(); o[g.block_index().y * 3 + g.dim_blocks().x] = 1;"
        " o[g.block_rank() * 5] = 2; }"
    )
    first, second = (one.offset for one in found.accesses)
    assert (factor(first, "blockIdx.y"), factor(first, "gridDim.x"), factor(second, "blockIdx.x")) == (12, 4, 20)


def test_tables_of_numbers_are_passed_over_and_others_read(kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    parts = Pieces.parts

    def noted(self: Pieces, cursor: Cursor, place: Place) -> Piece:
        read.append(libclang.spelling(cursor))
        return parts(self, cursor, place)

    monkeypatch.setattr(Pieces, "parts", noted)
    declarations = """
#define ONE 1
struct S { int v; __device__ constexpr S(int n) : v(n) {} };
__device__ const int numbers[2][3] = {{1, -2, 0x3F}, {4u, 5, +6}};
__device__ const double reals[] = {1., .5e-3, 1e10f};
__device__ const int named[2] = {ONE, 2};
__device__ const int computed[2] = {sizeof(int), 2};
__device__ const S made[2] = {1, 2};
"""
    body = "o[0] = numbers[0][1] + (int)reals[1] + named[0] + computed[1] + made[1].v;"
    kernel(f"{declarations}__global__ void k(int *o) {{ {body} }}")
    assert {"named", "computed", "made"} <= set(read)
    assert not {"numbers", "reals"} & set(read)
