"""Declarations that __CUDA_ARCH__ changes are told, since the emulator has the host's alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuopt_driver.emulator.lexer import lex
from gpuopt_driver.emulator.pass_differences import differing_declarations
from tests.emulator.support import compile_with

_SOURCE = """
struct A { int x; };
#ifdef __CUDA_ARCH__
typedef A kind;
enum { WIDTH = 32, SAME = 3 };
static const int only = 3;
#define HERE __device__
#else
typedef int kind;
enum { WIDTH = 1, SAME = 3 };
#define HERE
#endif
struct Box {
  int same;
#if __CUDA_ARCH__ >= 300
  enum { threads = 128 };
  float member;
  __device__ int shuffled() { return 32; }
#else
  enum { threads = 64 };
  double member;
#endif
  HERE int f() const { return 1; }
};
__host__ __device__ inline int either() {
#ifdef __CUDA_ARCH__
  const int inside = 1;
#else
  const int inside = 2;
#endif
  return inside;
}
__global__ void k(int *p) { *p = Box::threads + either(); }
int main() {}
"""


@pytest.mark.usefixtures("host_compiler")
def test_each_is_named_with_its_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    Path(tmp_path, "a.cu").write_text(_SOURCE)
    assert compile_with("a.cu", "-o", "a", cwd=tmp_path) == 0
    told = re.findall(r"^gpuopt: warning: a\.cu:(\d+): '(\w+)' differs", capfd.readouterr().err, re.MULTILINE)
    assert told == [("4", "kind"), ("5", "WIDTH"), ("16", "threads"), ("17", "member")]
    assert compile_with("-w", "a.cu", "-o", "a", cwd=tmp_path) == 0
    assert capfd.readouterr().err == ""


def test_what_stands_on_other_lines_is_the_same() -> None:
    host = b'# 1 "a.cu"\nenum { A = 1, B = 2 };\nint first, second;\nstruct S { int a; };\n'
    function = b"__device__ void f() { int a = 3; }\n"
    moved = host.replace(b"enum", b"\n\nenum").replace(b"int first", function + b"int first")
    assert differing_declarations(lex(host), lex(host)) == differing_declarations(lex(host), lex(moved)) == []
