"""What learning dispatch reaches on this machine's GPU: nvcc, the models' choice, learned, and the best of all arms.

    python benchmarks/learning.py build DIR              # points.cu by nvcc and by gpuopt-nvcc (needs both, no GPU)
    python benchmarks/learning.py run DIR [--every N]    # on all GPUs; one JSON object per point, as they come
    python benchmarks/learning.py behave DIR             # on a GPU: streams, threads, graphs, resets, forks, host time
    python benchmarks/learning.py two DIR                # two GPUs in one process, two processes at once
    python benchmarks/learning.py table POINTS.jsonl     # the figures for RESULTS.md

Each point is one kernel of `learning/points.cu` with its sizes. Whole runs of 1,000 launches (300 of kernels that take
longer than 1.5 ms): nvcc's build and ours with `GPUOPT_LEARN=off` (the models' choice); three of ours that learn, the
first without any choices; one that is `frozen` then. In another directory of choices 200 launches, then `frozen`: what
is known by then. Last, launches without a limit on what trying may cost: the best of all arms, as measured in pairs.
Results are added to DIR/points.jsonl and DIR/behaviour.jsonl; nothing begins after --seconds.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from learning_behaviour import behave, two
from suite_programs import gpus

HERE = Path(__file__).resolve().parent
LAUNCHES = 1000
LONG_MS, LONG_LAUNCHES = 1.5, 300


def points() -> Iterator[tuple[str, int, int, int]]:
    """Kernel, blocks, threads (of a row, for squares), length."""
    sms = 132
    for threads, per_sm in ((256, 8), (256, 4), (512, 4), (128, 16), (1024, 2), (256, 2), (64, 16)):
        for kernel in ("rows", "rows_and_stream", "two_rows"):
            for length in (48, 192) if (threads, per_sm) in ((256, 8), (512, 4)) else (96,):
                yield kernel, sms * per_sm, threads, length
    for threads, per_sm in ((32, 256), (64, 128), (128, 64), (256, 32), (512, 16)):
        for length in (8, 32):
            yield "gather", sms * per_sm, threads, length
    for threads, per_sm in ((256, 16), (128, 32), (256, 64)):
        for length in (16, 64):
            yield "histogram", sms * per_sm, threads, length
    for length in (512, 1024, 2048):
        for threads in (16, 32, 64):
            yield "product", 1, threads, length
    for length in (2048, 8192):
        for threads in (32, 128):
            yield "stencil", 1, threads, length
    for threads, per_sm in ((256, 8), (128, 8), (512, 2)):
        for length in (64, 512):
            yield "columns", sms * per_sm, threads, length


def build(directory: Path, extra: list[str]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for source, prefix in (("points.cu", ""), ("behaviour.cu", "b-")):
        for program, compiler in (("nvcc", "nvcc"), ("gpuopt", "gpuopt-nvcc")):
            output = str(directory / f"{prefix}{program}")
            subprocess.run(
                [compiler, "-O3", "-arch=sm_90", *extra, str(HERE / "learning" / source), "-o", output], check=True
            )


def one(program: Path, point: tuple[str, int, int, int], launches: int, every: int, **env: str) -> tuple[float, str]:
    """Milliseconds of all launches, and the output's bits."""
    command = [str(program), *map(str, point), str(launches), str(every)]
    done = subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: status {done.returncode}: {done.stderr[-300:]}")
    milliseconds, bits = done.stdout.split()
    return float(milliseconds), bits


def arms(directory: Path) -> dict[str, tuple[int, float]]:
    """Pairs and gain (ratio) of each arm in a directory of choices."""
    found: dict[str, list[tuple[int, float]]] = {}
    for path in directory.glob("*.choices"):
        for line in path.read_text().splitlines():
            for arm in line.split("\t")[11:]:
                version, number, what, pairs, mean, *_ = arm.split(":")
                if version != "original" and int(pairs):
                    found.setdefault(f"{version}#{number} {what}", []).append((int(pairs), float(mean)))
    sums = {name: (sum(n for n, _ in all_), sum(n * m for n, m in all_)) for name, all_ in found.items()}
    return {name: (n, math.exp(total / n)) for name, (n, total) in sums.items()}


def device(directory: Path) -> str:
    """The GPU that a directory of choices speaks of."""
    lines = (line.split("\t") for path in directory.glob("*.choices") for line in path.read_text().splitlines())
    return next((cells[4] for cells in lines if len(cells) > 4), "")


def measure(directory: Path, point: tuple[str, int, int, int], every: int, gpu: str) -> dict[str, object]:
    nvcc, ours = directory / "nvcc", directory / "gpuopt"
    name = "-".join(map(str, point))
    here = {"CUDA_VISIBLE_DEVICES": gpu}
    learned, early, all_arms = (directory / f"choices-{kind}-{name}" for kind in ("learned", "early", "all"))
    for place in (learned, early, all_arms):
        place.mkdir(exist_ok=True)
    quick, _ = one(nvcc, point, 20, every, **here)
    launches = LONG_LAUNCHES if quick / 20 > LONG_MS else LAUNCHES
    plain, bits = min(one(nvcc, point, launches, every, **here) for _ in range(2))
    told: dict[str, object] = {"point": point, "gpu": gpu, "launches": launches, "plain_ms": plain / launches}
    told["model"] = plain / one(ours, point, launches, every, GPUOPT_LEARN="off", **here)[0]
    where = {"GPUOPT_LEARN": "on", "GPUOPT_CHOICES": f"{learned}/", **here}
    runs = [one(ours, point, launches, every, **where) for _ in range(3)]
    told["runs"] = [plain / run for run, _ in runs]
    frozen = [one(ours, point, launches, every, **{**where, "GPUOPT_LEARN": "frozen"}) for _ in range(2)]
    told["learned"] = plain / min(frozen)[0]
    where["GPUOPT_CHOICES"] = f"{early}/"
    one(ours, point, 200, every, **where)
    told["at_200"] = plain / one(ours, point, launches, every, **{**where, "GPUOPT_LEARN": "frozen"})[0]
    where.update(GPUOPT_CHOICES=f"{all_arms}/", GPUOPT_LEARN_BUDGET="1000")
    one(ours, point, launches, every, **where)
    told["device"] = device(all_arms)
    found = arms(all_arms)
    told["arms"] = {arm: [n, round(gain, 4)] for arm, (n, gain) in sorted(found.items(), key=lambda item: -item[1][1])}
    told["best"] = max([1.0, *(gain for n, gain in found.values() if n >= 3)])
    told["again"] = plain / one(nvcc, point, launches, every, **here)[0]  # how far the machine itself drifted
    told["same_bits"] = all(found == bits for _, found in [*runs, *frozen])
    return told


def run(directory: Path, every: int, seconds: float, only: str, numbers: list[str], known: Path | None) -> None:
    """Measure points, one at a time on each GPU, until the time is up."""
    end = time.monotonic() + seconds
    done = {tuple(json.loads(line)["point"]) for line in known.read_text().splitlines()} if known else set()
    everything = [one for one in points() if one not in done and (not only or one[0] in only.split(","))]
    todo: queue.SimpleQueue[tuple[str, int, int, int]] = queue.SimpleQueue()
    for point in [one for first in range(3) for one in everything[first::3]]:  # all kinds early
        todo.put(point)
    lock = threading.Lock()

    def one_gpu(gpu: str, out: TextIO) -> None:
        while time.monotonic() < end:
            try:
                point = todo.get_nowait()
            except queue.Empty:
                return
            try:
                told = measure(directory, point, every, gpu)
            except (RuntimeError, subprocess.SubprocessError) as error:
                told = {"point": point, "error": str(error)}
            with lock:
                out.write(json.dumps(told) + "\n")
                out.flush()
                print(json.dumps(told)[:400], flush=True)

    with (directory / "points.jsonl").open("a") as out:
        threads = [threading.Thread(target=one_gpu, args=(gpu, out)) for gpu in numbers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if not todo.empty():
        print(f"time is up: {todo.qsize()} of {len(everything)} points are left", file=sys.stderr)


def mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 1.0


def table(path: Path) -> None:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    bad = [row for row in rows if "error" in row or not row["same_bits"]]
    rows = [row for row in rows if "error" not in row]
    print("| point | nvcc ms | model | run 1 | run 2 | run 3 | learned | at 200 | best | best arm |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        kernel, blocks, threads, length = row["point"]
        figures = [row["model"], *row["runs"], row["learned"], row["at_200"], row["best"]]
        arm = next(iter(row["arms"]), "")
        print(
            f"| {kernel} {blocks} x {threads}, {length} | {row['plain_ms']:.4f} | "
            + " | ".join(f"{one:.3f}" for one in figures)
            + f" | {arm if row['best'] > 1.02 else ''} |"
        )
    print()
    print(f"{len(rows)} points; errors or other bits: {len(bad)}")
    for name in ("model", "learned", "at_200", "best", "again"):
        print(f"{name}: geomean {mean([row[name] for row in rows]):.3f}, least {min(row[name] for row in rows):.3f}")
    for run_ in range(3):
        values = [row["runs"][run_] for row in rows]
        print(f"run {run_ + 1}: geomean {mean(values):.3f}, least {min(values):.3f}")
    print(f"learned / best: {mean([row['learned'] / row['best'] for row in rows]):.3f}")
    print(f"at 200 / best: {mean([row['at_200'] / row['best'] for row in rows]):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("build", "run", "behave", "two", "table"))
    parser.add_argument("path", type=Path)
    parser.add_argument("--every", type=int, default=16, help="launches between two synchronisations; 0: none")
    parser.add_argument("--seconds", type=float, default=540, help="run, behave, two: begin nothing after so long")
    parser.add_argument("--only", default="", help="kernels (run) or modes (behave) between commas")
    parser.add_argument("--gpus", help="run, two: numbers, as 0,1 (default: all)")
    parser.add_argument("--known", type=Path, metavar="POINTS.jsonl", help="run: points that are measured already")
    arguments, extra = parser.parse_known_args()
    if extra and arguments.step != "build":
        parser.error(f"unrecognized arguments: {' '.join(extra)}")
    numbers = arguments.gpus.split(",") if arguments.gpus else gpus() if arguments.step in ("run", "two") else []
    if arguments.step == "build":
        build(arguments.path, extra)
    elif arguments.step == "behave":
        behave(arguments.path, arguments.only, arguments.seconds)
    elif arguments.step == "two":
        two(arguments.path, numbers, arguments.seconds)
    elif arguments.step == "run":
        run(arguments.path, arguments.every, arguments.seconds, arguments.only, numbers, arguments.known)
    else:
        table(arguments.path)


if __name__ == "__main__":
    main()
