"""A small CUDA project (in `project/`) that CATT patches, and real build tools to build it with."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.ours import switched_off

SOURCES = Path(__file__).parent / "project"
RECIPES = Path(__file__).parents[2] / "docs" / "build-systems.md"
UNITS = ("plain", "weighted")  # the .cu files; both launch the kernel in rows.cuh
MARK = b"row_sums__gpuopt_catt"  # in the name of the kernel's version
# One plugin alone: with the versions of all, nvcc and the host compiler take half as long again.
FORCED = "[plugins.catt]\nfixed_tlp = [2, 1]\nminimum_trips = 0\n" + switched_off("catt")
# The one plugin that is on looks at the kernel and leaves it alone.
DECLINED = "[plugins.catt]\nl1_bytes = 1000000000\n" + switched_off("catt")
OFF = switched_off()
PATH = os.pathsep.join(
    [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
)  # tools from wheels first
TIME_LIMIT = 240  # seconds


def tool(name: str) -> str:
    """A program; the test is skipped where there is none."""
    found = shutil.which(name, path=PATH)
    if found is None:
        pytest.skip(f"no {name} on this machine")
    return found


def recipe(heading: str, language: str = "sh") -> str:
    """The blocks in one language below a heading of the documentation."""
    section = re.search(rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)", RECIPES.read_text(), re.MULTILINE | re.DOTALL)
    assert section is not None, heading
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", section.group(1), re.MULTILINE | re.DOTALL)
    assert blocks, heading
    return "".join(blocks)


def gpuopt_nvcc() -> str:
    """The program as it was installed, for build tools to call."""
    found = Path(sys.executable).with_name("gpuopt-nvcc")
    if not found.is_file():
        pytest.skip("gpuopt is not installed: pip install -e .")
    return str(found)


def toolkit_of(nvcc: str) -> str:
    """The root of an nvcc's toolkit, as it says itself."""
    said = subprocess.run([nvcc, "-v", "__no_such_file"], capture_output=True, text=True, check=False).stderr
    found = re.search(r"^#\$ TOP=(.*)$", said, re.MULTILINE)
    assert found is not None, said
    return str(Path(found.group(1)).resolve())


@dataclass(frozen=True)
class Project:
    """A copy of the project, and what its builds have in their environment."""

    root: Path
    nvcc: str  # the real one
    gpuopt: str = field(default_factory=gpuopt_nvcc)
    env: Mapping[str, str | None] = field(default_factory=dict)

    def write(self, name: str, text: str) -> Path:
        """Add or replace a file."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run(self, *line: str, status: int = 0, cwd: str = ".", **env: str | None) -> str:
        """A command in the project: what it said. It must end as it should; a None removes a variable."""
        known = {**os.environ, "PATH": PATH, "GPUOPT_NVCC": self.nvcc, "LC_ALL": "C", **self.env, **env}
        done = subprocess.run(
            line,
            cwd=self.root / cwd,
            env={name: value for name, value in known.items() if value is not None},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIME_LIMIT,
            check=False,
        )
        said = done.stdout.decode("utf-8", "replace")
        assert done.returncode == status, said
        assert "gpuopt: " not in said, said  # no warning of ours in any build
        left = [path.name for path in self.root.rglob("*.gpuopt*")]
        assert left == []  # nothing of ours is left beside what was built
        return said

    def follow(self, heading: str, **env: str | None) -> str:
        """Do what the documentation says."""
        return self.run("sh", "-ec", recipe(heading), **env)

    def patched(self, name: str) -> bool:
        """Whether a file that was built has a version of the kernel in it."""
        return MARK in (self.root / name).read_bytes()

    def bytes_of(self, *names: str) -> dict[str, bytes]:
        """What was built."""
        return {name: (self.root / name).read_bytes() for name in names}

    def times_of(self, *names: str) -> dict[str, int]:
        """When it was built, in ns."""
        return {name: (self.root / name).stat().st_mtime_ns for name in names}

    def touch(self, name: str) -> None:
        """Make a file newer than all that was built."""
        os.utime(self.root / name)

    def set_policy(self, text: str) -> None:
        """Another toolchain.toml."""
        self.write("toolchain.toml", text)


def copy_project(root: Path, nvcc: str, **env: str | None) -> Project:
    """The project in a directory of its own, with a blank in its path."""
    place = root / "the project"
    shutil.copytree(SOURCES, place)
    project = Project(place, nvcc, env=env)
    project.set_policy(FORCED)
    return project
