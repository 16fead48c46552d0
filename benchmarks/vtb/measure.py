"""Builds the programs (nvcc, the default policy, every candidate) and runs them: measure.py build|run DIR [SECONDS].

Those of this directory (the paper's ten, and `lut`) had a part in choosing the decision's constants, those of `held/`
had none.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
BLOCKS = {"mv": "2112", "sp": "8448", "tp": "16384", "cv": "8192", "mm": "16384"}
CANDIDATES = ("2 0", "2 1", "4 0", "4 1", "8 0", "8 1")
DIVIDED = ("2 2", "4 2", "8 2")
OTHERS = (
    *("catt", "cta_clustering", "cta_mapping", "cache_bypass", "unified_memory"),
    *("accumulators", "read_only", "constants", "launch_shape", "coarsening"),
)
# What is asked about most comes first, in case the time ends.
FIRST = ("mc", "hg", "sto", "join", "forest", "gather", "fft", "mv")


def build(directory: Path) -> None:
    """NAME.plain, NAME.default and NAME.all for sm_90, with this plugin alone."""
    directory.mkdir(parents=True, exist_ok=True)
    off = "".join(f"[plugins.{name}]\nenabled = false\n" for name in OTHERS)
    for kind, margin in (("default", ""), ("all", "margin = 0\n")):
        (directory / f"{kind}.toml").write_text(f"{off}[plugins.vtb]\nenabled = true\n{margin}")
    for source in sorted([*HERE.glob("*.cu"), *HERE.glob("held/*.cu")]):
        for kind, compiler in (("plain", "nvcc"), ("default", "gpuopt-nvcc"), ("all", "gpuopt-nvcc")):
            env = {**os.environ, "GPUOPT_POLICY": str(directory / f"{kind}.toml")}
            target = directory / f"{source.stem}.{kind}"
            subprocess.run([compiler, "-O3", "-arch=sm_90", str(source), "-o", str(target)], check=True, env=env)


def order(program: Path) -> tuple[int, str]:
    """Where a program comes among the others."""
    return (FIRST.index(program.stem) if program.stem in FIRST else len(FIRST), program.stem)


def run(directory: Path, seconds: float) -> None:
    """Rounds of plain and default (three where they differ), then every candidate; checksums must agree."""
    end = time.monotonic() + seconds
    for program in sorted(directory.glob("*.plain"), key=order):
        name = program.stem
        if time.monotonic() > end:
            print(f"{name} not run: the time is over", flush=True)
            continue
        blocks = ["--blocks", BLOCKS[name]] if name in BLOCKS else []

        def one(kind: str, asked: str = "", name: str = name, blocks: list[str] = blocks) -> tuple[str, float]:
            env = {**os.environ, **({"GPUOPT_VTB": asked} if asked else {})}
            command = [str(directory / f"{name}.{kind}"), "--time", *blocks]
            words = subprocess.run(command, check=True, env=env, capture_output=True, text=True).stdout.split()
            return words[1], float(words[2])

        versions = (directory / f"{name}.all").read_bytes()
        candidates: tuple[str, ...] = CANDIDATES if b"__gpuopt_vtb" in versions else ()
        candidates += DIVIDED if b"__gpuopt_vtb_co" in versions else ()
        rounds = 3 if b"__gpuopt_vtb" in (directory / f"{name}.default").read_bytes() else 2
        pairs = [(one("plain"), one("default")) for _ in range(rounds)]
        tried = {asked: one("all", asked) for asked in candidates}
        sums = {result[0] for pair in pairs for result in pair} | {result[0] for result in tried.values()}
        plain, chosen = (sorted(pair[at][1] for pair in pairs)[rounds // 2] for at in (0, 1))
        told = " ".join(f"[{asked}] {ms:.4f}" for asked, (_, ms) in tried.items())
        print(
            f"{name} plain {plain:.4f} default {chosen:.4f} {'same bits' if len(sums) == 1 else sums} {told}",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1] == "build":
        build(Path(sys.argv[2]))
    else:
        run(Path(sys.argv[2]), float(sys.argv[3]) if len(sys.argv) > 3 else 1e9)
