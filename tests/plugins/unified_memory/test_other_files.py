"""Launches of other files are left alone unless the policy asks; when a carve-out needs a copy of the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.phases import Examination
from gpuopt_driver.pipeline import examine
from gpuopt_driver.policy.load import load_policy

KERNEL = """__global__ void rows(const float *x, float *y, int n)
{
    extern __shared__ float s[];
    float sum = 0;
    for (int i = 0; i < n; i++) sum += x[(blockIdx.x * blockDim.x + threadIdx.x) * n + i];
    s[threadIdx.x] = sum;
    y[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}
"""
DECLARED = "__global__ void rows(const float *x, float *y, int n);\n"
LAUNCH = "void run(float *x, float *y, int n) { rows<<<528, 256, 24576>>>(x, y, n); }\n"
MACRO = "#define RUN(k) k<<<528, 256, 24576>>>\nvoid run(float *x, float *y, int n) { RUN(rows)(x, y, n); }\n"
ASKED = "[plugins.unified_memory]\nother_files = true\n"


def done(place: Path, text: str, policy: str = "", cuda_include: str | None = None) -> Examination:
    (place / "a.cu").write_text(text)
    (place / "toolchain.toml").write_text(policy)
    chosen = load_policy([str(place / "a.cu")], env={}, cwd=str(place))
    return examine(str(place / "a.cu"), ["-arch=sm_90"], chosen, cuda_include=cuda_include)


def codes(made: Examination) -> list[str]:
    return [item.code for item in made.report.findings if item.plugin == "unified_memory"]


@pytest.mark.parametrize(
    ("text", "why"),
    [(KERNEL, "nothing in this file launches it"), (KERNEL + MACRO, "line 10 launches it in a macro")],
    ids=["not launched", "launched out of a macro"],
)
def test_a_version_for_other_files_is_asked_for(tmp_path: Path, text: str, why: str) -> None:
    plain = done(tmp_path, text)
    assert codes(plain) == ["GPUOPT016"]
    assert all(item.message.endswith(f": {why}") for item in plain.report.findings if item.plugin != "gpuopt")
    assert plain.patched == {}
    asked = done(tmp_path, text, ASKED)
    assert codes(asked) in (["UNI001"], ["UNI003"])
    (patched,) = asked.patched.values()
    assert patched.count(b"bool rows__gpuopt_unified_memory_guard(") == 1
    assert done(tmp_path, text, ASKED).patched == asked.patched


def test_a_kernel_that_its_file_launches_has_versions_all_the_same(tmp_path: Path) -> None:
    assert codes(done(tmp_path, KERNEL + LAUNCH)) == codes(done(tmp_path, KERNEL + LAUNCH, ASKED)) == ["UNI001"]


def test_a_file_that_launches_others_kernels_is_left_alone(tmp_path: Path) -> None:
    assert done(tmp_path, DECLARED + LAUNCH).patched == {}
    asked = done(tmp_path, DECLARED + LAUNCH, ASKED)
    assert [item.code for item in asked.report.findings] == ["GPUOPT010"]
    assert len(asked.patched) == 1


def test_a_table_for_one_source_asks_for_it(tmp_path: Path) -> None:
    table = '[[kernel]]\nsource = "{}"\nunified_memory.other_files = true\n'
    assert codes(done(tmp_path, KERNEL, table.format("*a.cu"))) == ["UNI003"]
    assert codes(done(tmp_path, KERNEL, table.format("*b.cu"))) == ["UNI017"]
    alone = "static " + KERNEL + MACRO  # no other file can launch it
    assert codes(done(tmp_path, alone, table.format("*a.cu"))) == ["UNI020"]


@pytest.mark.parametrize(
    ("declared", "copies"),
    [("  , cudaLaunchAttributePreferredSharedMemoryCarveout = 14", 0), ("  , cudaLaunchAttributePriority = 8", 1)],
)
def test_a_carve_out_needs_a_copy_where_launches_have_none(tmp_path: Path, declared: str, copies: int) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "driver_types.h").write_text(declared)
    alone = '[[phase]]\nname = "a"\nplugins = ["unified_memory"]\n'
    made = done(tmp_path, KERNEL + LAUNCH, alone, str(tmp_path / "include"))
    assert codes(made) == ["UNI001"]
    (patched,) = made.patched.values()
    assert patched.count(b"void rows__gpuopt_unified_memory(") == copies
    assert [(one.clone, one.is_copy) for one in made.emitted] == [("unified_memory", bool(copies))]
