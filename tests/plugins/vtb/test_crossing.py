"""What is evaluated before a turn and behind it: statements with side effects, each in a kernel of its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from gpuopt_plugins import vtb

from gpuopt_driver.testing import assert_same_output
from gpuopt_driver.testing.cases import read_case
from gpuopt_driver.testing.check import examine_case

HEAD = """
// gpu: h200; policy: factor=2, margin=0.0, form="turns"
#include <cstdio>
struct Pair { unsigned a, b; };
struct Walk { unsigned at; __device__ unsigned next() { at = at * 5u + 3u; return at; } };
struct Late { const unsigned *of; __device__ operator unsigned() const { return *of * 3u; } };
__device__ unsigned tally;
struct Ends { unsigned v; __device__ ~Ends() { atomicAdd(&tally, v); } };
struct Two { unsigned v; __device__ Two &operator=(unsigned w) { v = w * 2 + 1; return *this; } };
struct Row { unsigned *p; __device__ unsigned &operator[](unsigned i) const { return p[i & 63]; } };
struct Bits { unsigned low : 5, high : 27; };
__device__ unsigned next(unsigned &state) { state = state * 1664525u + 1013904223u; return state >> 7; }
__device__ unsigned take(int &left) { --left; return left * 7u + 1u; }
__device__ unsigned drop(int *left) { *left -= 2; return *left + 9u; }
__device__ unsigned look(const unsigned &state) { return state * 3u; }
__device__ unsigned copy(unsigned state) { state *= 9; return state; }
__device__ unsigned &same(unsigned &x) { x += 3; return x; }
template <class F> __device__ unsigned apply(F f) { return f(); }
__device__ Pair operator+(Pair x, Pair y) { x.a += y.a; x.b ^= y.b; return x; }
#define ADVANCE(x) ((x) = (x) * 5u + 3u)
#define PAIR(x, y) (x), ADVANCE(y)
#define KEPT(x, y) ((x), ADVANCE(y))
#define IS =
"""

KERNEL = """
__global__ void NAME(const unsigned *A, unsigned *U) {
  DECLARED
  const int t = threadIdx.x; unsigned state = t + blockIdx.x * 77u, other = 5u, sum = 0; int left = 1;
  int many[4] = {1, 2, 3, 4}; Pair pair = {state, 3u}; Walk walk = {state}; const unsigned *from = A + t;
  (void)pair; (void)walk; (void)from; (void)many;
  FIRST SET
  BODY
  __syncthreads();
  READ
  U[blockIdx.x * 64 + t] = sum + state + other * 3u + left * 11u + pair.a + walk.at + many[t & 3];
}
"""

# name -> declaration, what it holds at first, how it is read
ROW = "sum = sum * 31 + {0}[t ^ 1][0] + {0}[t ^ 2][1] * 3 + {0}[t ^ 3][2] * 5 + {0}[t ^ 4][3] * 7;"
ZERO = "{0}[t][0] = 0; {0}[t][1] = 0; {0}[t][2] = 0; {0}[t][3] = 0;"
ARRAYS = {
    "s": ("__shared__ unsigned s[64][4];", ZERO.format("s"), ROW.format("s")),
    "r": ("__shared__ unsigned r[64][4];", ZERO.format("r"), ROW.format("r")),
    "f": ("__shared__ float f[64];", "f[t] = 0;", "sum = sum * 31 + (unsigned)(int)f[t ^ 1];"),
    "c": ("__shared__ unsigned char c[64];", "", "sum = sum * 31 + c[t ^ 5];"),
    "q": ("__shared__ Pair q[64];", "", "sum = sum * 31 + q[t ^ 3].a + q[t].b;"),
    "w": ("__shared__ Two w[64];", "", "sum = sum * 31 + w[t ^ 1].v;"),
    "p": ("__shared__ const unsigned *p[64];", "", "sum = sum * 31 + (p[t ^ 1] == A + (t ^ 1));"),
}

# name -> (declarations |) statements of own rows alone; "*": their values are staged, "-": they are not
BODIES = {
    "-test_by_reference": "if (left > 0) s[t][0] = take(left);",
    "-test_by_pointer": "if (left > 0) s[t][0] = drop(&left);",
    "-test_by_macro": "if (state != other) s[t][0] = ADVANCE(state);",
    "-test_steps": "if (left-- > 0) s[t][0] = A[t];",
    "-test_calls": "if (take(left) == 1u) s[t][0] = A[t];",
    "test_of_earlier": "if (left > 0) s[t][0] = A[t]; r[t][0] = take(left);",
    "*test_plain": "if (left > 0) s[t][0] = A[t] + copy(state);",
    "-target_in_loop": "for (int i = 0; i < 4; ++i) s[t][state & 3] = next(state);",
    "-target": "s[t][state & 3] = next(state);",
    "target_of_earlier": "s[t][state & 3] = A[t]; r[t][0] = next(state);",
    "target_steps": "s[t][left++] = A[t]; r[t][0] = many[left & 3]; r[t][left++] = 5;",
    "*values_in_order": "s[t][0] = next(state); s[t][1] = next(state);",
    "*values_in_loop": "for (int i = 0; i < 4; ++i) s[t][i] = next(state); r[t][0] = state;",
    "-comma": "s[t][0] = A[t], next(state);",
    "-comma_by_macro": "s[t][0] = PAIR(A[t], state);",
    "*comma_inside": "s[t][0] = KEPT(A[t], state);",
    "-equals_by_macro": "s[t][0] IS A[t] + next(state);",
    "-chained": "s[t][0] = r[t][1] = A[t];",
    "chained_variable": "s[t][other & 3] = other = A[t];",
    "lambda_after": "auto g = [&] { left ^= 1; return A[t]; }; | s[t][left] = A[t]; r[t][left] = g();",
    "lambda_inside": "s[t][left & 3] = A[t]; r[t][0] = [&] { left++; return A[t]; }();",
    "lambda_mutable": "auto g = [=]() mutable { return next(state); }; | s[t][0] = g(); s[t][1] = g(); r[t][0] = g();",
    "lambda_passed": "auto g = [&] { return next(state); }; | r[t][state & 3] = 1; s[t][0] = apply(g);",
    "*lambda_pure": "auto g = [=](unsigned x) { return x + state; }; | s[t][0] = g(A[t]);",
    "reference": "unsigned &alias = state; | r[t][alias & 3] = A[t]; s[t][0] = next(alias);",
    "reference_other_way": "int &alias = left; | s[t][left & 3] = A[t]; r[t][0] = take(alias);",
    "pointer": "int *at = &left; | s[t][left & 3] = A[t]; r[t][0] = --*at;",
    "pointer_walk": "s[t][(from - A) & 3] = *from++; r[t][0] = *from++;",
    "array": "s[t][many[0] & 3] = A[t]; r[t][0] = many[0]++;",
    "member": "s[t][walk.at & 3] = A[t]; r[t][0] = walk.next();",
    "returns_reference": "s[t][state & 3] = 7; r[t][0] = same(state);",
    "-destructor": "s[t][0] = Ends{state}.v; r[t][0] = state;",
    "-destructor_of_variable": "for (int i = 0; i < 2; ++i) { Ends e{state}; s[t][i] = e.v; }",
    "-assignment_operator": "w[t] = next(state); w[t] = A[t];",
    "*conversion": "Late late = {&state}; | s[t][0] = late; r[t][0] = next(state);",
    "conversion_later": "Late late = {&state}; | s[t][state & 3] = 1; r[t][0] = late; state = 3; r[t][1] = late;",
    "*copies": "q[t] = pair; q[t] = pair + pair;",
    "*null_pointer": "p[t] = 0; p[t] = A + t;",
    "*narrowing": "f[t] = A[t]; c[t] = A[t] + 250; s[t][0] = 2.75f + t;",
    "*signed_value": "f[t] = -1 - t; f[t] = f[t] / 2;",
    "*bit_field": "Bits bits = {3u, 9u}; | s[t][0] = bits.low - 4; f[t] = bits.low - 4;",
    "conditional": "s[t][0] = left ? next(state) : A[t]; r[t][state & 3] = state;",
    "short_circuit": "r[t][state & 3] = state; s[t][0] = left > 0 && next(state) > 4; s[t][state & 3] = 3;",
    "range_for": "for (int &one : many) s[t][one & 3] = A[one++];",
    "binding": "auto &[first, second] = pair; | s[t][first & 3] = A[t]; r[t][0] = first++; other = second;",
    "volatile_value": "volatile unsigned v = state; | s[t][0] = v++; r[t][0] = v;",
    "initialiser": "r[t][state & 3] = 4; s[t][0] = Pair{next(state), state}.a; r[t][1] = state;",
    "loop_bound": "for (int i = 0; i < 4; i++) s[t][i] = A[i]; for (int i = 0; i < left; i++) r[t][i] = take(left);",
    "loop_declares": "for (int i = 0; i < 4; i++) { unsigned v = A[i]; s[t][v & 3] = i; r[t][i] = next(v); }",
    "loop_late_reads": "for (int i = 0; i < 4; i++) { unsigned v = A[i]; r[t][i] += v; s[t][i] = next(v); }",
    "loop_macro": "for (int i = 0; i < 4; i++) s[t][state & 3] = ADVANCE(state) + i;",
    "*loop_plain": "for (int i = 0; i < 4; i++) { unsigned v = A[i] + i; s[t][i] = v; }",
    "peeled": "for (int i = t; i < t + 9; i++) { unsigned v = A[i & 63]; s[t][v & 3] += v; s[t][i & 3] = next(v); }",
    "peeled_outer": "for (int i = t; i < t + 9; i++) s[t][state & 3] = A[i & 63] + next(state);",
    "statement_expression": "r[t][state & 3] = 2; s[t][0] = ({ state += 3; state; }); r[t][state & 3] = state;",
}


RUN = {  # of each kind one is run, as building all of them takes long
    "test_by_reference",
    "test_of_earlier",
    "target_in_loop",
    "comma",
    "lambda_after",
    "reference",
    "returns_reference",
    "conversion",
    "conversion_later",
    "null_pointer",
    "narrowing",
    "bit_field",
    "loop_declares",
    "peeled",
}


def kernel(name: str) -> str:
    """A kernel that does these statements and shows what they left behind."""
    first, _bar, body = BODIES[name].rpartition(" | ")
    used = [ARRAYS[one] for one in ARRAYS if re.search(rf"\b{one}\b", body)]
    declared, held, read = (" ".join(part) for part in zip(*used, strict=True))
    words = {"NAME": name.strip("*-"), "DECLARED": declared, "SET": held, "READ": read, "BODY": body, "FIRST": first}
    return re.sub("|".join(words), lambda found: words[found[0]], KERNEL)


def program(names: list[str]) -> str:
    """A program that runs these kernels one after the other and prints what each made."""
    kernels = [kernel(name) for name in names]
    runs = [f'  cudaMemset(U, 0, 1024); {name.strip("*-")}<<<4, 64>>>(A, U); show("{name}", U);' for name in names]
    show = (
        "void show(const char *name, unsigned *U) { unsigned h[256], sum = 0; "
        "cudaMemcpy(h, U, 1024, cudaMemcpyDeviceToHost); for (unsigned one : h) sum = sum * 31 + one; "
        'printf("%s %u %d\\n", name, sum, (int)cudaDeviceSynchronize()); }\n'
    )
    fill = (
        "unsigned a[256]; for (int i = 0; i < 256; ++i) a[i] = (i * 37 + 11) & 63; "
        "cudaMemcpy(A, a, 1024, cudaMemcpyHostToDevice);"
    )
    main = "int main() {\n  unsigned *A, *U; cudaMalloc(&A, 1024); cudaMalloc(&U, 1024);\n  " + fill
    return "\n".join([HEAD.strip(), *kernels, show, main, *runs, "}\n"])


def test_what_is_staged(tmp_path: Path) -> None:
    """The values of plain stores are computed before the turn, those that may not are not."""
    path = tmp_path / "effects.cu"
    path.write_text(program(list(BODIES)))
    patched = b"".join(examine_case(read_case(path), vtb).patched.values()).decode()
    wrong = []
    for name in BODIES:
        text = patched.split(f"void {name.strip('*-')}__gpuopt_vtb(", 2)[-1].split("__global__")[0]
        early = text.partition("gpuopt_at.enter()")[0]
        staged = re.search(r"gpuopt_v\d+_\d+(?:_\d+)?(?:\[[^]]*\])? = (?!0;)", early)
        if name[0] in "*-" and (name[0] == "*") != bool(staged):
            wrong.append((name, early))
    assert [name for name, _early in wrong] == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("test_by_reference", "left is changed"),
        ("target", "state is changed"),
        ("test_steps", "left is changed by what is evaluated twice"),
        ("target_of_earlier", "state is changed"),
    ],
)
def test_the_reason_is_told(name: str, words: str, tmp_path: Path) -> None:
    """`gpuopt explain` names the statement that stays whole, and why."""
    (full,) = [one for one in BODIES if one.strip("*-") == name]
    path = tmp_path / "kept.cu"
    path.write_text(program([full]))
    examined = examine_case(read_case(path), vtb)
    (facts,) = [one["vtb"] for one in examined.report.facts]
    (region,) = facts["regions"]
    assert region["kept_in_turn"]["code"] == "VTB038"
    assert words in region["kept_in_turn"]["reason"]


CALLED = """
// gpu: h200; policy: factor=2, margin=0.0, form="turns"
__device__ int mine(int x) { return x * threadIdx.x; }
__global__ void k(const int *x, int *y) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = mine(x[t]);
  __syncthreads();
  y[blockIdx.x * 64 + t] = s[t ^ 1];
}
void run(const int *x, int *y) { k<<<4, 64>>>(x, y); }
"""


def test_a_function_that_has_a_copy_is_called_in_the_turn(tmp_path: Path) -> None:
    """The version calls it by another name, so the text of the value is not moved."""
    path = tmp_path / "called.cu"
    path.write_text(CALLED.lstrip())
    examined = examine_case(read_case(path), vtb)
    assert [one.code for one in examined.report.findings] == ["VTB003"]
    text = b"".join(examined.patched.values()).decode()
    assert "gpuopt_at.enter();" in text
    assert "gpuopt_v0_0" not in text


@pytest.mark.usefixtures("host_compiler")
def test_the_same_results(tmp_path: Path) -> None:
    """Every kernel gets its version, and it prints what the original does."""
    names = [name for name in BODIES if name.strip("*-") in RUN]
    assert len(names) == len(RUN)
    path = tmp_path / "effects.cu"
    path.write_text(program(names))
    picks = {one.kernel: one.version for one in assert_same_output(path, vtb)}
    assert {name: picks[name.strip("*-")] for name in names} == dict.fromkeys(names, "vtb")
