"""ccache in front: hits by its own count, and never an object that another policy made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builds.own_plugin import install
from tests.builds.support import DECLINED, FORCED, OFF, UNITS, Project, copy_project, tool

pytestmark = [pytest.mark.nvcc, pytest.mark.xdist_group("ccache")]

COUNTED = ("direct_cache_hit", "preprocessed_cache_hit", "cache_miss")
OBJECTS = [f"{unit}.o" for unit in UNITS]


@pytest.fixture
def project(tmp_path: Path, real_nvcc: str) -> Project:
    """The project with an empty cache of ccache's."""
    return copy_project(tmp_path, real_nvcc, CCACHE_DIR=str(tmp_path / "ccache"), CCACHE_CONFIGPATH="/dev/null")


def counts(project: Project) -> tuple[int, int]:
    """Hits of any kind and misses since the last time."""
    lines = (line.split() for line in project.run(tool("ccache"), "--print-stats").splitlines())
    known = {line[0]: int(line[1]) for line in lines if len(line) == 2}
    direct, preprocessed, misses = (known[name] for name in COUNTED)
    project.run("ccache", "--zero-stats")
    return direct + preprocessed, misses


def compile_units(project: Project, *units: str, ccache: bool = True) -> tuple[int, int]:
    """Hits and misses."""
    for unit in units:
        line = [project.gpuopt, "-arch=sm_90", "-objtemp", "-MD", "-c", f"{unit}.cu", "-o", f"{unit}.o"]
        project.run(*([tool("ccache")] if ccache else []), *line)
    return counts(project)


def test_the_second_build_is_all_hits(project: Project) -> None:
    assert compile_units(project, *UNITS) == (0, 2)
    first = project.bytes_of(*OBJECTS)
    assert all(project.patched(name) for name in OBJECTS)
    assert compile_units(project, *UNITS) == (2, 0)
    assert project.bytes_of(*OBJECTS) == first


def test_another_policy_gets_its_own_object(project: Project) -> None:
    """A miss where the object must be another one; switched off by the policy at first, and later again."""
    made: dict[str, bytes] = {}
    for policy in (OFF, FORCED, FORCED.replace("2", "4"), DECLINED, FORCED, OFF):
        project.set_policy(policy)
        known = compile_units(project, "plain")
        cached = (project.root / "plain.o").read_bytes()
        if policy in made:
            assert known == (1, 0)
        elif policy in (OFF, DECLINED):  # one object for both: the text is the same
            assert sum(known) == 1
        else:
            assert known == (0, 1)
        assert project.patched("plain.o") == ("fixed_tlp" in policy)
        assert made.setdefault(policy, cached) == cached
    assert made[OFF] == made[DECLINED] != made[FORCED] != made[FORCED.replace("2", "4")]


def test_another_version_of_a_plugin_is_a_miss(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    project.set_policy(OFF)
    seen = []
    for factor in (11, 222):
        install(tmp_path / "site", factor)
        assert compile_units(project, "plain") == (0, 1)
        seen.append(project.bytes_of("plain.o"))
    assert seen[0] != seen[1]
    compile_units(project, "plain", ccache=False)
    assert project.bytes_of("plain.o") == seen[1]


def test_a_new_plugin_is_a_miss_where_ccache_asks_for_our_fingerprint(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    monkeypatch.setenv("CCACHE_COMPILERCHECK", "%compiler% --gpuopt-fingerprint")
    project.set_policy(OFF)
    assert compile_units(project, "plain") == (0, 1)
    assert compile_units(project, "plain") == (1, 0)
    before = project.bytes_of("plain.o")
    install(tmp_path / "site", 11)
    assert compile_units(project, "plain") == (0, 1)
    assert project.bytes_of("plain.o") != before


def test_as_documented(project: Project) -> None:
    tool("ccache")
    project.follow("ccache")
    assert counts(project) == (0, 1)
    assert project.patched("plain.o")


def test_a_changed_header_is_a_miss(project: Project) -> None:
    compile_units(project, "plain")
    header = project.root / "rows.cuh"
    header.write_text(header.read_text().replace("weights[column]", "weights[column] * 2"))
    assert compile_units(project, "plain") == (0, 1)
    assert project.patched("plain.o")
