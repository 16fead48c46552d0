"""Statements' byte ranges, what stands before them, and which can be edited."""

from __future__ import annotations

import pytest

from gpuopt_driver.frontend.model import StmtKind

from .conftest import text

SOURCE = """#define BOTH(x) x[0] = 1; x[1] = 2;
#define ONE(x) x[2] = 3
#define GUARD(c) if (c) return;
__global__ void k(float *a, int n)
{
  int i = threadIdx.x, j; // first
  GUARD(i > n)
#pragma unroll 4
  for (j = 0; j < n; ++j) /* body */ a[j] = 0 ;
  if (n) a[0] = 1; else { a[1] = 1; }
  BOTH(a)
  ONE(a);
  do a[3]++; while (n > 9) ;
  switch (n) { case 1: case 2: a[4] = 1; break; default: ; }
  while (n--) { continue; }
}
"""


@pytest.fixture
def parsed(parse):
    unit = parse(SOURCE)
    (found,) = unit.kernels
    return unit, found


def spelled(unit, kernel, kind):
    return [text(unit, stmt.span) for stmt in kernel.stmts if stmt.kind is kind]


def test_spans_include_semicolons(parsed):
    unit, kernel = parsed
    assert spelled(unit, kernel, StmtKind.FOR) == ["for (j = 0; j < n; ++j) /* body */ a[j] = 0 ;"]
    assert spelled(unit, kernel, StmtKind.DO) == ["do a[3]++; while (n > 9) ;"]
    assert spelled(unit, kernel, StmtKind.WHILE) == ["while (n--) { continue; }"]
    assert spelled(unit, kernel, StmtKind.DECL) == ["int i = threadIdx.x, j;"]
    assert spelled(unit, kernel, StmtKind.CASE) == ["case 1: case 2: a[4] = 1;", "case 2: a[4] = 1;", "default: ;"]
    assert "if (n) a[0] = 1; else { a[1] = 1; }" in spelled(unit, kernel, StmtKind.IF)
    assert "a[0] = 1;" in spelled(unit, kernel, StmtKind.EXPR)


def test_lead_is_in_front_of_pragmas(parsed):
    unit, kernel = parsed
    loop = next(stmt for stmt in kernel.stmts if stmt.kind is StmtKind.FOR)
    data = unit.files[unit.main].data
    assert data[loop.lead : loop.span.start] == b"\n#pragma unroll 4\n  "
    body = kernel.stmt(loop.children[1])
    assert data[body.lead : body.span.start] == b" /* body */ "
    other = next(stmt for stmt in kernel.stmts if stmt.role == "else")
    assert data[other.lead : other.span.start] == b" "


def test_tree_is_preordered(parsed):
    _unit, kernel = parsed
    for stmt in kernel.stmts:
        assert kernel.stmts[stmt.id] is stmt
        for child in stmt.children:
            assert kernel.stmt(child).parent == stmt.id
            assert child > stmt.id
            if stmt.span.editable and kernel.stmt(child).span.editable:
                assert stmt.span.contains(kernel.stmt(child).span)
    assert [stmt.role for stmt in kernel.stmts if stmt.role] == ["then", "init", "body", "then", "else", *["body"] * 3]


def test_statements_that_share_a_macro_are_not_editable(parsed):
    unit, kernel = parsed
    by_text: dict[str, list[bool]] = {}
    for stmt in kernel.stmts:
        by_text.setdefault(text(unit, stmt.span), []).append(stmt.span.editable)
    assert by_text["BOTH(a)"] == [False, False]
    assert by_text["ONE(a);"] == [True]
    assert by_text["GUARD(i > n)"] == [True, False]
    assert by_text["a[0] = 1;"] == [True]


def test_macro_in_a_declaration_leaves_it_editable(parse):
    unit = parse("#define REAL float\n__global__ void k(REAL *a) { REAL x = a[0]; __shared__ REAL s[4]; a[1] = x; }\n")
    (kernel,) = unit.kernels
    assert kernel.problems == ()
    assert all(stmt.span.editable for stmt in kernel.stmts)
    assert text(unit, kernel.stmts[1].span) == "REAL x = a[0];"


@pytest.mark.parametrize(
    ("source", "lead"),
    [
        ("a[0] = 1;\n#if 1\na[1] = 1;\n#endif\na[2] = 1;", b"a[2] = 1;"),
        ("a[0] = 1;\n#if 1\na[1] = 1;\n#endif\n#pragma unroll\nfor (;;) {}", None),
        ('a[0] = 1; _Pragma("unroll") for (;;) {}', b' _Pragma("unroll") for'),
    ],
)
def test_lead_respects_conditionals(kernel, source, lead):
    found = kernel(f"__global__ void k(float *a) {{\n{source}\n}}\n")
    last = found.stmts[found.stmts[0].children[-1]]
    data = f"__global__ void k(float *a) {{\n{source}\n}}\n".encode()
    if lead is None:
        assert last.lead is None
    else:
        assert data[last.lead :].startswith(lead)


def test_for_slots(kernel):
    found = kernel("""__global__ void k(float *a, int n) {
  int i = 0;
  for (;;) { break; }
  for (; i < n;) i++;
  for (i = 0;;) { if (i++ > n) break; }
  for (;; i++) break;
  for (int j = 0, q = max(1, 2); j < n; j += q) a[j] = ';';
}""")
    roles = [[found.stmt(child).role for child in stmt.children] for stmt in found.stmts if stmt.kind is StmtKind.FOR]
    assert roles == [["body"], ["body"], ["init", "body"], ["body"], ["init", "body"]]
    last = found.loops[-1]
    assert last.step is not None


def test_variables(kernel):
    found = kernel("""__global__ void k(float *a, int n) {
  int i = threadIdx.x, j;
  __shared__ float s[32];
  float acc[4];
  for (j = 0; j < n; j++) { acc[j & 3] += a[i]; }
  s[i] = acc[0];
}""")
    by_name = {each.name: each for each in found.variables}
    assert list(by_name) == ["i", "j", "s", "acc"]
    loop = found.loops[0].stmt
    assert loop in by_name["j"].definitions
    assert loop in by_name["j"].uses
    assert by_name["i"].definitions == (1,)
    inner = next(stmt.id for stmt in found.stmts if stmt.kind is StmtKind.EXPR and stmt.role == "" and stmt.id > loop)
    assert inner in by_name["acc"].definitions
    assert inner in by_name["acc"].uses
    assert by_name["s"].space.value == "shared"


def test_text_of_another_file_stands_at_its_directive(parse, tmp_path):
    (tmp_path / "body.inc").write_text("for (int i = 0; i < n; ++i)\n  a[i] = 0;\n")
    head = "__global__ void k(float *a, int n)\n{\n  n -= 1;\n"
    unit = parse(f'{head}  # include "body.inc"\n  a[0] = 1;\n#include "body.inc"\n}}\n')
    (found,) = unit.kernels
    loops = [stmt.span for stmt in found.stmts if stmt.kind is StmtKind.FOR]
    assert [(span.line, span.editable) for span in loops] == [(4, False), (6, False)]
    assert [access.span.line for access in found.accesses] == [4, 5, 6]
