"""Whole runs of short kernels, many times over: what is lost by learning, and what the machine itself varies by?

    python benchmarks/learning_runs.py run DIR [--rounds 8] [--only KERNELS]    # DIR from `learning.py build`, on a GPU
    python benchmarks/learning_runs.py table DIR/runs.jsonl

One run of a kernel of a few microseconds differs from the next by more than a percent, so each figure is a mean. In a
round, every point of `learning/points.cu` below makes whole runs of 1,000 launches, synchronised every 16, in this
order: nvcc's build, a first run without choices, a second and a third, `frozen`, `GPUOPT_LEARN=off`, nvcc's build
again. Ratios are times of nvcc's build (mean of the two of the round) over ours, and of one over the other.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from learning import LAUNCHES, mean, one

Point = tuple[str, int, int, int]
POINTS: tuple[Point, ...] = (  # 7 to 100 us on an H200
    ("columns", 264, 512, 64),
    ("columns", 1056, 128, 64),
    ("stencil", 1, 32, 2048),
    ("histogram", 2112, 256, 16),
    ("rows", 264, 256, 96),
    ("product", 1, 32, 512),
    ("histogram", 4224, 128, 16),
    ("gather", 4224, 256, 8),
    ("rows", 528, 256, 96),
    ("columns", 264, 512, 512),
)
KINDS = ("run 1", "run 2", "run 3", "frozen", "off")


def measure(directory: Path, point: Point, every: int) -> dict[str, object]:
    """One round of a point: milliseconds by kind."""
    nvcc, ours = directory / "nvcc", directory / "gpuopt"
    with tempfile.TemporaryDirectory() as choices:
        where = {"GPUOPT_LEARN": "on", "GPUOPT_CHOICES": f"{choices}/"}
        first, bits = one(nvcc, point, LAUNCHES, every)
        runs = {kind: one(ours, point, LAUNCHES, every, **where) for kind in KINDS[:3]}
        runs["frozen"] = one(ours, point, LAUNCHES, every, **{**where, "GPUOPT_LEARN": "frozen"})
        runs["off"] = one(ours, point, LAUNCHES, every, GPUOPT_LEARN="off")
    last, _ = one(nvcc, point, LAUNCHES, every)
    told: dict[str, object] = {
        "point": point,
        "plain": [first, last],
        "same_bits": all(b == bits for _, b in runs.values()),
    }
    return told | {kind: ms for kind, (ms, _) in runs.items()}


def run(directory: Path, rounds: int, seconds: float, every: int, only: str) -> None:
    end = time.monotonic() + seconds
    with (directory / "runs.jsonl").open("a") as out:
        for _ in range(rounds):
            for point in [one for one in POINTS if not only or one[0] in only.split(",")]:
                if time.monotonic() > end:
                    print("time is up", file=sys.stderr)
                    return
                out.write(json.dumps(measure(directory, point, every)) + "\n")
                out.flush()


def table(path: Path) -> None:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    ratios: dict[tuple[object, ...], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        first, last = row["plain"]
        found = ratios[tuple(row["point"])]
        found["ms"].append(math.sqrt(first * last) / LAUNCHES)
        found["again"].append(first / last)
        for kind in KINDS:
            found[kind].append(math.sqrt(first * last) / row[kind])
    print(f"| point | nvcc ms | rounds | again (least, most) | {' | '.join(KINDS)} |\n{'|---' * (4 + len(KINDS))}|")
    for point, found in ratios.items():
        again = found["again"]
        cells = [f"{mean(found[kind]):.3f} ± {error(found[kind]):.3f} ({min(found[kind]):.3f})" for kind in KINDS]
        kernel, blocks, threads, length = point
        print(
            f"| {kernel} {blocks} x {threads}, {length} | {statistics.median(found['ms']):.4f} | {len(again)} "
            f"| {mean(again):.3f} ({min(again):.3f}, {max(again):.3f}) | {' | '.join(cells)} |"
        )
    print(f"\n{len(rows)} rounds of points; other bits: {sum(not row['same_bits'] for row in rows)}")
    for kind in ("again", *KINDS):
        means = [mean(found[kind]) for found in ratios.values()]
        print(f"{kind}: geomean {mean(means):.4f}, least mean of a point {min(means):.4f}")


def error(values: list[float]) -> float:
    """The standard error of a mean."""
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("run", "table"))
    parser.add_argument("path", type=Path)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--only", default="", help="kernels between commas")
    parser.add_argument("--every", type=int, default=16, help="launches between two synchronisations; 0: none")
    parser.add_argument("--seconds", type=float, default=540, help="begin nothing after so long")
    arguments = parser.parse_args()
    if arguments.step == "table":
        table(arguments.path)
    else:
        run(arguments.path, arguments.rounds, arguments.seconds, arguments.every, arguments.only)


if __name__ == "__main__":
    main()
