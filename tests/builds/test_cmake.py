"""CMake with gpuopt-nvcc as CUDA compiler and as its launcher: detection, all kinds of targets, incremental builds."""

from __future__ import annotations

import re

import pytest

from tests.builds.support import FORCED, UNITS, Project, copy_project, tool

pytestmark = [pytest.mark.nvcc, pytest.mark.xdist_group("cmake")]

LISTS = """\
cmake_minimum_required(VERSION 3.18)
project(rows LANGUAGES CXX CUDA)
set(CMAKE_CUDA_STANDARD 14)
find_package(CUDAToolkit REQUIRED)

add_library(rows STATIC plain.cu weighted.cu)
target_compile_definitions(rows PRIVATE "TEXT=\\"a b\\"")
set_target_properties(rows PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_RESOLVE_DEVICE_SYMBOLS ON)
add_executable(app main.cpp)
target_link_libraries(app PRIVATE rows CUDA::cudart_static)

add_library(shared SHARED plain.cu weighted.cu)
"""
MORE = """\
add_library(ptx OBJECT weighted.cu)
set_target_properties(ptx PROPERTIES CUDA_PTX_COMPILATION ON)
add_library(whole STATIC weighted.cu)
set_target_properties(whole PROPERTIES CUDA_SEPARABLE_COMPILATION ON INTERPROCEDURAL_OPTIMIZATION ON)
"""
CHECKS = """\
include(CheckSourceCompiles)
check_source_compiles(CUDA "__global__ void k() {} int main() { k<<<1, 1>>>(); }" KERNELS_COMPILE)
check_source_compiles(CUDA "__global__ void k() { no_such_name(); } int main() {}" NONSENSE_COMPILES)
"""
OBJECTS = [f"out/CMakeFiles/rows.dir/{unit}.cu.o" for unit in UNITS]
PTX = "out/CMakeFiles/ptx.dir/weighted.ptx"
PROGRAMS = ["out/app", "out/libshared.so", "out/librows.a"]
AT_LINK_TIME = "out/libwhole.a"  # its sums are rounded when it is linked, so that they cannot be compared: no versions


def configure(project: Project, generator: str, compiler: str, *arguments: str) -> str:
    """`cmake -B out`; what it said."""
    project.write("CMakeLists.txt", LISTS + MORE)
    line = [tool("cmake"), "-G", generator, "-B", "out", f"-DCMAKE_CUDA_COMPILER={compiler}", *arguments]
    return project.run(*line, "-DCMAKE_CUDA_ARCHITECTURES=90")


def build(project: Project, *targets: str) -> str:
    """`cmake --build out`; what it said."""
    return project.run(tool("cmake"), "--build", "out", *(["--target", *targets] if targets else []))


def detected(project: Project, compiler: str) -> dict[str, str]:
    """What CMake found out about the compiler, with the compiler's own path taken out."""
    found = list((project.root / "out" / "CMakeFiles").glob("*/CMakeCUDACompiler.cmake"))
    assert len(found) == 1
    text = found[0].read_text().replace(compiler, "COMPILER").replace(str(project.root), "PROJECT")
    return dict(re.findall(r"^\s*set\((\w+) (.*)\)$", text, re.MULTILINE))


@pytest.fixture(scope="module")
def with_ninja(tmp_path_factory: pytest.TempPathFactory, real_nvcc: str) -> Project:
    """Configured for ninja and built, for several tests."""
    tool("ninja")
    project = copy_project(tmp_path_factory.mktemp("cmake"), real_nvcc)
    project.write("CMakeLists.txt", LISTS + MORE + CHECKS)
    said = project.follow("CMake", CMAKE_GENERATOR="Ninja", CUDAARCHS="90")
    assert "Performing Test KERNELS_COMPILE - Success" in said
    assert "Performing Test NONSENSE_COMPILES - Failed" in said
    assert "Found CUDAToolkit" in said
    return project


def test_every_kind_of_target_is_patched(with_ninja: Project) -> None:
    """Separable and whole compilation, link-time optimization; static and shared libraries, programs."""
    assert [name for name in [*OBJECTS, *PROGRAMS] if not with_ninja.patched(name)] == []
    assert not with_ninja.patched(AT_LINK_TIME)
    ptx = (with_ninja.root / PTX).read_text()
    assert ".entry _Z8row_sums" in ptx  # loaded by name: whoever does so must find the kernel that was written


def test_incremental_builds_with_ninja(with_ninja: Project) -> None:
    assert "no work to do" in build(with_ninja)
    before = with_ninja.times_of(*OBJECTS, PTX, "out/CMakeFiles/app.dir/main.cpp.o")
    with_ninja.touch("rows.cuh")
    build(with_ninja, "app", "ptx")  # the others' sources are the same, and so are the rules that they are compiled by
    after = with_ninja.times_of(*before)
    assert [name for name in before if before[name] != after[name]] == [*OBJECTS, PTX]
    assert "no work to do" in build(with_ninja, "app", "ptx")
    with_ninja.set_policy(FORCED.replace("2", "4"))
    build(with_ninja, "rows")
    assert all(time > after[name] for name, time in with_ninja.times_of(*OBJECTS).items())
    assert "no work to do" in build(with_ninja, "rows")


def test_makefiles(project: Project) -> None:
    """This generator passes include directories and device links in options files."""
    tool("make")
    configure(project, "Unix Makefiles", project.gpuopt)
    build(project, "app")
    assert all(project.patched(name) for name in [*OBJECTS, "out/app"])
    assert "Building" not in build(project, "app")
    project.touch("rows.cuh")
    said = build(project, "app")
    assert said.count("Building CUDA object") == 2
    assert "Building CXX" not in said
    assert "Building" not in build(project, "app")


def test_as_launcher_of_nvcc(project: Project) -> None:
    """Detection sees the real nvcc alone; what is compiled goes through the launcher."""
    tool("ninja")
    project.write("CMakeLists.txt", LISTS)
    project.follow("CMake, as a launcher", CMAKE_GENERATOR="Ninja", CUDAARCHS="90", CUDACXX=project.nvcc)
    assert [name for name in [*OBJECTS, *PROGRAMS] if not project.patched(name)] == []
    assert "no work to do" in build(project)


def test_switched_off_it_is_as_nvcc(project: Project) -> None:
    """CMake finds out the same of both, and both make the same: objects, PTX, and what is linked from them."""
    known, built = [], []
    for compiler in (project.nvcc, project.gpuopt):
        project.run("rm", "-rf", "out")
        configure(project, "Ninja", compiler, "-DCMAKE_CUDA_FLAGS=-objtemp")
        known.append(detected(project, compiler))
        project.run(tool("cmake"), "--build", "out", "--target", "app", "ptx", GPUOPT_OFF="1")
        built.append(project.bytes_of(*OBJECTS, PTX, "out/app"))
    assert known[0]["CMAKE_CUDA_COMPILER_ID"] == '"NVIDIA"'
    assert known[0] == known[1]
    assert built[0] == built[1]
    assert not project.patched("out/app")
