"""The paper's figure 11 on emulated GPUs: emulated.py DIR [KERNEL...]; cycles of the original over those of every form.

Builds the seven kernels that shared memory limits for the emulator (every candidate in one program, divided for the GPU
in question) and runs their first launch in model mode on a GTX285 and on a GTX480 with 48 KB of shared memory.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
KERNELS = ("mv", "fft", "mc", "sto", "sp", "hg", "cv")
FORMS = {"VTB": "2 0", "VTB_pipe": "2 1", "CO-VTB": "2 2", "VTB(4)": "4 0"}
OTHERS = ("catt", "cta_clustering", "cta_mapping", "cache_bypass", "unified_memory")
GPUS = ("gtx285", "gtx480")
BLOCKS = "240"


def build(directory: Path, name: str, gpu: str) -> Path:
    """One kernel's program, with versions for this GPU."""
    policy = directory / f"{gpu}.toml"
    off = "".join(f"[plugins.{other}]\nenabled = false\n" for other in OTHERS)
    policy.write_text(f"{off}[plugins.vtb]\nenabled = true\nmargin = 0\n")
    program = directory / f"{name}.{gpu}"
    env = {**os.environ, "GPUOPT_POLICY": str(policy), "GPUOPT_GPU": gpu}
    command = [*os.environ.get("GPUOPT_NVCC_COMMAND", "gpuopt-nvcc").split(), "--gpuopt-backend=emulator"]
    subprocess.run([*command, "-std=c++14", str(HERE / f"{name}.cu"), "-o", str(program)], check=True, env=env)
    return program


def cycles(program: Path, gpu: str, asked: str) -> tuple[str, float]:
    """Checksum and modelled cycles of one form ("1": the original; "": not run so)."""
    report = program.with_suffix(".json")
    env = {**os.environ, "GPUOPT_EMU_MODE": "model", "GPUOPT_EMU_GPU": gpu, "GPUOPT_EMU_REPORT": str(report)}
    env["GPUOPT_VTB"] = asked
    command = [str(program), "--blocks", BLOCKS]
    words = subprocess.run(command, check=True, env=env, capture_output=True, text=True).stdout.split()
    launch = json.loads(report.read_text())["launches"][0]
    ran = "vtb" in str(launch["kernel"])
    return words[1], float(launch["cycles"]) if ran or asked == "1" else 0.0


def main(directory: Path, names: list[str]) -> None:
    """A line per kernel and GPU."""
    directory.mkdir(parents=True, exist_ok=True)
    for name in names or KERNELS:
        for gpu in GPUS:
            program = build(directory, name, gpu)
            plain = cycles(program, gpu, "1")
            found = {form: cycles(program, gpu, asked) for form, asked in FORMS.items()}
            same = all(one[0] == plain[0] for one in found.values())
            told = " ".join(f"{form} {plain[1] / one[1]:.2f}" if one[1] else f"{form} -" for form, one in found.items())
            print(f"{name} {gpu} plain {plain[1]:.0f} cycles: {told} {'same bits' if same else 'WRONG'}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
