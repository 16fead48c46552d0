"""The papers' kernels on emulated GPUs: L2 reads with agents (clustering), schedulers and mapping (mapping's figure 4).

    python benchmarks/cta_emulated.py [l2|schemes]     both tables, or one, as Markdown

Builds benchmarks/cta/emulated.cu for the emulator with form = "agents" for kernels that the analysis calls
algorithm-related (the default policy's classes), with -Xptxas -dlcm=ca, which the paper's Kepler and Maxwell need for
loads to be kept in L1, and runs it with GPUOPT_EMU_MODE=model.
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


def build(folder: Path, kernels: list[str]) -> Path:
    policy = ["[plugins.catt]", "enabled = false", "[plugins.cta_clustering]", "enabled = false"]
    for name in kernels:
        policy += [
            "[[kernel]]",
            f'name = "{name}"',
            'cta_clustering = { enabled = true, form = "agents", order = "direction" }',
        ]
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


def main() -> None:
    unit = parse_unit(SOURCE, ParseOptions())
    surveys = {kernel.name: survey(kernel, unit.launches_of(kernel), 128, 32) for kernel in unit.kernels}
    shared = [name for name, one in surveys.items() if one.kind is Kind.ALGORITHM]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = build(folder, shared)
        if "schemes" in sys.argv:
            schemes(program, folder, surveys)
            return
        print(
            "| kernel | class | "
            + " | ".join(f"{gpu}: L2 reads; speed" for gpu in GPUS)
            + " |\n|"
            + " --- |" * (len(GPUS) + 2)
        )
        for kernel, one in surveys.items():
            cells = []
            for gpu in GPUS:
                before, sums = run(program, folder, kernel, gpu, GPUOPT_DISPATCH="original")
                after, same = run(program, folder, kernel, gpu)
                assert sums == same
                first, second = before["l2_read_sectors"], after["l2_read_sectors"]
                cells.append(
                    f"{first} -> {second} ({second / first - 1:+.0%}); {before['cycles'] / after['cycles']:.2f}x"
                    if kernel in shared
                    else f"{first}, untouched"
                )
            print(f"| {kernel} | {one.kind.value} | " + " | ".join(cells) + " |")
        if "l2" not in sys.argv:
            schemes(program, folder, surveys)


def schemes(program: Path, folder: Path, surveys: dict[str, Survey]) -> None:
    print("\n| kernel | direction | " + " | ".join(SCHEMES) + " |\n|" + " --- |" * (len(SCHEMES) + 2))
    for kernel, one in surveys.items():
        cycles = {}
        for scheme, settings in SCHEMES.items():
            given = {key: value for key, value in settings.items() if key != "map"}
            along = one.direction if "map" in settings and one.direction in "xy" else "rr"
            launch, _ = run(
                program, folder, kernel, "gtx480", GPUOPT_DISPATCH="original", GPUOPT_EMU_DISPATCH=along, **given
            )
            cycles[scheme] = launch["cycles"]
        print(
            f"| {kernel} | {one.direction} | "
            + " | ".join(f"{cycles['gto'] / one:.2f}" for one in cycles.values())
            + " |"
        )


if __name__ == "__main__":
    main()
