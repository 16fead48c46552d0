"""A kernel whose versions the compiler does not take loses them alone, and is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.driver.support import gpuopt_nvcc, program
from tests.ours import switched_off

SOURCE = """
__global__ void %s(const float *a, float *b) { b[threadIdx.x] = a[threadIdx.x]; }
void launch_%s(float *x) { %s<<<4, 64>>>(x, x + 64); }
"""


@pytest.mark.nvcc
@pytest.mark.parametrize("bad", [("bad",), ("bad", "worse")])
def test_others_keep_theirs(bad: tuple[str, ...], tmp_path: Path, real_nvcc: str) -> None:
    names = ("good", "better", *bad)
    (tmp_path / "a.cu").write_text("".join(SOURCE % ((name,) * 3) for name in names))
    policy = switched_off("unified_memory") + "[plugins.unified_memory]\ncarveout = 50\n"
    (tmp_path / "toolchain.toml").write_text(policy)
    refuses = "|".join(f"{name}__gpuopt_unified" for name in bad)
    sees = "g++ -E -P -w -fpreprocessed -x c++ a.cu 2>/dev/null"  # what a compiler is shown
    refused = f"if {sees} | grep -qE '{refuses}'; then echo no >&2; exit 2; fi"
    nvcc = program(tmp_path / "bin/nvcc", f"{refused}\nexec '{real_nvcc}' \"$@\"")
    argv = ("-arch=sm_90", "-std=c++14", "-c", "a.cu", "-o", "a.o", "--gpuopt-report=r.json")
    done = gpuopt_nvcc(*argv, cwd=tmp_path, env={"GPUOPT_NVCC": nvcc})
    assert (done.returncode, done.stdout) == (0, b"")
    told = ", ".join(f"kernel {name}" for name in bad)
    said = f"gpuopt: a.cu: warning: {told}: no versions that the compiler takes; compiled without them\n"
    assert done.stderr.decode() == said
    (unit,) = json.loads((tmp_path / "r.json").read_bytes())["units"]
    decisions = {
        one["kernel"]: (one["decision"], one["code"]) for one in unit["decisions"] if one["plugin"] == "unified_memory"
    }
    assert {name for name, (decision, _) in decisions.items() if decision == "applied"} == {"good", "better"}
    assert {decisions[name] for name in bad} == {("declined", "GPUOPT007")}
