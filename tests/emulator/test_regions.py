"""Which parts of preprocessed text are looked at, whether the headers before the user's first line are known or not."""

from __future__ import annotations

import pytest

from gpuopt_driver.emulator import regions
from gpuopt_driver.emulator.lexer import lex

HEADERS = b"""# 0 "<built-in>"
# 0 "<command-line>"
# 1 "/usr/include/plain.h" 1 3 4
int plain;
# 1 "/emu/device.h" 1 3
__device__ int on_device();
# 2 "/usr/include/plain.h" 2 3 4
int more;
# 0 "<command-line>" 2
typedef int of_the_command_line;
"""
USERS = b"""# 1 "a.cu"
__global__ void kernel() {}
# 1 "/usr/include/stdio.h" 1 3 4
int puts(const char *);
# 1 "/usr/include/own.h" 1 3
static const char *quoted = "__device__";
# 3 "a.cu" 2
int main() {}
"""
READ = (b"__device__ int on_device();\n", b"typedef int of_the_command_line;\n", b"__global__ void kernel() {}\n")
OWN = (b"typedef int of_the_command_line;\n", b"__global__ void kernel() {}\n", b"int main() {}\n")


def _text(name: bytes, headers: bytes = HEADERS, users: bytes = USERS) -> bytes:
    return b'# 0 "%s"\n' % name + headers + users.replace(b"a.cu", name)


@pytest.mark.parametrize("name", [b"a.cu", b"a/longer/name.cu", rb"with\\backslash \"and quotes\".cu"])
def test_the_users_text_and_headers_with_cuda(name: bytes) -> None:
    for _ in range(2):  # the headers are known the second time, by whatever name the source goes
        text = _text(name)
        found = regions.regions_of(text)
        assert [text[start:end] for start, end in found.read] == [*READ, b"int main() {}\n"]
        assert [text[start:end] for start, end in found.own] == [*OWN]
        regions.regions_of.cache_clear()


def test_known_headers_change_nothing() -> None:
    for headers in (HEADERS, HEADERS.replace(b'# 0 "<command-line>" 2\n', b""), b"", b"int no_marker;\n"):
        for users in (USERS, USERS.replace(b'# 1 "a.cu"\n', b'# 1 "a.cu" 2\n'), b'# 1 "a.cu"\n'):
            text = _text(b"a.cu", headers, users)
            whole = regions._Reading()
            whole.part(text, 0, len(text))
            assert regions.regions_of(text) == whole.made(), text


def test_a_system_header_may_go_on_into_text_without_a_marker() -> None:
    unfinished = b'# 1 "/usr/include/plain.h" 1 3\nint plain;\n'
    text = _text(b"a.cu", unfinished)
    assert [text[start:end] for start, end in regions.regions_of(text).own] == [b"int main() {}\n"]


@pytest.mark.parametrize("where", ["headers", "users"])
def test_digraphs_and_pragmas_are_seen_in_both_parts(where: str) -> None:
    added = b"int brackets<:2:>;\n  #pragma unroll\n"
    parts = {"headers": HEADERS, "users": USERS}
    text = _text(b"a.cu", **parts)
    assert not regions.has_digraphs(text)
    assert not regions.indents_a_pragma(text)
    text = _text(b"a.cu", **{**parts, where: parts[where] + added})
    assert regions.has_digraphs(text)
    assert regions.indents_a_pragma(text)
    assert lex(text).bytes() == text.replace(added, b"int brackets[2];\n#pragma unroll\n")


def test_headers_are_read_once_for_sources_of_other_names() -> None:
    headers = HEADERS + b"int of_this_test;\n"
    before = regions._of_headers.cache_info()
    for name in (b"first.cu", b"second.cu", b"third.cu"):
        regions.regions_of(_text(name, headers))
    after = regions._of_headers.cache_info()
    assert (after.misses - before.misses, after.hits - before.hits) == (1, 2)
