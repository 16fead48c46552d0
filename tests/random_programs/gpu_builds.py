"""Programs of many kernels with floating point, built by nvcc and by gpuopt-nvcc, for a machine with a GPU."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .policies import PLUGINS, candidates, forced, policy, runs
from .program import Program, program

# Host code is made small, and no PTX goes along: a thousand kernels are some 50 MiB.
FLAGS = (
    "-O3",
    "-gencode=arch=compute_90,code=sm_90",
    "-std=c++17",
    "-diag-suppress=177,550,128",
    "-Xcompiler=-Os",
    "-Xlinker=-s",
    "-Xfatbin=-compress-all",
)
PER_PROGRAM = 100
ARMS = 16  # ways in which one launch can run, the original among them: MOST_ARMS of learning/


@dataclass(frozen=True)
class Folder:
    """What is to be built, and where. Each turn forces other options on the same programs."""

    directory: Path
    seed: int
    kernels: int
    turns: int = 1
    plugins: Sequence[str] = PLUGINS
    avoid: tuple[str, ...] = ()
    per_program: int = PER_PROGRAM


def build(folder: Folder) -> int:
    """Build everything; programs that are there already stay. Returns 1 if something did not build."""
    folder.directory.mkdir(parents=True, exist_ok=True)
    shutil.copy(Path(__file__).with_name("on_gpu.py"), folder.directory / "run.py")
    listed = folder.directory / "programs.json"
    entries: list[dict[str, Any]] = json.loads(listed.read_text()) if listed.exists() else []
    done, bad = {entry["seed"] for entry in entries}, 0
    for number in range(-(-folder.kernels // folder.per_program)):
        made = program(folder.seed + number, folder.per_program, avoid=folder.avoid, floats=1.0)
        if made.seed in done:
            continue
        entry, problems = _entry(folder, made)
        entries.append(entry)
        listed.write_text(json.dumps(entries, indent=1))
        bad += bool(problems)
        size = sum(path.stat().st_size for path in folder.directory.iterdir())
        print(
            f"{made.seed}: {len(made.kernels)} kernels, {size / 2**20:.1f} MiB so far",
            *problems,
            sep="\n  ",
            flush=True,
        )
    return 1 if bad else 0


def _entry(folder: Folder, made: Program) -> tuple[dict[str, Any], list[str]]:
    """The builds of one program, and what went wrong."""
    sources = folder.directory.with_name(f"{folder.directory.name}-sources")
    sources.mkdir(exist_ok=True)
    source = sources / f"p{made.seed}.cu"
    source.write_text(made.text)
    plain = f"p{made.seed}-nvcc"
    problems = _compile(["nvcc"], source, folder.directory / plain)
    builds = []
    for turn in (*range(folder.turns), "candidates"):
        name = f"p{made.seed}-{turn}"
        rules = sources / f"{name}.toml"
        if isinstance(turn, int):
            rules.write_text(policy(forced(made, turn), folder.plugins))
        else:
            rules.write_text(candidates(folder.plugins))
        report = f"--gpuopt-report={rules.with_suffix('.json')}"
        driver = ["gpuopt-nvcc", "--gpuopt-backend=nvcc", f"--gpuopt-policy={rules}", "--gpuopt-gpu=h200", report]
        problems += _compile(driver, source, folder.directory / name)
        told = runs(made.seed + turn, folder.plugins) if isinstance(turn, int) else []
        ways = [{"name": one.name, "environment": dict(one.environment)} for one in told]
        builds.append(
            {
                "program": name,
                "runs": [{"name": "original", "environment": {"GPUOPT_DISPATCH": "original"}}, *ways],
                "arms": ARMS,
            }
        )
    return {"seed": made.seed, "kernels": len(made.kernels), "plain": plain, "builds": builds}, problems


def _compile(driver: list[str], source: Path, output: Path) -> list[str]:
    """Build one program; what was said that should not have been."""
    found = shutil.which(driver[0])
    assert found, f"{driver[0]} is not in PATH"
    command = [found, *driver[1:], *FLAGS, str(source), "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, env=dict(os.environ))
    said = [line for line in done.stderr.splitlines() if re.search(r"\berror\b|^gpuopt:", line)]
    return [f"{output.name}: {line[:300]}" for line in said[:6]] + (
        [f"{output.name}: status {done.returncode}"] if done.returncode else []
    )
