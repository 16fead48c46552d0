"""How `gpuopt-nvcc` is called and how it ends, beside the real nvcc: names, directories, signals, make's jobserver."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.driver.support import command_line, program, run

pytestmark = pytest.mark.nvcc
KERNEL = "__global__ void k(float *a) { a[threadIdx.x] *= 2; }\nint main() { k<<<1, 32>>>(0); return 0; }\n"
PATCH = {"replace": [("a.cu", "*= 2", "*= 3")]}


def normal(text: bytes) -> bytes:
    return re.sub(rb"tmpxft_[0-9a-f]+_[0-9a-f]+", b"tmpxft", text)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.cu").write_text(KERNEL)
    (tmp_path / "sub").mkdir()
    (tmp_path / "tmp").mkdir()
    return tmp_path


@pytest.mark.parametrize("how", ["absolute", "relative", "PATH", "link", "link named nvcc"])
def test_under_any_name_from_any_directory(how: str, project: Path, real_nvcc: str) -> None:
    """nvcc finds its toolkit by its own name; ours is none of its business."""
    installed = shutil.which("gpuopt-nvcc", path=str(Path(sys.executable).parent))
    if installed is None:
        pytest.skip("gpuopt is not installed in this environment")
    (project / "bin").mkdir()
    (project / "bin" / "gpuopt-nvcc").symlink_to(installed)
    (project / "bin" / "nvcc").symlink_to(installed)
    words = {
        "absolute": installed,
        "relative": os.path.relpath(installed, project / "sub"),
        "PATH": "gpuopt-nvcc",
        "link": "../bin/gpuopt-nvcc",
        "link named nvcc": str(project / "bin" / "nvcc"),
    }
    env = {**os.environ, "GPUOPT_NVCC": real_nvcc, "PATH": f"{project / 'bin'}:{os.environ['PATH']}"}
    argv = ["--dryrun", "-c", "../a.cu", "-o", "a.o"]
    theirs = run([real_nvcc, *argv], project / "sub", env)
    ours = run([words[how], *argv], project / "sub", env)
    assert (ours.returncode, ours.stdout, normal(ours.stderr)) == (0, theirs.stdout, normal(theirs.stderr))


def _slow_compiler(project: Path) -> str:
    """A host compiler that says when it has begun to compile, and then takes its time.

    With SHOWN set it is the compilation that is shown patched files: the one before it, which runs while we analyse, is
    ended by us, and a signal that comes just then ends us as well.
    """
    shown = '[ -z "$SHOWN" ] || [ -n "$LD_PRELOAD" ]'
    pause = f'{shown} && {{ echo $$ > "{project}/begun"; sleep 0.8; }}'
    text = f'case "$*" in *D__CUDACC__*a.cu*) {pause};; esac; exec g++ "$@"'
    return program(project / "slow" / "g++", text)


def _interrupted(
    line: list[str], env: dict[str, str], project: Path, number: int, whom: str
) -> tuple[int, bytes, bytes]:
    """Status and output of a run that gets a signal while the host compiler works."""
    begun = project / "begun"
    begun.unlink(missing_ok=True)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(line, cwd=project, env=env, start_new_session=True, **pipes) as process:
        limit = time.monotonic() + 60
        while not begun.exists() or not begun.read_text():
            assert time.monotonic() < limit
            time.sleep(0.02)
        (os.killpg if whom == "group" else os.kill)(process.pid, number)
        out, err = process.communicate(timeout=100)
    return process.returncode, out, err


def _runs(pid: int) -> bool:
    """Whether a process is at work; one that nobody has waited for yet is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("number", "whom"),
    [(signal.SIGINT, "group"), (signal.SIGTERM, "group"), (signal.SIGHUP, "group"), (signal.SIGINT, "pid")],
    ids=lambda value: getattr(value, "name", value),
)
@pytest.mark.parametrize("how", ["patched", "unpatched"])
def test_a_signal_ends_us_as_it_ends_nvcc(
    number: signal.Signals, whom: str, how: str, project: Path, real_nvcc: str
) -> None:
    """The same status, nothing of ours on standard error, no half-written object, nobody left behind."""
    argv = ["-std=c++14", "-c", "a.cu", "-o", "a.o", "-ccbin", _slow_compiler(project)]
    line, env = command_line(*argv, optimizer={} if how == "unpatched" else PATCH)
    env.update(GPUOPT_NVCC=real_nvcc, TMPDIR=str(project / "tmp"), GPUOPT_OVERLAY="preload")
    ours = _interrupted(line, {**env, "SHOWN": "yes"} if how == "patched" else env, project, number, whom)
    made = (project / "a.o").exists()
    (project / "a.o").unlink(missing_ok=True)
    left = int((project / "begun").read_text())
    theirs = _interrupted([real_nvcc, *argv], env, project, number, whom)
    assert (*ours[:2], made) == (*theirs[:2], (project / "a.o").exists()), (ours, theirs)
    assert b"Traceback" not in ours[2]
    assert b"gpuopt" not in ours[2].replace(os.fsencode(project), b"")
    assert not list(project.glob("*gpuopt*"))
    if whom == "group":
        assert not _runs(left)


def test_makes_jobserver_is_reached(project: Path, real_nvcc: str) -> None:
    """Descriptors of make's pipe come through a patched build as well."""
    line, env = command_line(optimizer={"replace": [("../a.cu", "*= 2", "*= 3")]})
    kept = {name: env[name] for name in ("TEST_OPTIMIZER", "PYTHONPATH")}
    ours = program(project / "ours", f'exec {line[0]} -c "$RUNNER" "$@"')
    options = "-std=c++14 -gencode arch=compute_80,code=sm_80 -arch=sm_90"
    rule = f"a.o: ../a.cu\n\t+$(NVCC) -jobserver -t2 -c ../a.cu -o a.o {options}\n"
    (project / "sub" / "Makefile").write_text(rule)
    outcomes = []
    for nvcc in (real_nvcc, ours):
        (project / "sub" / "a.o").unlink(missing_ok=True)
        extra = {**kept, "RUNNER": line[2], "GPUOPT_NVCC": real_nvcc}
        done = run(["make", "-s", "-j3", f"NVCC={nvcc}"], project / "sub", {**os.environ, **extra})
        outcomes.append((done.returncode, done.stdout, done.stderr, (project / "sub" / "a.o").exists()))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][0] == 0
