"""Compilation databases: Bear sees the user's files and a compiler called nvcc, and clangd can read what it records."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.builds.support import UNITS, Project, recipe, tool, toolkit_of

pytestmark = [pytest.mark.nvcc, pytest.mark.xdist_group("database")]

MAKEFILE = """\
all: plain.o weighted.o
%.o: %.cu
\t$(NVCC) -arch=sm_90 -MD -c $< -o $@
"""
LISTS = """\
cmake_minimum_required(VERSION 3.18)
project(rows LANGUAGES CUDA)
add_library(rows STATIC plain.cu weighted.cu)
"""
CLANGD = recipe("Compilation databases", "yaml")


@pytest.fixture
def project(project: Project) -> Project:
    """The project with what clangd is told about it."""
    project.write(".clangd", CLANGD.replace("/usr/local/cuda", toolkit_of(project.nvcc)))
    return project


def database(project: Project, directory: str = ".") -> list[dict[str, Any]]:
    """compile_commands.json."""
    entries: list[dict[str, Any]] = json.loads((project.root / directory / "compile_commands.json").read_text())
    return entries


def check(project: Project, directory: str = ".") -> None:
    """clangd reads both units without an error."""
    for unit in UNITS:
        said = project.run(tool("clangd"), f"--check={unit}.cu", f"--compile-commands-dir={directory}")
        assert "Loaded compilation database" in said
        assert "All checks completed, 0 errors" in said


def test_bear_records_what_it_records_of_nvcc(project: Project) -> None:
    """Under Bear's own preloaded library, the objects are patched all the same."""
    bear = tool("bear")
    project.write("Makefile", MAKEFILE)
    project.run(bear, "--", tool("make"), f"NVCC={project.nvcc}")
    recorded = [database(project)]
    project.run("sh", "-c", "rm -f *.o *.d compile_commands.json")
    project.follow("Compilation databases")
    recorded.append(database(project))
    assert recorded[0] == recorded[1]
    assert all(project.patched(f"{unit}.o") for unit in UNITS)
    assert [entry["file"] for entry in recorded[1]] == [str(project.root / f"{unit}.cu") for unit in UNITS]
    assert all(entry["arguments"][0].endswith("nvcc") for entry in recorded[1])
    check(project)


def test_clangd_reads_what_cmake_exports(project: Project) -> None:
    tool("clangd")
    project.write("CMakeLists.txt", LISTS)
    line = ["-G", "Unix Makefiles", "-B", "out", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DCMAKE_CUDA_ARCHITECTURES=90"]
    project.run(tool("cmake"), *line, f"-DCMAKE_CUDA_COMPILER={project.gpuopt}")
    assert all(entry["command"].startswith(project.gpuopt) for entry in database(project, "out"))
    check(project, "out")
