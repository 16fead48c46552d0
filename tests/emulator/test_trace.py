"""Traces: Accel-Sim's format as its parser reads it, our own, and that both say what the model counts."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuopt_driver.cli import main
from gpuopt_driver.report.traces import Instruction, Trace, read_trace
from tests.emulator.support import PROGRAMS, compile_with, run

_HEADER = [
    "-kernel name = mixes(const float*, float*, int)",
    "-kernel id = 1",
    "-grid dim = (4,2,1)",
    "-block dim = (64,1,1)",
    "-shmem = 256",
    "-nregs = 32",
    "-binary version = 70",
    "-cuda stream id = 0",
    "-shmem base_addr = 0x00007d0000000000",
    "-local mem base_addr = 0x00007d0001000000",
    "-nvbit version = none (gpuopt emulator, titan-v)",
    "-accelsim tracer version = 3",
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
    scratch = tmp_path_factory.mktemp("trace")
    assert compile_with(PROGRAMS / "trace.cu", "-o", "program", cwd=scratch, check=True) == 0
    return scratch / "program"


def traced(program: Path, to: Path, *what: str, **settings: str) -> None:
    done = run(program, *what, GPUOPT_EMU_TRACE=str(to), GPUOPT_EMU_GPU="titan-v", **settings)
    assert (done.returncode, done.stdout) == (0, "no error\n"), done.stderr


def addresses_of(words: list[str], mask: int) -> tuple[int, ...]:
    """As Accel-Sim's parser takes the rest of a line: every form of addresses that it knows."""
    lanes = [lane for lane in range(32) if mask >> lane & 1]
    form, first = int(words[0]), int(words[1], 16)
    if form == 0:
        return tuple(int(word, 16) for word in words[1 : len(lanes) + 1])
    if form == 1:  # the parser stops at the first lane that takes no part
        assert lanes == list(range(lanes[0], lanes[-1] + 1))
        return tuple(first + i * int(words[2]) for i in range(len(lanes)))
    deltas = [int(word) for word in words[2:]]
    assert len(deltas) == len(lanes) - 1
    return tuple(first + sum(deltas[:i]) for i in range(len(lanes)))


def accel_sim_warps(path: Path) -> Iterator[list[tuple[str, int, tuple[int, ...]]]]:
    """Opcode, lanes and addresses of each warp's instructions."""
    lines = [line for line in path.read_text("utf-8").split("\n") if line]
    at = next(i for i, line in enumerate(lines) if line.startswith("#traces format"))
    for i in range(at, len(lines)):
        if not lines[i].startswith("insts = "):
            continue
        warp = []
        for line in lines[i + 1 : i + 1 + int(lines[i].split()[2])]:
            words = line.split()
            mask, results = int(words[1], 16), int(words[2])
            opcode, sources = words[3 + results], int(words[4 + results])
            rest = words[5 + results + sources :]
            assert results <= 1
            assert sources <= 4
            warp.append((opcode, mask, addresses_of(rest[1:], mask) if rest[0] != "0" else ()))
        yield warp


def without_arithmetic(warp: list[tuple[str, int, tuple[int, ...]]]) -> list[tuple[str, int, tuple[int, ...]]]:
    return [item for item in warp if item[0] not in {"FFMA", "IADD3"}]


def warps_of(trace: Trace) -> list[list[Instruction]]:
    return [list(warp) for warp in trace.warps()]


def test_both_formats_say_the_same(program: Path, tmp_path: Path) -> None:
    traced(program, tmp_path / "theirs", "mixes", "waits")
    traced(program, tmp_path / "ours", "mixes", "waits", GPUOPT_EMU_TRACE_FORMAT="gpuopt")
    assert (tmp_path / "theirs/kernelslist.g").read_text() == "kernel-1.traceg\nkernel-2.traceg\n"
    for number in (1, 2):
        ours = warps_of(read_trace(tmp_path / f"ours/kernel-{number}.gputrace"))
        theirs = list(accel_sim_warps(tmp_path / f"theirs/kernel-{number}.traceg"))
        assert [without_arithmetic(warp) for warp in theirs] == [
            [(item.opcode, item.lanes, item.addresses) for item in warp] for warp in ours
        ]
        assert [len(warp) for warp in theirs] == [sum(item.before + 1 for item in warp) for warp in ours]
        size = {kind: sum(file.stat().st_size for file in (tmp_path / kind).iterdir()) for kind in ("ours", "theirs")}
        assert size["ours"] * 5 < size["theirs"]


def test_accel_sim_finds_headers_blocks_and_opcodes(program: Path, tmp_path: Path) -> None:
    traced(program, tmp_path, "mixes")
    text = (tmp_path / "kernel-1.traceg").read_text("utf-8")
    assert text.split("\n")[: len(_HEADER)] == _HEADER
    blocks = [line for line in text.split("\n") if line.startswith("thread block")]
    assert blocks == [f"thread block = {x},{y},0" for y in range(2) for x in range(4)]
    first, second = list(accel_sim_warps(tmp_path / "kernel-1.traceg"))[:2]
    full = 0xFFFFFFFF
    said = [(opcode, mask) for opcode, mask, _ in without_arithmetic(first)]
    assert said[:3] == [("LDG.E", full), ("STS", full), ("BAR.SYNC", full)]
    assert said[-1] == ("EXIT", full)
    assert ("LDC", full) in said
    assert ("ATOMG.E.ADD.STRONG.GPU", sum(1 << lane for lane in range(0, 32, 3))) in said
    assert ("LDG.E.STRONG.GPU", 1 << 7) in said
    assert said.count(("LDS", full)) == 4
    loads = [addresses for opcode, _, addresses in first if opcode == "LDG.E"]
    base = loads[0][0]
    assert loads[0] == tuple(base + 4 * lane for lane in range(32))
    assert loads[2] == loads[0]
    shared = [addresses for opcode, _, addresses in second if opcode == "LDS"]
    assert shared[0] == tuple((thread * 3) % 64 * 4 for thread in range(32, 64))
    assert {item[0] for item in first} >= {"FFMA", "IADD3"}


def test_model_mode_traces_what_it_counts_with_blocks_in_order(program: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    own = {"GPUOPT_EMU_TRACE_FORMAT": "gpuopt"}
    traced(program, tmp_path / "both", "waits", GPUOPT_EMU_MODE="model", GPUOPT_EMU_REPORT=str(report), **own)
    traced(program, tmp_path / "alone", "waits", **own)
    trace = read_trace(tmp_path / "both/kernel-1.gputrace")
    assert trace.path.read_bytes() == (tmp_path / "alone/kernel-1.gputrace").read_bytes()
    assert trace.header["stream"] == 1
    warps = warps_of(trace)
    loads = [sum(item.opcode == "LDG.E.64" for item in warp) for warp in warps]
    assert loads == [400, 400, *[1] * 198]
    assert [warp[-1].lanes for warp in warps[:2]] == [0xFFFFFFFF, 0xFF]
    (launch,) = json.loads(report.read_text("utf-8"))["launches"]
    assert launch["l1_load_requests"] == sum(loads)
    stores = [item.addresses[0] for warp in warps for item in warp if item.opcode == "STG.E"]
    assert stores == sorted(stores)


def test_memory_does_not_grow_with_the_trace(program: Path, tmp_path: Path) -> None:
    def most_kilobytes(turns: str) -> int:
        traced(program, tmp_path / turns, "reads", turns, GPUOPT_EMU_TRACE_FORMAT="gpuopt")
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss

    short, long = most_kilobytes("100"), most_kilobytes("100000")
    trace = read_trace(tmp_path / "100000/kernel-1.gputrace")
    assert sum(1 for _ in next(trace.warps())) == 100002
    assert long < short + 512


def test_wrong_settings_are_refused(program: Path, tmp_path: Path) -> None:
    def refused(**settings: str) -> str:
        done = run(program, GPUOPT_EMU_TRACE=str(tmp_path / "made"), **settings)
        assert done.returncode == 2
        return done.stderr

    assert "expected accel-sim or gpuopt" in refused(GPUOPT_EMU_TRACE_FORMAT="sass")
    assert "unset GPUOPT_EMU_SAMPLE" in refused(GPUOPT_EMU_SAMPLE="10")
    assert "not in check mode" in refused(GPUOPT_EMU_MODE="check")
    (tmp_path / "made").write_text("")
    assert "cannot" in refused()


def test_the_command_counts_by_place(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    traced(program, tmp_path / "traces", "waits", GPUOPT_EMU_TRACE_FORMAT="gpuopt")
    assert main(["trace", str(tmp_path / "traces"), "--json"]) == 0
    (said,) = json.loads(capsys.readouterr().out)["traces"]
    assert (said["warps"], said["accesses"]) == (200, 998 + 200)
    assert {(place["opcode"], place["accesses"]) for place in said["places"]} == {("LDG.E.64", 998), ("STG.E", 200)}
    damaged = tmp_path / "traces/kernel-1.gputrace"
    damaged.write_bytes(damaged.read_bytes()[:-20])
    assert main(["trace", str(damaged)]) != 0
    assert "trace is" in capsys.readouterr().err
