"""`gpuopt advise` on sources and on reports of builds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuopt_driver.cli import main
from gpuopt_driver.commands.codes import explanations
from gpuopt_driver.nvcc import resources

SOURCE = """\
__global__ void columns(const float *a, float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i * n + blockIdx.y] * 0.3;
}
void f(float *a, float *b, int n) { columns<<<100, 100>>>(a, b, n); }
"""


@pytest.fixture(autouse=True)
def _source(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GPUOPT_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "a.cu").write_text(SOURCE)


def advise(capsys, *argv, status=0):
    assert main(["advise", *argv]) == status
    return capsys.readouterr()


def test_without_nvcc(capsys):
    out, err = advise(capsys, "a.cu", "--gpu", "h200")
    assert err == ""
    lines = out.splitlines()
    assert lines[0].startswith(
        "a.cu:3: advice: kernel columns: the 32 lanes of a warp read `a[i * n + blockIdx.y]` in 32 sectors"
    )
    assert lines[0].endswith("[ADVISE001]")
    assert lines[1].startswith("    what helps: let threads with neighbouring threadIdx.x use neighbouring elements")
    assert {line[-11:] for line in lines if ": advice: " in line} == {"[ADVISE001]", "[ADVISE005]", "[ADVISE006]"}
    assert lines[-1] == "1 kernel of a.cu for h200: 3 pieces of advice"


def test_as_json(capsys):
    document = json.loads(advise(capsys, "a.cu", "--gpu", "h200", "--json").out)
    (unit,) = document["units"]
    assert (document["version"], unit["gpu"]) == (1, "h200")
    first = unit["advice"][0]
    assert {"code", "kernel", "file", "line", "message", "remedy", "weight", "sectors"} <= first.keys()
    assert first["code"] == "ADVISE001"
    weights = [one["weight"] for one in unit["advice"]]
    assert weights == sorted(weights, reverse=True)


def test_a_report_has_the_same_but_for_what_nvcc_knows(capsys, tmp_path):
    main(["explain", "a.cu", "--gpu", "h200", "--json"])
    (tmp_path / "r.json").write_text(capsys.readouterr().out)
    assert advise(capsys, "r.json").out == advise(capsys, "a.cu", "--gpu", "h200").out
    other = advise(capsys, "r.json", "--gpu", "titan-v").out
    assert "of 80 multiprocessors" not in other  # the grid fills these
    assert "1 kernel of a.cu for titan-v" in other


def test_nvcc_tells_of_instructions(capsys, real_nvcc):
    out = advise(capsys, "a.cu", "--", "-arch=sm_90").out
    assert "computes in double precision here: 1 instruction" in out
    assert "[ADVISE010]" in out


def test_nvcc_compiles_for_the_gpu_that_is_advised_on(capsys, real_nvcc, tmp_path):
    literal = "#if __CUDA_ARCH__ == 900\n#define C 0.3\n#else\n#define C 0.3f\n#endif\n"
    (tmp_path / "a.cu").write_text(literal + SOURCE.replace("0.3", "C"))
    assert "[ADVISE010]" in advise(capsys, "a.cu", "--", "-arch=sm_90").out
    assert "[ADVISE010]" not in advise(capsys, "a.cu", "--", "-arch=sm_80").out


def test_the_nvcc_of_the_policy_is_asked(capsys, real_nvcc, tmp_path, monkeypatch):
    asked: list[str] = []
    ask = resources.resources_and_ptx
    monkeypatch.setattr(resources, "resources_and_ptx", lambda *given: (asked.append(given[2].path), ask(*given))[1])
    link = tmp_path / "toolkit"
    link.symlink_to(Path(real_nvcc).resolve().parents[1])
    (tmp_path / "toolchain.toml").write_text(f'[driver]\nnvcc = "{link}/bin/nvcc"\n')
    monkeypatch.delenv("GPUOPT_NVCC", raising=False)
    assert "[ADVISE010]" in advise(capsys, "a.cu", "--", "-arch=sm_90").out
    assert asked == [f"{link}/bin/nvcc"]


def test_what_is_wrong(capsys, tmp_path):
    assert "no such file" in advise(capsys, "b.cu", status=1).err
    (tmp_path / "r.json").write_text("{}")
    assert "not a report" in advise(capsys, "r.json", status=1).err
    (tmp_path / "r.json").write_text('{"version": 1, "launches": []}')
    assert "a report of an emulated program; that of its build" in advise(capsys, "r.json", status=1).err
    main(["explain", "a.cu", "--json"])
    (tmp_path / "r.json").write_text(capsys.readouterr().out)
    assert "needs neither nvcc arguments nor a policy" in advise(capsys, "r.json", "--", "-O3", status=2).err
    assert "unknown GPU 'voodoo'" in advise(capsys, "r.json", "--gpu", "voodoo", status=1).err
    document = json.loads((tmp_path / "r.json").read_text())
    document["units"][0]["kernels"][0]["launches"] = 7
    (tmp_path / "r.json").write_text(json.dumps(document))
    assert "not a report: its kernels are not as builds write them" in advise(capsys, "r.json", status=1).err
    (tmp_path / "c.cu").write_text("__global__ void k(float *a) { a[0] = unknown; }\n")
    told = advise(capsys, "c.cu", status=1)
    assert "use of undeclared identifier 'unknown'" in told.out


def test_every_code_is_explained():
    assert sum(code.startswith("ADVISE") for code in explanations()) == 14
