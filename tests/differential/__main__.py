"""The full differential test: `python -m tests.differential`. Prints counts; status 1 if anything differs.

With `--releases 13.0 13.3 newest` it is run with one release of nvcc after the other (`tests/releases.py` gets them).
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from gpuopt_driver.nvcc.find import find_nvcc
from tests.differential.compare import MODES, Verdict, Workshop, behind, mode_of
from tests.differential.differences import unexplained
from tests.differential.lines import all_lines
from tests.differential.project import Line, write_project, write_sources
from tests.releases import nvcc_of, release_of

_workshops: dict[int, Workshop] = {}


def _work(scratch: str, nvcc: str, line: Line, mode: str) -> Verdict:
    shop = _workshops.setdefault(
        os.getpid(), Workshop(Path(scratch, f"worker-{os.getpid()}"), nvcc, Path(scratch, "template"))
    )
    return shop.compare(line, mode)


def _release(nvcc: str) -> tuple[int, int]:
    major, minor = release_of(nvcc).split(".")
    return int(major), int(minor)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nvcc", default="", help="the real nvcc (else GPUOPT_NVCC, PATH, CUDA_HOME, ...)")
    parser.add_argument("--releases", nargs="+", default=[], help="these releases, one after the other: 13.0, newest")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1, help="of the random mixtures")
    parser.add_argument("--mixtures", type=int, default=300, help="how many of them")
    parser.add_argument("--mode", choices=MODES, help="one way to have nothing patched, instead of all in turn")
    parser.add_argument("--group", help="this group of lines only")
    parser.add_argument(
        "--dry", action="store_true", help="only lines that compile nothing: for an nvcc without toolkit"
    )
    parser.add_argument("--first", type=int, default=0, help="leave out so many lines")
    parser.add_argument("--every", type=int, default=1, help="only every N-th line")
    return parser.parse_args()


def main() -> int:
    """Run the set with each nvcc; the exit status."""
    options = _arguments()
    if options.releases:
        programs = [nvcc_of(release, os.environ) for release in options.releases]
    else:
        found = find_nvcc({**os.environ, **({"GPUOPT_NVCC": options.nvcc} if options.nvcc else {})})
        if found is None:
            sys.exit("no nvcc found; name one with --nvcc or --releases")
        programs = [found.path]
    return max([_with(options, behind(nvcc)) for nvcc in programs])


def _with(options: argparse.Namespace, nvcc: str) -> int:
    """Run the set with one nvcc; 1 if anything differs."""
    version = _release(nvcc)
    lines = all_lines(version, options.seed, options.mixtures)
    wanted = [line for line in lines if (not options.dry or line.dry) and options.group in (None, line.group)]
    wanted = wanted[options.first :: options.every]
    modes = [options.mode or mode_of(line, number) for number, line in enumerate(wanted)]
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="differential-") as scratch:
        os.environ["GPUOPT_CACHE_DIR"] = str(Path(scratch, "cache"))
        os.environ["HOME"] = scratch
        template = Path(scratch, "template")
        template.mkdir()
        (write_sources if options.dry else lambda root: write_project(root, nvcc))(template)
        count = len(wanted)
        with ProcessPoolExecutor(options.jobs) as pool:
            running = pool.map(_work, [scratch] * count, [nvcc] * count, wanted, modes, chunksize=4)
            verdicts = [_told(verdict, number, count) for number, verdict in enumerate(running, 1)]
    _report(verdicts, version, time.monotonic() - started)
    return 1 if any(unexplained(verdict) for verdict in verdicts) else 0


def _told(verdict: Verdict, number: int, count: int) -> Verdict:
    """The same, shown at once where it is a difference."""
    if texts := unexplained(verdict):
        print(
            f"DIFFERS [{verdict.mode}] {verdict.line.group}: {verdict.line.text[:300]}",
            *texts,
            sep="\n    ",
            flush=True,
        )
    if number % 100 == 0:
        print(f"{number} of {count}", file=sys.stderr, flush=True)
    return verdict


def _report(verdicts: list[Verdict], version: tuple[int, int], seconds: float) -> None:
    bad = [verdict for verdict in verdicts if unexplained(verdict)]
    for verdict in verdicts:
        for what, way in verdict.normalised.items():
            if way == "size":
                print(f"by size only: {what} of {verdict.line.text[:200]}")
    groups = Counter(verdict.line.group for verdict in verdicts)
    failing = Counter(verdict.line.group for verdict in verdicts if verdict.status)
    print(f"\nnvcc {version[0]}.{version[1]}: {len(verdicts)} command lines in {seconds:.0f} s")
    print("| group | lines | of these nvcc fails | differ |\n| --- | --- | --- | --- |")
    for group, count in groups.items():
        print(f"| {group} | {count} | {failing[group]} | {sum(item.line.group == group for item in bad)} |")
    print(f"| all | {len(verdicts)} | {failing.total()} | {len(bad)} |")
    meant = sum(bool(verdict.differences) and verdict not in bad for verdict in verdicts)
    ways = Counter(way for verdict in verdicts for way in verdict.normalised.values())
    print(
        f"meant to differ: {meant}; where a run was not equal byte for byte at once, things were compared {dict(ways)}"
    )


if __name__ == "__main__":
    sys.exit(main())
