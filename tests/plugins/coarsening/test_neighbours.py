"""Random kernels whose threads access the elements of their own index, with pointers that mean the same array or not.

A thread of such a kernel touches element `i` of every array, so any pointers may be equal: then only the order of its
own accesses counts, which a version that loads all before and stores all behind must keep, or refuse the launch.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ours import switched_off

TYPES = ("int", "unsigned", "short", "unsigned char", "long long", "float", "double")
GUARDS = (
    "if ({i} >= n) return;",
    "if ({i} > n - 1 || m <= {i}) return;",
    "if ({i} < n && {i} < m)",
    "if (!({i} >= n))",
    "if ({i} <= m && n > {i})",
    "if (threadIdx.x + blockDim.x * blockIdx.x < n / 2)",
    "if ({i} < (unsigned)m * 1440137u)",  # wraps: for one of the two m it is 3851
    "if ((unsigned)m * 1934017u > {i})",  # and 3827 for the other one
    "if (blockIdx.y * 4096 + {i} < n)",
)
INDICES = ("int", "unsigned", "size_t", "long")
FORMS = ("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * 128 + threadIdx.x", "threadIdx.x + 128 * blockIdx.x")
MAIN = """
template <class T> static void fill(T *x, int n) {{ for (int k = 0; k < n; k++) x[k] = (T)(k * 37 % 101); }}
static unsigned long long sum(const void *x, size_t bytes)
{{
    unsigned long long all = 1469598103934665603ull;
    for (size_t k = 0; k < bytes; k++) all = (all ^ ((const unsigned char *)x)[k]) * 1099511628211ull;
    return all;
}}
template <class T, class K> static void pass(K kernel, const char *name)
{{
    const int n = 128 * 70 - 13, of[][3] = {{{{0, 1, 2}}, {{0, 0, 1}}, {{0, 1, 0}}, {{1, 0, 0}}, {{0, 0, 0}}}};
    T *all;
    cudaMallocManaged(&all, 3 * 128 * 141 * sizeof(T));
    for (int which = 0; which < 10; which++) {{
        fill(all, 3 * 128 * 141);
        T *at[3];
        for (int k = 0; k < 3; k++) at[k] = all + of[which % 5][k] * 128 * 141 + (which == 5 + k ? 1 : 0);
        if (which < 5 || which % 5 == 0) kernel(at[0], at[1], at[2], n, n - 64 * (which & 1), 9000 + (which & 1));
        cudaDeviceSynchronize();
        printf("%s %d %llx\\n", name, which, sum(all, 3 * 128 * 141 * sizeof(T)));
    }}
    cudaFree(all);
}}
int main() {{ {calls} }}
"""


def statement(pick: random.Random, depth: int = 0) -> str:
    """Something that a thread does to its elements."""
    left, one, other = (pick.choice(("x[i]", "y[i]", "z[i]", "t")) for _ in range(3))
    value = pick.choice((f"{one} + {other}", f"{one} + {pick.randrange(9)}", f"{one} - t", one, "i % 7"))
    if depth < 2 and pick.random() < 0.2:
        test = pick.choice((f"(int){one} % 2", f"{one} > {other}", "n > 5"))
        return f"if ({test}) {{ {statement(pick, depth + 1)} }}"
    if depth < 2 and pick.random() < 0.1:
        return f"for (int k = 0; k < m % 3; k++) {{ {statement(pick, depth + 1)} }}"
    if depth < 2 and pick.random() < 0.1:
        return f"for (int k = 0; k < 3 && {one} < {other}; {left} += 1, k++) {{ {statement(pick, depth + 1)} }}"
    return f"{left} {pick.choice(('=', '=', '+='))} {value};"


FIXED = (  # what is evaluated again behind other accesses
    "t = x[i]; for (int k = 0; k < 3 && x[i] < 90; k++) z[i] += 20; y[i] = t;",
    "y[i] = 1; t = 0; while (t < 3 && z[i] > 2) { t += 1; y[i] = 9; }",
    "t = x[i]; do { z[i] += 1; t += 1; } while (x[i] < 50 && t < 9); y[i] = t;",
    "t = x[i]; again: t += x[i]; z[i] += 3; if (t < 90 && t > 0) goto again; y[0 * t + i] = 2;",
)


def kernel(pick: random.Random, number: int) -> tuple[str, str]:
    """One kernel and its call."""
    kind, restricted = pick.choice(TYPES), pick.choice(("", "", "const "))
    body = " ".join(statement(pick) for _ in range(pick.randrange(1, 6)))
    if number < len(FIXED):
        kind, restricted, body = "int", "", FIXED[number]
    if restricted:
        body = body.replace("x[i] =", "y[i] =").replace("x[i] +=", "z[i] +=")
    rows = 1
    if pick.random() < 0.4:
        rows = 2
        body = re.sub(r"\b([xyz])\[i\]", r"\1[blockIdx.y * pitch + i]", body)
    guard = pick.choice(GUARDS)
    index = pick.choice(INDICES)
    text = (
        f"__global__ void k{number}({restricted}{kind} *x, {kind} *y, {kind} *z, {pick.choice(('int', 'unsigned'))} n,"
        f" long m, int pitch)\n{{\n    const {index} i = {pick.choice(FORMS)};\n    {kind} t = 3;\n"
        f"    {guard.format(i='i')}\n    {{ {body} }}\n}}\n"
        f"static void run{number}({kind} *x, {kind} *y, {kind} *z, int n, int m, int pitch)\n"
        f"{{ k{number}<<<dim3(70, {rows}), 128>>>(x, y, z, n, m, pitch); }}\n"
    )
    return text, f'pass<{kind}>(run{number}, "k{number}");'


@pytest.mark.parametrize("seed", [1, 2])
def test_versions_keep_the_order_of_a_threads_own_accesses(host_compiler: str, tmp_path: Path, seed: int) -> None:
    pick = random.Random(seed)
    made = [kernel(pick, number) for number in range(40)]
    calls = " ".join(call for _text, call in made)
    source = "#include <cstdio>\n" + "".join(text for text, _call in made) + MAIN.format(calls=calls)
    (tmp_path / "a.cu").write_text(source)
    options = '[plugins.coarsening]\nform = "neighbours"\nforced = true\n'
    (tmp_path / "toolchain.toml").write_text(f"{switched_off('coarsening')}{options}")
    command = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "--gpuopt-backend=emulator", "--gpuopt-gpu=h200"]
    subprocess.run([*command, "-arch=sm_90", "a.cu", "-o", "a"], cwd=tmp_path, check=True, timeout=300)
    outputs = {}
    for dispatch in ("original", "trace"):
        env = {**os.environ, "GPUOPT_EMU_GPU": "h200", "GPUOPT_DISPATCH": dispatch}
        done = subprocess.run([tmp_path / "a"], env=env, capture_output=True, text=True, check=True, timeout=300)
        outputs[dispatch] = done
    assert outputs["trace"].stdout.splitlines() == outputs["original"].stdout.splitlines()
    assert outputs["trace"].stderr.count("coarsening_neighbours") > 20


def test_nvcc_makes_vectors_of_them(real_nvcc: str, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(
        "__global__ void axpy(const float *x, float *y, double *z, float a, int n)\n{\n"
        "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) { y[i] += a * x[i]; z[i] = 1; }\n}\n"
        "void all(float *x, double *z, int n) { axpy<<<n / 256 + 1, 256>>>(x, x, z, 2, n); }\n"
    )
    options = '[plugins.coarsening]\nform = "neighbours"\nforced = true\n'
    (tmp_path / "toolchain.toml").write_text(f"{switched_off('coarsening')}{options}")
    command = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "--gpuopt-gpu=h200", "-arch=sm_90", "-c", "a.cu"]
    subprocess.run([*command, "--keep"], cwd=tmp_path, check=True, timeout=300)
    versions = (tmp_path / "a.ptx").read_text().partition("coarsening_neighbours")[2]
    found = {word for word in ("ld.global.v4", "st.global.v4", "st.global.v2.f64") if word in versions}
    assert found == {"ld.global.v4", "st.global.v4", "st.global.v2.f64"}
