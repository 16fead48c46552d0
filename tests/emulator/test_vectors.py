"""Mathematical functions in loops over threads: which calls get the names of vector forms; these have the same bits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuopt_driver.backends.host_options import toolchain_for
from gpuopt_driver.emulator.kernels import Dialect
from gpuopt_driver.emulator.rewrite import rewrite
from gpuopt_driver.nvcc.command import parse_command
from tests.emulator.support import compile_with, run

_INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def _rewritten(text: str) -> str:
    return rewrite(text.encode(), dialect=Dialect(vectors=True)).text.decode()


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("if (i < n) p[i] = expf(p[i]);", True),
        ("if (i >= n) return; float x = p[i]; p[i] = std::exp(x) + 1;", True),
        ("p[i] = pow(p[i], 2.5f) * n;", True),
        ("for (int j = 0; j < n; ++j) p[i] += expf(p[j]);", True),
        ("float x = p[i]; if (x > 1) x = 1; p[i] = sinf(x);", True),
        ("if (i < n) { float x = expf(p[i]); if (x > 2) p[i] = x; else p[i] = 0; }", True),
        ("if (i < n) { if (p[i] > 0) p[i] = expf(p[i]); }", False),  # not in every turn
        ("p[i] = p[i] > 0 ? expf(p[i]) : 0;", False),
        ("float x = expf(p[i]); p[i] = x > p[i + 1] ? p[i - 1] : x;", True),
        ("float x = expf(p[i]); p[i] = x > 2 ? x : 1 - x;", False),  # which g++ does not compute for both
        ("float x = expf(p[i]); if (x > 2) x = 1 - x; p[i] = x;", False),
        ("p[i] = n && logf(p[i]) > 0 && exp(p[i]) > 2;", False),
        ("p[i] = __fdividef(1, p[i]);", True),
        ("while (p[i] > 1) p[i] /= 2; p[i] = expf(p[i]);", False),  # nothing to make a vector of
        ("for (int j = 0; j < n; ++j) if (p[j] > 0) p[i] += expf(p[j]);", False),
        ("for (int j = 0; j < n; ++j) { if (p[j] > 0) break; } p[i] = expf(p[i]);", False),
        ("switch (n) { case 1: p[i] = 2; } p[i] = expf(p[i]);", False),
        ("p[i] = own(p[i]);", True),
        ("p[i] = own(p[i]); if (n) p[i] = own(p[i]);", False),  # one of its calls is not made in every turn
        ("p[i] = outer(p[i]);", True),
        ("p[i] = erff(p[i]) + expm1f(p[i]);", False),  # no vector forms
        ("__shared__ float s[256]; s[threadIdx.x] = expf(p[i]); __syncthreads(); p[i] = s[255 - threadIdx.x];", True),
        ("p[i] = __shfl_sync(~0u, expf(p[i]), 3); while (p[i] > 2) --p[i];", False),
    ],
)
def test_calls_that_every_thread_makes(body: str, named: bool) -> None:
    text = _rewritten(
        "__device__ float own(float x) { float y = x * x; return expf(y); }\n"
        "__device__ float outer(float x) { return own(x) + 1; }\n"
        f"__global__ void k(float *p, int n) {{ {_INDEX} {body} }}\n"
    )
    assert ("gpuopt_emu_abreast_" in text) == named


@pytest.mark.parametrize(
    "other",
    [
        "__global__ void l(float *p) { if (p[0] > 0) p[0] = own(p[0]); }",
        "__global__ void l(float *p) { while (p[0] > 1) p[0] = own(p[0]); }",
        "__device__ float (*chosen)(float) = own; __global__ void l(float *p) { p[0] = chosen(p[0]); auto f = own; }",
    ],
)
def test_functions_that_others_call_too_stay(other: str) -> None:
    kernel = f"__global__ void k(float *p) {{ {_INDEX} p[i] = own(p[i]); }}\n"
    function = "__device__ float own(float x) { return expf(x); }\n"
    assert "abreast_expf" in _rewritten(function + kernel)
    assert "abreast_expf" not in _rewritten(function + kernel + other)


# Each function twice: for all threads together, in a kernel of its own, and for those alone whose result is not there
# yet, in one kernel for all calls of a type, as there is one host function: compilers take as long for a kernel as for
# many such calls. Sums of calls have kernels of their own: in functions with `switch` they are rounded otherwise.
_PROGRAM = """
#include <cstdio>
#include <cstring>
#include <cmath>
#define N 65536
#define TOGETHER(name, type, call)                                                                 \\
  __global__ void together_##name(const type *a, const type *b, type *y, int n) {                  \\
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                 \\
    if (i < n) { type x = a[i], z = b[i]; y[i] = call; (void)z; }                                  \\
  }
#define ALONE(name, type, set)                                                                     \\
  __global__ void name(const type *a, const type *b, type *y, int number) {                        \\
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                 \\
    type x = a[i], z = b[i];                                                                       \\
    if (y[i] == 0) set                                                                             \\
    (void)z, (void)number;                                                                         \\
  }
FUNCTIONS
template <class T> using Kernel = void (*)(const T *, const T *, T *, int);
template <class T> static void test(const char *name, Kernel<T> together, Kernel<T> alone, int number,
                                    const T *a, const T *b, T *y, T *w) {
  memset(y, 0, N * sizeof *y), memset(w, 0, N * sizeof *w);
  together<<<N / 256, 256>>>(a, b, y, N - 3);
  alone<<<N / 256, 256>>>(a, b, w, number);
  cudaDeviceSynchronize();
  int wrong = 0, other = 0;
  for (int i = 0; i < N - 3; ++i)
    wrong += memcmp(y + i, w + i, sizeof *y) != 0 && (y[i] == y[i] || w[i] == w[i]), other += y[i] != y[7];
  printf("%s: %d of %d differ\\n", name, wrong, other > N / 10 ? N - 3 : other);
}
template <class U, class T> static void fill(T *a, bool middle) {
  unsigned long long state = 12345;
  const U top = (U)1 << (sizeof(U) * 8 - 1), one = sizeof(U) == 4 ? (U)0x3f800000 : (U)0x3ff0000000000000;
  for (int i = 0; i < N; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    U word = (U)(state >> (64 - sizeof(U) * 8) ^ state >> 40);
    if (middle && i % 4 < 3) word = one + (U)((long long)(word << 5) >> (i % 4 ? 9 : 7)) / 2;  // near 1, or less so
    if (i / 8 % 16 && (middle || i % 2)) word &= ~top;
    memcpy(a + i, &word, sizeof word);
  }
  const T special[] = {0, -(T)0, 1, -1, INFINITY, -INFINITY, NAN, (T)1e-40, (T)1e30, 88, -103, 127.5, -126, -149, 2,
                       (T)0.5};
  for (int i = 0; i < 256; ++i) a[i * 5] = special[i % 16], a[N - 1 - i * 7] = special[i / 16];
}
int main() {
  float *a, *b, *y, *w;
  double *c, *d, *v, *u;
  for (float **p : {&a, &b, &y, &w}) cudaMallocManaged(p, N * sizeof **p);
  for (double **p : {&c, &d, &v, &u}) cudaMallocManaged(p, N * sizeof **p);
  for (int middle = 0; middle < 2; ++middle) {
    fill<unsigned>(a, middle), fill<unsigned>(b, !middle);
    fill<unsigned long long>(c, middle), fill<unsigned long long>(d, !middle);
    CALLS
  }
}
"""
_FLOATS = {
    **{name: f"{name}f(x)" for name in ("exp", "exp2", "exp10", "log", "log2", "log10", "rsqrt")},
    **{name: f"{name}f(x)" for name in ("tanh", "sin", "cos")},
    **{f"fast_{name}": f"__{name}f(x)" for name in ("exp", "exp10", "log", "log2", "log10", "sin", "cos")},
    "pow": "powf(x, z)", "fast_pow": "__powf(x, z)", "generic": "exp(x) + std::log(x)", "quotient": "__fdividef(x, z)",
    "roots": "sqrtf(x) / z + log10f(x) / 3 + log2(x) / x",
}  # fmt: skip
_DOUBLES = {"exp_d": "exp(x)", "log_d": "log(x)", "pow_d": "pow(x, z)", "mixed": "exp(x) + sin(x) * pow(x, 2)"}


_CALLED = ("logf", "log2f", "log10f", "exp2f", "exp10f", "lg2_approxf", "sin_approxf", "cos_approxf", "rcpf")


def _program() -> str:
    functions, calls = [], []
    for names, type_, data in ((_FLOATS, "float", "a, b, y, w"), (_DOUBLES, "double", "c, d, v, u")):
        cases = ""
        for number, (name, call) in enumerate(names.items()):
            functions.append(f"TOGETHER({name}, {type_}, {call})")
            alone = f"alone_{type_}"
            if re.fullmatch(r"\w+\([^()]*\)", call):
                cases += f"case {number}: y[i] = {call}; break; "
            else:
                alone = f"alone_{name}"
                functions.append(f"ALONE({alone}, {type_}, y[i] = {call};)")
            calls.append(f'test("{name}", together_{name}, {alone}, {number}, {data});')
        functions.append(f"ALONE(alone_{type_}, {type_}, switch (number) {{ {cases}}})")
    return _PROGRAM.replace("FUNCTIONS", "\n".join(functions)).replace("CALLS", " ".join(calls))


# Those of the program with options optimize less; the one without is built as users' programs are.
_VECTORIZED = ("-Xcompiler", "-ftree-loop-vectorize")
looks_at_one_object = pytest.mark.xdist_group("vectors")


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
    """The object of the program without options."""
    folder = tmp_path_factory.mktemp("vectors")
    (folder / "p.cu").write_text(_program())
    assert compile_with("p.cu", "-c", "-o", "p.o", cwd=folder, soon=False) == 0
    return folder / "p.o"


def _has_the_same_bits(program: Path) -> None:
    done = run(program)
    wanted = [f"{name}: 0 of 65533 differ" for name in (*_FLOATS, *_DOUBLES)]
    assert done.stdout.splitlines() == wanted * 2, done.stdout + done.stderr


@looks_at_one_object
def test_vector_forms_have_the_same_bits(compiled: Path, tmp_path: Path) -> None:
    assert compile_with(compiled, "-o", tmp_path / "p", cwd=tmp_path, soon=False) == 0
    _has_the_same_bits(tmp_path / "p")


@pytest.mark.usefixtures("host_compiler")
@pytest.mark.parametrize("option", ["-ftz=true", "-fmad=false", "-use_fast_math"])
def test_vector_forms_have_the_same_bits_with(tmp_path: Path, option: str) -> None:
    Path(tmp_path, "p.cu").write_text(_program())
    assert compile_with("p.cu", option, *_VECTORIZED, "-o", "p", cwd=tmp_path) == 0
    _has_the_same_bits(tmp_path / "p")
    expected = toolchain_for(parse_command(["p.cu", option], {}, str(tmp_path)), {}, "", "").vectors
    assert (b"_gpuopt_emu_vector_logf\0" in (tmp_path / "p").read_bytes()) == expected


def _needs_vectors(folder: Path) -> None:
    if not toolchain_for(parse_command(["p.cu"], {}, str(folder)), {}, "", "").vectors:
        pytest.skip("the processor or the host compiler has none")


@pytest.mark.usefixtures("host_compiler")
@pytest.mark.parametrize("option", ["-mavx512f,-mprefer-vector-width=512", "-march=native"])
def test_programs_compiled_for_longer_vectors_link(tmp_path: Path, option: str) -> None:
    _needs_vectors(tmp_path)
    Path(tmp_path, "p.cu").write_text(_program())
    assert compile_with("p.cu", *_VECTORIZED, "-Xcompiler", option, "-o", "p", cwd=tmp_path) == 0
    assert b"_gpuopt_emu_vector_logf\0" in (tmp_path / "p").read_bytes()
    if "native" in option or " avx512f " in Path("/proc/cpuinfo").read_text():
        assert run(tmp_path / "p").stdout.count(": 0 of 65533 differ") == 2 * (len(_FLOATS) + len(_DOUBLES))


@looks_at_one_object
def test_loops_over_threads_call_vector_forms(compiled: Path) -> None:
    _needs_vectors(compiled.parent)
    undefined = compiled.read_bytes()
    for name in (*_CALLED, "expf", "powf", "sinf", "cosf", "tanhf", "rsqrtf", "exp", "log", "pow"):
        assert f"_gpuopt_emu_vector_{name}".encode() + b"\0" in undefined
    assert b"_ZGVdN8v_gpuopt_emu_vector_expf\0" in undefined
    assert b"_ZGVdN4vv_gpuopt_emu_vector_pow\0" in undefined
