"""What evaluating an expression may read and write, by kinds of expression, and what is not seen through."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gpuopt_driver.frontend.evaluation import Evaluation, evaluation
from gpuopt_driver.frontend.model import Kernel, Space

BEFORE = """
struct Pair { int a, b; };
struct Noisy { int v; __device__ Noisy(int v_) : v(v_) {} __device__ ~Noisy() { v = 0; }
  __device__ operator int() const { return v; } };
struct Counter { int n; __device__ int next() { return n++; } __device__ int peek() const { return n; } };
struct Base { int q; __device__ Base() { q = 0; atomicAdd(&total, 1); } static __device__ int total; };
struct Made { Base base; int v; };
struct View { int *data; __device__ int &at(int i) const { return data[i]; } };
struct Loud { virtual __device__ int f() { return 1; } };
struct Defaulted { int v = 3; };
struct Sneaky { int v = atomicAdd(&seen, 1); static __device__ int seen; };
struct Assigned { int v; __device__ Assigned &operator=(int w) { v = w; return *this; } };
__device__ int counter;
__constant__ int table[4];
__device__ int take(int &left, int by = 1) { left -= by; return left; }
__device__ int by_value(int left) { return --left; }
__device__ int look(const int &left) { return left + 1; }
__device__ int through(int *left) { return (*left)++; }
__device__ int load(const int *p, int i) { const int *q = p + i; return q[0]; }
__device__ int moved(int *p, int *other) { p = other; return (*p)++; }
__device__ int global() { return counter++; }
__device__ int deep(int &x) { return take(x) + look(x); }
__device__ int again(int n) { return n ? again(n - 1) : 0; }
__device__ int hidden(int);
template <class F> __device__ int apply(F f) { return f(); }
__device__ Pair operator+(const Pair &x, const Pair &y) { return Pair{x.a + y.a, x.b + y.b}; }
__device__ Pair &operator+=(Pair &x, const Pair &y) { x.a += y.a; return x; }
#define STEP(x) ((x) = (x) * 5 + 1)
#define BOTH(x, y) (STEP(x), (y))
__global__ void k(const int *A, int *U, Pair given, int n) {
  __shared__ int s[64];
  int x = 1, y = 2, z = 3; Pair p = {1, 2}; int arr[4] = {0}; volatile int v = 0; Counter c = {1}; View w = {U};
  auto byref = [&](int q) { y += q; return y; };
  auto plain = [&] { y++; return y; };
  auto bycopy = [=]() mutable { return z; };
  auto pure = [=](int q) { return q + z; };
  int &r = x; int *px = &z;
  {/*begin*/ EXPRESSION; /*end*/}
}
"""


@pytest.fixture
def ask(kernel: Callable[..., Kernel]) -> Callable[[str], Evaluation]:
    """The evaluation of an expression (or statement) in the kernel above."""

    def run(expression: str) -> Evaluation:
        text = BEFORE.replace("EXPRESSION", expression)
        start = text.index("/*begin*/") + len("/*begin*/")
        return evaluation(kernel(text), start, text.index("/*end*/"))

    return run


def names(places: frozenset) -> set[str]:
    return {one.name or one.space.value for one in places}


@pytest.mark.parametrize(
    ("expression", "reads", "writes"),
    [
        ("x + y", {"x", "y"}, set()),
        ("(void)(x == y)", {"x", "y"}, set()),
        ("x = y", {"y"}, {"x"}),
        ("x += y", {"x", "y"}, {"x"}),
        ("x++", {"x"}, {"x"}),
        ("U[x]", {"U", "x", "global"}, set()),
        ("U[x] = y", {"U", "x", "y"}, {"global"}),
        ("*U = A[y]", {"U", "A", "y", "global"}, {"global"}),
        ("s[x] = y", {"x", "y"}, {"shared"}),
        ("arr[y] = n", {"y", "n"}, {"arr"}),
        ("p.a = given.b", {"given"}, {"p"}),
        ("p = given", {"given"}, {"p"}),
        ("r = 4", set(), {"x"}),
        ("x ? y : n", {"x", "y", "n"}, set()),
        ("x, y = n", {"x", "n"}, {"y"}),
        ("STEP(x)", {"x"}, {"x"}),
        ("U[y] = BOTH(x, n)", {"U", "x", "y", "n"}, {"x", "global"}),
        ("threadIdx.x + blockDim.x * warpSize", set(), set()),
        ("sizeof(x++)", set(), set()),
        ("table[x]", {"x"}, set()),
        ("counter + 1", {"global"}, set()),
        ("fmaxf(x, y)", {"x", "y"}, set()),
        ("__ldg(A + x)", {"A", "x", "global"}, set()),
        ("__syncthreads()", {"shared", "global"}, {"shared", "global"}),
        ("take(y)", {"y"}, {"y"}),
        ("take(y, n)", {"y", "n"}, {"y"}),
        ("take(arr[n])", {"arr", "n"}, {"arr"}),
        ("take(p.a)", {"p"}, {"p"}),
        ("deep(y)", {"y"}, {"y"}),
        ("by_value(y)", {"y"}, set()),
        ("look(y)", {"y"}, set()),
        ("look(y + n)", {"y", "n"}, set()),
        ("through(&y)", {"y"}, {"y"}),
        ("through(arr)", {"arr"}, {"arr"}),
        ("through(U + n)", {"U", "n", "global"}, {"global"}),
        ("load(A, n)", {"A", "n", "global", "local"}, set()),
        ("moved(&y, &n)", {"unknown"}, {"unknown"}),
        ("global()", {"global"}, {"global"}),
        ("byref(n)", {"n", "y", "byref"}, {"y"}),
        ("bycopy()", {"z", "bycopy"}, {"bycopy"}),
        ("pure(n)", {"n", "z", "pure"}, set()),
        ("apply(plain)", {"plain", "y"}, {"y"}),
        ("[&] { return n++; }()", {"n"}, {"n"}),
        ("c.next()", {"c"}, {"c"}),
        ("c.peek()", {"c"}, set()),
        ("p + given", {"p", "given"}, set()),
        ("p += given", {"p", "given"}, {"p"}),
        ("Pair{x, y}.a", {"x", "y"}, set()),
        ("Defaulted{}.v", set(), set()),
        ("sincosf(x, (float *)&y, (float *)&arr[n])", {"x", "y", "arr", "n"}, {"y", "arr"}),
        ("*px", {"px", "unknown"}, set()),
        ("w.at(n) = y", {"w", "n", "y"}, {"unknown"}),
        ("for (int &e : arr) e = x", {"arr", "x"}, {"arr", "e"}),
        ("if (int q = x) U[q] = n", {"x", "q", "U", "n"}, {"q", "global"}),
        ("({ int q = x; q + y; })", {"x", "q", "y"}, {"q"}),
    ],
)
def test_what_is_read_and_written(
    ask: Callable[[str], Evaluation], expression: str, reads: set[str], writes: set[str]
) -> None:
    found = ask(expression)
    assert found.unknown == ""
    assert (names(found.reads), names(found.writes)) == (reads, writes)
    assert found.has_side_effects == bool(writes)


@pytest.mark.parametrize(
    ("expression", "word"),
    [
        ("hidden(x)", "hidden"),
        ("again(x)", "calls itself"),
        ("v + 1", "volatile"),
        ("(int)Noisy(x)", "destructor"),
        ("x = Noisy(x) + 1", "destructor"),
        ("Made m", "constructors"),
        ("Sneaky{}.v", "initialisers"),
        ("Sneaky q", "initialisers"),
        ("auto [a, b] = p", "parts"),
        ('asm("" : "=r"(x))', "assembly"),
        ("__shfl_xor_sync(~0u, x, 1)", "meets"),
        ("atomicAdd(U, 1)", "atomic"),
        ("clock()", "more than give a value"),
        ('printf("%d", x)', "more than give a value"),
        ("new int", "not modelled"),
        ("[q = x++] { return q; }", "captured with an initialiser"),
        ("[&q = x] { return q; }", "captured with an initialiser"),
        ("Loud l; l.f()", "Loud"),
    ],
)
def test_what_is_not_seen_through(ask: Callable[[str], Evaluation], expression: str, word: str) -> None:
    found = ask(expression)
    assert word in found.unknown
    assert found.has_side_effects
    assert not found.commutes(Evaluation())


def test_orders(ask: Callable[[str], Evaluation]) -> None:
    """Two may change places unless one changes what the other uses, also through pointers."""
    step, use, other, pointer = ask("take(y)"), ask("U[y]"), ask("U[n] = x"), ask("*px = 4")
    assert "y is changed" in step.obstacle(use)
    assert use.commutes(ask("A[n]"))
    assert not use.commutes(other)  # U[y] may be U[n]
    assert step.commutes(other)
    assert not pointer.commutes(ask("z + 1"))  # its address is known
    assert pointer.commutes(ask("n + 1"))  # nobody took this one's
    assert not pointer.commutes(other)
    assert other.without(Space.GLOBAL).commutes(use.without(Space.GLOBAL))
