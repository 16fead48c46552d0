"""The papers' kernels on emulated GPUs: L2 reads with agents (clustering), schedulers and mapping (mapping's figure 4).

    python benchmarks/cta_emulated.py [l2|schemes] [KERNEL...]     both tables, or one, as Markdown

Builds benchmarks/cta/emulated.cu for the emulator with form = "agents" for kernels that the analysis calls
algorithm-related, and once more with the default policy; with -Xptxas -dlcm=ca, which the paper's Kepler and Maxwell
need for loads to be kept in L1. Runs it with GPUOPT_EMU_MODE=model; outputs are compared.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from gpuopt_driver.analysis.block_survey import Kind, Survey, survey
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

SOURCE = Path(__file__).parent / "cta" / "emulated.cu"
GPUS = ("c2050", "k40c", "titan-x", "p100")
SCHEMES = {
    "gto": {"GPUOPT_EMU_SCHEDULER": "gto"},
    "ccws": {"GPUOPT_EMU_SCHEDULER": "ccws"},
    "ps": {"GPUOPT_EMU_SCHEDULER": "programmable"},
    "cm": {"GPUOPT_EMU_SCHEDULER": "gto", "map": "1"},
    "cm+ps": {"GPUOPT_EMU_SCHEDULER": "programmable", "map": "1"},
}


OTHERS = ("catt", "vtb", "cache_bypass", "unified_memory", "cta_mapping")
LAUNCHES = ("matmul", "matmul_large", "conv", "demosaic", "imregionmax", "add_neighbours", "laplace")
LAUNCHES += ("transpose", "stream", "scale")


def build(folder: Path, kernels: list[str] | None) -> Path:
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
    command += ["-o", str(program), str(SOURCE)]
    subprocess.run(command, check=True)
    return program


def run(program: Path, folder: Path, kernel: str, gpu: str, **settings: str) -> tuple[dict[str, float], str]:
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


def changed(before: dict[str, float], after: dict[str, float]) -> str:
    """A cell: L2 reads before and after, and cycles before over cycles after."""
    if before["kernel"] == after["kernel"]:
        return f"{before['l2_read_sectors']}, original"
    first, second = before["l2_read_sectors"], after["l2_read_sectors"]
    return f"{first} -> {second} ({second / first - 1:+.0%}); {before['cycles'] / after['cycles']:.2f}x"


def main() -> None:
    words = sys.argv[1:]
    unit = parse_unit(SOURCE, ParseOptions())
    surveys = {kernel.name: survey(kernel, unit.launches_of(kernel), 128, 32) for kernel in unit.kernels}
    shared = [name for name, one in surveys.items() if one.kind is Kind.ALGORITHM]
    kernels = [name for name in LAUNCHES if name in words or not set(words) & set(LAUNCHES)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        forced = build(folder / "agents", shared)
        if "schemes" not in words:
            usual = build(folder / "default", None)
            print(f"| kernel | class | policy | {' | '.join(f'{gpu}: L2 reads; speed' for gpu in GPUS)} |")
            print("|" + " --- |" * (len(GPUS) + 3))
            for kernel in kernels:
                rows(folder, kernel, surveys[kernel.partition("_large")[0]], forced, usual)
        if "l2" not in words:
            schemes(forced, folder, surveys, kernels)


def rows(folder: Path, kernel: str, one: Survey, forced: Path, usual: Path) -> None:
    """A kernel's rows of the L2 table: agents, and the default policy."""
    with_agents, by_default = [], []
    for gpu in GPUS:
        before, sums = run(forced, folder, kernel, gpu, GPUOPT_DISPATCH="original")
        for program, cells in ((forced, with_agents), (usual, by_default)):
            after, same = run(program, folder, kernel, gpu)
            assert sums == same, (kernel, gpu)
            cells.append(changed(before, after))
    for policy, cells in (("agents", with_agents), ("default", by_default)):
        print(f"| {kernel} | {one.kind.value} | {policy} | {' | '.join(cells)} |", flush=True)


def schemes(program: Path, folder: Path, surveys: dict[str, Survey], kernels: list[str]) -> None:
    """Figure 4: cycles with GTO over those of each scheme."""
    print("\n| kernel | direction | " + " | ".join(SCHEMES) + " |\n|" + " --- |" * (len(SCHEMES) + 2))
    for kernel in kernels:
        one, cycles = surveys[kernel.partition("_large")[0]], {}
        for scheme, settings in SCHEMES.items():
            given = {key: value for key, value in settings.items() if key != "map"}
            along = one.direction if "map" in settings and one.direction in "xy" else "rr"
            launch, _ = run(
                program, folder, kernel, "gtx480", GPUOPT_DISPATCH="original", GPUOPT_EMU_DISPATCH=along, **given
            )
            cycles[scheme] = launch["cycles"]
        print(
            f"| {kernel} | {one.direction} | "
            + " | ".join(f"{cycles['gto'] / each:.2f}" for each in cycles.values())
            + " |"
        )


if __name__ == "__main__":
    main()
