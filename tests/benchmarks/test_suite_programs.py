"""Programs in pairs on a GPU: here they are shell scripts that say how long their kernels took."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parents[2] / "benchmarks"
TIMES = "\\t0\\t8x1x1\\t32x1x1\\t0\\t0\\t16\\t10\\t{}\\t1\\t1"


@pytest.fixture(scope="module")
def programs() -> ModuleType:
    sys.path.insert(0, str(HERE))
    try:
        import suite_programs  # noqa: PLC0415
    finally:
        sys.path.remove(str(HERE))
    return suite_programs


@pytest.mark.parametrize(
    ("line", "bare"),
    [
        ("Average kernel execution time: 12.5 (us)", "Average kernel execution time: # (us)"),
        ("Average kernel execution time 0.0125", "Average kernel execution time #"),
        ("took 3 seconds, 1.2e+03 GB/s, 40 GFLOPS", "took # seconds, # GB/s, # GFLOPS"),
        ("Bandwidth (GB/s): 812.4", "Bandwidth (GB/s): #"),
        ("Offload time: 7ms", "Offload time: #ms"),
        ("kernel time (n = 3): 0.5 (s)", "kernel time (n = 3): # (s)"),
        ("insufficient for this runtime version, line 7", "insufficient for this runtime version, line 7"),
        ("sum 3.25 after 100 steps", "sum 3.25 after 100 steps"),
        ("12 samples, checksum 0x1f", "12 samples, checksum 0x1f"),
        ("error = 1.5e-3 m", "error = 1.5e-3 m"),
        ("steps 40: 1.5 s", "steps 40: # s"),
    ],
)
def test_times_are_put_aside(programs: ModuleType, line: str, bare: str) -> None:
    assert programs.without_times(line) == bare


def test_lines_that_vary_are_put_aside_and_others_are_not(programs: ModuleType) -> None:
    known = programs.expected(["sum 4", "seed 7", "took 3 ms"])
    assert known.put_aside == {"took # ms"}
    known.again(["sum 4", "seed 8", "took 4 ms"])
    assert known.unsteady == {"seed #"}
    assert known.first_difference(["sum 4", "seed 9", "took 5 ms"]) == ""
    assert known.first_difference(["sum 5", "seed 9", "took 5 ms"]) == "'sum 4' became 'sum 5'"
    assert known.first_difference(["sum 4"]) == "3 lines became 1"


def _program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)


def _kernel(name: str, nanoseconds: str) -> str:
    return f'printf "{name}{TIMES.format(nanoseconds)}\\n" >"$KERNEL_TIMES"\n'


OURS = (
    'case "$GPUOPT_DISPATCH$GPUOPT_LEARN" in\n'
    "arm:1) version=vtb; time=500;;\narm:2) version=catt; time=2000;;\narm:*) version=original; time=1000;;\n"
    "traceoff) version=catt; time=1600;;\n"
    '*) version=vtb; time=800; touch "$GPUOPT_CHOICES/a.choices";;\nesac\n'
    'echo "gpuopt: k<<<(8,1,1),(32,1,1),0>>>: $version n=1,1,1,1 shared=0" >&2\n'
)


def _suite(directory: Path) -> None:
    same = 'echo "sum $1"\n' + _kernel("quiet(int)", "5000")
    _program(directory / "same.nvcc", same)
    _program(directory / "same.gpuopt", same)
    _program(directory / "faster.nvcc", 'echo "sum $1"; echo "took 3 ms"\n' + _kernel("k(float*)", "1000"))
    _program(
        directory / "faster.gpuopt",
        OURS + 'echo "sum $1"; echo "took 2 ms"\n' + _kernel("k__gpuopt_$version(float*)", "$time"),
    )
    _program(directory / "wrong.nvcc", 'echo "sum 1"\n' + _kernel("k(float*)", "1000"))
    _program(directory / "wrong.gpuopt", 'echo "sum 2"\n' + _kernel("k(float*)", "1000"))
    _program(directory / "absent.nvcc", 'echo "no input"; exit 3\n')
    _program(directory / "absent.gpuopt", "exit 3\n")
    (directory / "list.txt").write_text("same 1\nfaster 'two words'  # and a remark\nwrong\n\nabsent\n")


def _run(
    directory: Path, *more: str
) -> tuple[subprocess.CompletedProcess[str], dict[tuple[str, str], dict[str, object]]]:
    library = directory / "library.so"
    library.write_text("")
    results = directory / "results.jsonl"
    command = [sys.executable, str(HERE / "suite_programs.py"), str(directory), "--library", str(library)]
    done = subprocess.run(
        [*command, "--results", str(results), "--gpus", "0,1", *more], capture_output=True, text=True, check=False
    )
    lines = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    return done, {(line["program"], line["run"]): line for line in lines}


def test_pairs_are_run_and_compared(tmp_path: Path) -> None:
    _suite(tmp_path)
    done, runs = _run(tmp_path)
    names = {name for program, name in runs if program == "faster"}
    assert names == {"plain", "plain again", "first", "settled", "models", "arm:1", "arm:2", "arm:3"}
    assert runs["faster", "arm:3"]["taken"] == []  # no further arm was tried
    assert {name for program, name in runs if program == "same"} == {"plain", "plain again", "same build"}
    assert runs["faster", "first"]["kernels"] == {"k": [10, 800, {"vtb": [10, 800]}]}
    assert runs["faster", "arm:2"]["taken"] == ["catt"]
    assert runs["faster", "plain"]["put_aside"] == ["took # ms"]
    assert runs["wrong", "settled"]["differs"] == "'sum 1' became 'sum 2'"
    assert runs["absent", "plain"]["problem"] == "status 3: no input"
    assert done.returncode == 1
    assert "| faster | 1.000 | 0.625 | 1.250 | 1.250 | 2.000 | 3 |" in done.stdout
    assert "programs tried 4, compared 2, with versions 1" in done.stdout
    assert "0.300 faster k: 10 launches, 1.250, 2.000 arm:1" in done.stdout
    assert "other output or status: wrong settled: 'sum 1' became 'sum 2'" in done.stdout
    assert "not compared: absent: status 3: no input" in done.stdout


def test_arms_have_a_limit_and_results_can_be_read_again(tmp_path: Path) -> None:
    _suite(tmp_path)
    (tmp_path / "list.txt").write_text("faster 1\n")
    done, runs = _run(tmp_path, "--arms", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {name for _, name in runs if name.startswith("arm")} == {"arm:1"}
    again = subprocess.run(
        [sys.executable, str(HERE / "suite_programs.py"), "--summary", str(tmp_path / "results.jsonl")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert again.stdout in done.stdout


def test_a_run_that_does_not_end_is_told(tmp_path: Path) -> None:
    _suite(tmp_path)
    _program(tmp_path / "wrong.gpuopt", 'echo "sum 1"\n' + _kernel("k(float*)", "1000") + "exec sleep 60\n")
    (tmp_path / "list.txt").write_text("wrong 1\n")
    done, runs = _run(tmp_path, "--limit", "1")
    assert done.returncode == 1
    assert runs["wrong", "settled"]["problem"] == "did not end in 1 s"
    assert "perhaps waits for ever: wrong settled: did not end in 1 s (nvcc's build: 0." in done.stdout


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    _suite(tmp_path)
    (tmp_path / "wrong.gpuopt").unlink()
    done, runs = _run(tmp_path)
    assert (done.returncode, runs) == (1, {})
    assert done.stderr.strip().endswith("list.txt:3: there is no wrong.gpuopt")
