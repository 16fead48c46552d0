"""Which versions were faster, of all that programs have measured: by plugin, over files of choices.

    python benchmarks/arm_gains.py DIR_OF_CHOICES ...

A program that ran with GPUOPT_LEARN_BUDGET=1000 has tried every version of its launches. `launches` are those where one
of the plugin's versions was tried; the next columns those where one was more than 1.02 and 1.05 times as fast as the
original, in two pairs of launches at least or in the first launches of two processes; `best` those where no other
version was faster; `slowest` the least gain. Times are of single launches: those of a few microseconds say little.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from gpuopt_driver.learning.records import ORIGINAL, Arm, Record, pooled, read

_ENOUGH = 2  # pairs of launches, or first launches of processes


def measured(record: Record) -> Iterator[tuple[str, float, bool]]:
    """The versions of a launch: how many times as fast as the original, and whether that is more than a first look."""
    original = next((arm for arm in record.arms if arm.version == ORIGINAL), Arm(ORIGINAL, 0))
    for arm in record.arms:
        firsts = min(arm.firsts.count, original.firsts.count)
        if arm is not original and arm.pairs.count:
            yield arm.version, math.exp(arm.pairs.mean), arm.pairs.count >= _ENOUGH
        elif arm is not original and firsts:
            yield arm.version, math.exp(original.firsts.mean - arm.firsts.mean), firsts >= _ENOUGH


def main(directories: Sequence[str]) -> None:
    """Print the table."""
    launches, small, large, best = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    least: dict[str, float] = {}
    count = 0
    for directory in directories:
        for file in sorted(Path(directory).rglob("*.choices")):
            for record in pooled(read(file.read_bytes()).records):
                gains: dict[str, float] = {}
                for version, gain, is_sure in measured(record):
                    gains[version] = max(gain if is_sure else 0.0, gains.get(version, 0.0))
                    least[version] = min(gain, least.get(version, gain))
                count += bool(gains)
                launches.update(list(gains))
                small.update(version for version, gain in gains.items() if gain > 1.02)
                large.update(version for version, gain in gains.items() if gain > 1.05)
                leader = max(gains, key=gains.__getitem__, default="")
                best.update([leader] if leader and gains[leader] > 1.02 else [])
    print(f"{count} launches\n\n| version | launches | over 1.02 | over 1.05 | best | slowest |")
    print("|---|---|---|---|---|---|")
    for version, number in launches.most_common():
        figures = f"{number} | {small[version]} | {large[version]} | {best[version]} | {least[version]:.2f}"
        print(f"| {version} | {figures} |")


if __name__ == "__main__":
    main(sys.argv[1:])
