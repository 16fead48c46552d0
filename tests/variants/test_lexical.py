"""Text questions that the emission of versions asks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuopt_driver.frontend.declarators import declare, head_end, named_head
from gpuopt_driver.frontend.declared import PLAINLY, Declared
from gpuopt_driver.frontend.model import Kernel
from gpuopt_driver.source.edits import apply
from gpuopt_driver.source.text import SourceFile
from gpuopt_driver.variants.abridge import abridge, shortened
from gpuopt_driver.variants.declared import storage_edits
from gpuopt_driver.variants.lexical import one_line, strip_comments


@pytest.mark.parametrize(
    ("type", "declared"),
    [
        ("float *", "float *x"),
        ("const float *__restrict", "const float *__restrict x"),
        ("void (*)(int)", "void (*x)(int)"),
        ("const int (*)[2]", "const int (*x)[2]"),
        ("void (*const)(int)", "void (*const x)(int)"),
        ("float[4]", "float x[4]"),
        ("int (int)", "int x(int)"),
        ("int S::*", "int S::*x"),
        ("int (S<3>::*)(int) const", "int (S<3>::*x)(int) const"),
        ("void (*[3])(int)", "void (*x[3])(int)"),
        ("int (*(*)(int))[3]", "int (*(*x)(int))[3]"),
        ("std::function<void (*)(int)>", "std::function<void (*)(int)> x"),
        ("decltype(sizeof(int))", "decltype(sizeof(int)) x"),
        ("std::enable_if_t<(sizeof(T) > 2), int>", "std::enable_if_t<(sizeof(T) > 2), int> x"),
        ("(anonymous namespace)::S *", "S *x"),
        ("const int", "const int x"),
    ],
)
def test_declarations_put_the_name_where_it_belongs(type: str, declared: str) -> None:
    assert declare(type, "x") == declared


@pytest.mark.parametrize(
    ("head", "plain"),
    [
        ("template <class T>", "template <class T>"),
        ("template <class T = float, int N = 4>", "template <class T, int N>"),
        ("template <int N = (1 > 0) ? 2 : 3, class T = pair<int, int> >", "template <int N, class T>"),
        ("template <int N = 1 << 3, int M = sizeof(int[2])>", "template <int N, int M>"),
        ("template <class T /* = int */>", "template <class T>"),
        ("template <class F = decltype(a->b), int M = 1>", "template <class F, int M>"),
        ("template <class T, bool B = (3 > 2 and not false)> requires (B)", "template <class T, bool B> requires (B)"),
        ("template <int N, bool B = N >= 3>", "template <int N, bool B>"),
    ],
)
def test_defaults_of_templates_are_taken_out(head: str, plain: str) -> None:
    assert named_head(one_line(head), (), "u", defaults=False) == plain


def test_parameters_of_templates_that_have_no_name_get_one() -> None:
    head = "template <class T, class = X<T, 3>, std::enable_if_t<(1 > 0), int> = 0, template <class> class>"
    names = ("T", "u1", "u2", "u3")
    start = "template <class T, class u1"
    assert named_head(head, names, "u", defaults=False) == (
        f"{start}, std::enable_if_t<(1 > 0), int> u2, template <class> class u3>"
    )
    assert named_head(head, names, "u", defaults=True) == (
        f"{start} = X<T, 3>, std::enable_if_t<(1 > 0), int> u2 = 0, template <class> class u3>"
    )


@pytest.mark.parametrize(
    ("head", "rest"),
    [
        ("template <class T>", "__global__"),
        ("template <class T> template <int N = 1 << 3>", "void"),
        ("template <class T, class U = A<B<C<T>>>>", "void"),
        ("template <auto F = &A::operator->>", "void"),
        ("template <class T> requires (sizeof(T) == 4)", "__global__"),
        ("template <class T> requires std::integral<T> && a::b<T>::value or (x)", "__global__"),
        ("template <class T> requires requires (T t) { t + 1; } and true", "[[maybe_unused]]"),
        ("", "void"),
    ],
)
def test_a_templates_head_ends_behind_its_constraints(head: str, rest: str) -> None:
    data = f"{head} {rest} k".encode()
    assert head_end(data, 0, len(data)) == len(head)


def test_comments_go_and_strings_stay() -> None:
    assert strip_comments(b'a /* b */ "/* c */" // d\ne') == b'a   "/* c */"  \ne'
    assert one_line("int  a, // first\n    int b") == "int a, int b"


def test_abridged_text_keeps_what_differs() -> None:
    text = b"#define GPUOPT_RT\nnamespace x {\nlong\n} }\n#endif\nrest\n"
    assert abridge(text) == b"#define GPUOPT_RT\n// The runtime of gpuopt is here.\n#endif\nrest\n"
    assert abridge(b"nothing of ours\n") == b"nothing of ours\n"


@pytest.mark.parametrize(
    ("head", "static"),
    [
        ("__global__ void k", "static __global__ void k"),
        ('extern "C" __global__ void k', "static            __global__ void k"),
        ("template <int N = (2 > 1)> __global__ void k", "template <int N = (2 > 1)> static __global__ void k"),
        (
            "template <class T>\ntemplate <int N>\n__global__ void k",
            "template <class T>\ntemplate <int N>\nstatic __global__ void k",
        ),
        ("/* static */ __global__ void k", "/* static */ static __global__ void k"),
        ("__global__ static void k", "__global__ static void k"),
        ("[[maybe_unused]] [[x]] __global__ void k", "[[maybe_unused]] [[x]] static __global__ void k"),
        (
            "template <class T> requires (sizeof(T) == 4) __global__ void k",
            "template <class T> requires (sizeof(T) == 4) static __global__ void k",
        ),
    ],
)
def test_a_version_is_static_whatever_its_original_is(head: str, static: str) -> None:
    assert _copied(head) == static


@pytest.mark.parametrize(
    ("head", "plain"),
    [
        ('__attribute__((visibility("hidden"))) __global__ void k', "__attribute__((unused)) __global__ void k"),
        ("__attribute__((unused, __weak__)) __global__ void k", "__attribute__((unused, unused)) __global__ void k"),
        ('[[gnu::visibility("hidden"), gnu::unused]] void k', "[[gnu::unused, gnu::unused]] void k"),
        ("void __launch_bounds__(weak) k", "void __launch_bounds__(weak) k"),
    ],
)
def test_attributes_that_need_external_linkage_go(head: str, plain: str) -> None:
    assert _copied(f"static {head}") == f"static {plain}"


def test_a_version_stands_in_the_namespace_that_its_original_names() -> None:
    assert _copied("static void m::n::k", Declared(outside=("m", "n"))).split() == ["static", "void", "k"]


def _copied(head: str, declared: Declared = PLAINLY) -> str:
    """The beginning of a copy of a kernel `k` that begins so."""
    data = f"{head}() {{}}".encode()
    span = SourceFile.of("a.cu", data).span
    name = len(head) - 1
    kernel = Kernel("k", "k", "", span(0, len(data)), span(0, 0), span(name, name + 1), span(name + 1, name + 3), 0, ())
    kernel = replace(kernel, declared=declared)
    edits = storage_edits(data, kernel, "a.cu", "tests")
    return apply(data, edits).decode().removesuffix("() {}")


def test_people_are_not_shown_guards_that_always_say_no() -> None:
    asks = b"static bool k__gpuopt_b_guard(const gpuopt_rt::launch &gpuopt_l) { (void)gpuopt_l; \n  return true;\n}\n"
    says_no = asks.replace(b"_b_", b"_a_").replace(b"true", b"false")
    assert shortened(b"one\n" + says_no + asks + b"two\n") == b"one\n" + asks + b"two\n"
    assert abridge(says_no) == says_no


def test_a_spliced_line_may_end_within_a_word() -> None:
    text = "const unsi\\\ngned *a, \\\r\n  int n // a comment \\\n of two lines\n"
    assert one_line(text) == "const unsigned *a, int n "
