"""The performance model: counts that can be worked out by hand, policies, and that results stay right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.emulator.support import PROGRAMS, compile_with, run


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
    scratch = tmp_path_factory.mktemp("model")
    assert compile_with(PROGRAMS / "model.cu", "-o", "program", cwd=scratch, check=True) == 0
    return scratch / "program"


def modelled(program: Path, gpu: str, *names: str, **settings: str) -> list[dict[str, Any]]:
    """The launches of a run with these kernels."""
    path = program.with_name("report.json")
    done = run(program, *names, GPUOPT_EMU_MODE="model", GPUOPT_EMU_GPU=gpu, GPUOPT_EMU_REPORT=str(path), **settings)
    assert done.returncode == 0, done.stderr
    assert "no error" in done.stdout
    report = json.loads(path.read_text("utf-8"))
    assert (report["schema"], report["gpu"], report["mode"]) == ("gpuopt-emulator-report/1", gpu, "model")
    launches: list[dict[str, Any]] = report["launches"]
    return launches


_COUNTED = ("l1_load_requests", "l1_load_sectors", "l1_load_hits", "l1_atomic_sectors")


def _replayed_warps(program: Path) -> int:
    """Of the last run."""
    count: int = json.loads(program.with_name("report.json").read_text("utf-8"))["replayed_warps"]
    return count


# l1_load_requests, l1_load_sectors, l1_load_hits of launches that read `x` once per thread or twice.
_TRAFFIC = {
    "h200": {
        "copies": (1, 4, 0),
        "strides2": (1, 8, 0),
        "strides32": (1, 32, 0),
        "broadcasts": (1, 1, 0),
        "misaligned": (1, 5, 0),
        "wide": (1, 16, 0),
        "twice": (2, 8, 4),
        "twice_at_l2": (2, 8, 0),
        "twice_by_ptx": (2, 8, 0),
        "half_a_warp": (1, 4, 0),
        "parts_ways": (32, 32, 28),
        "goes_on": (16 + 4, 80, 12),  # device compilers make four turns one, which loads what the one before stored
        "reads_changing": (2, 8, 0),
        "fetches": (2, 8, 4),
        "samples": (1, 4, 0),
    },
    "gtx480": {"copies": (1, 4, 0), "misaligned": (1, 5, 0), "twice": (2, 8, 4), "twice_at_l2": (2, 8, 0)},
    "k40c": {"copies": (1, 4, 0), "twice": (2, 8, 0)},  # global loads are not cached in L1
    "gtx285": {"copies": (1, 4, 0), "strides2": (1, 8, 0), "misaligned": (1, 7, 0), "broadcasts": (1, 2, 0)},
}


@pytest.mark.parametrize("gpu", _TRAFFIC)
def test_loads_become_the_sectors_that_the_generation_asks_for(program: Path, gpu: str) -> None:
    seen = {
        item["kernel"]: (item["l1_load_requests"], item["l1_load_sectors"], item["l1_load_hits"])
        for item in modelled(program, gpu, *_TRAFFIC[gpu])
    }
    assert seen == _TRAFFIC[gpu]


def test_fermi_fills_lines_and_hopper_sectors(program: Path) -> None:
    (fermi,) = modelled(program, "gtx480", "strides32", GPUOPT_EMU_L2="cold")
    (hopper,) = modelled(program, "h200", "strides32", GPUOPT_EMU_L2="cold")
    assert (fermi["l2_read_sectors"], hopper["l2_read_sectors"]) == (128, 32)
    # L2 of an H200 has two parts; lines live in them in turns, and two sectors come at once.
    assert (hopper["l2_far_sectors"], "l2_far_sectors" in fermi) == (32, False)
    assert (fermi["dram_read_bytes"], hopper["dram_read_bytes"]) == (128 * 32, 32 * 64)


def test_bank_conflicts_constants_and_atomics_are_counted(program: Path) -> None:
    launches = modelled(program, "h200", "conflicts", "constants", "counts")
    passes = [item["shared_wavefronts"] - 32 for item in launches[:7]]  # 32 stores without conflicts come before
    assert passes == [1, 1, 2, 4, 8, 16, 32]
    assert [item["shared_bank_conflicts"] for item in launches[:7]] == [0, 0, 1, 3, 7, 15, 31]
    assert launches[7]["l1_load_requests"] == 0
    assert [item["space"] for item in launches[7]["lines"] if item["array"] == "table"] == ["constant"]
    assert (launches[8]["l1_atomic_requests"], launches[8]["l1_atomic_sectors"]) == (1, 1)


def test_traffic_is_told_by_line_and_array(program: Path) -> None:
    (launch,) = modelled(program, "titan-v", "adds")
    source = (PROGRAMS / "model.cu").read_text("utf-8").split("\n")
    line = next(number for number, text in enumerate(source, 1) if "y[i] += 2 * x[i]" in text)
    by_array = {item["array"]: item for item in launch["lines"]}
    assert {item["line"] for item in launch["lines"]} == {line}
    assert (by_array["x"]["load_sectors"], by_array["y"]["load_sectors"], by_array["y"]["store_sectors"]) == (
        8192,
        8192,
        8192,
    )
    assert sum(item.get("load_sectors", 0) for item in launch["arrays"]) == launch["l1_load_sectors"]
    assert launch["flops"] >= 65536
    assert max(launch["timeline"]["resident_blocks"]) == min(80 * launch["resident_blocks"], 1024)


def test_fewer_resident_warps_keep_rows_in_l1(program: Path) -> None:
    # 512 rows of a line each are 64 KB: they stay in 128 KB of L1, and not in what the largest carve-out leaves.
    (roomy,) = modelled(program, "titan-v", "walks_rows")
    (tight,) = modelled(program, "titan-v", "walks_rows", GPUOPT_EMU_CARVEOUT="100")
    assert roomy["l1_load_hit_rate"] == pytest.approx(7 / 8)
    assert tight["l1_bytes"] == 32768
    assert tight["l1_load_hit_rate"] < roomy["l1_load_hit_rate"]
    assert tight["cycles"] > roomy["cycles"]


def test_a_launch_may_have_a_carve_out_of_its_own(program: Path) -> None:
    plain, divided, after = modelled(program, "titan-v", "divided_by_launch")
    assert divided["l1_bytes"] == 32768
    assert plain["l1_bytes"] == after["l1_bytes"] > divided["l1_bytes"]


@pytest.mark.parametrize("scheduler", ["lrr", "gto", "two-level", "ccws", "programmable"])
def test_every_scheduler_runs_all_warps(program: Path, scheduler: str) -> None:
    adds, shuffles = modelled(program, "gtx480", "adds", "shuffles", GPUOPT_EMU_SCHEDULER=scheduler)
    assert (adds["l1_load_requests"], adds["l1_load_sectors"]) == (4096, 16384)
    assert shuffles["l1_load_requests"] == 32


def test_blocks_go_to_multiprocessors_as_asked(program: Path) -> None:
    def where(mapping: str) -> list[int]:
        done = run(program, "where", GPUOPT_EMU_MODE="model", GPUOPT_EMU_GPU="titan-v", GPUOPT_EMU_DISPATCH=mapping)
        return [int(word) for word in done.stdout.split()[:32]]

    assert where("round-robin") == where("demand") == list(range(32))
    assert where("x") == list(range(32))  # fewer blocks than multiprocessors: each has its own
    columns = where("y")
    assert [columns[x + 8 * y] for x in range(8) for y in range(4)] == list(range(32))
    assert sorted(where("random")) != where("random")


def test_a_run_is_repeatable_and_does_not_depend_on_the_window(program: Path) -> None:
    names = ("parts_ways", "walks_rows", "shuffles")
    first = modelled(program, "h200", *names)
    assert modelled(program, "h200", *names) == first
    stepping = modelled(program, "h200", *names, GPUOPT_EMU_WINDOW="1")
    assert [[item[key] for key in _COUNTED] for item in stepping] == [[item[key] for key in _COUNTED] for item in first]


@pytest.mark.parametrize("gpu", ["h200", "gtx285"])
def test_few_lanes_tell_the_same_as_all(program: Path, gpu: str) -> None:
    names = ("sums_below", "halves", "walks_rows", "adds")
    few = modelled(program, gpu, *names)
    assert modelled(program, gpu, *names, GPUOPT_EMU_SURVEYS="0") == few
    rows, warps, loads = 70, 3, 1 + 5  # of 32 x 2 threads
    assert next(item["l1_load_requests"] for item in few if item["kernel"] == "sums_below") == rows * warps * loads
    told = {run(program, "sums_below", "halves", GPUOPT_EMU_MODE=mode).stdout for mode in ("fast", "model")}
    assert len(told) == 1


@pytest.mark.parametrize("gpu", ["h200", "gtx680", "gtx285"])
@pytest.mark.parametrize("scheduler", ["longest", "gto", "lrr", "two-level", "ccws", "programmable"])
def test_multiprocessors_that_go_ahead_change_nothing(program: Path, gpu: str, scheduler: str) -> None:
    names = ("parts_ways", "walks_rows", "halves", "products_of_rows", "sums_below")
    for settings in ({}, {"GPUOPT_EMU_SURVEYS": "0"}):
        ahead = modelled(program, gpu, *names, GPUOPT_EMU_SCHEDULER=scheduler, **settings)
        assert modelled(program, gpu, *names, GPUOPT_EMU_SCHEDULER=scheduler, GPUOPT_EMU_AHEAD="0", **settings) == ahead


@pytest.mark.parametrize("gpu", ["h200", "gtx480", "gtx285"])
def test_warps_that_do_the_same_elsewhere_are_run_once(program: Path, gpu: str) -> None:
    warps = {"adds": 2048, "walks_rows": 128, "borders": 2 * 3 * 38 * 8, "halves": 0, "products_of_rows": 3 * 48 * 2}
    for name, all_of_them in warps.items():
        alone = modelled(program, gpu, name, GPUOPT_EMU_SURVEYS="0")
        assert _replayed_warps(program) == 0
        launches = modelled(program, gpu, name)
        assert all_of_them * 0.9 <= _replayed_warps(program) <= all_of_them
        if name != "products_of_rows":  # whose threads have many accesses: which run ahead how far changes its timeline
            assert launches == alone
        for launch, other in zip(launches, alone, strict=True):
            assert [launch[key] for key in _COUNTED] == [other[key] for key in _COUNTED]
            assert launch["cycles"] == pytest.approx(other["cycles"], rel=0.001)


def test_registers_that_ptxas_told_limit_what_is_resident(program: Path) -> None:
    told = program.with_name("told.txt")
    told.write_text(
        "ptxas info    : Compiling entry function '_Z4addsPKfPfi' for 'sm_70'\n"
        "ptxas info    : Used 128 registers, used 0 barriers, 372 bytes cmem[0]\n"
        "ptxas info    : Compiling entry function '_Z6wherePi' for 'sm_70'\n"
        "ptxas info    : Used 8 registers\n"
    )
    (told_of, not_told) = modelled(program, "titan-v", "adds", "copies", GPUOPT_EMU_REGISTERS=str(told))[::-1]
    assert (told_of["registers_per_thread"], not_told["registers_per_thread"]) == (128, 32)
    assert (told_of["resident_blocks"], told_of["occupancy_limiter"]) == (8, "registers")
    wrong = run(program, "copies", GPUOPT_EMU_MODE="model", GPUOPT_EMU_REGISTERS="12x")
    assert "GPUOPT_EMU_REGISTERS=12x: cannot be read" in wrong.stderr


def test_a_sample_of_blocks_tells_its_error_and_leaves_results_alone(program: Path) -> None:
    (whole,) = modelled(program, "gtx480", "adds", GPUOPT_EMU_L2="cold")
    (part,) = modelled(program, "gtx480", "adds", GPUOPT_EMU_SAMPLE="480", GPUOPT_EMU_L2="cold")
    assert part["sampling"]["simulated_blocks"] <= 480 < part["sampling"]["blocks"] == 1024
    assert part["l1_load_sectors"] == pytest.approx(whole["l1_load_sectors"], rel=0.01)
    assert part["cycles"] == pytest.approx(whole["cycles"], rel=0.3)
    assert part["sampling"]["errors"].keys() >= {"l1_load_hit_rate", "cycles"}


def test_launches_beyond_the_number_asked_for_are_not_modelled(program: Path) -> None:
    assert len(modelled(program, "h200", "conflicts", GPUOPT_EMU_LAUNCHES="2")) == 2


def test_without_a_report_there_is_a_line_per_kernel_at_the_end(program: Path) -> None:
    done = run(program, "copies", GPUOPT_EMU_MODE="model", GPUOPT_EMU_GPU="h200")
    assert done.stderr.startswith("gpuopt model: copies: ")
    assert "4 sectors in 1 requests" in done.stderr
    several = run(program, "conflicts", GPUOPT_EMU_MODE="model", GPUOPT_EMU_GPU="h200").stderr.splitlines()
    alone = modelled(program, "h200", "conflicts")
    cycles = sum(item["cycles"] for item in alone)
    assert [line.partition(",")[0] for line in several] == [f"gpuopt model: conflicts: {cycles} cycles in 7 launches"]
    wrong = run(program, GPUOPT_EMU_MODE="model", GPUOPT_EMU_SCHEDULER="fifo")
    assert wrong.returncode == 2
    assert "GPUOPT_EMU_SCHEDULER=fifo: expected one of lrr, gto" in wrong.stderr
