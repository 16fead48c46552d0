"""Kernels that are split at barriers in the functions that they call: which are, which must not be, and that they
compute the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.emulator.inlining.draft import copied, word
from gpuopt_driver.emulator.lexer import lex
from gpuopt_driver.emulator.rewrite import rewrite
from tests.emulator.random_calls import program
from tests.emulator.support import PROGRAMS, compile_with, run

KERNELS = 8
looks_at_one_program = pytest.mark.xdist_group("random_calls")
SUM = (
    "__device__ int sum(int v) { for (int h = 16; h > 0; h >>= 1) v += __shfl_down_sync(0xffffffff, v, h);"
    " return v; }\n"
)

PUT = "__device__ int put(int *s, int v) { __syncthreads(); s[threadIdx.x] = v; __syncthreads(); return s[0]; }"


def _split(body: str, before: str) -> int:
    text = f"{before}\n__global__ void k(int *p, int n) {{\n  __shared__ int s[64];\n  {body}\n}}\n"
    done = rewrite(text.encode())
    assert done.split == done.placed
    return done.split


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("meet(); p[0] = s[1];", "__device__ void meet() { __syncthreads(); }"),
        ("p[0] = sum(n);", SUM),
        ("p[0] = s[n] * sum(n) + p[n];", SUM),  # which changes nothing of theirs
        ("s[0] = 3; s[1] = put(s, 7);", PUT),
        ("p[0] = p[n] + all(n);", "__device__ int all(int v) { __shared__ int part[64]; part[threadIdx.x] = v;"
         " __syncthreads(); return part[0]; }"),
        ("int v = 2 * sum(n) + sum(3); p[v] = 1;", SUM),
        ("n += sum(p[threadIdx.x]); n = sum(sum(n)); p[0] = n;", SUM),
        ("if (sum(n) > 3) p[0] = 1; else p[1] = sum(2);", SUM),
        ("p[0] = me();", "__device__ int me() { return threadIdx.x; }"),
        ("p[0] = first(n);", SUM + "__device__ int first(int v) { return sum(v) + 1; }"),
        ("if (threadIdx.x < 32) p[0] = sum(n); __syncthreads();", SUM),
        ("for (int w = threadIdx.x / 32; w < n; w += 2) { int v = sum(w); p[w] = v; }", SUM),
        ("step<int, 4>(s, n); step<int>(s, n); step(s, n);", "template <typename T, int N = 2> __device__ void"
         " step(T *a, T v) { a[v & N] = v; __syncthreads(); }"),
        ("step<64>(s, p[0]); step<32>(p + n, 1);", "template <unsigned N, class T> __device__ void step(const T *a,"
         "T v) { if (N > 32) { if (a[v]) v = 1; __syncthreads(); } }"),
        ("int a = n, b = 1; turn(a, b); turn(b, a); p[a] = b;",
         "__device__ void turn(int &x, int &y) { int z = x; __syncthreads(); x = y; y = z; }"),
        ("p[0] = less(n, 3) + less(n);", "__device__ int less(int a, int b = 2) { if (a < b) return a;"
         "__syncwarp(); if (b) { return b; } else return 1; }"),
        ("p[0] = own(n);", "__device__ int own(int v) { static __shared__ int x[64]; x[threadIdx.x] = v;"
         "__syncthreads(); return x[63 - threadIdx.x]; }"),
        ("far::meet(); { using namespace far; meet(); }",
         "namespace far { __device__ void meet() { __syncthreads(); } }"),
        ("if (threadIdx.x / 32 >= n) return; n = sum(n); if (n == 3) { return; } p[0] = n;", SUM),
        ("unsigned a = n; put(s, a); put<const float *>(s, nullptr);",
         "template <class T> __device__ void put(int *to, T v) { T w = T(0); __syncthreads(); to[v == w] = 1; }"),
        ("tell(n, s);", "__device__ void tell(int v, int a[]) { if (v == 1) return; __syncthreads(); a[v] = 1; }"),
        ("int a = n, *c = p + 1, b = sum(a) + *c; p[a] = b;", SUM),
        ("int a = far::get(n); p[a] = 1;",
         "namespace far { const int c = 3; __device__ int of(int v) { __syncthreads(); return v; }"
         "__device__ int get(int v) { return of(v) + 1; } }"),
        ("using namespace far; p[0] = sum(n); n = get(n);", SUM + "namespace far { __device__ int scale;"
         "__device__ int of(int v) { __syncthreads(); return v; } __device__ int get(int v) { return of(v); } }"),
        ("meet(); meet(); for (int i = 0; i < n; ++i) meet();", "__device__ void meet(); __device__ void meet()"
         "{ __syncthreads(); }"),
    ],
)  # fmt: skip
def test_calls_that_are_written_in_place(body: str, before: str) -> None:
    assert _split(body, before) == 1


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("volatile int *v = s; v[n] += v[n + 1]; __syncthreads();", ""),
        ("if (threadIdx.x < 32) last(s, threadIdx.x);",
         "__device__ void last(volatile int *v, int t) { v[t] += v[t + 16]; v[t] = v[t] + v[t + 8]; }"),
        ("if (threadIdx.x < 32) last<64>(s, threadIdx.x);", "template <unsigned N, class T> __device__ void"
         " last(volatile T *v, int t) { if (N > 32) v[t] += v[t + 32]; if (N > 16) v[t] += v[t + 16]; }"),
    ],
)  # fmt: skip
def test_lanes_that_go_in_step(body: str, before: str) -> None:
    text = f"{before}\n__global__ void k(int *p, int n) {{ __shared__ int s[64]; {body} }}\n"
    done = rewrite(text.encode())
    assert (done.split, done.placed) == (1, 1)
    assert b"go_apart" not in done.text
    whole = done.text.split(b"gpuopt_emu::launch_split")[1].split(b"gpuopt_nx=", 1)[1]
    assert b"volatile" not in whole
    assert b"step_at" not in whole


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        (b"v . x * x", b"v . x * y"),
        (b"v.x+x", b"v.x+y"),
        (b"p ->\nx-x", b"p ->\nx-y"),
        (b"far :: x / x", b"far :: x / y"),
        (b"2. / x + 1'000.x + 0x1p2", b"2. / y + 1'000.x + 0x1p2"),
        (b'"x\\" x" \'x\' x x1 _x', b'"x\\" x" \'x\' y x1 _x'),
    ],
)
def test_names_in_texts_of_other_rewriting(text: bytes, renamed: bytes) -> None:
    """Members and literals are none."""
    tokens = lex(b"a;")
    tokens.text[0] = text
    assert copied(tokens, 0, {b"x": (word(b"y", 0),)})[0].text == renamed


MEET = "__device__ void meet() { __syncthreads(); }"
FAR = (
    "namespace far { __device__ const int scale = 9; } __device__ const int scale = 3;"
    "__device__ int f(int v) { __syncthreads(); return v * scale; }"
)
AT = "struct Row { int v; __device__ int at() { return v; } __device__ int at() const { return -v; } };"
WHICH = "__device__ int which(int &) { return 1; } __device__ int which(const int &) { return 2; }"


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("while (sum(n)) n--;", SUM),
        ("p[0] = s[n] * 100 + put(s, 7);", PUT),  # reads what the call changes, before it
        ("int v = n; p[0] = v * 10 + up(v);", "__device__ int up(int &v) { __syncthreads(); return ++v; }"),
        ("{ using far::scale; p[0] = f(n) + scale; }", FAR),
        ("{ using namespace far; p[0] = f(n); }", FAR),
        ("p[0] = f(n);", FAR + "namespace near = far; using namespace near;"),
        ("p[0] = f(n);", FAR + "namespace around { using namespace far; } using namespace around;"),
        ("p[0] = get(n);", "__device__ int of(long); __device__ int get(int v) { __syncthreads(); return of(v); }"
         "__device__ int of(int); __device__ int of(long v) { return 1; } __device__ int of(int v) { return 2; }"),
        ("Row r = {n}; p[0] = get(r);", AT + "__device__ int get(const Row &r) { __syncthreads(); return r.at(); }"),
        ("int v = n; p[0] = get(v);", WHICH + "__device__ int get(const int &v) { __syncthreads(); return which(v); }"),
        ("for (int i = sum(n); i > 0; --i) p[i] = 1;", SUM),
        ("do { n--; } while (sum(n));", SUM),
        ("p[0] = n && sum(n);", SUM),
        ("p[0] = n ? sum(n) : 0;", SUM),
        ("p[0] = 1 << sum(n);", SUM),
        ("n = 1, p[0] = sum(n);", SUM),
        ("int a[2] = {n, sum(n)}; p[a[0]] = a[1];", SUM),
        ("auto f = [=] { return sum(n); }; p[0] = f();", SUM),
        ("switch (n) { case 1: p[0] = sum(n); }", SUM),
        ("int (*f)(int) = sum; p[0] = f(n);", SUM),
        ("int sum = n; p[0] = ::sum(sum);", SUM),
        ("p[0] = sum(n) + sum(2.0f);", SUM + "__device__ float sum(float v) { __syncwarp(); return v; }"),
        ("int w = n; add(w); p[0] = w;", "__device__ int w; __device__ void add(int v) { __syncthreads(); w += v; }"),
        ("p[0] = down(n);", "__device__ int down(int v) { __syncthreads(); return v > 0 ? down(v - 1) : 0; }"),
        ("p[0] = count();", "__device__ int count() { static int c; __syncthreads(); return ++c; }"),
        ("p[0] = find(p, n);", "__device__ int find(int *p, int n) { __syncthreads();"
         "for (int i = 0; i < n; ++i) if (p[i]) return i; return n; }"),
        ("p[0] = pick(n);",
         "__device__ int pick(int n) { __syncthreads(); switch (n) { case 1: return 2; }"
         "return 3; }"),
        ("meet(); each(p, n);", MEET + "template <class... A> __device__ void each(A... a) { __syncthreads(); }"),
        ("Both b; p[0] = b.sum(n);", "struct Both { __device__ int sum(int v) { __syncthreads(); return v; } };"),
        ("p[0] = of(n);",
         "__device__ int of(int v) { auto twice = [&] { v *= 2; }; __syncthreads(); twice(); return v; }"),
        ("p[0] = name();", "__device__ int name() { __syncthreads(); return __func__[0]; }"),
        ("p[0] = a::get();",
         "namespace a { const int c = 1; __device__ int get() { __syncthreads(); return c; } }"
         "const int c = 2;"),
        ("p[0] = apart(n, 0.1f);",
         "__device__ float apart(float a, float b) { volatile float c = a * b; __syncthreads(); return c + b; }"),
        ("p[0] = both(n);", "__host__ __device__ int both(int v) { __syncwarp(); return v; }"),
        ("p[0] = two(n);", "__device__ int c; __device__ int two(int v) { { int c = v; v = c; } __syncthreads();"
         "return c; }"),
        ("p[0] = kind(n);", "template <typename T> __device__ int kind(int v) { __syncthreads(); return sizeof(T); }"
         "__device__ int kind(int v) { return kind<int>(v); }"),
        ("p[0] = early(n);",
         "__device__ int late(int); __device__ int early(int v) { __syncthreads(); return late(v); }"
         "__device__ int late(int v) { return v; } __device__ int late(long v) { return 0; }"),
        ("p[0] = plus(n);",
         "__device__ int plus(int v = 2); __device__ int plus(int v) { __syncthreads(); return v; }"),
    ],
)  # fmt: skip
def test_calls_that_are_left(body: str, before: str) -> None:
    assert _split(body, before) == 0


def test_constants_are_variables_where_that_chooses_a_function() -> None:
    get = "__device__ int get(int v) { __syncthreads(); return which(v); }"
    text = f"{WHICH} {get} __global__ void k(int *p) {{ p[0] = get(3); }}"
    done = rewrite(text.encode())
    assert done.placed == 1
    assert b"which(3)" not in done.text.split(b"gpuopt_emu::launch_split")[1]


def test_one_namespace_written_in_two_ways() -> None:
    text = (
        "__device__ const int scale = 3; __device__ int f(int v) { __syncthreads(); return v * scale; }"
        "namespace a::b { __device__ const int scale = 50; }"
        "namespace a { namespace b { __global__ void k(int *p) { p[0] = f(1) + scale; } } }"
    )
    assert rewrite(text.encode()).placed == 0


def test_variables_of_the_host_with_the_function_s_name() -> None:
    kernel = f"{SUM}__global__ void k(int *p) {{ p[0] = sum(p[1]); }}\n"
    assert rewrite(f"{kernel}int main() {{ int sum = 0; return read(&sum) + sum; }}\n".encode()).placed == 1
    assert rewrite(f"{kernel}int main() {{ int sums = 0; return read(&sum) + sums; }}\n".encode()).placed == 0


def test_a_function_behind_the_kernel_is_left() -> None:
    text = f"{MEET[: -len('{ __syncthreads(); }')]};\n__global__ void k() {{ meet(); }}\n{MEET}\n"
    assert rewrite(text.encode()).split == 0


def test_types_of_the_kernel_and_qualified_parameters(tmp_path: Path, host_compiler: str) -> None:
    """What the kernel calls its types, and parameters that are kept though they are `const` or `__restrict__`."""
    text = (
        "template <class T> struct To { typedef T Type; };\n"
        "__device__ void put(float &to, const int &value) { to += value; }\n"
        "template <class T> __device__ T first(T v) { return __shfl_sync(0xffffffff, v, 0); }\n"
        "template <class T> __global__ void k(float *__restrict__ p, const int n, const float *const __restrict q) {\n"
        "  using Own = typename To<T>::Type; typedef const Own *From;\n"
        "  From from = q; Own v = from[threadIdx.x];\n"
        "  p += threadIdx.x; put(v, n); v += first(v); first(n); *p = v + from[n];\n"
        "}\ntemplate __global__ void k<float>(float *__restrict__, int, const float *const __restrict);\n"
    )
    (tmp_path / "types.cu").write_text(text)
    assert rewrite(text.encode()).placed == 1
    assert compile_with("-c", "types.cu", cwd=tmp_path) == 0
    assert b"run_split" in (tmp_path / "types.o").read_bytes()


def test_lines_are_those_of_the_functions() -> None:
    text = '# 1 "x.cu"\n__device__ int twice(int v) {\n  __syncthreads();\n  v += 7;\n  return v;\n}\n'
    text += "__global__ void k(int *p) {\n  p[0] =\n    twice(p[1])\n    + p[2];\n}\nint after;\n"
    lines = rewrite(text.encode()).text.decode().split("\n")

    def line_of(words: str, *, last: bool) -> int:
        """The number of the line with these words, by the marker before it."""
        found = [at for at, line in enumerate(lines) if words in line]
        at = found[-1 if last else 0]
        marker = max(number for number in range(at) if lines[number].startswith("# "))
        return int(lines[marker].split()[1]) + at - marker - 1

    assert line_of("v_gpuopt1 += 7", last=True) == 3
    assert line_of("gpuopt_result1=v_gpuopt1", last=True) == 4
    assert line_of("+ p[2]", last=True) == 9
    assert line_of("int after", last=True) == 11


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> tuple[Path, list[list[int]]]:
    folder = tmp_path_factory.mktemp("inlining")
    text, expected = program(range(KERNELS))
    done = rewrite(text.encode())
    assert done.placed > 0.8 * KERNELS
    assert done.text.count(b"::gpuopt_emu::Chosen") > KERNELS
    (folder / "calls.cu").write_text(text)
    assert compile_with("calls.cu", "-o", "calls", cwd=folder, check=True, plain=True) == 0
    assert (folder / "calls").read_bytes().count(b"run_split") >= done.placed
    return folder / "calls", expected


@looks_at_one_program
@pytest.mark.parametrize("mode", ["fast", "check"])
def test_random_kernels(mode: str, calls: tuple[Path, list[list[int]]]) -> None:
    done = run(calls[0], GPUOPT_EMU_MODE=mode, GPUOPT_EMU_ERROR_STATUS="9")
    assert done.returncode == 0, done.stderr
    for seed, (line, values) in enumerate(zip(done.stdout.splitlines(), calls[1], strict=True)):
        assert list(map(int, line.split())) == values, f"kernel_{seed}"


WARPS = """
#include <cstdio>
#include <cstring>
__device__ float around(float v) {  // rounds as one function does, in loops and on fibers
  float w = v * 1.1f;
  for (int h = 1; h < 32; h *= 2) w += __shfl_xor_sync(0xffffffff, w, h) * v;
  return w * v + 0.3f;
}
__global__ void lanes(unsigned *out, int some) {  // the lanes of one warp part in the branch, and in the loop
  int t = threadIdx.x;
  float v = t * 0.37f + 0.1f;
  if (t < 64 + some) {
    v = around(v);
    if (t > 9) v += 1;
  } else {
    v -= 0.7f;
  }
  for (int i = 0; i < (t + 32 - some) / 32; ++i) v += 0.01f * around(v);
  out[t] = __float_as_uint(v);
}
__global__ void shared(unsigned *out, int some) {
  __shared__ unsigned s[128];
  unsigned t = threadIdx.x;
  s[t] = t * t;
  __syncthreads();
  if (t >= 96) return;
  if (t < 32) {
    s[t] += s[t + 32]; __syncwarp();
    unsigned v = s[31 - t]; __syncwarp();
    s[t] = v + some;
  }
  __syncwarp();
  out[t] = s[t ^ 1];
}
__global__ void rows(unsigned *out, int some) {  // whole warps leave, and parts of one
  int t = threadIdx.x;
  if (t / 32 >= 3) return;
  if (t >= 60 + some) return;
  float v = around(t * 0.21f);
  if (t % 32 != 3) return;
  out[t] = __float_as_uint(v);
}
int main() {
  unsigned *out;
  cudaMallocManaged(&out, 1536);
  for (int some = 0; some < 40; some += 8) {
    memset(out, 0, 1536);
    lanes<<<1, 128>>>(out, some);
    shared<<<1, 128>>>(out + 128, some);
    rows<<<1, 128>>>(out + 256, some);
    cudaDeviceSynchronize();
    for (int i = 0; i < 384; ++i) printf("%u ", out[i]);
    puts("");
  }
}
"""


def test_warps_that_part(tmp_path: Path, host_compiler: str) -> None:
    """Lanes of one warp that part go on by themselves; of warps that part, those that are there, in loops."""
    (tmp_path / "warps.cu").write_text(WARPS)
    done = rewrite(WARPS.encode())
    assert (done.split, done.placed) == (3, 2)
    assert compile_with("warps.cu", "-o", "warps", cwd=tmp_path, check=True) == 0
    assert b"go_apart" in (tmp_path / "warps").read_bytes()
    split, fibers = (run(tmp_path / "warps", GPUOPT_EMU_MODE=mode) for mode in ("fast", "check"))
    assert split.stdout.count("\n") == 5
    assert split.stdout == fibers.stdout


def test_what_the_host_compiler_does_not_take_in_place_is_left(tmp_path: Path, host_compiler: str) -> None:
    """A function that is its class's friend; the other kernel is split nevertheless."""
    text = (
        "class Own { int x = 3; friend __device__ int of(Own &); };\n"
        "__device__ int of(Own &o) { __syncthreads(); return o.x; }\n"
        "__global__ void k(int *p) { Own o; p[threadIdx.x] = of(o); }\n"
        "__global__ void l(int *p) { int m = p[threadIdx.x]; __syncthreads(); p[0] = m; }\n"
    )
    (tmp_path / "friend.cu").write_text(text)
    assert rewrite(text.encode()).split == 2
    assert compile_with("-c", "friend.cu", cwd=tmp_path) == 0
    assert b"run_split" in (tmp_path / "friend.o").read_bytes()


def test_last_warps_that_go_in_step(tmp_path: Path, host_compiler: str) -> None:
    """Sums of older programs in loops and on fibers, where check mode finds the races that CUDA leaves undefined."""
    done = rewrite((PROGRAMS / "tails.cu").read_bytes())
    assert (done.split, done.placed) == (3, 3)
    assert compile_with(PROGRAMS / "tails.cu", "-o", "tails", cwd=tmp_path, check=True) == 0
    assert (tmp_path / "tails").read_bytes().count(b"run_split") >= done.placed
    split, fibers = (run(tmp_path / "tails", GPUOPT_EMU_MODE=mode) for mode in ("fast", "check"))
    assert split.stdout.count("no error:") == 11
    assert split.stdout == fibers.stdout
