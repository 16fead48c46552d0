"""Other tools on a machine without CUDA: FindCUDA, Meson, make with dependency files, ccache, Bear."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.toolkit.support import gpuopt, our_nvcc

KERNEL = """\
#include "value.h"
__global__ void kernel(int *p) { *p = VALUE; }
int go() {
    int *device, host = 0;
    cudaMalloc(&device, sizeof(int));
    kernel<<<1, 1>>>(device);
    cudaMemcpy(&host, device, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(device);
    return host;
}
"""
MAIN = "int go();\nint main() { return go(); }\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host_compiler: str) -> Path:
    """A kernel and its host program that exits with 3, on a machine without CUDA."""
    for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDACXX", "CUDA_BIN_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GPUOPT_NVCC", "none")
    monkeypatch.setenv("GPUOPT_EMU_MODE", "fast")  # built without code for other modes
    root = tmp_path / "project"
    root.mkdir()
    (root / "value.h").write_text("#define VALUE 3\n")
    (root / "kernel.cu").write_text(KERNEL)
    (root / "main.cpp").write_text(MAIN)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def toolkit(tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "toolkit"
    gpuopt("toolkit", str(root))
    monkeypatch.setenv("PATH", f"{root}/bin{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CUDA_HOME", str(root))
    return root


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"no {name} on this machine")
    return found


def run(*words: str, status: int = 0) -> str:
    done = subprocess.run(words, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == status, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_findcuda_of_older_projects(project: Path, toolkit: Path) -> None:
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.10)\n"
        "if(POLICY CMP0146)\n  cmake_policy(SET CMP0146 OLD)\nendif()\n"
        "project(app CXX)\nfind_package(CUDA REQUIRED)\ncuda_add_executable(app kernel.cu main.cpp)\n"
        'message(STATUS "nvcc: ${CUDA_NVCC_EXECUTABLE} ${CUDA_VERSION}")\n'
    )
    configured = run(tool("cmake"), "-B", "build", f"-DCUDA_TOOLKIT_ROOT_DIR={toolkit}")
    assert f"-- nvcc: {toolkit}/bin/nvcc 12.8\n" in configured
    run("cmake", "--build", "build")
    run("build/app", status=3)


def test_a_cmake_project_in_cpp_alone(project: Path, toolkit: Path) -> None:
    """The toolkit is found by its root, without the CUDA language."""
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.18)\nproject(app CXX)\nfind_package(CUDAToolkit REQUIRED)\n"
        "add_executable(app host.cpp)\ntarget_link_libraries(app CUDA::cudart CUDA::curand CUDA::culibos)\n"
        'message(STATUS "nvcc: ${CUDAToolkit_NVCC_EXECUTABLE} ${CUDAToolkit_VERSION}")\n'
    )
    shutil.copy(Path(__file__).parent / "project" / "host.cpp", project)
    configured = run(tool("cmake"), "-B", "build", f"-DCUDAToolkit_ROOT={toolkit}")
    assert f"-- nvcc: {toolkit}/bin/nvcc 12.8.0\n" in configured
    run("cmake", "--build", "build")
    run("build/app")


def test_the_stub_for_device_links_compiles(project: Path, toolkit: Path) -> None:
    """Build tools compile it by themselves, as a CUDA source whatever its name is."""
    run(f"{toolkit}/bin/nvcc", "-x", "cu", "-c", f"{toolkit}/bin/crt/link.stub", "-o", "stub.o")
    run(f"{toolkit}/bin/nvcc", "-dc", "kernel.cu", "main.cpp")
    run(f"{toolkit}/bin/nvcc", "-dlink", "kernel.o", "-o", "linked.o", "-lcudadevrt")
    run(
        "g++",
        "main.o",
        "kernel.o",
        "linked.o",
        "stub.o",
        f"-L{toolkit}/lib64",
        "-lcudadevrt",
        "-lcudart_static",
        "-o",
        "app",
    )
    run("./app", status=3)


@pytest.mark.parametrize("mode", ["fast", "check"])
def test_modes_reach_programs_that_another_linker_made(
    project: Path, toolkit: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.delenv("GPUOPT_EMU_MODE")
    (project / "kernel.cu").write_text(KERNEL.replace("*p = VALUE;", "p[0] = VALUE; if (p[1] == 12345) p[0] = 0;"))
    run(f"{toolkit}/bin/nvcc", "-c", "kernel.cu", "main.cpp")
    run("g++", "main.o", "kernel.o", f"-L{toolkit}/lib64", "-lcudart_static", "-o", "app")
    monkeypatch.setenv("GPUOPT_EMU_MODE", mode)
    done = subprocess.run(["./app"], capture_output=True, text=True, check=False)
    assert ("kernel.cu" in done.stderr) is (mode == "check")


def test_meson(project: Path, toolkit: Path) -> None:
    tool("ninja")
    (project / "meson.build").write_text(
        "project('app', ['cpp', 'cuda'], version: '1')\n"
        "cuda = dependency('cuda', version: '>=12', modules: ['cudart_static'])\n"
        "kernels = static_library('kernels', 'kernel.cu')\n"
        "executable('app', 'main.cpp', link_with: kernels, dependencies: cuda, link_language: 'cpp')\n"
        "executable('whole', 'main.cpp', 'kernel.cu')\n"
    )
    # Named, so that Meson does not put a compiler cache in front that it finds in PATH.
    (project / "native.ini").write_text(f"[binaries]\ncuda = '{toolkit}/bin/nvcc'\n")
    said = run(tool("meson"), "setup", "--native-file=native.ini", "build")
    assert f"Run-time dependency CUDA (modules: cudart_static) for cpp found: YES 12.8 ({toolkit})" in said
    run("ninja", "-C", "build")
    run("build/app", status=3)
    run("build/whole", status=3)
    assert "no work to do" in run("ninja", "-C", "build")
    (project / "value.h").write_text("#define VALUE 4\n")
    run("ninja", "-C", "build")
    run("build/app", status=4)


def test_make_with_dependency_files(project: Path) -> None:
    """Dependencies name the user's files and our headers, in each of the ways to ask for them."""
    nvcc = our_nvcc(project / "bin" / "gpuopt-nvcc")
    (project / "Makefile").write_text(
        f"app: kernel.o main.o\n\t{nvcc} $^ -o $@\n"
        f"%.o: %.cu\n\t{nvcc} -MD -MP -c $< -o $@\n"
        f"%.o: %.cpp\n\t{nvcc} -M $< -MT $@ -o $*.d\n\t{nvcc} -c $< -o $@\n"
        "-include kernel.d main.d\n"
    )
    run(tool("make"))
    run("./app", status=3)
    text = (project / "kernel.d").read_text()
    assert text.startswith("kernel.o:")
    assert " value.h" in text
    assert "\nvalue.h:\n" in text
    assert "main.cpp" in (project / "main.d").read_text()
    assert "up to date" in run("make")
    (project / "value.h").write_text("#define VALUE 4\n")
    run("make")
    run("./app", status=4)
    only_ours = run(nvcc, "-MM", "kernel.cu")
    assert only_ours.replace("\\\n", "").split() == ["kernel.o:", "kernel.cu", "value.h"]


def test_ccache(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nvcc = our_nvcc(project / "bin" / "gpuopt-nvcc")
    monkeypatch.setenv("CCACHE_DIR", str(project / "ccache"))
    monkeypatch.setenv("CCACHE_CONFIGPATH", os.devnull)

    def counts() -> tuple[int, int]:
        lines = (line.split() for line in run(tool("ccache"), "--print-stats").splitlines())
        values = {line[0]: line[1] for line in lines if len(line) == 2}
        hits = int(values["direct_cache_hit"]) + int(values["preprocessed_cache_hit"])
        return hits, int(values["cache_miss"])

    line = (tool("ccache"), nvcc, "-c", "kernel.cu", "-o", "kernel.o")
    run(*line)
    assert counts() == (0, 1)
    first = (project / "kernel.o").read_bytes()
    (project / "kernel.o").unlink()
    run(*line)
    assert counts() == (1, 1)
    assert (project / "kernel.o").read_bytes() == first
    (project / "value.h").write_text("#define VALUE 4\n")
    run(*line)
    assert counts() == (1, 2)
    run(nvcc, "kernel.o", "main.cpp", "-o", "app")
    run("./app", status=4)


@pytest.mark.xdist_group("sccache")
def test_sccache(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It builds, though nothing is kept: sccache keeps the results of nvcc's own programs only."""
    sccache = tool("sccache")
    nvcc = our_nvcc(project / "bin" / "gpuopt-nvcc")
    with tempfile.TemporaryDirectory(prefix="sc-") as short:  # a socket's path may not be long
        monkeypatch.setenv("SCCACHE_DIR", f"{short}/cache")
        monkeypatch.setenv("SCCACHE_SERVER_UDS", f"{short}/socket")
        monkeypatch.setenv("SCCACHE_CONF", os.devnull)
        run(sccache, "--start-server")
        try:
            run(sccache, nvcc, "-MD", "-MF", "kernel.d", "-c", "kernel.cu", "-o", "kernel.o")
        finally:
            run(sccache, "--stop-server")
    assert "value.h" in (project / "kernel.d").read_text()
    run(nvcc, "kernel.o", "main.cpp", "-o", "app")
    run("./app", status=3)


def test_bear(project: Path, toolkit: Path) -> None:
    run(tool("bear"), "--", f"{toolkit}/bin/nvcc", "-DX=1", "-c", "kernel.cu", "-o", "kernel.o")
    entries = json.loads((project / "compile_commands.json").read_text())
    assert [Path(entry["file"]).name for entry in entries] == ["kernel.cu"]
    assert "-DX=1" in (entries[0].get("arguments") or entries[0]["command"])


def test_other_programs_of_the_toolkit_say_what_they_are(toolkit: Path) -> None:
    for name in ("ptxas", "nvlink", "fatbinary", "cuobjdump", "nvdisasm", "cudafe++", "bin2c"):
        assert "release 12.8, V12.8.0" in run(f"{toolkit}/bin/{name}", "--version")
        done = subprocess.run([f"{toolkit}/bin/{name}", "x"], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert done.stderr.startswith(f"gpuopt: error: {name}: ")


def test_nvcc_of_the_directory_tells_what_tools_ask(project: Path, toolkit: Path) -> None:
    said = run(f"{toolkit}/bin/nvcc", "--version")
    assert said.startswith("nvcc: NVIDIA (R) Cuda compiler driver\n")
    assert "gpuopt-nvcc" in said.splitlines()[1]
    assert said.rpartition("V")[2].strip() == "12.8.0"
    assert "compute_70\n" in run(f"{toolkit}/bin/nvcc", "--list-gpu-arch")
    assert "sm_90\n" in run(f"{toolkit}/bin/nvcc", "--list-gpu-code")
    done = subprocess.run(
        [f"{toolkit}/bin/nvcc", "-v", "__cmake_determine_cuda"], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert f"#$ TOP={toolkit}/bin/..\n" in done.stderr
    assert f"#$ NVVMIR_LIBRARY_DIR={toolkit}/bin/../nvvm/libdevice\n" in done.stderr
    printed = subprocess.run(
        [f"{toolkit}/bin/nvcc", "--dryrun", "main.cpp"], capture_output=True, text=True, check=False
    )
    libraries = next(line for line in printed.stderr.splitlines() if line.startswith("#$ LIBRARIES="))
    link = printed.stderr.splitlines()[-1]
    assert libraries.removeprefix("#$ LIBRARIES=").strip() in link
    assert link.endswith("-lcudadevrt -lcudart_static -lrt -lpthread -ldl -lm -pthread")
    assert not (project / "a.out").exists()


def test_libraries_that_are_headers_to_us_can_be_named(project: Path, toolkit: Path) -> None:
    names = ["-lcurand", "-lnvToolsExt", "-lculibos", "-lcuda", "-lcudadevrt"]
    run(f"{toolkit}/bin/nvcc", "kernel.cu", "main.cpp", *names, "-o", "app")
    run("./app", status=3)
    run(f"{toolkit}/bin/nvcc", "-c", "kernel.cu", "main.cpp")
    places = [f"-L{toolkit}/lib64", f"-L{toolkit}/lib64/stubs"]
    run("g++", "main.o", "kernel.o", *places, "-lcurand_static", *names, "-lcudart_static", "-o", "app")
    run("./app", status=3)


@pytest.mark.parametrize("kind", ["static", "shared", "none"])
def test_the_runtime_is_chosen_as_nvcc_chooses_it(project: Path, toolkit: Path, kind: str) -> None:
    nvcc = f"{toolkit}/bin/nvcc"
    if kind == "none":
        done = subprocess.run([nvcc, "-cudart=none", "kernel.cu", "main.cpp"], capture_output=True, check=False)
        assert done.returncode != 0
        assert b"cudaMalloc" in done.stderr
        return
    run(nvcc, f"-cudart={kind}", "kernel.cu", "main.cpp", "-o", "app")
    run("./app", status=3)
    assert (b"libcudart.so.12" in (project / "app").read_bytes()) is (kind == "shared")


def test_a_damaged_stand_in_in_the_cache_is_made_anew(project: Path) -> None:
    nvcc = our_nvcc(project / "bin" / "gpuopt-nvcc")

    def root() -> Path:
        done = subprocess.run([nvcc, "-v", "kernel.cu", "main.cpp"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        line = next(line for line in done.stderr.splitlines() if line.startswith("#$ TOP="))
        return Path(line.removeprefix("#$ TOP=")).parents[1]

    first = root()
    (first / "gpuopt-toolkit.json").write_text("")
    (first / "lib" / "libcudart_static.a").unlink()
    assert root() == first
    assert (first / "lib64" / "libcudart_static.a").is_file()
    run("./a.out", status=3)


def test_a_stand_in_is_made_anew_after_an_update(project: Path, toolkit: Path) -> None:
    """As after an update of gpuopt: the libraries on disk are another's."""
    marker = json.loads((toolkit / "gpuopt-toolkit.json").read_text())
    (toolkit / "gpuopt-toolkit.json").write_text(json.dumps({**marker, "state": "another"}))
    (toolkit / "lib" / "libcudart_static.a").write_bytes(b"of another version")
    run(f"{toolkit}/bin/nvcc", "-c", "kernel.cu")
    run("g++", "-x", "c++", "main.cpp", "-x", "none", "kernel.o", f"-L{toolkit}/lib64", "-lcudart_static", "-o", "app")
    run("./app", status=3)
    assert json.loads((toolkit / "gpuopt-toolkit.json").read_text()) == marker
