"""Macros of a program that have names of ours: its kernels keep their versions, and nvcc compiles them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gpuopt_driver.backends.launch_side import config_in
from gpuopt_driver.variants import elsewhere
from gpuopt_driver.variants.lexical import NO_CODE
from gpuopt_driver.variants.names import Renaming
from gpuopt_driver.variants.pasted import CONFIG

# Names of its own all begin with q_, so that no macro means them.
SOURCE = """
__global__ void q_walk(int q_m, const float *q_A, const float *q_x, const float4 *q_s, float *q_y)
{
    const int q_i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int q_j = 0; q_j < q_m; ++q_j) {
        const float4 q_v = q_s[q_j * 33792 + q_i];
        q_y[q_i] += q_A[q_i * q_m + q_j] * q_x[q_j] + q_v.x;
    }
}
__global__ void q_rows(int q_m, const float *q_A, float *q_y)
{
    const int q_i = blockIdx.x * blockDim.x + threadIdx.x;
    float q_r = 0;
    for (int q_j = 0; q_j < q_m; ++q_j) q_r += q_A[q_i * q_m + q_j];
    q_y[q_i] = q_r;
}
template <int q_T> __device__ float q_at(const float *q_a, int q_k) { return q_a[threadIdx.x * q_T + q_k]; }
template <int q_T> __global__ void q_stage(int q_m, const float *q_a, float *q_y)
{
    __shared__ float q_tile[1024], q_other[256];
    const int q_i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int q_r = 0; q_r < 4; ++q_r) q_tile[threadIdx.x + q_r * 256] = q_a[q_i * 4 + q_r] * q_T;
    q_other[threadIdx.x] = q_at<2>(q_a, 1);
    __syncthreads();
    float q_s = 0;
    for (int q_k = 0; q_k < q_m; ++q_k) q_s += q_tile[(threadIdx.x + q_k) & 1023] + q_other[q_k];
    q_y[q_i] = q_s;
}
__global__ void q_tiles(int q_n, const float *q_a, const float *q_b, float *q_c)
{
    const int q_i = blockIdx.y * blockDim.y + threadIdx.y, q_j = blockIdx.x * blockDim.x + threadIdx.x;
    float q_s = 0;
    for (int q_k = 0; q_k < q_n; ++q_k) q_s += q_a[q_i * q_n + q_k] * q_b[q_k * q_n + q_j];
    q_c[q_i * q_n + q_j] = q_s;
}
__global__ void q_scale(int q_n, float q_f, float *q_y)
{
    const int q_i = blockIdx.x * blockDim.x + threadIdx.x;
    if (q_i < q_n) q_y[q_i] = q_y[q_i] * q_f + 1.0f;
}
__global__ void q_far(int q_n, float *q_y);
int main()
{
    float *q_p = nullptr;
    float4 *q_v = nullptr;
    int q_k = 0;
    cudaFuncSetAttribute(q_rows, cudaFuncAttributePreferredSharedMemoryCarveout, 50);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&q_k, q_stage<2>, 256, 0);
    q_walk<<<132, 256>>>(512, q_p, q_p, q_v, q_p);
    q_rows<<<1056, 256>>>(512, q_p, q_p);
    q_stage<2><<<1056, 256, 0, 0>>>(64, q_p, q_p);
    q_tiles<<<dim3(64, 64), dim3(32, 32)>>>(2048, q_p, q_p, q_p);
    q_scale<<<1056, 256>>>(270336, 2.0f, q_p);
    q_far<<<1, 64>>>(3, q_p);
    void *q_g[] = {&q_k, &q_p};
    cudaLaunchKernel((const void *)q_far, 1, 64, q_g, 0, 0);
    return q_k;
}
"""
FORMS = {
    "first": """
[plugins.catt]
fixed_tlp = [1, 0]
minimum_trips = 0
[plugins.vtb]
form = "pipe"
factor = 2
margin = 0.0
[plugins.cta_clustering]
order = "row"
[plugins.coarsening]
factors = [2]
forced = true
""",
    "second": """
[plugins.vtb]
form = "co"
factor = 2
margin = 0.0
[plugins.cta_clustering]
order = "tile"
form = "agents"
[plugins.launch_shape]
form = "join"
factor = 2
[plugins.coarsening]
form = "neighbours"
forced = true
[plugins.cache_bypass]
method = "bypass-all"
[plugins.unified_memory]
carveout = 50
""",
    "third": """
[plugins.cta_mapping]
form = "agents"
[plugins.launch_shape]
form = "split"
factor = 2
[plugins.constants]
pick = "always"
watch = true
""",
}
KEYWORDS = re.compile(
    r"alignas|alignof|and|and_eq|asm|auto|bitand|bitor|bool|break|case|catch|char|class|compl|const|const_cast|constexpr"
    r"|continue|decltype|default|delete|do|double|dynamic_cast|else|enum|explicit|export|extern|false|float|for|friend"
    r"|goto|if|inline|int|long|mutable|namespace|new|noexcept|not|not_eq|nullptr|operator|or|or_eq|private|protected"
    r"|public|register|reinterpret_cast|return|short|signed|sizeof|static|static_assert|static_cast|struct|switch"
    r"|template|this|thread_local|throw|true|try|typedef|typeid|typename|union|unsigned|using|virtual|void|volatile"
    r"|wchar_t|while|xor|xor_eq|defined"
)
# What a program with kernels has as no macro; `__shared__` and its like are macros themselves, of attributes.
CUDA = re.compile(
    r"cuda\w+|u?int[34]|dim3|size_t|[xyzw]|threadIdx|blockIdx|blockDim|gridDim|make_\w+|fmaf?|printf|main"
    r"|device|shared|host|global|constant|noinline"
)


@pytest.fixture(scope="module", params=FORMS)
def policy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp(request.param) / "toolchain.toml"
    path.write_text(f"[learn]\nversions = 200\n{FORMS[request.param]}")
    return path


@pytest.fixture(scope="module")
def plain(policy: Path, real_nvcc: str) -> tuple[str, set[tuple[str, str]]]:
    """The program as it is, built once with each policy: what is said, and which versions there are."""
    source = policy.with_name("a.cu")
    source.write_text(SOURCE)
    return built(source, policy)


def words_of(text: str) -> set[str]:
    """The identifiers in C++ text that may be macros."""
    found = set(re.findall(r"\b[A-Za-z_]\w*", NO_CODE.sub(" ", re.sub(r"(?m)^[ \t]*#.*(?:\\\n.*)*", " ", text))))
    free = (word for word in found if "gpuopt" not in word.lower() and not word.startswith("_"))
    return {word for word in free if not KEYWORDS.fullmatch(word) and not CUDA.fullmatch(word)}


def built(source: Path, policy: Path, *more: str) -> tuple[str, set[tuple[str, str]]]:
    """What is said of a build, and which plugins have versions of which kernels."""
    report = source.with_suffix(".json")  # of the source alone: reports are added to
    ours = [sys.executable, "-m", "gpuopt_driver.nvcc_main", f"--gpuopt-policy={policy}", f"--gpuopt-report={report}"]
    words = [*ours, "-arch=sm_90", "-c", source.name, "-o", "a.o", *more]
    done = subprocess.run(words, cwd=source.parent, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    decisions = [one for unit in json.loads(report.read_text())["units"] for one in unit["decisions"]]
    return done.stderr, {(one["plugin"], one["kernel"]) for one in decisions if one["decision"] == "applied"}


def patched(source: Path, policy: Path) -> str:
    """The source with its versions."""
    words = [sys.executable, "-m", "gpuopt_driver", "diff", "--full", "--policy", str(policy), str(source)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=280, check=False)
    return "\n".join(line[1:] for line in done.stdout.splitlines() if line.startswith("+"))


def test_no_macro_takes_a_version(policy: Path, plain: tuple[str, set[tuple[str, str]]], tmp_path: Path) -> None:
    """Each name of ours is a macro: of types, members, functions, parameters and local variables."""
    source = tmp_path / "a.cu"
    source.write_text(SOURCE)
    names = sorted(words_of(patched(source, policy)) - words_of(SOURCE))
    assert {"config", "grid", "block", "stream", "plan", "n", "key", "warps"} <= set(names)
    assert len(names) > 500
    macros = tmp_path / "macros.h"
    macros.write_text("".join(f"#define {name} q_has no such name\n" for name in names))
    source.write_text(f'#include "macros.h"\n{SOURCE}')
    assert built(source, policy) == plain


def test_no_name_of_the_program_takes_a_version(
    policy: Path, plain: tuple[str, set[tuple[str, str]]], tmp_path: Path
) -> None:
    """Parameters have names of CUDA's (`int dim3`), and the kernels' namespace has types of its own by these names."""
    source = tmp_path / "a.cu"
    said, versions = plain
    hidden = {"q_m": "dim3", "q_n": "dim3", "q_A": "uint3", "q_a": "grid", "q_b": "cudaStream_t", "q_f": "size_t"}
    kernels, main = re.sub(r"\bq_[mnAabf]\b", lambda word: hidden[word[0]], SOURCE).split("int main")
    types = "struct dim3 { int q_d; }; struct uint3 { int q_u; }; typedef char size_t; typedef int cudaStream_t;"
    main = re.sub(r"(q_\w+(?:<2>)?)(<<<|, (?:cuda|256))", r"q_space::\1\2", main).replace(")q_far", ")q_space::q_far")
    source.write_text(f"namespace q_space {{ {types} {kernels} }}\nint main{main}")
    assert built(source, policy) == (said, {(plugin, f"q_space::{kernel}") for plugin, kernel in versions})


@pytest.mark.parametrize("policy", ["first"], indirect=True)
def test_macros_of_the_command_line_are_seen_too(
    policy: Path, plain: tuple[str, set[tuple[str, str]]], tmp_path: Path
) -> None:
    """Those that CUDA's own headers, which are read with them, do not have."""
    source = tmp_path / "a.cu"
    source.write_text(SOURCE)
    names = ("plan", "held", "enter", "redirected", "warps", "memo", "unread")
    assert built(source, policy, "-Dthread(q_x)=q_x", *(f"-D{name}=7" for name in names)) == plain


def test_words_of_the_program_stay_what_they_are() -> None:
    """A loop of the user's in a version, whose bound is a macro that has the name of a member of ours."""
    names = Renaming(frozenset({"n", "plan", "enter"}))
    text = "if (gpuopt_plan.n[0] > n) gpuopt_at.enter(); ::gpuopt_rt::plan gpuopt_p = a.n; p->plan(n);"
    assert names.mixed(text) == (
        "if (gpuopt_plan.gpuopt_m_n[0] > n) gpuopt_at.gpuopt_m_enter(); ::gpuopt_rt::gpuopt_m_plan gpuopt_p = a.n; "
        "p->plan(n);"
    )
    assert names.alone('f(n, "n"); // n') == 'f(gpuopt_m_n, "n"); // n'
    assert (
        names.alone("gpuopt_c.n[0] = n; plan(n);", frozenset({"n"})) == "gpuopt_c.gpuopt_m_n[0] = n; gpuopt_m_plan(n);"
    )
    assert config_in("int gpuopt_m_grid, gpuopt_m_n;") == re.sub(r"\bgrid\b", "gpuopt_m_grid", CONFIG)
    assert config_in("int grid;") == CONFIG


def test_launches_of_other_files_have_no_names_that_a_macro_could_mean() -> None:
    """What stands in front of them is the same in all programs."""
    text = f"{elsewhere.CALLER} {elsewhere.CONFIGURED}"
    members = {"numAttrs", "dynamicSmemBytes", "stream"}  # of the launch's own cudaLaunchConfig_t
    mine = {word for word in words_of(text) if not word.startswith("Gpuopt")} - members
    assert mine == {"VERSION", "STREAM", "CONFIGURED"} & mine
