"""Conformance: programs that check themselves, built in several ways."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from tests.emulator.support import PROGRAMS, compile_with, run

_GPUS = {"clusters": "h200"}
_AS_USERS_DO = ("execution", "lockstep")  # and with options; the others are built soon
_LETTERS = tuple(f"-D{letter}=7" for letter in "ABCDEFGHIJKLMNOPQRSUVWXYZ")  # sizes, as benchmarks give them

pytestmark = pytest.mark.usefixtures("host_compiler")


@pytest.mark.parametrize(
    ("program", "options", "env"),
    [
        ("execution", (), {}),
        ("execution", ("-G",), {}),
        ("execution", (), {"GPUOPT_EMU_PORTABLE": "1"}),
        ("language", ("-extended-lambda", "-std=c++14", "-O3"), {}),
        ("api", (), {}),
        ("libraries", _LETTERS, {}),
        ("lockstep", (), {}),
        ("cub", (), {}),
        ("rounding", ("-extended-lambda",), {}),
        ("waits", (), {}),
        ("waits_in_turn", (), {}),
        ("waits_graphs", (), {}),
        ("device_pass", (), {}),
        ("clusters", (), {}),
        ("matrices", (), {}),
        ("references", (), {}),
        ("builtins", (), {}),
        ("forms", (), {}),
    ],
    ids=lambda value: " ".join(value[:3]) if isinstance(value, tuple) else str(value) if value else "",
)
def test_program(program: str, options: tuple[str, ...], env: dict[str, str], tmp_path: Path) -> None:
    binary = tmp_path / "program"
    argv, gpu = (PROGRAMS / f"{program}.cu", *options, "-o", binary), _GPUS.get(program, "titan-v")
    soon = not options and program not in _AS_USERS_DO
    assert compile_with(*argv, cwd=tmp_path, env=env, gpu=gpu, soon=soon) == 0
    for threads in ("1", "3"):
        done = run(binary, GPUOPT_EMU_THREADS=threads)
        assert done.stdout.splitlines()[-1:] == ["ok"], done.stdout + done.stderr
        assert done.returncode == 0


@pytest.mark.skipif(platform.machine() != "x86_64", reason="goes instruction by instruction as x86-64 does")
def test_barriers_of_clusters_with_signals_and_without_sleep(tmp_path: Path) -> None:
    """Signals made a cluster's barrier open for too few blocks; blocks that had met slept until asked again."""
    assert compile_with(PROGRAMS / "cluster_signals.cu", "-o", "program", cwd=tmp_path, gpu="h200") == 0
    for argument in (), ("many",):
        for threads in ("1", "3"):
            done = run(tmp_path / "program", *argument, GPUOPT_EMU_THREADS=threads)
            assert (done.returncode, done.stdout) == (0, "ok\n"), done.stdout + done.stderr


def test_clusters_are_refused_where_the_gpu_has_none(tmp_path: Path) -> None:
    (tmp_path / "pair.cu").write_text(
        "__global__ void __cluster_dims__(2) pair() {}\n"
        "int main() { pair<<<2, 1>>>(); return cudaGetLastError() == cudaErrorNotSupported; }\n"
    )
    assert compile_with("pair.cu", "-o", "pair", cwd=tmp_path, gpu="titan-v") == 0
    done = run(tmp_path / "pair")
    assert done.returncode == 1
    assert "pair(): clusters of blocks need a GPU that has them" in done.stderr
    assert run(tmp_path / "pair", GPUOPT_EMU_GPU="h200").returncode == 0


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
    binary = tmp_path_factory.mktemp("failures") / "program"
    assert compile_with(PROGRAMS / "failures.cu", "-o", binary, cwd=binary.parent) == 0
    return binary


@pytest.mark.parametrize(
    ("case", "status", "message"),
    [
        (0, 719, "deadlock: of 64 threads that have not exited, 57 wait at barrier 0, 7 wait at barrier 1"),
        (1, 719, "16 wait at barrier 0, lanes 0000ffff of warp 0 wait for lanes ffff0000"),
        (2, 719, "thread (4,0,0): warp operation with mask 0000000f called by lane 4, which is not in it"),
        (3, 710, "void asserts(int): block: [0,0,0], thread: [61,0,0] Assertion `n > (int)threadIdx.x + 100` failed"),
        (4, 719, "block (0,0,0), thread (3,0,0): trap"),
        (5, 700, "block (2,0,0), thread (5,0,0): invalid access to address (nil)"),
        (6, 700, "stack overflow: more than 262144 bytes (GPUOPT_EMU_STACK_KB)"),
    ],
    ids=["deadlock", "lanes", "mask", "assert", "trap", "null", "stack"],
)
def test_what_goes_wrong_is_said_and_stays_until_reset(failing: Path, case: int, status: int, message: str) -> None:
    done = run(failing, case, GPUOPT_EMU_THREADS="1")
    assert message in done.stderr
    # Assertions speak for every thread that they fail for.
    assert len(done.stderr.splitlines()) == (4 if status == 710 else 1)
    assert done.stdout == f"0 {status} {status}, then 0 and 4\n"


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("GPUOPT_EMU_MODE", "quick", "GPUOPT_EMU_MODE=quick: expected fast, check or model"),
        ("GPUOPT_EMU_THREADS", "many", "GPUOPT_EMU_THREADS=many: expected a number from 1 to 1024"),
        ("GPUOPT_EMU_GPU", "voodoo", "GPUOPT_EMU_GPU=voodoo: there is no such GPU; known: a10, a100, "),
    ],
)
def test_wrong_settings_end_the_program_with_one_line(failing: Path, variable: str, value: str, message: str) -> None:
    done = run(failing, 3, **{variable: value})
    assert done.returncode == 2
    assert done.stderr.startswith(f"gpuopt emulator: {message}")
    assert len(done.stderr.splitlines()) == 1
