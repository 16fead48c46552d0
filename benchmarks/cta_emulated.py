"""The papers' kernels on emulated GPUs: L2 reads with agents (clustering), schedulers and mapping (mapping's figure 4).

    python benchmarks/cta_emulated.py [l2|schemes] [KERNEL...]     both tables, or one, as Markdown

L2: builds benchmarks/cta/emulated.cu for the emulator with form = "agents" for kernels that the analysis calls
algorithm-related, and once more with the default policy; with -Xptxas -dlcm=ca, which the paper's Kepler and Maxwell
need for loads to be kept in L1. Runs it with GPUOPT_EMU_MODE=model; outputs are compared. Schemes: runs
benchmarks/cta/figure4.cu on the GTX 480 that the paper simulates (benchmarks/cta/gpus).
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from gpuopt_driver.analysis.block_survey import Kind, Survey, survey
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

FOLDER = Path(__file__).parent / "cta"
SOURCE, FIGURE = FOLDER / "emulated.cu", FOLDER / "figure4.cu"
GPUS = ("c2050", "k40c", "titan-x", "p100")
GROUPS = (16, 24, 48)  # warps of a multiprocessor that the programmable scheduler lets load: the best one counts
SCHEMES: dict[str, dict[str, str]] = {
    "gto": {"GPUOPT_EMU_SCHEDULER": "gto"},
    "ccws": {"GPUOPT_EMU_SCHEDULER": "ccws"},
    "ps": {"GPUOPT_EMU_SCHEDULER": "programmable"},
    "cm": {"GPUOPT_EMU_SCHEDULER": "gto", "map": "1"},
    "cm+ps": {"GPUOPT_EMU_SCHEDULER": "programmable", "map": "1"},
}
OTHERS = ("catt", "vtb", "cache_bypass", "unified_memory", "cta_mapping")
LAUNCHES = ("matmul", "matmul_large", "conv", "demosaic", "imregionmax", "add_neighbours", "laplace")
LAUNCHES += ("transpose", "stream", "scale")
FIGURE_LAUNCHES = ("micro", "matmul", "conv", "demosaic", "imregionmax", "transpose", "laplace")


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
    report = folder / "report.json"
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
            schemes(Path(name), _wanted(FIGURE_LAUNCHES, words))


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


def schemes(folder: Path, kernels: list[str]) -> None:
    """Figure 4: cycles with GTO over those of each scheme, and the hit rates of L1."""
    surveys, program = _surveys(FIGURE), build(folder / "figure4", [], FIGURE)
    print("\n| kernel | direction | bound | " + " | ".join(SCHEMES) + " |\n|" + " --- |" * (len(SCHEMES) + 3))
    speeds: dict[str, list[float]] = {scheme: [] for scheme in SCHEMES}
    for kernel in kernels:
        direction, cells, base, bound = surveys[kernel].direction, [], 0.0, ""
        for scheme, settings in SCHEMES.items():
            given = {key: value for key, value in settings.items() if key != "map"}
            given["GPUOPT_EMU_DISPATCH"] = direction if "map" in settings and direction in "xy" else "demand"
            found: list[tuple[float, float, str]] = []
            for group in GROUPS if "ps" in scheme else (0,):
                sized = {**given, "GPUOPT_EMU_GROUP": str(group)} if group else given
                launch, _ = run(program, folder, kernel, "gtx480-simulated", **sized)
                found.append((launch["cycles"], launch["l1_load_hit_rate"], f" ({group})" if group else ""))
                if not base:
                    base, bound = launch["cycles"], _bound(launch)
            cycles, hits, group_taken = min(found)
            speeds[scheme].append(base / cycles)
            cells.append(f"{base / cycles:.2f}{group_taken}, {hits:.0%}")
        print(f"| {kernel} | {direction} | {bound} | {' | '.join(cells)} |", flush=True)
    means = [statistics.geometric_mean(ratios) for ratios in speeds.values()]
    print(f"| geometric mean | | | {' | '.join(f'{mean:.2f}' for mean in means)} |")


def _bound(launch: dict[str, Any]) -> str:
    """The busiest resource, and the part of the time that it works."""
    name, cycles = max(launch["limits"].items(), key=lambda item: float(item[1]))
    return f"{name} {cycles / launch['cycles']:.0%}"


if __name__ == "__main__":
    main()
