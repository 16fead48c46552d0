"""What is read of the library that times kernels; the library itself needs a GPU to say anything."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parents[2] / "benchmarks"
LINES = (
    "void blur<float, (int)3>(float const*, float*, int)\t0\t64x1x1\t256x1x1\t0\t1024\t32\t90\t90000\t1000\t900",
    "void blur__gpuopt_vtb<float, (int)3>(float*, int)\t0\t32x1x1\t256x1x1\t0\t4096\t40\t10\t5000\t500\t450",
    "(anonymous namespace)::fill(float*, void (*)(int))\t0\t8x1x1\t32x1x1\t0\t0\t16\t2\t4000\t2000\t1900",
    "c_kernel__gpuopt_unified_memory_catt\t1\t8x1x1\t32x1x1\t0\t0\t16\t4\t800\t200\t190",
)


@pytest.fixture(scope="module")
def times() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kernel_times", HERE / "kernel_times.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["kernel_times"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "kernel", "version"),
    [
        ("K__gpuopt_catt(float*, int)", "K", "catt"),
        ("K(float*, int)", "K", "original"),
        ("void a::K__gpuopt_cta_clustering<float>(float*)", "a::K<float>", "cta_clustering"),
        ("void K<f(int)>((anonymous namespace)::T, void (*)(int))", "K<f(int)>", "original"),
        ("(anonymous namespace)::K__gpuopt_vtb(int) [clone .1]", "(anonymous namespace)::K", "vtb"),
        ("of_c__gpuopt_unified_memory_catt", "of_c", "unified_memory_catt"),
    ],
)
def test_a_version_is_joined_to_its_kernel(times: ModuleType, name: str, kernel: str, version: str) -> None:
    row = times.Row(name, 0, "1x1x1", "1x1x1", 0, 0, 0, 1, 1.0, 1, 1)
    assert (row.kernel, row.version) == (kernel, version)


def test_launches_of_versions_count_as_the_kernels(times: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "times").write_text("\n".join(LINES) + "\n")
    kernels = times.joined(times.read(tmp_path / "times"))
    assert set(kernels) == {"blur<float, (int)3>", "(anonymous namespace)::fill", "c_kernel"}
    blur = kernels["blur<float, (int)3>"]
    assert (blur.launches, blur.sum_ns) == (100, 95000)
    assert blur.versions == {"original": (90, 90000), "vtb": (10, 5000)}


def test_speed_up_is_that_of_a_launch(times: ModuleType) -> None:
    before = {"a": times.Kernel(10, 1000.0), "b": times.Kernel(5, 50.0), "gone": times.Kernel(1, 1.0)}
    after = {"a": times.Kernel(10, 500.0), "b": times.Kernel(6, 50.0), "new": times.Kernel(1, 1.0)}
    assert times.speed_ups(before, after) == {"a": 2.0}  # b was launched another number of times


def test_what_is_no_line_is_named(times: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "times").write_text("# 3 records were dropped\n" + LINES[0] + "\n")
    assert len(times.read(tmp_path / "times")) == 1
    assert "3 records were dropped" in capsys.readouterr().err
    (tmp_path / "times").write_text(LINES[0] + "\nblur\t0\n")
    with pytest.raises(SystemExit, match=r"times:2: not a line of kernel_times.cpp's: 'blur"):
        times.read(tmp_path / "times")


def test_two_tables_stand_beside_each_other(times: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "times").write_text("\n".join(LINES) + "\n")
    kernels = times.joined(times.read(tmp_path / "times"))
    _, first, *rest = times.table(kernels, kernels)
    assert first.split() == ["100", "0.095", "0.95", "1.000", "blur<float,", "(int)3>:", "original", "90,", "vtb", "10"]
    assert len(rest) == 2


def test_where_cupti_is_looked_for(times: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "extras" / "CUPTI"
    for folder in ("include", "lib64"):
        (place / folder).mkdir(parents=True)
    (place / "include" / "cupti.h").write_text("")
    (place / "lib64" / "libcupti.so").write_text("")
    monkeypatch.setenv("CUDA", str(tmp_path))
    headers, library = times.cupti()
    assert headers[:2] == [place / "include", tmp_path / "include"]
    assert library == place / "lib64" / "libcupti.so"
    monkeypatch.setattr(times, "toolkits", lambda: iter([tmp_path / "nothing"]))
    with pytest.raises(SystemExit, match="is in none of"):
        times.cupti()


@pytest.mark.usefixtures("host_compiler")
def test_the_library_is_what_cuda_injects(times: ModuleType, tmp_path: Path) -> None:
    try:
        times.cupti()
    except SystemExit as error:
        pytest.skip(str(error))
    library = times.build(tmp_path / "libkernel_times.so")
    assert b"InitializeInjection\0" in library.read_bytes()  # the name that the driver looks for
