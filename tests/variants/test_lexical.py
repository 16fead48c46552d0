"""Text questions that the emission of versions asks."""

from __future__ import annotations

import pytest

from gpuopt_driver.frontend.model import Kernel
from gpuopt_driver.source.edits import apply
from gpuopt_driver.source.text import SourceFile
from gpuopt_driver.variants.abridge import abridge
from gpuopt_driver.variants.lexical import declare, one_line, storage_edits, strip_comments, without_defaults


@pytest.mark.parametrize(
    ("type", "declared"),
    [
        ("float *", "float * x"),
        ("const float *__restrict", "const float *__restrict x"),
        ("void (*)(int)", "void (*x)(int)"),
        ("const int (*)[2]", "const int (*x)[2]"),
        ("void (*const)(int)", "void (*const x)(int)"),
        ("float[4]", "float x[4]"),
    ],
)
def test_declarations_put_the_name_where_it_belongs(type: str, declared: str) -> None:
    assert declare(type, "x").replace("  ", " ") == declared


@pytest.mark.parametrize(
    ("head", "plain"),
    [
        ("template <class T>", "template <class T>"),
        ("template <class T = float, int N = 4>", "template <class T , int N >"),
        ("template <int N = (1 > 0) ? 2 : 3, class T = pair<int, int> >", "template <int N , class T >"),
        ("template <int N = 1 << 3, int M = sizeof(int[2])>", "template <int N , int M >"),
        ("template <class T /* = int */>", "template <class T >"),
        ("template <class F = decltype(a->b), int M = 1>", "template <class F , int M >"),
    ],
)
def test_defaults_of_templates_are_taken_out(head: str, plain: str) -> None:
    assert " ".join(without_defaults(head).split()) == plain


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
    ],
)
def test_a_version_is_static_whatever_its_original_is(head: str, static: str) -> None:
    data = f"{head}() {{}}".encode()
    span = SourceFile.of("a.cu", data).span
    name = len(head) - 1
    kernel = Kernel("k", "k", "", span(0, len(data)), span(0, 0), span(name, name + 1), span(name + 1, name + 3), 0, ())
    edits = storage_edits(data, kernel, "a.cu", "tests")
    assert apply(data, edits).decode().split("()")[0] == static
