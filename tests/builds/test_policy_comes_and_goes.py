"""A policy file that is deleted stops no build, and one that `gpuopt init` makes is noticed: make, ninja, CMake."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builds.support import Project, copy_project, gpuopt_nvcc, tool
from tests.caches import with_what_builds_share
from tests.ours import NAMES

pytestmark = pytest.mark.nvcc

OTHERS = ",".join(name for name in NAMES if name != "coarsening")  # objects have its versions and no others
# GPU code alone, which is made in a third of the time; CMake has objects made.
MAKEFILE = "plain.o: plain.cu\n\tgpuopt-nvcc -arch=sm_90 -MD {} -cubin $< -o $@\n-include *.d\n"
NINJA = """\
rule cuda
  command = gpuopt-nvcc -arch=sm_90 -MD -MF $out.d -MT $out -cubin $in -o $out
  depfile = $out.d
  deps = gcc
build plain.o: cuda plain.cu
"""
CMAKE = """\
cmake_minimum_required(VERSION 3.20)
project(plain LANGUAGES CUDA)
set(CMAKE_CUDA_ARCHITECTURES 90)
set(CMAKE_CUDA_STANDARD 14)
add_library(plain STATIC plain.cu)
"""


def _make(project: Project, more: str = "") -> Callable[[], str]:
    project.write("Makefile", MAKEFILE.format(more))
    return lambda: project.run(tool("make"))


def _make_with_rules(project: Project) -> Callable[[], str]:
    return _make(project, "-MP")


def _make_by_itself(
    project: Project, rule: str = "gpuopt-nvcc -arch=sm_90 -MM -MT 'plain.o plain.d' $< >$@"
) -> Callable[[], str]:
    """Dependencies by a command of their own, which make runs again when they are out of date."""
    compile_it = "plain.o: plain.cu plain.d\n\tgpuopt-nvcc -arch=sm_90 -cubin $< -o $@\n"
    project.write("Makefile", f"{compile_it}plain.d: plain.cu\n\t{rule}\n-include plain.d\n")
    return lambda: project.run(tool("make"), "plain.o")


def _make_by_itself_in_a_file(project: Project) -> Callable[[], str]:
    return _make_by_itself(project, "gpuopt-nvcc -arch=sm_90 -M -MT 'plain.o plain.d' -MF $@ $<")


def _ninja(project: Project) -> Callable[[], str]:
    project.write("build.ninja", NINJA)
    return lambda: project.run(tool("ninja"))


def _cmake(project: Project) -> Callable[[], str]:
    project.write("CMakeLists.txt", CMAKE)
    tool("make")
    project.run(tool("cmake"), "-B", "out", "-G", "Unix Makefiles", f"-DCMAKE_CUDA_COMPILER={gpuopt_nvcc()}")
    return lambda: project.run(tool("cmake"), "--build", "out", "-v")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with a blank in its path, for all but those that delete theirs."""
    return with_what_builds_share(tmp_path_factory.mktemp("kept") / "the cache")


@pytest.fixture
def project(tmp_path: Path, real_nvcc: str, cache: Path) -> Project:
    """Without a policy."""
    made = copy_project(tmp_path, real_nvcc, GPUOPT_CACHE_DIR=str(cache), GPUOPT_DISABLE_PLUGINS=OTHERS)
    (made.root / "toolchain.toml").unlink()
    return made


@pytest.mark.parametrize(
    "tool_of", [_make, _make_with_rules, _make_by_itself, _make_by_itself_in_a_file, _ninja, _cmake]
)
def test_it_may_come_and_go(project: Project, tmp_path: Path, tool_of: Callable[[Project], Callable[[], str]]) -> None:
    own = with_what_builds_share(tmp_path / "the cache")
    project = replace(project, env={**project.env, "GPUOPT_CACHE_DIR": str(own)})
    build = tool_of(project)

    def compiles() -> bool:
        return " -c" in build()

    assert (compiles(), compiles()) == (True, False)
    project.run(str(Path(gpuopt_nvcc()).with_name("gpuopt")), "init")
    assert (compiles(), compiles()) == (True, False)
    (project.root / "toolchain.toml").unlink()
    assert (compiles(), compiles()) == (True, False)
    shutil.rmtree(tmp_path / "the cache")  # nor does the build need what is kept there
    assert (compiles(), compiles()) == (True, False)


@pytest.mark.parametrize("policy", [False, True])
@pytest.mark.parametrize("more", [[], ["-MP"], ["-MF", "other.d", "-MT", "x y"], ["-MMD"]])
def test_all_else_in_the_file_is_nvcc_s(project: Project, policy: bool, more: list[str]) -> None:
    options = [*more, *([] if "-MMD" in more else ["-MD"])]
    name = "other.d" if "-MF" in more else "plain.d"
    project.run(project.nvcc, "-arch=sm_90", *options, "-cubin", "plain.cu", "-o", "plain.o")
    theirs = project.bytes_of(name)[name]
    if policy:
        project.write("toolchain.toml", "")
    project.run(project.gpuopt, "-arch=sm_90", *options, "-cubin", "plain.cu", "-o", "plain.o")
    ours = project.bytes_of(name)[name]
    added = rb"toolchain\.toml" if policy else rb"\S*the\\ cache/policies/[0-9a-f]+"
    without = re.sub(rb"\n%b:\n\Z" % added, b"", re.sub(rb" \\\n +%b(?=[\s])" % added, b"", ours))
    assert re.search(rb"^%b:$" % added, ours, re.MULTILINE)
    if not policy or "-MP" not in more:  # there nvcc writes the rule, at its place
        assert without == theirs


@pytest.mark.parametrize("policy", [False, True])
@pytest.mark.parametrize(
    "where", [[], ["-o", "x.d"], ["-MF", "x.d"], ["weighted.cu", "-MP"], ["-MF", "x.d", "weighted.cu"]]
)
def test_dependencies_alone_are_nvcc_s_but_for_it(project: Project, policy: bool, where: list[str]) -> None:
    options = ["-arch=sm_90", "-MM", "-MT", "a target", *where, "plain.cu"]

    def made(by: str) -> bytes:
        text = project.run(by, *options).encode()
        return project.bytes_of("x.d")["x.d"] if "x.d" in where else text

    theirs = made(project.nvcc)
    if policy:
        project.write("toolchain.toml", "")
    ours = made(project.gpuopt)
    added = rb"toolchain\.toml" if policy else rb"\S*the\\ cache/policies/[0-9a-f]+"
    rules = len(re.findall(rb"^a target : ", theirs, re.MULTILINE)) or 1
    assert len(re.findall(rb" \\\n +%b\n" % added, ours)) == rules
    # With -MP nvcc writes the rule itself, for each source.
    assert len(re.findall(rb"^%b:$" % added, ours, re.MULTILINE)) == (rules if policy and "-MP" in where else 1)
    if not policy or "-MP" not in where:
        assert re.sub(rb"\n%b:\n\Z" % added, b"", re.sub(rb" \\\n +%b(?=[\s])" % added, b"", ours)) == theirs


def test_what_is_elsewhere_stays_as_it_is(project: Project) -> None:
    """`gpuopt init` in a directory below, or beside, concerns no source here."""
    build = _make(project)
    build()
    (project.root / "below").mkdir()
    project.run(str(Path(gpuopt_nvcc()).with_name("gpuopt")), "init", "below")
    assert " -c" not in build()


def test_a_policy_made_by_hand_is_noticed_by_the_next_compilation(project: Project) -> None:
    build = _make(project)
    build()
    project.write("toolchain.toml", "")
    assert " -c" not in build(), "nobody has seen it"
    project.run(project.gpuopt, "-arch=sm_90", "-c", "weighted.cu", "-o", "weighted.o")
    assert " -c" in build()
