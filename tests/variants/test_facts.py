"""Facts that versions require: found for a launch's configuration and arguments, and remembered for these alone."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from gpuopt_driver.analysis.pointers import Aligned
from gpuopt_driver.frontend.parse import ParseOptions
from gpuopt_driver.hooks import Proposal
from gpuopt_driver.phases import Job, process
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.model import Decision
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants.model import Variant
from tests.host.small_plugins import finding, plugin, together
from tests.variants.test_emit import run_program

SOURCE = """\
#include <cstdio>
struct Pair { char first; int second; Pair(int n) : first((char)n), second(n) {} };
template <class T, class U> T &operator<<(T &to, const U &) { return to; }  // is not to be taken for ours
template <class T> __global__ void add(T x[], Pair by) { x[0] += /*step*/1; }
int main()
{
    int *x, host[8] = {};
    cudaMalloc(&x, sizeof host);
    cudaMemset(x, 0, sizeof host);
    for (int turn = 0; turn < 3; ++turn)
        for (int i = 0; i < 8; ++i) {
            add<<<1, 1>>>(x + i, Pair(i));
            add<<<1, 1>>>(x + i, Pair(7));
        }
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; ++i) std::printf("%d ", host[i]);
}
"""


# A kernel of the same name and parameters in each of two files of a program; the version of one requires more.
OF_FILES = """\
#include <cstdio>
template <class T> static __global__ void add(T *x) { x[0] += /*step*/1; }
void NAME()
{
    int *x, host[2] = {};
    cudaMalloc(&x, sizeof host);
    cudaMemset(x, 0, sizeof host);
    for (int i = 0; i < 2; ++i) add<<<1, 1>>>(x + i);
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%d %d\\n", host[0], host[1]);
}
"""


def patched(directory: Path, text: str = SOURCE, name: str = "combined.cu", alignment: int = 16) -> dict[str, bytes]:
    """The program with a version that adds 100, for aligned pointers."""

    def propose(kernel: Any, context: Any, _facts: Any) -> Proposal:
        at = context.unit.files[kernel.span.file].data.find(b"/*step*/", kernel.span.start, kernel.span.end) + 8
        edits = (Edit(kernel.span.file, at, at + 1, b"100"),)
        made = Variant(kernel.usr, "aligned", edits, "return true;", requires=(Aligned("x", alignment),))
        return Proposal((finding("aligned", kernel, Decision.APPLIED),), (), (made,))

    source = directory / name
    source.write_text(text)
    result = process(Job(str(source), ParseOptions(), Policy()), together(plugin("aligned", propose)))
    assert result.patched, result.report
    return dict(result.patched)


def test_each_launch_gets_what_its_own_arguments_allow(tmp_path: Path, host_compiler: str) -> None:
    """More pointers than are remembered, in turns; every fourth one is aligned."""
    assert run_program(tmp_path, patched(tmp_path)).stdout == "600 6 6 6 600 6 6 6 "


def test_files_with_kernels_of_one_name_keep_their_own_facts(tmp_path: Path, host_compiler: str) -> None:
    files = {}
    for name, alignment in (("main", 4), ("other", 16)):
        text = OF_FILES.replace("NAME", name).replace("void main", "void other();\nint main")
        text = text.replace("    std::printf", "    other();\n    std::printf") if name == "main" else text
        files |= patched(tmp_path, text, f"{name}.cu", alignment)
    assert run_program(tmp_path, files, ("main.cu", "other.cu")).stdout == "100 1\n100 100\n"


def test_nvcc_compiles_it_without_a_word(tmp_path: Path, real_nvcc: str) -> None:
    ((_, data),) = patched(tmp_path).items()
    (tmp_path / "made.cu").write_bytes(data)
    words = [real_nvcc, "-arch=sm_90", "-std=c++14", "-Xcompiler=-Wall,-Wextra,-Wshadow", "-c", "made.cu"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=280, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
