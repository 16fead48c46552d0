"""Whole programs of random kernels: the kernels' surroundings, launches in several forms, and a hash of all outputs."""

from __future__ import annotations

import random

from .kernels import Kernel, Level, Lines, Scope, Writer
from .layout import lay_out
from .poisons import SUPPORT

_PARAMS = ("const unsigned *A", "const unsigned *B", "unsigned *y", "unsigned *z", "unsigned *bins", "int n", "int m")
_TYPED = ("const T *A", "const T *__restrict__ B", "T *y", "T *z", "T *bins", "int n", "int m")
HEAD = """\
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#define SYNC __syncthreads()
#define BARRIER do { __syncthreads(); } while (0)
#define LOOP(j, n) for (int j = 0; j < (n); ++j)
#define ADD(to, what) (to) += (what)
#define MIX(a, b) (((a) << 3) ^ (b))
#define LAUNCH(k, g, b, ...) k<<<g, b>>>(__VA_ARGS__)
__device__ void meet_at(unsigned site) {
  for (unsigned bit = 0; bit < 9; ++bit) {
    const int one = site >> bit & 1u;
    if (!__syncthreads_or(one) == !__syncthreads_and(one)) continue;
    printf("threads meet at different barriers\\n"); __trap();
  }
}
"""
_MAIN = """\
static bool argc_like(int n) { return n > 5; }
static unsigned *A, *B, *y, *z, *bins, host[32768];
static unsigned hash(unsigned h, const unsigned *from, int count) {
  cudaMemcpy(host, from, count * sizeof(unsigned), cudaMemcpyDeviceToHost);
  for (int i = 0; i < count; i++) h = (h ^ host[i]) * 16777619u;
  return h;
}
static void reset() {
  for (int i = 0; i < 1024; i++) host[i] = (unsigned)i * 2654435761u;
  cudaMemcpy(y, host, 4096, cudaMemcpyHostToDevice); cudaMemcpy(z, host, 4096, cudaMemcpyHostToDevice);
  cudaMemset(bins, 0, 512);
}
static void report(const char *name, int which) {
  int error = (int)cudaDeviceSynchronize();
  printf("%s %d error %d hash %08x\\n", name, which, error, hash(hash(hash(2166136261u, y, 1024), z, 1024), bins, 128));
}
"""
_START = """\
int main() {
  unsigned seed = 12345u;
  cudaMalloc(&A, sizeof host); cudaMalloc(&B, sizeof host); cudaMalloc(&y, 4096); cudaMalloc(&z, 4096);
  cudaMalloc(&bins, 512);
  for (int i = 0; i < 32768; i++) { seed = seed * 1664525u + 1013904223u; host[i] = seed >> 7; }
  cudaMemcpy(A, host, sizeof host, cudaMemcpyHostToDevice);
  for (int i = 0; i < 32768; i++) { seed = seed * 1664525u + 1013904223u; host[i] = seed >> 9; }
  cudaMemcpy(B, host, sizeof host, cudaMemcpyHostToDevice);
"""
_WHOLE = (
    ("3", "64"),
    ("2", "128"),
    ("dim3(2, 2)", "dim3(32, 4)"),
    ("1", "256"),
    ("2", "dim3(8, 4, 4)"),
    ("4", "dim3(16, 16)"),
)
_ANY = (
    *_WHOLE,
    ("2", "100"),
    ("dim3(1, 2)", "dim3(17, 5)"),
    ("2", "dim3(5, 5, 5)"),
    ("3", "1"),
    ("2", "dim3(3, 70)"),
    ("2", "33"),
)


def kernel(rng: random.Random, name: str) -> Kernel:
    """One random kernel."""
    whole = rng.random() < 0.4
    writer = Writer(rng, name, whole_warps=whole, returns=not whole or rng.random() < 0.5)
    typed = rng.random() < 0.25
    body, dynamic = _prologue(rng)
    scope = Scope(Level.BLOCK)
    guarded = rng.random() < 0.4
    if guarded:
        condition = writer.thread_condition(scope)
        if rng.random() < 0.5:
            inside = [line for _ in range(2) for line in writer.statement(scope.deeper(Level.THREAD))]
            inside += _row(writer)
            body += [f"if ({condition}) {{", *inside, "}"]
        elif writer.returns:
            body += [f"if ({condition}) return;"]
    for _ in range(rng.randint(2, 5)):
        body += writer.statement(scope)
    if rng.random() < 0.6:
        body += _row(writer)
    body += ["z[me] += v0 ^ v1 ^ v2;"]
    qualifiers = rng.choice(("", "", "__launch_bounds__(256) ", "static "))
    template = rng.choice(("template <typename T, int K>", "template<class T,int K=3>")) if typed else ""
    before, behind = ("static ", "") if qualifiers == "static " else ("", qualifiers)
    head = f"{template} {before}__global__ void {behind}{name}({', '.join(_TYPED if typed else _PARAMS)})".strip()
    same = "int same = K;" if typed else "int same = n & 7;"
    text = [head + " {", *body[:1], same, *body[1:], "}"]
    used = f"{name}<unsigned, {rng.choice((2, 3, 5))}>" if typed else name
    return Kernel(name, writer.head, text, whole, used, "1024 * sizeof(unsigned)" if dynamic else "0")


def _prologue(rng: random.Random) -> tuple[Lines, bool]:
    """Thread numbers, accumulators, shared memory with a defined start."""
    dynamic = rng.random() < 0.2
    shared = "extern __shared__ unsigned part[];" if dynamic else "__shared__ unsigned part[1024];"
    tid = rng.choice((
        "int tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);",
        "const int tid = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;",
        "int tid; tid = threadIdx.z; tid *= blockDim.y; tid += threadIdx.y; tid = tid * blockDim.x + threadIdx.x;",
    ))  # fmt: skip
    me = "int me = (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) * size + tid;"
    return [
        shared, tid, "int size = blockDim.x * blockDim.y * blockDim.z;", me,
        "unsigned v0 = A[me], v1 = 1u, v2 = (unsigned)me;", "part[tid] = v0;", "__syncthreads();",
    ], dynamic  # fmt: skip


def _row(writer: Writer) -> Lines:
    """The loop that throttling is made for."""
    j = writer.fresh("j")
    return [f"for (int {j} = 0; {j} < n; {j}++)", f"y[me] += A[me * n + {j}] * B[{j}];"]


def program(seed: int, kernels: int) -> dict[str, bytes]:
    """The files of a program: `main.cu`, and headers that it includes."""
    rng = random.Random(seed)
    made = [kernel(rng, f"k{number}") for number in range(kernels)]
    header: Lines = []
    unit: Lines = []
    runs: Lines = []
    lines: Lines = []
    for one in made:
        space = rng.choice(("", "", "", "outer", "", "outer::inner"))
        opening = [f"namespace {part} {{" for part in space.split("::") if part]
        used = "".join(f"{part}::" for part in space.split("::") if part) + one.template
        if not space and one.template == one.name and rng.random() < 0.2:
            opening = ['extern "C" {']
        piece = [*opening, *one.head, *one.text, *["}" for _ in opening]]
        (header if rng.random() < 0.3 else unit).extend(piece)
        runs += _runs(rng, one, used, lines)
    text = HEAD + SUPPORT
    main: Lines = [*unit, *_MAIN.splitlines(), *lines, *_START.splitlines(), *runs, "  return 0;", "}"]
    files = {"main.cu": (text + '#include "more.cuh"\n').encode() + lay_out(rng, main)}
    files["more.cuh"] = b"#pragma once\n" + lay_out(rng, header)
    return files


def _runs(rng: random.Random, one: Kernel, used: str, lines: Lines) -> Lines:
    """Launches of a kernel with several configurations, in several forms."""
    out: Lines = []
    for which, (grid, block) in enumerate(rng.sample(_WHOLE if one.whole_warps else _ANY, 3)):
        n, m = rng.randint(4, 20), rng.randint(1, 12)
        shared = "" if one.shared_bytes == "0" else f", {one.shared_bytes}"
        arguments = f"A, B, y, z, bins, {n}, {m}"
        plain = f"{used}<<<{grid}, {block}{shared}>>>({arguments});"
        function = f"go_{one.name}_{which}"
        form = rng.randrange(12)
        if form == 0 and not shared and "," not in used:
            plain = f"LAUNCH({used}, ({grid}), ({block}), {arguments});"
        elif form == 1:
            lines += [
                f"template <class Q> static void {function}(Q *to, int n) {{",
                plain.replace("y, z", "to, z"),
                "(void)n; }",
            ]
            plain = f"{function}(y, 1);"
        elif form == 5:
            dims = f"dim3 g{which}({grid}), b{which} = {block};"
            plain = f"{{ {dims} {used} <<< g{which} , b{which}{shared or ', 0'}, 0 >>> ({arguments}); }}"
        elif form == 6:
            plain = f"{used} /* <<< */ <<<{grid}, /* >>> ( */ {block}{shared}>>> /* ( */ ({arguments});"
        else:
            around = {
                2: f"[&] {{ {plain} }}();",
                3: f"if (argc_like({n})) {plain} else {plain}",
                4: f"for (int r = 0; r < 2; r++) {plain}",
                7: f"{n} > 2 ? {plain[:-1]} : {plain}",
                8: f"(void)0, {plain}",
                9: f"switch ({n}) {{ case 1: break; default: {plain} }}",
                10: f"do {plain} while (0);",
            }
            plain = around.get(form, plain)
        out += ["reset();", plain, f'report("{one.name}", {which});']
    return out
