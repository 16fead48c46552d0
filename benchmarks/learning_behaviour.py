"""What programs do while launches are measured (`learning.py behave`, `two`): time beside nvcc's build, same bits."""

from __future__ import annotations

import json
import os
import subprocess
import time
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

MODES = {
    "host": 100_000,
    "host-stream": 100_000,
    "short": 300_000,
    "usual": 1000,
    "arguments": 20000,
    "streams": 4000,
    "threads": 4000,
    "graph": 2000,
    "reset": 2000,
    "fork": 1000,
}
CROWD = 64
RUN_SECONDS = 60


def started(program: Path, mode: str, launches: int, env: Mapping[str, str]) -> subprocess.Popen[str]:
    """A run that goes on while others do."""
    command = [str(program), mode, str(launches)]
    merged = {**os.environ, **env}
    return subprocess.Popen(command, env=merged, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(run: subprocess.Popen[str]) -> tuple[float, str]:
    """Milliseconds of a run, and all else that it said; without an end: infinity."""
    try:
        out, said = run.communicate(timeout=RUN_SECONDS)
    except subprocess.TimeoutExpired:
        run.kill()
        run.communicate()
        return float("inf"), f"did not end in {RUN_SECONDS} s"
    milliseconds, _, rest = out.strip().partition(" ")
    return float(milliseconds or "nan"), f"{rest} {run.returncode} {said[-200:]}"


def timed(program: Path, mode: str, launches: int, **env: str) -> tuple[float, str]:
    """Milliseconds of a run, and all else that it said."""
    return ended(started(program, mode, launches, env))


def records(choices: Path) -> tuple[int, int, list[str]]:
    """Records of a directory of choices, how many of them are whole, and the GPUs that they name."""
    lines = [line for path in sorted(choices.glob("*.choices")) for line in path.read_text().splitlines()]
    whole = [line for line in lines if zlib.crc32(line[26:].encode()) == int(line[17:25], 16)]
    return len(lines), len(whole), sorted({line.split("\t")[4] for line in whole})


class Told:
    """Results, a line of JSON each, as they come."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "behaviour.jsonl"

    def add(self, told: Mapping[str, Any]) -> None:
        """Write a line, and print it."""
        with self.path.open("a") as out:
            out.write(json.dumps(told) + "\n")
        print(json.dumps(told), flush=True)


def behave(directory: Path, only: str, seconds: float) -> None:
    """Every mode by nvcc's build and by ours in each way of learning; then many processes with one directory."""
    end, out = time.monotonic() + seconds, Told(directory)
    for mode, launches in MODES.items():
        if only and mode not in only.split(","):
            continue
        if time.monotonic() > end:
            out.add({"mode": mode, "left_out": f"nothing begins after {seconds:.0f} s"})
            continue
        out.add(one_mode(directory, mode, launches))
    if only and "crowd" not in only.split(","):
        return
    if time.monotonic() > end:
        out.add({"processes": CROWD, "left_out": f"nothing begins after {seconds:.0f} s"})
    else:
        out.add(crowd(directory))


def one_mode(directory: Path, mode: str, launches: int) -> dict[str, Any]:
    """How fast each way of running ours is beside nvcc's build; for `host` and `host-stream` `ns` are the host's."""
    nvcc, ours = directory / "b-nvcc", directory / "b-gpuopt"
    empty, choices = directory / "nowhere", directory / f"choices-{mode}"
    empty.mkdir(exist_ok=True)
    empty.chmod(0o555)
    choices.mkdir(exist_ok=True)
    plain = [timed(nvcc, mode, launches) for _ in range(3)]
    least = min(one[0] for one in plain)
    told: dict[str, Any] = {"mode": mode, "nvcc_ms": [round(one[0], 2) for one in plain], "same": True}
    told["ns"] = {"nvcc": round(1e6 * least / launches, 1)}
    learning = {"GPUOPT_CHOICES": f"{choices}/"}
    ways = {
        "original": {"GPUOPT_DISPATCH": "original"},
        "off": {"GPUOPT_LEARN": "off"},
        "first": learning,
        "second": learning,
        "third": learning,
        "frozen": {**learning, "GPUOPT_LEARN": "frozen"},
        "no_place": {"GPUOPT_CHOICES": "", "HOME": str(empty), "XDG_CACHE_HOME": "/proc/nowhere"},
    }
    for name, env in ways.items():
        took, said = timed(ours, mode, launches, **env)
        told[name] = round(least / took, 4)
        told["ns"][name] = round(1e6 * took / launches, 1)
        if said != plain[0][1]:
            told["same"], told["said"] = False, [said, plain[0][1]]
    return told


def crowd(directory: Path) -> dict[str, Any]:
    """Many processes that write into one directory at once."""
    choices = directory / "choices-many"
    choices.mkdir(exist_ok=True)
    began = time.monotonic()
    env = {"GPUOPT_CHOICES": f"{choices}/"}
    runs = [started(directory / "b-gpuopt", "usual", 300, env) for _ in range(CROWD)]
    said = sorted({ended(one)[1] for one in runs})
    count, whole, _ = records(choices)
    seconds = round(time.monotonic() - began, 1)
    return {"processes": CROWD, "outputs": said, "records": count, "whole": whole, "seconds": seconds}


def two(directory: Path, gpus: Sequence[str], seconds: float) -> None:
    """Two GPUs in one process; two processes at once on one GPU, and on one each."""
    end, out = time.monotonic() + seconds, Told(directory)
    pair = ",".join(gpus[:2])
    cases: dict[str, list[tuple[str, str]]] = {  # what runs at once: mode, and the GPUs that it sees
        "two GPUs in one process": [("devices", pair)],
        "two processes on one GPU": [("usual", gpus[0]), ("usual", gpus[0])],
        "two processes on two GPUs": [("usual", gpu) for gpu in gpus[:2]],
    }
    for name, runs in cases.items():
        if len(gpus) < 2 and "two GPUs" in name:
            out.add({"two": name, "left_out": "this machine has one GPU"})
        elif time.monotonic() > end:
            out.add({"two": name, "left_out": f"nothing begins after {seconds:.0f} s"})
        else:
            out.add({"two": name, **at_once(directory, name, runs)})


def at_once(directory: Path, name: str, runs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Runs that begin together, by nvcc's build and by ours with one directory of choices."""
    choices = directory / f"choices-{name.replace(' ', '-')}"
    choices.mkdir(exist_ok=True)

    def go(program: str, **env: str) -> list[tuple[float, str]]:
        made = [started(directory / program, mode, 2000, {"CUDA_VISIBLE_DEVICES": gpu, **env}) for mode, gpu in runs]
        return [ended(one) for one in made]

    plain = [go("b-nvcc") for _ in range(2)]
    least = [min(times) for times in zip(*([one[0] for one in run] for run in plain), strict=True)]
    told: dict[str, Any] = {"nvcc_ms": [[round(one[0], 2) for one in run] for run in plain], "same": True}
    learning = {"GPUOPT_CHOICES": f"{choices}/"}
    for way in ("first", "second", "third", "frozen"):
        made = go("b-gpuopt", **learning, **({"GPUOPT_LEARN": "frozen"} if way == "frozen" else {}))
        told[way] = [round(best / took, 4) for best, (took, _) in zip(least, made, strict=True)]
        for (_, said), (_, expected) in zip(made, plain[0], strict=True):
            if said != expected:
                told["same"], told["said"] = False, [said, expected]
    told["records"], told["whole"], told["devices"] = records(choices)
    return told
