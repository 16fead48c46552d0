"""make with dependency files: patched once, up to date the second time, made again when something has changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.builds.support import DECLINED, FORCED, OFF, UNITS, Project, copy_project, tool

pytestmark = [pytest.mark.nvcc, pytest.mark.usefixtures("users_settings"), pytest.mark.xdist_group("make")]

MAKEFILE = """\
NVCC ?= nvcc
NVCCFLAGS = -arch=sm_90
OBJECTS = main.o plain.o weighted.o
app: $(OBJECTS)
\t$(NVCC) $(NVCCFLAGS) $^ -o $@
%.o: %.cu
\t$(NVCC) $(NVCCFLAGS) -MD -c $< -o $@
%.o: %.cpp
\t$(NVCC) $(NVCCFLAGS) -MD -c $< -o $@
-include *.d
"""
OBJECTS = [f"{unit}.o" for unit in UNITS]
DEPENDENCIES = [f"{unit}.d" for unit in UNITS]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, real_nvcc: str) -> Project:
    """The project, built, for several tests."""
    tool("make")
    project = copy_project(tmp_path_factory.mktemp("make"), real_nvcc)
    project.write("Makefile", MAKEFILE)
    project.follow("make")
    return project


def test_builds_the_patched_program_and_is_up_to_date(made: Project) -> None:
    assert all(made.patched(name) for name in [*OBJECTS, "app"])
    assert "'app' is up to date" in made.follow("make")


def test_a_touched_header_with_a_patched_kernel_rebuilds_its_users_alone(made: Project) -> None:
    before = made.times_of(*OBJECTS, "main.o")
    made.touch("rows.cuh")
    made.follow("make")
    after = made.times_of(*OBJECTS, "main.o")
    assert [name for name in before if before[name] != after[name]] == OBJECTS
    assert "'app' is up to date" in made.follow("make")


def test_a_changed_policy_rebuilds_what_it_decides(made: Project) -> None:
    """Also where the policy in force had changed nothing, and never what has no kernels."""
    main = made.times_of("main.o")
    seen = [made.bytes_of(*OBJECTS)]
    for policy, patched in ((DECLINED, False), (FORCED.replace("2", "4"), True), (OFF, False)):
        made.set_policy(policy)
        made.follow("make")
        assert [made.patched(name) for name in OBJECTS] == [patched] * len(OBJECTS), policy
        assert made.bytes_of(*OBJECTS) != seen[-1]
        seen.append(made.bytes_of(*OBJECTS))
        assert "'app' is up to date" in made.follow("make")
    assert made.times_of("main.o") == main


def test_switched_off_it_makes_what_nvcc_makes(project: Project) -> None:
    """Objects, dependency files, program and all that is said (nvcc puts process numbers in if not told so)."""
    project.write("Makefile", MAKEFILE.replace("sm_90", "sm_90 -objtemp"))
    built, said = [], []
    for nvcc, off in ((project.nvcc, None), (project.gpuopt, "1")):
        said.append(project.run(tool("make"), f"NVCC={nvcc}", GPUOPT_OFF=off).replace(nvcc, "NVCC"))
        built.append(project.bytes_of(*OBJECTS, "main.o", *DEPENDENCIES, "app"))
        project.run("sh", "-c", "rm -f *.o *.d app")
    assert built[0] == built[1]
    assert said[0] == said[1]


def test_makefiles_that_look_in_the_toolkit(project: Project, tmp_path: Path) -> None:
    place = project.root.rename(tmp_path / "project")  # without a blank: this makefile quotes nothing
    moved = replace(project, root=place)
    moved.write("Makefile", "plain.o: plain.cu\n\t$(CUDA_HOME)/bin/nvcc -arch=sm_90 -c $< -o $@\n")
    moved.follow("A toolkit-shaped directory")
    assert moved.patched("plain.o")
