"""`gpuopt bench`, the front door to benchmarks/."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import gpuopt_driver
from gpuopt_driver.cli import main
from gpuopt_driver.commands import bench


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A working directory with one benchmark, and a gpuopt that is not installed from a checkout."""
    directory = tmp_path / "benchmarks"
    directory.mkdir()
    (directory / "RESULTS.md").touch()
    (directory / "shared.py").write_text("STATUS = 7\n")
    text = '"""Says what it was given.\n\nMore."""\nimport sys\nimport shared\n'
    text += (
        'if __name__ == "__main__":\n    open("said", "w").write(" ".join(sys.argv[1:]))\n    sys.exit(shared.STATUS)\n'
    )
    (directory / "echo.py").write_text(text)
    monkeypatch.setattr(gpuopt_driver, "__file__", str(tmp_path / "site-packages/gpuopt_driver/__init__.py"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_lists_what_can_be_run(repository, capsys):
    assert main(["bench", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["benchmarks"] == {"echo": "Says what it was given."}


def test_runs_one_with_its_arguments_and_status(repository):
    assert main(["bench", "echo", "--", "--rows", "a b"]) == 7
    assert (repository / "said").read_text() == "--rows a b"


def test_unknown_names_and_places_are_one_line(repository, capsys, monkeypatch):
    assert main(["bench", "ecco"]) == 2
    assert "no benchmark 'ecco'; did you mean 'echo'" in capsys.readouterr().err
    monkeypatch.chdir("/")
    assert main(["bench"]) == 2
    assert "the benchmarks are in gpuopt's repository" in capsys.readouterr().err


def test_the_repositorys_own_say_what_they_measure():
    found = bench.benchmarks(Path(__file__).parents[2] / "benchmarks")
    assert {"table3", "model_accuracy", "ground_truth"} <= set(found)
    assert all(found.values())
