"""Arrays that a launch only reads: which they are, and that check mode finds what it finds without that knowledge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpuopt_driver.emulator.lexer import lex
from gpuopt_driver.emulator.only_read import only_read
from gpuopt_driver.emulator.pointees import arrays_of
from gpuopt_driver.emulator.structure import Role, outline
from gpuopt_driver.emulator.survey_text import names_of_numbers
from tests.emulator.support import PROGRAMS, compile_with, run

looks_at_one_program = pytest.mark.xdist_group("check_only_read")


def _of(text: str, *, relocatable: bool = False) -> str:
    """Names of the arrays that the text's kernel only reads, and of its other pointers behind a bar."""
    tokens = lex(text.encode())
    structure = outline(tokens)
    kernel = next(one for one in structure.functions if one.role is Role.KERNEL)
    reads, others = only_read(arrays_of(tokens, structure, names_of_numbers(tokens), relocatable=relocatable), kernel)
    return b" ".join((*reads, b"|", *others)).decode()


_KERNEL = "__global__ void k(const int *a, float *b, float4 *v, int n) { int i = n; %s }"


@pytest.mark.parametrize(
    ("body", "reads"),
    [
        ("b[a[i]] = v[i].x * b[3];", "a v | b"),
        ("b[i] = -a[i] & n; if (a[n] == 3 && (a[i]) < 2) b[i] = __ldg(a + 2) + __ldg(&a[i]);", "a | b"),
        ("b[i] = (float)a[i] * 2 & a[3]; float s = a[2], t = sqrtf(a[1]); float x[] = {1, 2}; x[a[0]] = n;", "a | b"),
        ("b[i] = a[0];", "a | b"),
        ("b[sizeof(v)] = a[0];", "|"),
        ("(a)[i]; b[0] = v[0].x;", "v | a b"),
        ("b[i]++; ++v[i].x; v[i].y = a[2] + 1;", "a | b v"),
        ("(b[i]) = 2; a[i] <<= 2;", "| a b"),
        ("int &r = a[i]; r = 3; float &s(b[i]); float4 *w = &v[2];", "| a b v"),
        ("const int *p = n ? a : a + 1; *b = 3; atomicAdd(&v[i].x, 2);", "| a b v"),
        ("int &r = n ? a[0] : a[1]; b[i] = n ? v[0].x : v[1].y;", "v | a b"),
        ("atomicAdd(b, 2); float3 w = *(float3 *)&v[i]; b[i] = a[i];", "a | b v"),
        ("int *q = (int *)a[3]; b[0] = *q;", "| a b"),
        ("auto f = [&](int x) { return a[x]; }; b[0] = f(a[1]);", "|"),
        ('asm("" :: "r"(a[0]));', "|"),
        ("static float *w; b[0] = a[0];", "|"),
        ("Op op; op(a[i]); b[0] = v[0].x;", "v | a b"),
    ],
)
def test_uses(body: str, reads: str) -> None:
    assert _of(_KERNEL % body) == reads


_CALLS = "__device__ float f(const int *p, int i, float &r) { r = %s; return p[i]; }"
_CALLS += "__global__ void k(const int *a, float *b, int n) { float s; f(a, 2, s); f(0, 2, b[n]); }"


def test_in_functions() -> None:
    assert _of(_CALLS % "p[2] + 1") == "a | b"
    assert _of(_CALLS % "*p") == "| a b"
    assert _of(_CALLS % "f(p, 2, r)") == "| a b"
    assert _of("__device__ void f(float *p) {} __device__ void f(int *p) {}" + _KERNEL % "f(b);") == "| b"


def test_what_may_lead_elsewhere() -> None:
    reads = _KERNEL % "b[i] = a[i];"
    assert _of(reads) == "a | b"
    assert _of(reads, relocatable=True) == "|"
    assert _of("__device__ float *hidden;" + reads) == "|"
    assert _of("__constant__ float4 known[3]; struct P { int x; };__device__ P p;" + reads) == "a | b"
    point = "typedef struct { float w, u[3]; float *coord; long n; } P;"
    kernel = "__global__ void k(P *p, P by_value, const int *a) { p[a[0]].n = %s; }"
    assert _of(point + kernel % "a[1]") == "a | p"
    assert _of(point + kernel % "p[1].coord[2]") == "|"
    assert _of("struct Q { Q *next; void f(); };" + "__global__ void k(Q *q, int *a) { q[0] = a[0]; }") == "|"
    assert _of("__global__ void k(float **b, int *a) { b[0][1] = a[0]; }") == "|"
    assert _of("template<class T> __global__ void k(T *b, int *a) { b[0] = a[0]; }") == "|"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
    binary = tmp_path_factory.mktemp("only_read") / "program"
    assert host_compiler
    assert compile_with(PROGRAMS / "check_only_read.cu", "-o", binary, cwd=binary.parent, check=True) == 0
    return binary


# case -> errors, and marks of their lines
_CASES: dict[int, set[tuple[str, str]]] = {
    0: set(),
    1: {("race-global", "read")},  # the same array for reads and stores
    2: {("race-global", "read")},  # parts of one array
    3: {("race-global", "scatter_read")},  # a store that misses its array
    4: {("invalid-access", "read")},
    5: {("invalid-access", "read")},
    6: {("uninitialized-read", "read")},
    7: {("race-global", "rewrite")},  # by the launch behind one that only reads
    8: set(),  # pointers that are not used
}


@looks_at_one_program
@pytest.mark.parametrize("case", _CASES)
def test_findings_are_those_of_a_look_at_each_access(case: int, program: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    lines = (PROGRAMS / "check_only_read.cu").read_text().splitlines()
    found: list[set[tuple[str, int, int]]] = []
    for surveys in "01":
        done = run(
            program, case, GPUOPT_EMU_MODE="check", GPUOPT_EMU_REPORT=str(report), GPUOPT_EMU_THREADS="1",
            GPUOPT_EMU_SURVEYS=surveys,
        )  # fmt: skip
        told: dict[str, Any] = json.loads(report.read_text())
        errors = {
            (item["kind"], lines[item["place"]["line"] - 1].rpartition("// ")[2])
            for item in told["findings"]
            if item["severity"] == "error"
        }
        assert errors == _CASES[case], done.stderr
        places = [
            (item["place"], item["other"]["place"] if item.get("other") else item["place"]) for item in told["findings"]
        ]
        kinds = [item["kind"] for item in told["findings"]]
        found.append({(kind, one["line"], other["line"]) for kind, (one, other) in zip(kinds, places, strict=True)})
    assert found[0] == found[1]
