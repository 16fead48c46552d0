"""Changes of variables and memory that do not look like assignments: what they make unknown, and what they do not."""

from __future__ import annotations

import pytest

from gpuopt_driver.analysis.conditions import around
from gpuopt_driver.frontend.expr import evaluate, is_known, to_text
from gpuopt_driver.frontend.model import Space

from .conftest import access

HEAD = """
struct Pair { int a, b; };
struct Bits { unsigned a : 4, b : 28; };
struct Ref { int &r; __device__ void up() { ++r; } };
struct Holds { Ref in; int b; };
struct Nested { Pair in; int b, c; };
struct Rows { int a[2]; int b, c; };
struct Padded { int a; int : 8; int b, c; };
struct Given { int a; int b = threadIdx.x; };
struct Base { int i; __device__ void up() { ++i; } };
struct Derived : Base { int i; };
struct Further : Base { int b, c; };
template <int K> struct Leaf { int v; };
struct Leaves : Leaf<0>, Leaf<1> {};
template <class... T> struct Chain {};
template <class T, class... R> struct Chain<T, R...> : Chain<R...> { T v; };
__device__ int summed(Derived d) { Base &b = d; b.i = 5; return d.i; }
__device__ void added(int &v) { v += 1; }
"""


def in_kernel(body: str) -> str:
    return f"{HEAD}\n__global__ void k(int *x, int *y, int n) {{ int t = threadIdx.x; {body} }}"


@pytest.mark.parametrize(
    ("body", "thread", "index"),
    [
        ("unsigned char c = t; c += 200; y[c] = 1;", 100, 300 & 255),
        ("unsigned char c = t; ++c; y[c] = 1;", 255, 0),
        ("unsigned short c = t; c *= 1000; y[c] = 1;", 100, 100000 & 65535),
        ("bool c = t; c += 2; y[c] = 1;", 0, 1),
        ("unsigned char c = 250; c += 10; y[c] = 1;", 0, 4),
        ("short c = 32767; ++c; y[c + 32768] = 1;", 0, 0),
        ("signed char c = -1; y[(unsigned char)c] = 1;", 0, 255),
        ("signed char c = -1; unsigned short d = c; y[d] = 1;", 0, 65535),
        ("unsigned short c = 65535; short d = c; y[d + 1] = 1;", 0, 0),
        ("bool c = t; unsigned char d = c; y[d] = 1;", 9, 1),
        ("enum class Kind : unsigned char { LAST = 251 }; y[(int)Kind::LAST] = 1;", 0, 251),
        ("enum Kind : unsigned short { LAST = 65535 }; y[LAST >> 8] = 1;", 0, 255),
        ("enum Kind : signed char { LAST = -5 }; y[LAST + 5] = 1;", 0, 0),
    ],
)
def test_narrow_variables_wrap(kernel, body, thread, index):
    (found,) = kernel(in_kernel(body)).accesses
    assert found.offset is not None
    assert evaluate(found.offset, {"threadIdx.x": thread}) == 4 * index


@pytest.mark.parametrize(
    ("header", "counts"),
    [
        ("unsigned char c = 0; c < 9; ++c", True),
        ("unsigned char c = 3; c < 250; c += 5", True),
        ("unsigned char c = 250; c < 254; c += 5", False),  # 255, 4, 9, ...
        ("unsigned char c = 250; c != (unsigned char)n; ++c", False),
        ("unsigned char c = 0; c < n; ++c", False),
        ("unsigned char c = 9; c > 0; --c", True),
        ("unsigned char c = 9; c >= 0; --c", False),
        ("short c = 9; c >= 0 && t; --c", True),
        ("short c = 32000; c > 0; c += 500", False),
        ("int c = 0; c != n; ++c", True),
    ],
)
def test_narrow_counters_count_where_they_cannot_wrap(kernel, header, counts):
    found = access(kernel(in_kernel(f"for ({header}) x[c] = 1;")), "x[c]")
    assert found.offset is not None
    assert (is_known(found.offset) and "&" not in to_text(found.offset)) is counts


@pytest.mark.parametrize(
    "body",
    [
        "Bits p; p.a = t; y[p.a] = 1;",
        "Bits p{18, 3}; y[p.a] = 1;",
        "int a = 0, b = 64; (n > 3 ? a : b) += t; y[a] = 1;",
        "int a = 0, b = 64; (n > 3 ? a : b)++; y[a] = 1;",
        "int a = 0, b = 64; added(n > 3 ? a : b); y[a] = 1;",
        "int a = 0, b = 64; int &r = n > 3 ? a : b; r = 5; y[a] = 1;",
        "Pair p{1, 2}; int Pair::*m = n > 3 ? &Pair::a : &Pair::b; p.*m = 5; y[p.a] = 1;",
        "Pair p{1, 2}, *q = &p; int Pair::*m = n > 3 ? &Pair::a : &Pair::b; q->*m = 5; y[p.a] = 1;",
        "int a = 0; auto f = [a]() mutable { return a++; }; f(); y[f()] = 1;",
        "int a = 0; Ref p{a}; p.r = 5; y[a] = 1;",
        "int a = 0; Ref p{.r = a}; p.up(); y[a] = 1;",
        "int a = 0; Ref p(a); p.up(); y[a] = 1;",
        "int a = 0; Ref{a}.up(); y[a] = 1;",
        "int a = 0; Holds p{{a}, 3}; p.in.up(); y[a] = 1;",
        "int a = 0; Holds p{a, 3}; p.in.up(); y[a] = 1;",
        "int a = 0; Ref p[2] = {a, a}; p[1].up(); y[a] = 1;",
        "int a = 0; Ref p = {a}, q = p; q.up(); y[a] = 1;",
        "int a = 0; auto f = [&r = a] { r = 5; }; f(); y[a] = 1;",
        "int a = 0; auto f = [&, &r = a] { r++; }; f(); y[a] = 1;",
        "int a = 0, &b = a; auto f = [p = &b] { *p = 5; }; f(); y[a] = 1;",
        "Nested p = {1, 2, 3}; y[p.b] = 1;",
        "Rows p = {1, 2, 3}; y[p.c] = 1;",
        "Further p = {{1}, 2}; y[p.c] = 1;",
        "Derived p; p.i = 1; p.Base::i = 2; y[p.i] = 1;",
        "Derived p; p.i = 1; p.up(); y[p.i] = 1;",
        "Derived p; p.i = 1; y[summed(p)] = 1;",
        "struct { Derived d; } p; p.d.i = 1; p.d.up(); y[p.d.i] = 1;",
        "Leaves p; p.Leaf<0>::v = 1; p.Leaf<1>::v = 2; y[p.Leaf<0>::v] = 1;",
        "Chain<int, int> p; p.v = 1; ((Chain<int> &)p).v = 2; y[p.v] = 1;",
    ],
)
def test_what_may_have_changed_is_unknown(kernel, body):
    found = next(one for one in kernel(in_kernel(body), std="c++20").accesses if one.text.startswith("y["))
    assert found.offset is None or not is_known(found.offset)


@pytest.mark.parametrize(
    ("body", "index"),
    [
        ("Pair p{t, 3}; y[p.b] = 1;", 3),
        ("Pair p{.b = 3}; y[p.b] = 1;", 3),
        ("Pair p(t, 3); y[p.b] = 1;", 3),
        ("Nested p = {{1, 2}, 3}; y[p.b] = 1;", 3),
        ("Nested p = {Pair{1, 2}, 3, 4}; y[p.c] = 1;", 4),
        ("Rows p = {{1, 2}, 3}; y[p.b] = 1;", 3),
        ("Padded p = {1, 2, 3}; y[p.c] = 1;", 3),
        ("struct { long long l; } p{t - 5u}; y[p.l >> 28] = 1;", 15),
        ("y[min(t - 5u, 40u)] = 1;", 40),
        ("y[max(t - 5u, 40u) >> 28] = 1;", 15),
        ("y[abs((int)(t - 9u))] = 1;", 8),
    ],
)
def test_parts_of_lists_and_smaller_numbers_are_followed(kernel, body, index):
    found = access(kernel(in_kernel(body), std="c++20"), body[body.index("y[") : body.rindex(" = 1;")])
    assert found.offset is not None
    assert evaluate(found.offset, {"threadIdx.x": 1}) == 4 * index


def test_members_with_initialisers_of_their_own_are_not_alike(kernel):
    found = kernel(in_kernel("Given p{3}; if (p.b == 2) { y[0] = 1; __syncthreads(); }"))
    assert not found.stmt(access(found, "y[0]").stmt).reached_uniformly


def test_a_pointer_may_be_moved_by_a_member(kernel):
    found = kernel(in_kernel("struct { int *&p; } s{y}; for (int j = 0; j < n; ++j) { y[t] += x[j]; ++s.p; }"))
    assert not any(one.array.name == "y" and one.offset is not None for one in found.accesses)


@pytest.mark.parametrize("place", ["(n > 3 ? x[t] : x[t + 1]) = 1;", "int &r = n > 3 ? x[t] : x[0]; r = 1;"])
def test_a_choice_of_elements_is_written(kernel, place):
    found = kernel(in_kernel(place))
    assert any(one.is_write and one.array.name == "x" for one in found.accesses)


def test_a_choice_of_arrays_is_written(kernel):
    found = kernel(in_kernel("(n > 3 ? x[t] : y[t]) = 1;"))
    assert any(one.is_write and one.array.space is Space.UNKNOWN for one in found.accesses)


@pytest.mark.parametrize("kind", ["auto &", "auto &&", "const auto &"])
def test_names_of_parts_of_memory_are_not_followed(kernel, kind):
    found = kernel(in_kernel(f"{kind}[a, b] = ((Pair *)x)[t]; y[t] = a + b;"))
    assert not all(call.known for call in found.calls)
    assert not any(one.array.name == "x" for one in found.accesses)  # no load, which could be made otherwise


def test_a_copy_of_parts_is_a_load(kernel):
    found = kernel(in_kernel("auto [a, b] = ((Pair *)x)[t]; y[t] = a + b;"))
    assert all(call.known for call in found.calls)
    assert any(one.array.name == "x" and one.is_read for one in found.accesses)


@pytest.mark.parametrize(
    ("captures", "value"),
    [("&x, a", 0), ("=, &a", 7), ("&, a", 0), ("=", 0), ("&", 7), ("a", 0), ("&a", 7)],
)
def test_captures_by_copy_keep_what_they_copied(kernel, captures, value):
    body = f"int a = 0; auto f = [{captures}] {{ return a; }}; a = 7; y[f()] = 1;"
    (found,) = kernel(in_kernel(body)).accesses
    assert found.offset is not None
    assert evaluate(found.offset, {}) == 4 * value


def test_what_copies_access_is_told(kernel):
    found = kernel(in_kernel("memcpy(y + t, x + t, 4); y[t] += 1;"))
    assert [(one.text, one.is_copied) for one in found.accesses] == [("y + t", True), ("x + t", True), ("y[t]", False)]


@pytest.mark.parametrize(
    ("body", "limits"),
    [
        ("if (t >= n) return; y[t] = 1;", 1),
        ("if (t < n) y[t] = 1;", 1),
        ("switch (n) { case 0: x[0] = 1; if (t >= n) break; y[t] = 1; }", 1),
        ("switch (n) { case 0: x[0] = 1; if (t >= n) break; case 1: y[t] = 1; }", 0),
        ("switch (n) { case 0: if (t < n) { case 1: y[t] = 1; } }", 0),
        ("switch (n) { case 0: while (t < n) { default: y[t] = 1; } }", 0),
        ("if (n) goto in; if (t < n) { in: y[t] = 1; }", 0),
        ("if (t < n) switch (n) { case 0: y[t] = 1; }", 1),
    ],
)
def test_labels_lead_past_tests(kernel, body, limits):
    found = kernel(in_kernel(body))
    stmt = access(found, "y[t]").stmt
    assert len([*around(found, stmt)]) == limits
    assert "goto" not in found.special or limits == 0
