"""Kernels that nothing launches in their file: one copy of the code, unless the policy asks for more."""

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


def done(place: Path, text: str, policy: str = "") -> Examination:
    (place / "a.cu").write_text(text)
    (place / "toolchain.toml").write_text(policy)
    chosen = load_policy([str(place / "a.cu")], env={}, cwd=str(place))
    return examine(str(place / "a.cu"), ["-arch=sm_90"], chosen)


def codes(made: Examination) -> list[str]:
    return [item.code for item in made.report.findings if item.plugin == "unified_memory"]


@pytest.mark.parametrize(
    ("text", "code"),
    [(KERNEL, "GPUOPT016"), (KERNEL + MACRO, "UNI017")],
    ids=["not launched", "launched out of a macro"],
)
def test_a_version_for_other_files_is_asked_for(tmp_path: Path, text: str, code: str) -> None:
    plain = done(tmp_path, text)
    assert codes(plain) == [code]
    assert plain.patched == {}
    asked = done(tmp_path, text, ASKED)
    assert codes(asked) in (["UNI001"], ["UNI003"])
    (patched,) = asked.patched.values()
    assert patched.count(b"void rows__gpuopt_unified_memory(") == 1
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
