"""A stranger's distribution: found through its entry point, held by the kit, executed, used by gpuopt-nvcc."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpuopt_driver.testing import Case, Pick, cases, check_case, check_execution, check_share_of_noops

SAMPLE = Path(__file__).parents[1] / "sample_plugin"
CASES = cases(SAMPLE / "cases")
if str(SAMPLE) not in sys.path:
    sys.path.append(str(SAMPLE))

import gpuopt_prefer_l1  # noqa: E402


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_becomes_of_the_source(case: Case, update_golden: bool) -> None:
    check_case(case, gpuopt_prefer_l1, update=update_golden)


@pytest.mark.parametrize("case", [case for case in CASES if not case.is_noop], ids=str)
def test_it_computes_the_same(case: Case, host_compiler: str) -> None:
    picks = check_execution(case, gpuopt_prefer_l1)
    if case.name == "axpy":
        assert picks == (Pick("axpy", "prefer_l1"), Pick("axpy", "original"))


def test_a_third_of_the_cases_must_not_be_touched() -> None:
    check_share_of_noops(CASES)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of packages with the sample installed from a wheel that pip built."""
    target = tmp_path_factory.mktemp("site")
    copy = tmp_path_factory.mktemp("source") / "sample"
    copy.mkdir()
    for path in SAMPLE.rglob("*"):
        if path.suffix in (".py", ".toml"):
            (copy / path.relative_to(SAMPLE)).parent.mkdir(exist_ok=True)
            (copy / path.relative_to(SAMPLE)).write_bytes(path.read_bytes())
    pip = ("-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    subprocess.run([sys.executable, *pip, "--target", str(target), str(copy)], check=True, timeout=280)
    return target


def gpuopt(site: Path, *words: str, module: str = "gpuopt_driver", cwd: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(site)}
    done = [sys.executable, "-m", module, *words]
    return subprocess.run(done, env=env, cwd=cwd, capture_output=True, text=True, timeout=280, check=False)


def test_an_installed_stranger_is_listed_with_its_distribution(site: Path, tmp_path: Path) -> None:
    done = gpuopt(site, "plugins", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = {plugin["name"]: plugin for plugin in json.loads(done.stdout)["plugins"]}
    assert found["prefer_l1"]["source"] == "gpuopt-prefer-l1 1.2.3"
    assert found["prefer_l1"]["module"] == "gpuopt_prefer_l1"
    assert found["prefer_l1"]["options"][0]["default"] == 1
    assert {"catt", "prefer_l1"} <= set(found)


def test_its_codes_are_explained_and_its_options_are_the_policy(site: Path, tmp_path: Path) -> None:
    done = gpuopt(site, "explain", "PREFER003", cwd=tmp_path)
    assert done.stdout.startswith("PREFER003: Left alone: the kernel uses shared memory")
    (tmp_path / "toolchain.toml").write_text("[plugins.prefer_l1]\nblock = 3\n")
    (tmp_path / "a.cu").write_bytes((SAMPLE / "cases" / "axpy.cu").read_bytes())
    done = gpuopt(site, "diff", "a.cu", cwd=tmp_path)
    assert done.returncode == 1
    assert "toolchain.toml:2: unknown key 'block' in [plugins.prefer_l1]; did you mean 'blocks'?" in done.stderr


def test_a_build_uses_it_like_our_own(site: Path, tmp_path: Path, host_compiler: str) -> None:
    program = (SAMPLE / "cases" / "axpy.cu").read_text() + (
        "#include <cstdio>\nint main() { float *x; cudaMallocManaged(&x, 2048); axpy_all(256, 1.0f, x, x + 256);\n"
        '  printf("%d\\n", (int)cudaDeviceSynchronize()); }\n'
    )
    (tmp_path / "a.cu").write_text(program)
    words = ("--gpuopt-backend=emulator", "--gpuopt-gpu=titan-v", "--gpuopt-report=r.json", "a.cu", "-o", "a")
    done = gpuopt(site, *words, module="gpuopt_driver.nvcc_main", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = json.loads((tmp_path / "r.json").read_text())
    findings = [item for unit in said["units"] for item in unit["decisions"] if item["plugin"] == "prefer_l1"]
    assert [(item["kernel"], item["decision"], item["code"]) for item in findings] == [("axpy", "applied", "PREFER001")]
    env = {**os.environ, "GPUOPT_DISPATCH": "trace", "GPUOPT_EMU_GPU": "titan-v"}
    ran = subprocess.run(["./a"], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == "0\n"
    assert "axpy<<<(1,1,1),(256,1,1),0>>>: prefer_l1" in ran.stderr
