"""Names and values of the emulator's headers against a toolkit's."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import gpuopt_driver
from tests.emulator.support import compile_with, run
from tests.releases import release_of

RELEASE = "13.0"  # whose names they have
_INCLUDE = Path(gpuopt_driver.__file__).parent / "emulator" / "include"
_ENUMERATIONS = ("cudaError", "cudaDeviceAttr", "cudaError_enum", "CUdevice_attribute_enum")


@pytest.fixture(scope="module")
def toolkit_headers(real_nvcc: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the toolkit's headers say, preprocessed."""
    if release_of(real_nvcc) != RELEASE:
        pytest.skip(f"the emulator's headers are those of CUDA {RELEASE}")
    source = tmp_path_factory.mktemp("names") / "all.cu"
    source.write_text("#include <cuda.h>\n")
    done = subprocess.run([real_nvcc, "-E", source], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip("the toolkit has no cuda.h")
    return done.stdout


@pytest.mark.parametrize("enumeration", _ENUMERATIONS)
def test_enumerators_are_the_toolkits(
    enumeration: str, toolkit_headers: str, host_compiler: str, tmp_path: Path
) -> None:
    found = re.search(rf"\benum\b[^;{{}}]*\b{enumeration}\s*\{{(.*?)\}}", toolkit_headers, re.DOTALL)
    assert found is not None
    values = re.findall(r"(\w+)\s*=\s*(\d+)", found.group(1))
    assert len(values) > 90
    text = "".join(f'static_assert((int){name} == {value}, "{name}");\n' for name, value in values)
    (tmp_path / "names.cpp").write_text(f"#include <cuda_runtime_api.h>\n#include <cuda.h>\n{text}")
    command = [host_compiler, "-std=c++11", "-fsyntax-only", "-I", str(_INCLUDE), "names.cpp"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]


@pytest.mark.parametrize(
    ("options", "gpu"),
    [
        ((), "TITAN V"),
        (("-arch=sm_90",), "H200"),
        (("-gencode", "arch=compute_70,code=sm_70", "-gencode", "arch=compute_80,code=sm_80"), "A100"),
        (("-arch=sm_999",), "TITAN V"),
    ],
)
@pytest.mark.usefixtures("host_compiler")
def test_the_gpu_is_that_of_the_newest_architecture(options: tuple[str, ...], gpu: str, tmp_path: Path) -> None:
    (tmp_path / "gpu.cu").write_text(
        "#include <cstdio>\nint main() { cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); puts(p.name); }\n"
    )
    assert compile_with("gpu.cu", *options, "-o", "gpu", cwd=tmp_path) == 0
    assert run(tmp_path / "gpu").stdout == f"{gpu} (gpuopt emulator)\n"
