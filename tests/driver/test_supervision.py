"""What a caller sees of a run: status, output and signals, with small programs in nvcc's place."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.driver.support import command_line, gpuopt_nvcc, program

KERNEL = "__global__ void k(float *a) { a[threadIdx.x] *= 2; }\n"
PATCH = {"replace": [("a.cu", "*= 2", "*= 3")]}


@pytest.fixture
def project(tmp_path: Path, host_compiler: str) -> Path:
    (tmp_path / "a.cu").write_text(KERNEL)
    return tmp_path


# How nvcc answers when it is asked about itself.
ABOUT = """
case "$*" in
  --version) echo "Cuda compilation tools, release 13.0, V13.0.88"; exit 0;;
  "--dryrun -c x.cu") exit 0;;
  *"-E probe.cu") exec g++ -E -x c++ probe.cu;;
esac
"""


def nvcc_of(project: Path, text: str) -> dict[str, str]:
    return {"GPUOPT_NVCC": program(project / "toolkit" / "bin" / "nvcc", ABOUT + text)}


def test_a_patched_build_shows_what_nvcc_shows(project: Path) -> None:
    fake = nvcc_of(project, 'echo out; echo err >&2; printf "%s|" "$@"; g++ -E -P -x c++ a.cu; exit 0')
    done = gpuopt_nvcc("-c", "a.cu", "-DX=a b", "--gpuopt-gpu=h200", cwd=project, optimizer=PATCH, env=fake)
    assert (done.returncode, done.stderr) == (0, b"err\n")
    assert done.stdout == b"out\n-c|a.cu|-DX=a b|__global__ void k(float *a) { a[threadIdx.x] *= 3; }\n"


def test_an_unpatched_build_is_nvcc_itself(project: Path) -> None:
    fake = nvcc_of(project, "echo $$ ${GPUOPT_VFS_MAP-none}; exit 7")
    line, env = command_line("-c", "a.cu", optimizer={})
    with subprocess.Popen(line, cwd=project, env={**env, **fake}, stdout=subprocess.PIPE) as process:
        out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (7, f"{process.pid} none\n".encode())


@pytest.mark.parametrize("status", [0, 5])
def test_a_patched_build_that_fails_is_replaced_by_the_original_one(project: Path, status: int) -> None:
    """With a warning if that one succeeds; the user's own errors are shown by nvcc alone."""
    text = (
        'if [ -n "$GPUOPT_VFS_MAP" ]; then echo ours; echo ours >&2; exit 2; fi\n'
        f"echo theirs; echo e >&2; exit {status}"
    )
    report = project / "r.json"
    argv = ("-c", "a.cu", f"--gpuopt-report={report}")
    done = gpuopt_nvcc(*argv, cwd=project, optimizer=PATCH, env=nvcc_of(project, text))
    assert (done.returncode, done.stdout) == (status, b"theirs\n")
    warning = b"gpuopt: warning: the patched source does not compile; it was compiled as it was (changed by test)\n"
    assert done.stderr == (b"" if status else warning) + b"e\n"
    (unit,) = json.loads(report.read_bytes())["units"]
    assert [decision["decision"] for decision in unit["decisions"]] == ["declined"]
    assert "does not compile" in unit["problems"][0]["message"]


BOTH = {"by": [("first", "a.cu", "*= 2", "*= 3"), ("second", "a.cu", "threadIdx", "blockIdx")]}
# Notes what it compiles; the object is what was compiled.
NOTES = """
g++ -E -P -x c++ a.cu > a.o; cat a.o >> log
if grep -q "%s" a.o; then echo ours >&2; exit 2; fi
echo theirs
"""


@pytest.mark.parametrize(
    ("broken", "guilty", "kept"),
    [
        (r"\*= 3", "first", "k(float *a) { a[blockIdx.x] *= 2; }"),
        ("blockIdx", "second", "k(float *a) { a[threadIdx.x] *= 3; }"),
    ],
)
def test_the_plugin_whose_changes_do_not_compile_is_left_out_alone(
    project: Path, broken: str, guilty: str, kept: str
) -> None:
    report = project / "r.json"
    argv = ("-c", "a.cu", f"--gpuopt-report={report}")
    done = gpuopt_nvcc(*argv, cwd=project, optimizer=BOTH, env=nvcc_of(project, NOTES % broken))
    assert (done.returncode, done.stdout) == (0, b"theirs\n")
    assert (
        done.stderr == f"gpuopt: a.cu: warning: plugin {guilty}: its changes do not compile; it is left out\n".encode()
    )
    assert kept in (project / "a.o").read_text()
    (unit,) = json.loads(report.read_bytes())["units"]
    assert {one["plugin"]: (one["decision"], one["code"]) for one in unit["decisions"]} == {
        ({"first", "second"} - {guilty}).pop(): ("applied", "TEST001"),
        guilty: ("declined", "GPUOPT007"),
    }
    assert [problem["plugin"] for problem in unit["problems"]] == [guilty]


def test_where_no_plugin_alone_is_to_blame_all_are_named_and_the_original_is_built(project: Path) -> None:
    env = nvcc_of(project, NOTES % r"\*= 3\|blockIdx")
    done = gpuopt_nvcc("-c", "a.cu", cwd=project, optimizer=BOTH, env=env)
    assert (done.returncode, done.stdout) == (0, b"theirs\n")
    text = "the patched source does not compile; it was compiled as it was (changed by first, second)"
    assert done.stderr == f"gpuopt: warning: {text}\n".encode()
    assert "a[threadIdx.x] *= 2" in (project / "a.o").read_text()


def test_output_keeps_its_order_where_both_streams_are_one(project: Path) -> None:
    fake = nvcc_of(project, "echo 1; echo 2 >&2; echo 3; echo 4 >&2")
    line, env = command_line("-c", "a.cu", optimizer=PATCH)
    done = subprocess.run(
        line, cwd=project, env={**env, **fake}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True
    )
    assert done.stdout == b"1\n2\n3\n4\n"


def test_binary_output_passes_unchanged(project: Path) -> None:
    fake = nvcc_of(project, r"printf 'a\000\377\r\n'; head -c 300000 /dev/zero")
    done = gpuopt_nvcc("-E", "a.cu", cwd=project, optimizer=PATCH, env=fake)
    assert done.stdout == b"a\0\xff\r\n" + b"\0" * 300000


def test_the_optimizers_prints_do_not_reach_standard_output(project: Path) -> None:
    done = gpuopt_nvcc(
        "-c", "a.cu", cwd=project, optimizer={**PATCH, "print": "chatter"}, env=nvcc_of(project, "exit 0")
    )
    assert done.stdout == b""
    assert b"chatter" in done.stderr


def test_an_optimizer_that_crashes_costs_one_warning(project: Path) -> None:
    fake = nvcc_of(project, "echo built ${GPUOPT_VFS_MAP-plain}; exit 0")
    done = gpuopt_nvcc("-c", "a.cu", cwd=project, optimizer={"raise": "boom\nboom"}, env=fake)
    assert (done.returncode, done.stdout) == (0, b"built plain\n")
    assert done.stderr.splitlines() == [
        b"gpuopt: warning: analysis: RuntimeError: boom boom; compiled without patches (GPUOPT_DEBUG=1 shows where)"
    ]
    loud = gpuopt_nvcc("-c", "a.cu", cwd=project, optimizer={"raise": "boom"}, env={**fake, "GPUOPT_DEBUG": "1"})
    assert b"Traceback" in loud.stderr


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        ({"kill": "SEGV"}, b"crashed (SIGSEGV)"),
        ({"kill": "exit"}, b"exit status 5"),
    ],
)
def test_an_optimizer_that_dies_or_hangs_costs_one_warning(project: Path, plan: dict, reason: bytes) -> None:
    (project / "toolchain.toml").write_text("[driver]\nplugin_seconds = 0.5\n")
    fake = nvcc_of(project, "echo built ${GPUOPT_VFS_MAP-plain}")
    done = gpuopt_nvcc("-c", "a.cu", "--gpuopt-report=r.json", cwd=project, optimizer=plan, env=fake)
    assert (done.returncode, done.stdout) == (0, b"built plain\n")
    assert done.stderr.count(b"\n") == 1
    assert reason in done.stderr
    assert reason.decode() in (project / "r.json").read_text()


GROWING = {**PATCH, "grow": 260_000_000}


def decisions(report: Path) -> list[dict]:
    (unit,) = json.loads(report.read_text())["units"]
    assert unit["problems"] == []
    return unit["decisions"]


def test_the_policy_says_how_much_memory_an_analysis_may_take(project: Path) -> None:
    fake = nvcc_of(project, "echo built ${GPUOPT_VFS_MAP-plain}")
    (project / "toolchain.toml").write_text("[driver]\nmemory_mb = 150\n")
    done = gpuopt_nvcc("-c", "a.cu", "--gpuopt-report=r.json", cwd=project, optimizer=GROWING, env=fake)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"built plain\n", b"")
    (said,) = decisions(project / "r.json")
    assert (said["code"], said["kernel"], said["line"]) == ("GPUOPT014", "k", 1)
    assert "needs more than 150 MB of memory (memory_mb in [driver] of toolchain.toml allows more)" in said["message"]
    (project / "toolchain.toml").write_text("[driver]\nmemory_mb = 600\n")
    done = gpuopt_nvcc("-c", "a.cu", cwd=project, optimizer=GROWING, env=fake)
    assert done.stdout != b"built plain\n"
    assert done.stderr == b""


HUNGRY = "python3 -S -c 'import time; x = b\"x\" * {}; time.sleep({})'; echo built ${{GPUOPT_VFS_MAP-plain}}"


@pytest.mark.parametrize("argv", [["-c", "a.cu", "-o", "a.o"], ["-c", "a.cu"]], ids=["beside nvcc", "before nvcc"])
def test_an_analysis_may_take_what_nvcc_takes(project: Path, argv: list[str]) -> None:
    """Whichever is faster: here nvcc takes its memory later than the analysis, and for a moment only."""
    slow = "sleep 1.5; " + HUNGRY.format(330_000_000, 0.1) + '; if [ "$3" = -o ]; then : > "$4"; fi'
    done = gpuopt_nvcc(*argv, cwd=project, optimizer=GROWING, env=nvcc_of(project, slow))
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"built plain" not in done.stdout
    fast = HUNGRY.format(1000, 0) + '; if [ "$3" = -o ]; then : > "$4"; fi'
    arguments = [*argv, "--gpuopt-report=r.json"]
    done = gpuopt_nvcc(*arguments, cwd=project, optimizer=GROWING, env=nvcc_of(project, fast))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"built plain\n", b"")
    (said,) = decisions(project / "r.json")
    assert "needs more than 230 MB of memory" in said["message"]
    done = gpuopt_nvcc(*argv, cwd=project, optimizer=GROWING, env=nvcc_of(project, fast))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"built plain\n", b"")


def test_an_analysis_that_takes_too_long_is_told_in_the_report(project: Path) -> None:
    (project / "toolchain.toml").write_text("[driver]\nplugin_seconds = 0.5\n")
    (project / "a.cu").write_text(
        f"// __global__ void no()\n{KERNEL}__global__ void __launch_bounds__(64)\nb() {{ }}\n"
    )
    fake = nvcc_of(project, "echo built ${GPUOPT_VFS_MAP-plain}")
    done = gpuopt_nvcc("-c", "a.cu", "--gpuopt-report=r.json", cwd=project, optimizer={"hang": 60}, env=fake)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"built plain\n", b"")
    said = decisions(project / "r.json")
    assert [(item["kernel"], item["line"]) for item in said] == [("k", 2), ("b", 4)]
    assert all(item["message"] == "not analysed: the analysis ran longer than 1.5 s" for item in said)


def test_run_builds_before_it_runs(project: Path) -> None:
    """A program's own exit status is not taken for a failed build, and the program runs once."""
    log = project / "log"
    text = f'echo "$@" >> {log}; case " $* " in *" -run "*) echo running; exit 42;; esac'
    done = gpuopt_nvcc("-run", "-run-args", "x", "a.cu", cwd=project, optimizer=PATCH, env=nvcc_of(project, text))
    assert (done.returncode, done.stdout, done.stderr) == (42, b"running\n", b"")
    rehearsal, real = log.read_text().splitlines()
    assert rehearsal.startswith("a.cu -o ")
    assert real == "-run -run-args x a.cu"


def test_dryrun_tells_what_the_steps_need(project: Path) -> None:
    done = gpuopt_nvcc(
        "--dryrun", "-c", "a.cu", cwd=project, optimizer=PATCH, env=nvcc_of(project, "echo '#$ gcc' >&2")
    )
    first, second, third = done.stderr.decode().splitlines()
    assert first.startswith("#$ LD_PRELOAD=/")
    assert second.startswith("#$ GPUOPT_VFS_MAP=/")
    assert third == "#$ gcc"
    env = dict(line.removeprefix("#$ ").split("=", 1) for line in (first, second))
    steps = subprocess.run(
        ["g++", "-E", "-P", "-x", "c++", "a.cu"],
        cwd=project,
        env={**os.environ, **env},
        capture_output=True,
        check=True,
    )
    assert b"*= 3" in steps.stdout


def _started(project: Path, ready: Path, env: dict[str, str]) -> subprocess.Popen[bytes]:
    line, surroundings = command_line("-c", "a.cu", optimizer=PATCH)
    process = subprocess.Popen(
        line,
        cwd=project,
        env={**surroundings, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not ready.exists():
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.02)
    return process


def _gone(pid: int) -> bool:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_group_ends_everything_once(project: Path, number: signal.Signals) -> None:
    ready, runs = project / "ready", project / "runs"
    text = f"echo $$ >> {runs}; trap 'echo stopped >&2; exit 2' INT TERM HUP; echo > {ready}; sleep 30 & wait $!"
    process = _started(project, ready, nvcc_of(project, text))
    os.killpg(process.pid, number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 2
    assert err.endswith(b"stopped\n")
    pids = runs.read_text().split()
    assert len(pids) == 1  # no second attempt
    assert _gone(int(pids[0]))


def test_a_signal_that_kills_nvcc_is_our_end_too(project: Path) -> None:
    ready, runs = project / "ready", project / "runs"
    process = _started(project, ready, nvcc_of(project, f"echo $$ >> {runs}; echo > {ready}; exec sleep 30"))
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(30) == -signal.SIGTERM
    assert _gone(int(runs.read_text()))


def test_ctrl_c_to_us_alone_is_ignored_while_nvcc_works(project: Path) -> None:
    ready = project / "ready"
    process = _started(project, ready, nvcc_of(project, f"echo > {ready}; sleep 1; echo done"))
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, b"done\n", b"")


def test_a_reader_that_goes_away_ends_us_quietly(project: Path) -> None:
    fake = nvcc_of(project, "head -c 1000000 /dev/zero")
    line, env = command_line("-E", "a.cu", optimizer=PATCH)
    with subprocess.Popen(
        line, cwd=project, env={**env, **fake}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(60) == -signal.SIGPIPE
        assert process.stderr is not None
        assert process.stderr.read() == b""


@pytest.mark.parametrize("trouble", [{"raise": "broken"}, {"kill": "SEGV"}])
def test_where_nvcc_refuses_the_source_nothing_of_ours_is_said(project: Path, trouble: dict[str, object]) -> None:
    fake = nvcc_of(project, "echo 'a.cu(1): error: no' >&2; exit 2")
    done = gpuopt_nvcc("-c", "a.cu", cwd=project, optimizer=trouble, env=fake)
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", b"a.cu(1): error: no\n")


def test_the_analysis_ends_when_nvcc_has_refused_the_source(project: Path) -> None:
    fake = nvcc_of(project, "echo 'a.cu(1): error: no' >&2; exit 2")
    started = time.monotonic()
    done = gpuopt_nvcc("-c", "a.cu", "-o", "a.o", cwd=project, optimizer={"hang": 30}, env=fake)
    assert (done.returncode, done.stderr) == (2, b"a.cu(1): error: no\n")
    assert time.monotonic() - started < 20
