"""The script that compiles files of projects, with shell scripts for compilers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def table() -> ModuleType:
    sys.path.insert(0, str(HERE))
    try:
        import project_table as module  # noqa: PLC0415
    finally:
        sys.path.remove(str(HERE))
    return module


def _program(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)
    return str(path)


def _list(path: Path, **keys: object) -> Path:
    lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    path.write_text("[[project]]\n" + "\n".join(lines) + "\n")
    return path


def test_a_list_names_projects(table: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "some" / "src").mkdir(parents=True)
    (tmp_path / "some" / "src" / "a.cu").write_text("")
    path = _list(tmp_path / "l.toml", name="n", root="some", files=["src/a.cu"], args=["-I$ROOT/inc"])
    (project,) = table.read_list(path)
    assert (project.name, project.root, list(project.files)) == ("n", tmp_path / "some", [Path("src/a.cu")])
    assert project.arguments == [f"-I{tmp_path}/some/inc"]


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        ({"name": "n", "root": "."}, ""),
        ({"root": "."}, "`name` and `root` have to be strings"),
        ({"name": "n", "root": ".", "file": ["a.cu"]}, "unknown key 'file'; known: args, files, name, root"),
        ({"name": "n", "root": ".", "files": "a.cu"}, "`files` has to be a list of strings"),
        ({"name": "n", "root": ".", "args": [1]}, "`args` has to be a list of strings"),
        ({"name": "n", "root": ".", "files": ["gone.cu"]}, "gone.cu is not there"),
        ({"name": "n", "root": "gone"}, "gone is not there"),
    ],
)
def test_what_a_list_lacks_is_said_in_one_line(
    table: ModuleType, tmp_path: Path, keys: dict[str, object], what: str
) -> None:
    path = _list(tmp_path / "l.toml", **keys)
    if not what:
        assert len(table.read_list(path)) == 1
        return
    with pytest.raises(table.BadListError) as caught:
        table.read_list(path)
    assert what in str(caught.value)
    assert f"{path}: project 1" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "project = 1\n", "[[project]\n", "[project]\nname = 'n'\n"])
def test_what_is_no_list(table: ModuleType, tmp_path: Path, text: str) -> None:
    (tmp_path / "l.toml").write_text(text)
    with pytest.raises(table.BadListError):
        table.read_list(tmp_path / "l.toml")


def test_rows_count_what_reports_say(table: ModuleType) -> None:
    kernel = {"file": "a.cu", "line": 1, "kernel": "k"}
    findings = [
        {"code": "CATT004", "decision": "applied", "kernel": "k", "message": ""},
        {"code": "GPUOPT014", "decision": "declined", "kernel": "l", "message": "too much memory"},
    ]
    told = table.counts_of([{"kernels": [kernel, kernel, {**kernel, "line": 2}], "decisions": findings}])
    assert told == {
        "kernels": 2,
        "with_versions": 1,
        "codes": {"CATT004": 1, "GPUOPT014": 1},
        "note": "too much memory",
    }

    def cost(project: str, plain: float, cold: float, status: int = 0, versions: int = 0) -> object:
        words = (project, Path("a.cu"), status, True, cold != 4, plain, cold, plain, 200.0, 100.0)
        return table.FileCost(*words, kernels=3, with_versions=versions)

    costs = [cost("p", 1, 4, versions=2), cost("p", 1, 1), cost("q", 2, 3), cost("q", 9, 9, status=2)]
    lines = table.table_lines(costs)
    assert lines[2] == "| p | 2 | 2 | 1 | 6 | 2 | 2.0 | 2.00 (4.00) | 1.00 | 0.50 |"
    assert lines[3] == "| q | 1 | 1 | 1 | 3 | 0 | 2.0 | 1.50 (1.50) | 1.00 | 0.50 |"
    assert lines[4].startswith("| all | 3 | 3 | 2 | 9 | 2 | 4.0 | 1.82 (4.00) |")
    assert table.together(costs) == (
        "all (3): nvcc 4.0 s, cold 2.00 times, warm 1.00 times that; "
        "with versions (1): nvcc 1.0 s, cold 4.00 times, warm 1.00 times that; "
        "without (2): nvcc 3.0 s, cold 1.33 times, warm 1.00 times that"
    )
    assert table.together([]) == ""


def test_files_of_several_projects_are_compared(tmp_path: Path) -> None:
    """A compiler of ours that says more for one file and fails for another, and a file that nvcc does not take."""
    (tmp_path / "p").mkdir()
    for name in ("same.cu", "more.cu", "fails.cu", "bad.cu"):
        (tmp_path / "p" / name).write_text(f"// {name}\n")
    nvcc = _program(
        tmp_path / "nvcc",
        'case "$*" in *--version*) echo "release 1.0, V1.0.1";; *bad.cu*) exit 2;; esac\n',
    )
    ours = _program(
        tmp_path / "ours",
        'case "$*" in *--gpuopt-report=*) r=${1#--gpuopt-report=}; echo \'{"units": []}\' > "$r";;\n'
        "*more.cu*) echo more >&2;; *fails.cu*) exit 1;; *bad.cu*) exit 2;; esac\n",
    )
    listed = _list(tmp_path / "l.toml", name="n", root="p", files=["same.cu", "more.cu", "fails.cu", "bad.cu"], args=[])
    argv = [sys.executable, str(HERE / "project_cost.py"), "--list", str(listed), "--report", str(tmp_path / "r")]
    done = subprocess.run(
        [*argv, "--nvcc", nvcc, "--gpuopt-nvcc", ours], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    rows = {line.split(" | ")[0][2:]: line for line in done.stdout.splitlines() if line.startswith("| ")}
    equal = {name: rows[name].split(" | ")[1:3] for name in ("same.cu", "more.cu", "fails.cu", "bad.cu")}
    assert equal == {
        "same.cu": ["yes", "yes"],
        "more.cu": ["yes", "NO"],
        "fails.cu": ["NO", "yes"],
        "bad.cu": ["yes", "yes"],
    }
    assert "fails (2)" in rows["bad.cu"]
    assert rows["n"].startswith("| n | 3 | 2 | 2 | 0 | 0 |")
    assert (tmp_path / "r" / "n_more.cu.cold.txt").read_text() == "more\n"
    wrong = subprocess.run([*argv, "p"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert wrong.returncode == 2
    assert wrong.stderr.splitlines()[-1].endswith("error: a directory or --list, one of them")
