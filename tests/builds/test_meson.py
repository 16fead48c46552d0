"""Meson with gpuopt-nvcc named in a native file: sanity check, build, nothing to do, a touched header."""

from __future__ import annotations

import pytest

from tests.builds.support import Project, recipe, tool, toolkit_of

pytestmark = [pytest.mark.nvcc, pytest.mark.xdist_group("meson")]

BUILD = """\
project('rows', 'cpp', 'cuda')
executable('app', 'main.cpp', 'plain.cu', 'weighted.cu', cuda_args: ['-arch=sm_90'], dependencies: dependency('cuda'))
"""


@pytest.fixture
def surroundings(real_nvcc: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Meson looks for headers and libraries; a named C++ compiler keeps it from taking sccache by itself."""
    monkeypatch.setenv("CUDA_PATH", toolkit_of(real_nvcc))
    monkeypatch.setenv("CXX", "c++")


@pytest.mark.usefixtures("surroundings")
def test_builds_the_patched_program(project: Project) -> None:
    meson = tool("meson")
    tool("ninja")
    project.write("meson.build", BUILD)
    project.write("gpuopt.ini", recipe("Meson", "ini"))
    said = project.follow("Meson")
    assert "Cuda compiler for the host machine" in said
    assert "nvcc 13" in said or "nvcc 12" in said
    assert project.patched("out/app")
    assert "no work to do" in project.run(meson, "compile", "-C", "out")
    project.touch("rows.cuh")
    assert project.run("ninja", "-C", "out", "-n").count(".cu.o") == 2
    project.run(meson, "compile", "-C", "out")
    assert "no work to do" in project.run(meson, "compile", "-C", "out")
