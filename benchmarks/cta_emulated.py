"""The papers' kernels on emulated GPUs: L2 reads with agents (clustering), schedulers and mapping (mapping's figure 4).

    python benchmarks/cta_emulated.py [l2|schemes] [linear] [KERNEL...]     both tables, or one, as Markdown

L2: builds benchmarks/cta/emulated.cu for the emulator with form = "agents" for kernels that the analysis calls
algorithm-related, and once more with the default policy; with -Xptxas -dlcm=ca, which the paper's Kepler and Maxwell
need for loads to be kept in L1. Runs it with GPUOPT_EMU_MODE=model; outputs are compared. Schemes: runs
benchmarks/cta/figure4.cu on the GTX 480 that the paper simulates (benchmarks/cta/gpus); linear: with L1 indexed by
address bits, as in that simulator's releases. JOBS (default: one for each processor) runs at once.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from gpuopt_driver.analysis.block_survey import Kind, Survey, survey
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit
from gpuopt_driver.policy.options import ORDER

FOLDER = Path(__file__).parent / "cta"
SOURCE, FIGURE = FOLDER / "emulated.cu", FOLDER / "figure4.cu"
GPUS = ("c2050", "k40c", "titan-x", "p100")
# Warps of a multiprocessor that the programmable scheduler lets load; 0: no group is set, GTO. The best one counts.
GROUPS = (0, 2, 4, 8, 12, 16, 24, 32, 48)
REGISTERS = "20"  # of a thread, at most 21 for all warps to be resident: sm_20's compiler is not at hand
HASHED, LINEAR = 'l1_index = { value = "fermi"', 'l1_index = { value = "linear"'
SCHEMES: dict[str, dict[str, str]] = {
    "gto": {"GPUOPT_EMU_SCHEDULER": "gto"},
    "ccws": {"GPUOPT_EMU_SCHEDULER": "ccws"},
    "ps": {"GPUOPT_EMU_SCHEDULER": "programmable"},
    "cm": {"GPUOPT_EMU_SCHEDULER": "gto", "map": "1"},
    "cm+ps": {"GPUOPT_EMU_SCHEDULER": "programmable", "map": "1"},
}
OTHERS = tuple(name for name in ORDER if name != "cta_clustering")
LAUNCHES: tuple[str, ...] = ("matmul", "matmul_large", "conv", "demosaic", "imregionmax", "add_neighbours", "laplace")
LAUNCHES += ("transpose", "stream", "scale")
# What of the gain the scheduler brings, in percent, by the mapping paper's text (5.2); the rest is mapping's.
SHARES = {
    "micro": 0,
    "matmul": 64,
    "conv": 79,
    "demosaic": 55,
    "imregionmax": 66,
    "transpose": 1,
    "mum": 97,
    "laplace": 18,
}
FIGURE_LAUNCHES = tuple(SHARES)


def build(folder: Path, kernels: list[str] | None, source: Path = SOURCE) -> Path:
    """The program with agents for these kernels and nothing for others; None: as the default policy has it."""
    folder.mkdir()
    policy = [line for name in OTHERS for line in (f"[plugins.{name}]", "enabled = false")]
    if kernels is not None:
        policy += ["[plugins.cta_clustering]", "enabled = false"]
    for name in kernels or []:
        policy += ["[[kernel]]", f'name = "{name}"', 'cta_clustering = { enabled = true, form = "agents" }']
    (folder / "toolchain.toml").write_text("\n".join(policy))
    program = folder / "program"
    command = [str(Path(sys.executable).with_name("gpuopt-nvcc")), "--gpuopt-backend=emulator", "--gpuopt-gpu=c2050"]
    command += [f"--gpuopt-policy={folder / 'toolchain.toml'}", "-std=c++17", "-O2", "-Xptxas", "-dlcm=ca"]
    command += ["-o", str(program), str(source)]
    subprocess.run(command, check=True)
    return program


def run(program: Path, folder: Path, kernel: str, gpu: str, **settings: str) -> tuple[dict[str, Any], str]:
    report = folder / f"{'-'.join((kernel, gpu, *settings.values()))}.json"
    env = {
        **os.environ,
        **settings,
        "GPUOPT_EMU_MODE": "model",
        "GPUOPT_EMU_GPU": gpu,
        "GPUOPT_EMU_REPORT": str(report),
    }
    done = subprocess.run([str(program), kernel], env=env, check=True, capture_output=True, text=True)
    (launch,) = json.loads(report.read_text())["launches"]
    return launch, done.stdout


def changed(before: dict[str, Any], after: dict[str, Any]) -> str:
    """A cell: L2 reads before and after, and cycles before over cycles after."""
    first, second = before["l2_read_sectors"], after["l2_read_sectors"]
    return f"{first} -> {second} ({second / first - 1:+.0%}); {before['cycles'] / after['cycles']:.2f}x"


def main() -> None:
    words = sys.argv[1:]
    os.environ["GPUOPT_GPU_PATH"] = os.pathsep.join(filter(None, (str(FOLDER / "gpus"), os.getenv("GPUOPT_GPU_PATH"))))
    with tempfile.TemporaryDirectory() as name:
        if "schemes" not in words:
            traffic(Path(name), _wanted(LAUNCHES, words))
        if "l2" not in words:
            schemes(Path(name), _wanted(FIGURE_LAUNCHES, words), linear="linear" in words)


def _wanted(names: tuple[str, ...], words: list[str]) -> list[str]:
    """Those that are named on the command line, or all."""
    return [name for name in names if name in words or not set(words) & set(names)]


def _surveys(source: Path) -> dict[str, Survey]:
    unit = parse_unit(source, ParseOptions())
    return {kernel.name: survey(kernel, unit.launches_of(kernel), 128, 32) for kernel in unit.kernels}


def traffic(folder: Path, kernels: list[str]) -> None:
    """The table of L2 reads."""
    surveys = _surveys(SOURCE)
    forced = build(folder / "agents", [name for name, one in surveys.items() if one.kind is Kind.ALGORITHM])
    usual = build(folder / "default", None)
    print(f"| kernel | class | {' | '.join(f'{gpu}: L2 reads; speed; default policy' for gpu in GPUS)} |")
    print("|" + " --- |" * (len(GPUS) + 2))
    for kernel in kernels:
        rows(folder, kernel, surveys[kernel.partition("_large")[0]], forced, usual)


def rows(folder: Path, kernel: str, one: Survey, forced: Path, usual: Path) -> None:
    """A kernel's row of the L2 table: agents, and whether the default policy has them, too."""
    cells = []
    for gpu in GPUS:
        before, sums = run(forced, folder, kernel, gpu, GPUOPT_DISPATCH="original")
        if one.kind is Kind.ALGORITHM:
            after, same = run(forced, folder, kernel, gpu)
            assert sums == same, (kernel, gpu)
            cell = changed(before, after)
        else:
            cell = f"{before['l2_read_sectors']}"
        env = {**os.environ, "GPUOPT_DISPATCH": "trace", "GPUOPT_EMU_MODE": "fast", "GPUOPT_EMU_GPU": gpu}
        traced = subprocess.run([str(usual), kernel], env=env, check=True, capture_output=True, text=True)
        assert traced.stdout == sums, (kernel, gpu)
        cells.append(cell + ("; default" if ": cta_clustering n=" in traced.stderr else "; default: original"))
    print(f"| {kernel} | {one.kind.value} | {' | '.join(cells)} |", flush=True)


def schemes(folder: Path, kernels: list[str], *, linear: bool) -> None:
    """Figure 4: cycles with GTO over those of each scheme, and the hit rates of L1."""
    if linear:
        _with_linear_index(folder / "gpus")
    surveys, program = _surveys(FIGURE), build(folder / "figure4", [], FIGURE)
    titles = ("kernel", "direction", "bound", *SCHEMES, "scheduler's share (paper)")
    print(f"\n| {' | '.join(titles)} |\n|" + " --- |" * len(titles))
    shares: dict[str, float] = {}
    speeds: dict[str, list[float]] = {scheme: [] for scheme in SCHEMES}
    with ThreadPoolExecutor(int(os.getenv("JOBS", os.cpu_count() or 1))) as pool:
        for kernel in kernels:
            direction = surveys[kernel].direction
            runs = {
                (scheme, group): pool.submit(
                    run, program, folder, kernel, "gtx480-simulated", **_settings(scheme, group, direction)
                )
                for scheme in SCHEMES
                for group in (GROUPS if "ps" in scheme else (0,))
            }
            launches = {key: found.result()[0] for key, found in runs.items()}
            base, cells = launches["gto", 0], []
            for scheme in SCHEMES:
                tried = {key[1]: launch for key, launch in launches.items() if key[0] == scheme}
                group, best = min(tried.items(), key=lambda item: float(item[1]["cycles"]))
                speeds[scheme].append(base["cycles"] / best["cycles"])
                chosen = f" ({group or 'none'})" if "ps" in scheme else ""
                cells.append(f"{speeds[scheme][-1]:.2f}{chosen}, {best['l1_load_hit_rate']:.0%}")
            shares[kernel] = _share(speeds["ps"][-1], speeds["cm"][-1])
            cells.append(f"{shares[kernel]:.0f}% ({SHARES[kernel]}%)")
            print(f"| {kernel} | {direction} | {_bound(base)} | {' | '.join(cells)} |", flush=True)
    for name, mean in (("arithmetic", statistics.fmean), ("geometric", statistics.geometric_mean)):
        print(f"| {name} mean | | | {' | '.join(f'{mean(ratios):.2f}' for ratios in speeds.values())} | |")
    if len(shares) > 1:
        rho = _rank_correlation([shares[one] for one in shares], [SHARES[one] for one in shares])
        print(f"\nRank correlation of the scheduler's shares with the paper's: {rho:.2f}")


def _share(scheduler: float, mapping: float) -> float:
    """Percent of what the two schemes gain by themselves that is the scheduler's; losses count as no gain."""
    first, second = max(0.0, scheduler - 1), max(0.0, mapping - 1)
    return 100 * first / (first + second) if first + second else 0.0


def _rank_correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's; equal values have their mean rank."""

    def ranks(values: Sequence[float]) -> list[float]:
        ordered = sorted(values)
        return [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]

    return statistics.correlation(ranks(one), ranks(other))


def _settings(scheme: str, group: int, direction: str) -> dict[str, str]:
    """A run's settings; blocks without a direction of reuse go where there is room, as without mapping."""
    given = {key: value for key, value in SCHEMES[scheme].items() if key != "map"}
    given["GPUOPT_EMU_DISPATCH"] = direction if "map" in SCHEMES[scheme] and direction in "xy" else "demand"
    given["GPUOPT_EMU_REGISTERS"] = REGISTERS
    if "ps" in scheme:
        given |= {"GPUOPT_EMU_GROUP": str(group)} if group else {"GPUOPT_EMU_SCHEDULER": "gto"}
    return given


def _with_linear_index(folder: Path) -> None:
    """The same GPU with the other index of L1, before the first on the path."""
    folder.mkdir()
    text = (FOLDER / "gpus" / "gtx480-simulated.toml").read_text("utf-8")
    assert HASHED in text
    (folder / "gtx480-simulated.toml").write_text(text.replace(HASHED, LINEAR), "utf-8")
    os.environ["GPUOPT_GPU_PATH"] = str(folder)


def _bound(launch: dict[str, Any]) -> str:
    """The busiest resource, and the part of the time that it works."""
    name, cycles = max(launch["limits"].items(), key=lambda item: float(item[1]))
    return f"{name} {cycles / launch['cycles']:.0%}"


if __name__ == "__main__":
    main()
