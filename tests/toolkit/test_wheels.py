"""A toolkit put together from NVIDIA's wheels: complete, repaired where damaged, and it compiles and links."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpuopt_driver import store
from gpuopt_driver.cache import KEPT_WHOLE, Cache
from gpuopt_driver.errors import ToolchainError
from gpuopt_driver.nvcc import find, wheels
from gpuopt_driver.nvcc.find import find_nvcc, wheel_directories

FILES = {
    "bin/nvcc": "#!/bin/sh\nexit 0\n",
    "bin/nvcc.profile": 'TOP = $(_HERE_)/..\nINCLUDES += "-I$(TOP)/include"\nLIBRARIES =+ "-L$(TOP)/lib"\n',
    "bin/ptxas": "\x7fELF, without its mode",
    "bin/crt/link.stub": "",
    "nvvm/bin/cicc": "#!/bin/sh\n",
    "nvvm/libdevice/libdevice.10.bc": "",
    "include/cuda.h": "CUresult cuInit(unsigned);\nCUresult cuMemAlloc_v2(void);\n",
    "include/crt/host_config.h": "",
    "include/cuda_runtime.h": "",
    "lib/libcudart_static.a": "",
    "lib/libcudart.so.13": "",
    "lib/libnvvm.so.4": "",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Wheels as they lie in site-packages, with small files in them."""
    root = tmp_path / "site-packages" / "nvidia" / "cu13"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
        if text.startswith("#!"):
            (root / name).chmod(0o755)
    return root


@pytest.fixture
def cache(tmp_path: Path) -> dict[str, str]:
    return {"GPUOPT_CACHE_DIR": str(tmp_path / "cache"), "PATH": os.environ["PATH"]}


def root_of(nvcc: str) -> Path:
    return Path(nvcc).parents[1]


def test_everything_is_where_a_toolkit_has_it(package: Path, cache: dict[str, str], host_compiler: str) -> None:
    root = root_of(wheels.assembled(str(package), cache))
    assert root.is_relative_to(cache["GPUOPT_CACHE_DIR"])
    names = [*FILES, "lib/libcudart.so", "lib64/libcudart.so", "lib64/libcudart_static.a"]
    names += ["nvvm/lib64/libnvvm.so", "nvvm/lib64/libnvvm.so.4", "lib64/stubs/libcuda.so"]
    assert [name for name in names if not (root / name).is_file()] == []
    assert os.access(root / "bin" / "ptxas", os.X_OK)
    assert not os.access(package / "bin" / "ptxas", os.X_OK)
    profile = (root / "bin" / "nvcc.profile").read_text()
    assert f'"-I{package}/include"' in profile
    assert '"-L$(TOP)/lib"' in profile


def test_the_stub_of_the_driver_has_the_names_of_the_header(
    package: Path, cache: dict[str, str], host_compiler: str, tmp_path: Path
) -> None:
    root = root_of(wheels.assembled(str(package), cache))
    (tmp_path / "a.c").write_text("int cuInit(unsigned), cuMemAlloc_v2(void);\nint main(void) { return cuInit(0); }\n")
    link = [host_compiler, "-x", "c", "a.c", f"-L{root}/lib64/stubs", "-lcuda", "-o", "a"]
    assert subprocess.run(link, cwd=tmp_path, check=False).returncode == 0
    dynamic = subprocess.run(["readelf", "-d", "a"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "libcuda.so.1" in dynamic


def test_what_was_removed_is_put_back(package: Path, cache: dict[str, str]) -> None:
    nvcc = wheels.assembled(str(package), cache)
    root = root_of(nvcc)
    Path(nvcc).unlink()
    (root / "bin" / "ptxas").write_bytes(b"damaged")
    (root / "lib64").unlink()
    assert wheels.assembled(str(package), cache) == nvcc
    assert Path(nvcc).is_file()
    assert (root / "bin" / "ptxas").read_text() == FILES["bin/ptxas"]
    assert (root / "lib64" / "libcudart.so.13").is_file()


@pytest.mark.parametrize("data", [b"", b"TOP = /elsewhere\n"], ids=["cut", "changed"])
def test_a_damaged_profile_is_made_anew(package: Path, cache: dict[str, str], data: bytes) -> None:
    nvcc = wheels.assembled(str(package), cache)
    profile = Path(nvcc).with_name("nvcc.profile")
    whole = profile.read_bytes()
    profile.write_bytes(data)
    assert wheels.assembled(str(package), cache) == nvcc
    assert profile.read_bytes() == whole


def test_other_parts_make_another_toolkit(package: Path, cache: dict[str, str]) -> None:
    first = wheels.assembled(str(package), cache)
    assert wheels.assembled(str(package), cache) == first
    (package / "nvvm" / "bin" / "cicc").write_text("#!/bin/sh\n# a later one\n")
    assert wheels.assembled(str(package), cache) != first


@pytest.mark.parametrize("gone", ["nvvm/bin/cicc", "include/crt/host_config.h", "include/cuda_runtime.h"])
def test_incomplete_wheels_are_no_toolkit(package: Path, cache: dict[str, str], gone: str) -> None:
    (package / gone).unlink()
    assert wheels.assembled(str(package), cache) == ""
    assert wheels.missing_parts(str(package)) == [wheels.PARTS[gone]]


def test_without_a_cache_the_wheels_own_nvcc_serves(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "find_root", lambda env, without="": None)
    assert wheels.assembled(str(package), {}) == f"{package}/bin/nvcc"


def test_they_stay_while_they_are_used(package: Path, cache: dict[str, str]) -> None:
    """What empties the cache file by file leaves the links alone; a toolkit that nobody used for weeks goes whole."""
    nvcc = Path(wheels.assembled(str(package), cache))
    kept = Cache(Path(cache["GPUOPT_CACHE_DIR"]))
    now = nvcc.lstat().st_ctime
    kept.prune(now + 5 * 86400)
    assert nvcc.is_file()
    os.utime(root_of(str(nvcc)), (now + 6 * 86400, now + 6 * 86400))
    kept.prune(now + 19 * 86400)
    assert nvcc.is_file()
    kept.prune(now + 40 * 86400)
    assert not root_of(str(nvcc)).exists()
    assert list((kept.root / KEPT_WHOLE).glob("*/*")) == []


def test_found_when_there_is_no_other(package: Path, cache: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(package.parents[1])])
    monkeypatch.setattr(find, "_versions", lambda root: [])
    monkeypatch.setattr(find, "_is_program", lambda path: not path.startswith(("/usr", "/opt")) and Path(path).exists())
    env = {**cache, "PATH": "/nowhere"}
    (package.parent / "cu9").mkdir()
    (package.parent / "cublas").mkdir()
    assert wheel_directories() == [str(package)]
    nvcc = find_nvcc(env)
    assert nvcc is not None
    assert nvcc.origin == find.FROM_WHEELS
    (package / "nvvm" / "bin" / "cicc").unlink()
    assert find_nvcc(env) is None
    with pytest.raises(ToolchainError, match=r"GPUOPT_NVCC: no complete nvcc .* pip install 'gpuopt-driver\[cuda13\]'"):
        find_nvcc({**env, "GPUOPT_NVCC": "wheels"})


def test_parts_of_different_releases_are_told(package: Path) -> None:
    for name in ("nvidia_cuda_nvcc-13.4.92", "nvidia_nvvm-13.0.88", "nvidia_cuda_crt-13.4.9", "nvidia_cublas-9.1"):
        (package.parents[1] / f"{name}.dist-info").mkdir()
    versions = wheels.part_versions(str(package))
    assert versions == {"nvidia-cuda-crt": "13.4.9", "nvidia-cuda-nvcc": "13.4.92", "nvidia-nvvm": "13.0.88"}
    assert wheels.misfits(versions) == ["nvidia-nvvm 13.0.88"]


KERNEL = """
#include <cstdio>
__device__ int three();
__global__ void k(int *p) { *p = three(); }
int main() { int *d; cudaMalloc(&d, 4); k<<<1, 1>>>(d); return 0; }
"""


@pytest.mark.nvcc
@pytest.mark.timeout(600)
def test_the_wheels_compile_and_link(tmp_path: Path) -> None:
    """Every way of linking, device links and link-time optimization included."""
    env = {**os.environ, "GPUOPT_NVCC": "wheels"}
    try:
        nvcc = find_nvcc(env)
    except ToolchainError:
        pytest.skip("no wheels of nvcc beside this Python")
    assert nvcc is not None
    (tmp_path / "main.cu").write_text(KERNEL)
    (tmp_path / "three.cu").write_text("__device__ int three() { return 3; }\n")
    (tmp_path / "whole.cu").write_text(KERNEL.replace("int three();", "int three() { return 3; }"))
    lines = (
        ["-arch=sm_80", "-rdc=true", "main.cu", "three.cu", "-o", "separate"],
        ["-arch=sm_80", "-dlto", "-dc", "main.cu", "three.cu"],
        ["-arch=sm_80", "-dlto", "-dlink", "main.o", "three.o", "-o", "linked.o"],
        ["-cudart", "shared", "whole.cu", "-lcuda", "-o", "shared"],
        ["-arch=sm_80", "-ptx", "whole.cu"],
        ["-arch=sm_80", "-cubin", "whole.cu"],
    )
    for line in lines:
        done = subprocess.run([nvcc.path, *line], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), line
    for made in ("separate", "linked.o", "shared", "whole.ptx", "whole.cubin"):
        assert (tmp_path / made).stat().st_size > 0
