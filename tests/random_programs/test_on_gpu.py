"""The script that compares on a GPU, with programs that need none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from . import on_gpu

LINE = "k0 0 error 0 0 U 0000000{} V 00000002 bins 00000003"


def _program(path: Path, value: int, status: int = 0, turn: int = 3) -> None:
    trace = "gpuopt: k0<<<(1,1,1),(32,1,1),0>>>: catt n=2,1,1,1 shared=0"
    byte = f"printf '\\00{value}'; head -c 33023 /dev/zero"
    path.write_text(
        f'#!/bin/sh\n({byte}) > "$1"\necho "turn {turn}"\n'
        f'echo "{LINE.format(value)}"\necho "{trace}" >&2\nexit {status}\n'
    )
    path.chmod(0o755)


def _run(directory: Path, builds: dict[str, tuple[int, int]]) -> tuple[int, list[dict[str, object]]]:
    (directory / "run.py").write_text(Path(on_gpu.__file__).read_text())
    _program(directory / "plain", 1)
    for name, (value, status) in builds.items():
        _program(directory / name, value, status)
    made = [{"program": name, "runs": [{"name": "catt", "environment": {"GPUOPT_DISPATCH": "x"}}]} for name in builds]
    entries = [{"seed": 7, "kernels": 1, "plain": "plain", "builds": made}]
    (directory / "programs.json").write_text(json.dumps(entries))
    output = directory / "results.jsonl"
    done = subprocess.run([sys.executable, str(directory / "run.py"), "--output", str(output)], check=False)
    return done.returncode, [json.loads(line) for line in output.read_text().splitlines()]


def test_the_same_bits_are_no_difference(tmp_path: Path) -> None:
    status, (line,) = _run(tmp_path, {"same": (1, 0)})
    assert status == 0
    assert line["taken"] == [["k0", "catt"]]
    assert line["differs"] == []
    assert "problem" not in line


def test_other_bits_and_failing_programs_are_told(tmp_path: Path) -> None:
    status, lines = _run(tmp_path, {"other": (5, 0), "failing": (1, 3)})
    assert status == 1
    (differs,) = lines[0]["differs"]  # type: ignore[misc]
    assert (differs["kernel"], differs["launch"], differs["first"]) == ("k0", 0, "U[0] 00000001 became 00000005")
    assert str(lines[1]["problem"]).startswith("status 3 after 2 of 2 lines")


def test_what_the_host_says_is_compared_and_belongs_to_the_launch_behind_it(tmp_path: Path) -> None:
    _program(tmp_path / "plain", 1)
    _program(tmp_path / "ours", 1, turn=4)
    made = [{"program": "ours", "runs": [{"name": "catt", "environment": {}}]}]
    (line,) = on_gpu.compare(tmp_path, {"seed": 7, "kernels": 1, "plain": "plain", "builds": made}, tmp_path)
    assert line["launches"] == 1
    (differs,) = line["differs"]  # type: ignore[misc]
    assert (differs["kernel"], differs["nvcc"], differs["ours"]) == ("k0", "turn 3", "turn 4")


def _arms(path: Path) -> None:
    """A program whose launch can run in three ways, and that has other bits in the last."""
    path.write_text(
        "#!/bin/sh\nvalue=1 version=original\n"
        'case "$GPUOPT_DISPATCH$GPUOPT_LEARN" in\n'
        "arm:1*) version=catt;;\narm:2*) version=vtb value=5;;\ntraceon) version=vtb;;\nesac\n"
        '(printf "\\00$value"; head -c 33023 /dev/zero) > "$1"\n'
        "echo 'turn 3'\n"
        f'echo "{LINE.format("$value")}"\n'
        'echo "gpuopt: k0<<<(1,1,1),(32,1,1),0>>>: $version n=1,1,1,1 shared=0" >&2\n'
        'if [ "$version" = vtb ] && [ -n "$GPUOPT_CHOICES" ]; then touch "$GPUOPT_CHOICES/a.choices"; fi\n'
    )
    path.chmod(0o755)


def _with_arms(directory: Path, *more: str) -> tuple[subprocess.CompletedProcess[str], list[dict[str, object]]]:
    (directory / "run.py").write_text(Path(on_gpu.__file__).read_text())
    _program(directory / "plain", 1)
    _arms(directory / "ours")
    entries = [{"seed": 7, "kernels": 1, "plain": "plain", "builds": [{"program": "ours", "runs": [], "arms": 16}]}]
    (directory / "programs.json").write_text(json.dumps(entries))
    output = directory / "results.jsonl"
    command = [sys.executable, str(directory / "run.py"), "--output", str(output), *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done, [json.loads(line) for line in output.read_text().splitlines()]


def test_every_arm_runs_and_a_run_learns(tmp_path: Path) -> None:
    done, lines = _with_arms(tmp_path)
    assert done.returncode == 1
    assert [(line["run"], bool(line["differs"])) for line in lines] == [
        ("arm 1", False),
        ("arm 2", True),
        ("learning", False),  # no launch has an arm 3
    ]
    assert "kernels that differ: 7 k0" in done.stdout
    assert "kernels with a version, summed over runs: arm 2, learning 1" in done.stdout
    again = subprocess.run(
        [sys.executable, on_gpu.__file__, "--figures", str(tmp_path / "results.jsonl")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 1
    assert again.stdout in done.stdout


def test_an_arm_without_time_is_told(tmp_path: Path) -> None:
    _, lines = _with_arms(tmp_path)
    assert len(lines) == 3
    (entry,) = json.loads((tmp_path / "programs.json").read_text())
    (line,) = on_gpu.compare(tmp_path, entry, tmp_path, end=0.0)
    assert (line["run"], line["problem"]) == ("arm 1", "no time was left for it")


def test_results_of_nothing_are_no_success(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    done = subprocess.run(
        [sys.executable, on_gpu.__file__, "--figures", str(tmp_path / "empty.jsonl")], capture_output=True, check=False
    )
    assert done.returncode == 1


SCRIPT = Path(__file__).parents[2] / "benchmarks" / "random_programs_on_gpu.sh"
COMPILER = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
[ -n "$BROKEN" ] && [ "${2%-candidates}" != "$2" ] && rm -rf "$(dirname "$2")" && exit 1
cat >"$2" <<'END'
#!/bin/sh
head -c 33024 /dev/zero >"$1"
echo "k0 0 error 0 0 U 00000001 V 00000002 bins 00000003"
case "$GPUOPT_DISPATCH" in
arm:1|only:catt) echo "gpuopt: k0<<<(1,1,1),(32,1,1),0>>>: catt n=1,1,1,1 shared=0" >&2;;
esac
END
chmod +x "$2"
"""


def _script(directory: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    (directory / "bin").mkdir(exist_ok=True)
    (directory / "bin" / "python3").unlink(missing_ok=True)
    (directory / "bin" / "python3").symlink_to(sys.executable)
    return subprocess.run(
        ["bash", str(SCRIPT), *words],
        cwd=SCRIPT.parents[1],
        env={**os.environ, "PATH": f"{directory / 'bin'}:/usr/bin:/bin", **more},
        capture_output=True,
        text=True,
        check=False,
    )


def _compilers(directory: Path) -> None:
    (directory / "bin").mkdir()
    for name in ("nvcc", "gpuopt-nvcc"):
        path = directory / "bin" / name
        path.write_text(COMPILER)
        path.chmod(0o755)


def test_the_script_builds_and_runs_everything(tmp_path: Path) -> None:
    _compilers(tmp_path)
    done = _script(tmp_path, str(tmp_path / "out"), "2", "100", "3", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "kernels 4 in 2 programs" in done.stdout
    assert "kernels that differ: none" in done.stdout
    lines = [json.loads(line) for line in (tmp_path / "out" / "run.jsonl").read_text().splitlines()]
    assert {line["seed"] for line in lines} == {30000, 40000}
    arms = {(line["program"].split("-")[1], line["run"]) for line in lines if line["run"].startswith("arm")}
    assert arms == {("0", "arm 1"), ("candidates", "arm 1")}


def test_the_script_tells_what_was_not_built(tmp_path: Path) -> None:
    _compilers(tmp_path)
    done = _script(tmp_path, str(tmp_path / "out"), "1", "100", "3", "2", BROKEN="1")
    assert done.returncode == 1
    assert "30000: not built after" in (tmp_path / "out" / "runs.txt").read_text()


def test_the_script_tells_what_had_no_time(tmp_path: Path) -> None:
    _compilers(tmp_path)
    done = _script(tmp_path, str(tmp_path / "out"), "1", "1")
    assert done.returncode == 1
    assert "10000: no time was left for it" in (tmp_path / "out" / "runs.txt").read_text()


def test_the_script_says_how_it_is_called_and_what_is_missing(tmp_path: Path) -> None:
    for words in ((), ("out", "many")):
        done = _script(tmp_path, *words)
        assert done.returncode == 2
        assert "OUTPUT [PROGRAMS] [SECONDS] [FIRST SEED] [KERNELS]" in done.stderr
    (tmp_path / "bin" / "nvcc").write_text(COMPILER)
    (tmp_path / "bin" / "nvcc").chmod(0o755)
    done = _script(tmp_path, str(tmp_path / "out"))
    assert (done.returncode, done.stderr) == (2, "gpuopt-nvcc is not in PATH\n")
