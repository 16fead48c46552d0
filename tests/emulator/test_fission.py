"""Kernels with barriers as loops over their threads: which are, which must not be, and that they compute the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpuopt_driver.emulator import unit
from gpuopt_driver.emulator.rewrite import Rewritten, rewrite
from tests.emulator.random_blocks import program
from tests.emulator.support import PROGRAMS, compile_with, run

KERNELS = 10
looks_at_one_program = pytest.mark.xdist_group("random_blocks")


def _split(body: str, before: str = "", parameters: str = "int *p, int n") -> int:
    text = f"{before}\n__global__ void k({parameters}) {{\n  __shared__ int s[64];\n  {body}\n}}\n"
    return rewrite(text.encode()).split


@pytest.mark.parametrize(
    "body",
    [
        "s[threadIdx.x] = 1; __syncthreads(); p[threadIdx.x] = s[3];",
        "int t = threadIdx.x; float f = t; __syncthreads(); p[t] = f;",
        "for (int i = 0; i < n; ++i) { s[threadIdx.x] = i; __syncthreads(); p[i] = s[0]; __syncthreads(); }",
        "for (int h = blockDim.x / 2; h > 0; h >>= 1) { if (threadIdx.x < h) s[0] = 1; __syncthreads(); }",
        "int h = n; while (h > 1) { __syncthreads(); h /= 2; } do { __syncthreads(); h++; } while (h < 9);",
        "if (n > 3) { __syncthreads(); } else if (blockIdx.x) { __syncthreads(); p[0] = 1; }",
        "if (threadIdx.x > n) return; s[threadIdx.x] = 1; __syncthreads(); p[threadIdx.x] = s[0];",
        "int i; for (i = 0; i < n; i++) { __syncthreads(); if (i == 3) break; __syncthreads(); } p[0] = i;",
        "p += threadIdx.x; __syncthreads(); *p = s[1];",
        "int r[4] = {}; r[threadIdx.x % 4] = 1; __syncthreads(); p[0] = r[1];",
        "int &mine = s[threadIdx.x]; __syncthreads(); mine = s[0];",
        "atomicAdd(&s[n], 1); __syncthreads(); if (threadIdx.x == 0) atomicAdd(p, s[0]);",
        "for (;;) { __syncthreads(); if (s[0]) break; __syncthreads(); s[threadIdx.x] = 1; }",
        "p[0] = __syncthreads_or(n < threadIdx.x); __syncwarp();",
        "int go = 1; while (go) { int c = s[threadIdx.x]++; go = __syncthreads_count(c < n); }",
        "for (int h = 16; h > 0; h /= 2) n += __shfl_down_sync(0xFFFFFFFFu, n, h); p[0] = n;",
    ],
)
def test_loops_that_must_be_found(body: str) -> None:
    assert _split(body) == 1


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("int m = n; if (threadIdx.x) m = 2; while (m--) { __syncthreads(); }", ""),
        ("switch (n) { case 1: __syncthreads(); }", ""),
        ("again: __syncthreads(); if (n) goto again;", ""),
        ("__syncthreads(), p[0] = 1;", ""),
        ("p[0] = n && __syncthreads_or(n);", ""),
        ("if (__syncthreads_or(n)) p[0] = 1;", ""),
        ("while (__syncthreads_or(n)) { p[0] = 1; }", ""),
        ("while (n--) if (n == threadIdx.x) return; p[0] = __syncthreads_count(n);", ""),
        ("p[0] = __shfl_sync(n, n, 0);", ""),
        ("p[0] = __shfl_sync(~0u, n + 1, 0);", ""),
        ("p[0] = __syncthreads_count(n++);", ""),
        ("__syncthreads(); if (atomicAdd(p, 1) == 3) p[1] = 1;", ""),
        ("__syncthreads(); while (meet()) n--;", "__device__ int meet() { __syncthreads(); return 1; }"),
        ("__syncthreads(); while (p[0] == 0) {}", ""),
        ("__syncthreads(); printf(\"%d\", n);", ""),
        ("static int m; m = 1; __syncthreads(); p[0] = m;", ""),
        ("auto m = p[threadIdx.x]; __syncthreads(); p[0] = m;", ""),
        ("volatile int *v = s; while (v[0] == 0) {} __syncthreads();", ""),
        ("volatile int *v = s; for (;;) { if (v[0]) break; } __syncthreads();", ""),
        ("volatile int *v = p; __syncthreads(); while (n) if (v[0]) n = v[1];", ""),
        ("struct Mine { int x; } m; m.x = 1; __syncthreads(); p[0] = m.x;", ""),
        ("auto f = [=] { __syncthreads(); }; f();", ""),
    ],
)  # fmt: skip
def test_kernels_that_must_stay_whole(body: str, before: str) -> None:
    assert _split(body, before) == 0


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("if (threadIdx.x < 3) { __syncthreads(); }", ""),
        ("for (int i = threadIdx.x; i < n; ++i) { __syncthreads(); }", ""),
        ("int m = p[threadIdx.x]; for (int i = 0; i < m; ++i) { __syncthreads(); }", ""),
        ("int m = n; if (threadIdx.x) m = 2; if (m) { __syncthreads(); }", ""),
        ("int m = n, *q = &m; *q = threadIdx.x; if (m) { __syncthreads(); }", ""),
        ("int m = n; change(m); if (m) { __syncthreads(); }", "__device__ void change(int &to) { to = clock(); }"),
        ("int m = n; int &r = m; r = threadIdx.x; if (m) { __syncthreads(); }", ""),
        ("int m = n; auto f = [&] { m = threadIdx.x; }; f(); if (m) { __syncthreads(); }", ""),
        ("int m = n; (n ? m : n) = threadIdx.x; if (m) { __syncthreads(); }", ""),
        ("for (int i = 0; i < n; ++i) { if (p[threadIdx.x]) break; __syncthreads(); }", ""),
        ("for (int i = 0; i < n; ++i) { if (p[threadIdx.x]) continue; __syncthreads(); }", ""),
        ("int m = __shfl_sync(~0u, n, 0); if (m) { __syncthreads(); }", ""),
        ("if (threadIdx.x < 32) { n = __shfl_xor_sync(~0u, n, 1); } p[0] = n;", ""),
        ("int r = 0; float v = threadIdx.x; while (r < n) { v += r; __syncthreads(); r += 1 + (v < 0); }", ""),
        ("do { __syncthreads(); if (n > 3) continue; n += threadIdx.x; } while (n < 9);", ""),
        ("for (int i = threadIdx.x; ; i += n) { if (n > 3) break; __syncthreads(); p[0] = i; }", ""),
    ],
)  # fmt: skip
def test_threads_that_may_part(body: str, before: str) -> None:
    """They are asked; but in the last kernel, whose loop has no condition."""
    done = rewrite(f"{before}\n__global__ void k(int *p, int n) {{ __shared__ int s[64]; {body} }}\n".encode())
    assert done.split == 1
    assert (b"gpuopt_yes" in done.text or b"::Chosen" in done.text) == ("; ; " not in body)


@pytest.mark.parametrize(
    "body",
    [
        "int m = threadIdx.x; while (m < n) { int m = s[n]; __syncthreads(); if (m > threadIdx.x) break; } p[0] = m;",
        "for (;;) { int w = s[n]; __syncthreads(); if (w > threadIdx.x) break; } p[0] = w;",
        "for (int w = 0; w < threadIdx.x; ++w) { __syncthreads(); } p[0] = w;",
        "if (int m = threadIdx.x) { __syncthreads(); }",
        "while (n++ < threadIdx.x) { __syncthreads(); }",
        "while (__syncthreads_or(n > threadIdx.x)) { n -= threadIdx.x; }",
        "for (int i = threadIdx.x; i < n; p[i++] = 0) { __syncthreads(); }",
        "if (s[threadIdx.x]) { __syncthreads(); } " * 5,
    ],
)
def test_threads_that_part_on_fibers(body: str) -> None:
    """Names that mean something else in a part of the kernel, conditions that change something, too many of them."""
    assert _split(body, "__device__ int w;") == 0


def test_each_thread_calls_what_counts_it(tmp_path: Path, host_compiler: str) -> None:
    """A function of which all threads get the same, and which adds up something."""
    (tmp_path / "calls.cu").write_text("""
#include <cstdio>
__device__ int add(int *p) { atomicAdd(p, 1); return 1; }
__global__ void asked(int *p) { if (add(p)) { __syncthreads(); } p[1 + threadIdx.x] = 1; }
__global__ void kept(int *p, int n) {
  int m = add(p);
  for (int i = 0; i < m + n; ++i) { __syncthreads(); p[1 + threadIdx.x] = i; }
}
__global__ void bound(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n + add(p)) p[1 + i] = i;
}
int main() {
  int *p;
  cudaMallocManaged(&p, 4096);
  asked<<<2, 64>>>(p);
  kept<<<2, 64>>>(p, 2);
  cudaDeviceSynchronize();
  printf("%d ", p[0]);
  bound<<<2, 64>>>(p, 90);
  cudaDeviceSynchronize();
  printf("%d", p[0]);
}
""")
    assert compile_with("calls.cu", "-o", "calls", cwd=tmp_path) == 0
    assert run(tmp_path / "calls").stdout == "256 384"


def test_lines_keep_their_numbers() -> None:
    text = "__global__ void k(int *p) {\n  int m = p[0];\n  __syncthreads();\n  p[1] = m;\n}\nint after;\n"
    lines = rewrite(b'# 1 "x.cu"\n' + text.encode()).text.decode().split("\n")
    marker = max(number for number, line in enumerate(lines) if line.startswith("# "))
    assert lines[marker] == '# 5 "x.cu"'
    assert lines[marker + 1 :][:2] == [");}", "int after;"]


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> tuple[Path, list[list[int]]]:
    folder = tmp_path_factory.mktemp("fission")
    text, expected = program(range(KERNELS))
    assert rewrite(text.encode()).split > 0.8 * KERNELS
    (folder / "blocks.cu").write_text(text)
    assert compile_with("blocks.cu", "-o", "blocks", cwd=folder, check=True) == 0
    return folder / "blocks", expected


@looks_at_one_program
@pytest.mark.parametrize("mode", ["fast", "check"])
def test_random_kernels(mode: str, blocks: tuple[Path, list[list[int]]]) -> None:
    """Check mode runs some of them thread by thread."""
    done = run(blocks[0], GPUOPT_EMU_MODE=mode, GPUOPT_EMU_ERROR_STATUS="9")
    assert done.returncode == 0, done.stderr
    for seed, (line, values) in enumerate(zip(done.stdout.splitlines(), blocks[1], strict=True)):
        assert list(map(int, line.split())) == values, f"kernel_{seed}"


def test_meetings_without_fibers(tmp_path: Path, host_compiler: str) -> None:
    """Votes and shuffles of split kernels against those of fibers, which check mode runs."""
    kernels = {
        "votes": "for (int i = 0; i < 4; ++i) { v += __syncthreads_count(v % 3 == i); v ^= __syncthreads_and(v > -i); }"
        "bool some = true; while (some) { v += 7; some = __syncthreads_or(v < 90); }",
        "lanes": "unsigned b = __ballot_sync(0xffffffff, v & 4); v += __popc(b) + __any_sync(~0u, v == 9);"
        "v -= 2 * __all_sync(-1, v % 2 == 0) + __syncthreads_or(f > 0.5f);",
        "down": "for (int h = 16; h > 0; h >>= 1) v += __shfl_down_sync(0xffffffff, v, h); __syncwarp();"
        "f = __shfl_sync(0xffffffffu, f, v & 31);",
        "others": "for (int h = 1; h < 32; h *= 2) { int u = __shfl_up_sync(~0u, v, h, 16); v += t % 16 >= h ? u : 0; }"
        "f += __shfl_xor_sync(~0u, f, 3) * __shfl_xor_sync(~0u, f, 8, 8); d[1] = v;",
    }
    text = "#include <cstdio>\n"
    main = "int main() { int *out; cudaMalloc(&out, 4 * 100 * 3); int host[300];\n"
    for name, body in kernels.items():
        text += f"__global__ void {name}(int *out) {{ int t = threadIdx.x, v = t * 5 % 17, d[2] = {{t}};"
        text += "float f = v / 4.0f;"
        text += f"{body} int *p = out + 3 * t; p[0] = v; p[1] = (int)(f * 16); p[2] = d[0] + d[1]; }}\n"
        main += f"{name}<<<1, 100>>>(out); cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);"
        main += 'for (int i = 0; i < 300; ++i) printf("%d ", host[i]); puts("");\n'
    (tmp_path / "meet.cu").write_text(text + main + "return 0; }\n")
    assert rewrite((tmp_path / "meet.cu").read_bytes()).split == len(kernels)
    assert compile_with("meet.cu", "-o", "meet", cwd=tmp_path, check=True) == 0
    assert b"run_split" in (tmp_path / "meet").read_bytes()
    split, fibers = (run(tmp_path / "meet", GPUOPT_EMU_MODE=mode) for mode in ("fast", "check"))
    assert split.stdout.count("\n") == len(kernels)
    assert split.stdout == fibers.stdout


@pytest.fixture(scope="module")
def parting(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> tuple[Path, list[list[int]]]:
    folder = tmp_path_factory.mktemp("parting")
    text, expected = program(range(100, 100 + KERNELS), parting=True)
    assert rewrite(text.encode()).text.count(b"::go_apart") > KERNELS
    (folder / "blocks.cu").write_text(text)
    assert compile_with("blocks.cu", "-o", "blocks", cwd=folder, soon=False) == 0
    return folder / "blocks", expected


@looks_at_one_program
@pytest.mark.parametrize("threads", ["1", "2"])
def test_random_kernels_that_part(threads: str, parting: tuple[Path, list[list[int]]]) -> None:
    done = run(parting[0], GPUOPT_EMU_THREADS=threads, GPUOPT_EMU_ERROR_STATUS="9")
    assert done.returncode == 0, done.stderr
    for seed, (line, values) in enumerate(zip(done.stdout.splitlines(), parting[1], strict=True), 100):
        assert list(map(int, line.split())) == values, f"kernel_{seed}"


def test_threads_part_with_all_that_they_have(tmp_path: Path, host_compiler: str) -> None:
    """Kernels that end on fibers print what they print where they begin there, which check mode does."""
    assert compile_with(PROGRAMS / "parting.cu", "-o", "parting", cwd=tmp_path, check=True) == 0
    assert b"go_apart" in (tmp_path / "parting").read_bytes()
    parted, fibers = (run(tmp_path / "parting", GPUOPT_EMU_MODE=mode).stdout for mode in ("fast", "check"))
    assert len(fibers.splitlines()) == 7
    assert "turns no error: 110 136 138" in fibers
    assert parted == fibers


@looks_at_one_program
def test_a_fault_names_the_thread(blocks: tuple[Path, list[list[int]]]) -> None:
    done = run(blocks[0], "fault")
    assert "fault(unsigned int*, unsigned int): block (0,0,0), thread (40,0,0): invalid access" in done.stderr
    assert done.returncode == 1


ODD = "struct Odd { int x; __device__ Odd(int v) : x(v) {} Odd &operator=(const Odd &) = delete; };\n"
TAKEN_BY_NONE = (
    "__global__ void %s(int *p) { Odd o = Odd(p[threadIdx.x]); __syncthreads(); p[threadIdx.x + 1] = o.x; }\n"
)


def test_what_the_host_compiler_does_not_take_is_not_split(
    tmp_path: Path, host_compiler: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """A class that cannot be assigned is seen by the host compiler alone."""
    (tmp_path / "odd.cu").write_text(ODD + TAKEN_BY_NONE % "k")
    assert rewrite((tmp_path / "odd.cu").read_bytes()).split == 1
    assert compile_with("-c", "odd.cu", cwd=tmp_path) == 0
    (tmp_path / "bad.cu").write_text("__global__ void k(int *p) {\n  p[0] = wrong;\n  __syncthreads(); }\n")
    capfd.readouterr()
    assert compile_with("-c", "bad.cu", cwd=tmp_path) == 1
    assert capfd.readouterr().err.count("wrong") == 2  # the message and the line that it shows


def test_the_others_are_split(
    tmp_path: Path, host_compiler: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the host compiler does not take of a kernel, a template's included, costs that kernel alone its loops."""
    taken: list[dict[int, bytes]] = []

    def noted(*given: Any, **named: Any) -> Rewritten:
        done = rewrite(*given, **named)
        taken.append(dict(done.forms))
        return done

    monkeypatch.setattr(unit, "rewrite", noted)
    good = "__global__ void good(int *p) { int v = p[threadIdx.x]; __syncthreads(); p[threadIdx.x + 1] = v; }\n"
    called = "__device__ void f(int *p) { __syncthreads(); p[1] = 2; }\n__global__ void calls(int *p) { f(p); }\n"
    template = (
        TAKEN_BY_NONE.replace("Odd o", "T o")
        .replace("Odd(", "T(")
        .replace("__global__", "template <class T> __global__")
    )
    main = "int main() { t<Odd><<<1, 1>>>(0); }\n"
    (tmp_path / "odd.cu").write_text(ODD + TAKEN_BY_NONE % "k" + good + called + template % "t" + main)
    assert compile_with("-c", "odd.cu", cwd=tmp_path) == 0
    assert capfd.readouterr().err == ""
    assert (len(taken[0]), len(taken[-1])) == (4, 2)
    assert all(taken[0][number] == form for number, form in taken[-1].items())


def test_shared_scalars_are_read_where_they_stand(tmp_path: Path, host_compiler: str) -> None:
    """A variable computed from one keeps its value when the shared variable changes."""
    (tmp_path / "scalar.cu").write_text("""
#include <cstdio>
__global__ void scalar(int *out) {
  __shared__ int s, a[2];
  if (threadIdx.x == 0) s = 1;
  __syncthreads();
  int x = s + threadIdx.x, *p = a;
  int &same = s;
  __syncthreads();
  if (threadIdx.x == 0) same = 100, p[1] = 1000;
  __syncthreads();
  out[threadIdx.x] = x + s + p[1];
}
int main() {
  int *out, host[64];
  cudaMalloc(&out, sizeof host);
  scalar<<<1, 64>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %d", host[0], host[63]);
}
""")
    assert rewrite((tmp_path / "scalar.cu").read_bytes()).split == 1
    assert compile_with("scalar.cu", "-o", "scalar", cwd=tmp_path, check=True) == 0
    for mode in "fast", "check":
        assert run(tmp_path / "scalar", GPUOPT_EMU_MODE=mode).stdout == "1101 1164"


def _loop_over_x(body: str) -> str:
    text = f"__global__ void k(float *p, const float *q, int n) {{\n  __shared__ float s[64];\n  {body}\n}}\n"
    done = rewrite(text.encode())
    assert done.split == 1
    return done.text.decode()


@pytest.mark.parametrize(
    ("told", "statement"),
    [
        (1, "for (int k = 0; k < n; ++k) p[t] += s[k] * q[k + t];"),
        (1, "s[t] = sqrtf(q[t]) + (float)(n * t); if (t < n) { p[t] = max(s[t], p[t]); }"),
        (0, "float own[4] = {}; own[n] = q[t]; p[t] = own[t & 3];"),  # one array for all turns
        (0, "for (int k = 0; k < n; ++k) { float own[2]; own[k & 1] = q[t]; p[t] += own[t & 1]; }"),
        (0, "Pair own; own.v[n] = q[t]; p[t] = own.v[t & 1];"),
        (0, "atomicAdd(p, q[t]);"),
        (0, "p[t] = of(q[t]);"),  # a function that may have an array of its own
        (0, "for (int k = t; k < n; ++k) { if (q[k] > 1) break; p[t] += 1; }"),
        (0, "int k = t; while (k < n) { p[t] += q[k]; k += t; }"),
    ],
)
def test_loops_whose_turns_do_not_depend_on_each_other(told: int, statement: str) -> None:
    text = _loop_over_x(f"const int t = threadIdx.x; s[t] = 0; __syncthreads(); {statement}")
    assert text.count("#pragma GCC ivdep") == 1 + told  # the loop before the barrier is always one


def test_vectors_over_threads_compute_what_fibers_do(tmp_path: Path, host_compiler: str) -> None:
    options = ("-Xcompiler", "-fopt-info-vec-optimized=vectors.txt") if "clang" not in host_compiler else ()
    assert compile_with(PROGRAMS / "tiles.cu", *options, "-o", "tiles", cwd=tmp_path, soon=False) == 0
    done = run(tmp_path / "tiles")
    assert done.returncode == 0, done.stdout
    if not options:
        return
    lines = (PROGRAMS / "tiles.cu").read_text().splitlines()
    sums = 1 + next(number for number, line in enumerate(lines) if "// vectors" in line)
    found = (tmp_path / "vectors.txt").read_text()
    assert f"tiles.cu:{sums}:" in found, found
