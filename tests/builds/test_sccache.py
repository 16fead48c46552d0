"""sccache in front: it executes the steps that `--dryrun` prints by itself, and must get patched objects by them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builds.own_plugin import install
from tests.builds.support import DECLINED, FORCED, OFF, UNITS, Project, copy_project, tool

pytestmark = [pytest.mark.nvcc, pytest.mark.xdist_group("sccache")]

OBJECTS = [f"{unit}.o" for unit in UNITS]


@pytest.fixture
def project(tmp_path: Path, real_nvcc: str) -> Iterator[Project]:
    """The project with a server of its own, which ends with the test."""
    sccache = tool("sccache")
    with tempfile.TemporaryDirectory(prefix="sc-") as short:  # a socket's path may not be long
        env = {"SCCACHE_DIR": f"{short}/cache", "SCCACHE_SERVER_UDS": f"{short}/socket", "SCCACHE_IDLE_TIMEOUT": "120"}
        made = copy_project(tmp_path, real_nvcc, **env, SCCACHE_CONF="/dev/null")
        made.run(sccache, "--start-server")
        try:
            _skip_unless_it_knows(made, sccache)
            yield made
        finally:
            made.run(sccache, "--stop-server")


def _skip_unless_it_knows(project: Project, sccache: str) -> None:
    """Releases of sccache know the steps of older nvccs only: 0.16 fails with those of nvcc 13.3 and later."""
    project.write("probe.cu", "__global__ void probe() {}\n")
    try:
        project.run(sccache, project.nvcc, "-c", "probe.cu", "-o", "probe.o")
    except AssertionError as error:
        pytest.skip(f"this sccache does not get through with nvcc itself: {str(error).splitlines()[0]}")
    project.run(sccache, "--zero-stats")


def compile_units(project: Project, *units: str) -> tuple[int, int]:
    """Hits and misses, counting every step."""
    for unit in units:
        project.run("sccache", project.gpuopt, "-arch=sm_90", "-c", f"{unit}.cu", "-o", f"{unit}.o")
    stats = json.loads(project.run("sccache", "--show-stats", "--stats-format=json"))["stats"]
    project.run("sccache", "--zero-stats")
    assert stats["compile_fails"] == 0
    hits, misses = (sum(stats[name]["counts"].values()) for name in ("cache_hits", "cache_misses"))
    return hits, misses


def test_the_second_build_is_all_hits(project: Project) -> None:
    hits, misses = compile_units(project, *UNITS)
    assert hits == 0
    assert misses >= 2
    assert all(project.patched(name) for name in OBJECTS)
    assert compile_units(project, *UNITS) == (misses, 0)
    assert all(project.patched(name) for name in OBJECTS)
    project.run(project.nvcc, "-arch=sm_90", "main.cpp", *OBJECTS, "-o", "app")
    project.follow("sccache")
    assert project.patched("plain.o")


def test_another_policy_is_a_miss_and_gets_its_own_object(project: Project) -> None:
    project.set_policy(OFF)
    compile_units(project, "plain")
    project.set_policy(FORCED)
    assert compile_units(project, "plain")[1] > 0
    seen = project.bytes_of("plain.o")
    project.set_policy(FORCED.replace("2", "4"))
    assert compile_units(project, "plain")[1] > 0
    assert project.patched("plain.o")
    assert project.bytes_of("plain.o") != seen
    project.set_policy(DECLINED)
    compile_units(project, "plain")
    assert not project.patched("plain.o")
    project.set_policy(FORCED)
    hits, misses = compile_units(project, "plain")
    assert hits > 0
    assert misses == 0
    assert project.bytes_of("plain.o") == seen


def test_another_version_of_a_plugin_is_a_miss(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    project.set_policy(OFF)
    seen = []
    for factor in (11, 222):
        install(tmp_path / "site", factor)
        assert compile_units(project, "plain")[1] > 0
        seen.append(project.bytes_of("plain.o"))
    assert seen[0] != seen[1]
