"""ninja with compilers' dependency files: no work the second time, exactly the users of a header after it changed."""

from __future__ import annotations

import os

import pytest

from tests.builds.support import FORCED, UNITS, Project, recipe, tool

pytestmark = [pytest.mark.nvcc, pytest.mark.xdist_group("ninja")]

BUILD = f"""\
{recipe("ninja", "text")}
rule link
  command = gpuopt-nvcc $in -o $out
build out/main.o: cuda main.cpp
build out/plain.o: cuda plain.cu
build out/weighted.o: cuda weighted.cu
build app: link out/main.o out/plain.o out/weighted.o
"""
OBJECTS = [f"out/{unit}.o" for unit in UNITS]


def test_dependencies_are_the_users_own(project: Project) -> None:
    ninja = tool("ninja")
    project.write("build.ninja", BUILD)
    assert "[4/4]" in project.run(ninja)
    assert all(project.patched(name) for name in [*OBJECTS, "app"])
    assert "no work to do" in project.run(ninja)
    known = project.run(ninja, "-t", "deps", *OBJECTS)
    assert "rows.cuh" in known
    assert "the project" not in known  # the names are relative, as the user gave them; nothing of ours is among them
    assert os.environ["GPUOPT_CACHE_DIR"] not in known
    project.touch("rows.cuh")
    assert "[3/3]" in project.run(ninja)
    assert "no work to do" in project.run(ninja)
    project.set_policy(FORCED.replace("2", "4"))
    assert "[3/3]" in project.run(ninja)
    assert "no work to do" in project.run(ninja)
