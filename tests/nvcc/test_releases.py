"""Which nvcc the tests take: one of this machine, one of installed wheels, or one that pip gets."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from gpuopt_driver.nvcc.find import RealNvcc
from tests import releases


def _nvcc(place: Path, release: str) -> str:
    """A program that answers as an nvcc of a release."""
    place.mkdir(parents=True)
    program = place / "nvcc"
    program.write_text(f'#!/bin/sh\necho "Cuda compilation tools, release {release}, V{release}.88"\n')
    program.chmod(0o755)
    return str(program)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A machine with nvcc 13.0 in PATH and wheels of 13.5; what pip would get is of the release that was asked for."""
    wheels = _nvcc(tmp_path / "site/nvidia/cu13/bin", "13.5")
    monkeypatch.setattr(releases, "wheel_directories", lambda: [str(tmp_path / "site/nvidia/cu13")])

    def assembled(package: str, _env: object) -> str:
        path = Path(package, "bin/nvcc")
        return str(path) if path.is_file() else ""

    def pip(words: list[str], **_options: object) -> subprocess.CompletedProcess[str]:
        if words[0] != sys.executable:
            return run(words, **_options)  # type: ignore[call-overload, no-any-return]
        place, wanted = Path(words[-2]), words[-1]
        release = wanted.partition("==")[2].removesuffix(".*")
        if release == "13.99":
            return subprocess.CompletedProcess(words, 1)
        _nvcc(place / "nvidia/cu13/bin", release)
        return subprocess.CompletedProcess(words, 0)

    def find_nvcc(env: Mapping[str, str]) -> RealNvcc | None:
        """In PATH alone: not what the machine of the tests has elsewhere."""
        found = shutil.which("nvcc", path=env["PATH"])
        return RealNvcc(found, "PATH") if found else None

    run = subprocess.run
    monkeypatch.setattr(releases, "find_nvcc", find_nvcc)
    monkeypatch.setattr(releases, "assembled", assembled)
    monkeypatch.setattr(releases.subprocess, "run", pip)
    path = Path(_nvcc(tmp_path / "bin", "13.0")).parent
    return {"PATH": str(path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "GPUOPT_NVCC": wheels}


def test_a_release_is_found_on_the_machine_in_wheels_or_by_pip(machine: dict[str, str], tmp_path: Path) -> None:
    assert releases.nvcc_of("13.0", machine) == str(tmp_path / "bin/nvcc")
    assert releases.nvcc_of("newest", machine) == str(tmp_path / "site/nvidia/cu13/bin/nvcc")
    assert releases.nvcc_of("13.5", machine) == releases.nvcc_of("newest", machine)
    got = releases.nvcc_of("13.3", machine)
    assert got == str(tmp_path / "cache/gpuopt-tests/nvcc-13.3/nvidia/cu13/bin/nvcc")
    assert releases.release_of(got) == "13.3"
    (tmp_path / "bin/nvcc").unlink()
    assert releases.release_of(releases.nvcc_of("13.0", machine)) == "13.0"


@pytest.mark.parametrize(
    ("release", "said"), [("13.99", "13.99: not on this machine, and pip cannot get"), ("x", "x: not a release of")]
)
def test_what_there_is_not_is_said(release: str, said: str, machine: dict[str, str]) -> None:
    with pytest.raises(SystemExit, match=said):
        releases.nvcc_of(release, machine)


def test_the_oldest_and_the_newest_take_turns() -> None:
    assert [releases.in_turn(number) for number in range(4)] == ["13.0", "newest", "13.0", "newest"]
    ci = (Path(__file__).parents[2] / ".ci/run").read_text("utf-8")
    assert 'tests.releases --turn "$turn"' in ci
    assert ci.index("export GPUOPT_NVCC") < ci.index("\npytest -n ")
