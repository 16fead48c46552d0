"""Programs that were built twice, by nvcc and by gpuopt-nvcc, on this machine's GPUs: same output, and how much faster?

    python benchmarks/suite_programs.py DIR --library LIBRARY --results FILE.jsonl [--seconds 540] [--arms 8]
    python benchmarks/suite_programs.py --summary FILE.jsonl

DIR/list.txt has a line `NAME ARGUMENT...` for each pair of programs, DIR/NAME.nvcc and DIR/NAME.gpuopt; LIBRARY comes
from `kernel_times.py build`. Every GPU takes one program after the other: plain twice, learned from nothing (`first`,
as often as --learn says), what was learned (`settled`), the models' choice (`models`), then one run for each way in
which launches can run (`arm:N`), as long as launches have so many. Arms come when all programs have had their other
runs, arm 1 of each first.

Speed-ups are of GPU time in kernels, each kernel's mean launch weighted with plain's number of launches. Output must be
equal but for numbers in front of or behind units of time and rates, and lines that differ between the two plain runs;
what was put aside is in the results. Each run is a line of JSON as it ends, so what is stopped has its figures.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

import kernel_times
from suite_summary import summary

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
UNIT = (
    r"(?:(?:n|u|µ|m|micro|milli|nano)?s(?:ec(?:ond)?s?)?|[num]secs?|minutes?|[kKMGT]i?[bB](?:ytes)?(?:/|p)s(?:ec)?"
    r"|[kKMGTP]?(?:FLOPS?|flops?|Flops?|FLOP/s|Flop/s|flop/s|OPS|op/s|Hz)|cycles?|FPS|fps"
    r"|\w*(?:/s(?:ec(?:ond)?)?|[ _]per[ _]second|/ns|/us|/ms))"
)
TIMED = re.compile(rf"(?<![\w.]){NUMBER}(?= *[(\[]?{UNIT}[)\]]?(?![\w/]))")
LABEL = r"(?:\b\w*time|elapsed|bandwidth|throughput|[gmt]flops?|latency|duration|performance|speed)"
LABELLED = re.compile(rf"(?i)({LABEL}\b[^:=\d,;]*[:=]? *)({NUMBER})")
UNIT_FIRST = re.compile(rf"([(\[]{UNIT}[)\]]\s*[:=]?\s*)({NUMBER})")
ANY = re.compile(rf"0x[0-9a-fA-F]+|{NUMBER}|\b[-+]?(?:nan|inf)\b")
TAKEN = re.compile(r"^gpuopt: .*<<<.*>>>: (\S+) n=", re.MULTILINE)


def without_times(line: str) -> str:
    """A line with `#` for each number that is a time or a rate by its unit, or else by the word in front of it."""
    by_unit = UNIT_FIRST.sub(r"\1#", TIMED.sub("#", line))
    return LABELLED.sub(r"\1#", line) if by_unit == line else by_unit


def lines_of(done: subprocess.CompletedProcess[str]) -> list[str]:
    """What a program said, without gpuopt's own lines."""
    said = [*done.stdout.splitlines(), *done.stderr.splitlines()]
    return [line for line in said if not line.startswith(("gpuopt: ", "kernel_times: "))]


@dataclass
class Expected:
    """What two plain runs printed: their lines without times, and which of these were not the same."""

    lines: list[str]
    put_aside: set[str] = field(default_factory=set)
    unsteady: set[str] = field(default_factory=set)

    def again(self, lines: Sequence[str]) -> None:
        """Learn from a second plain run which lines vary."""
        for old, new in zip(self.lines, map(without_times, lines), strict=False):
            if old != new:
                self.unsteady |= {ANY.sub("#", old), ANY.sub("#", new)}

    def first_difference(self, lines: Sequence[str]) -> str:
        """The first line that is another; empty where the output is equal."""
        now = [self._steady(without_times(line)) for line in lines]
        before = [self._steady(line) for line in self.lines]
        if now == before:
            return ""
        pairs = [(old, new) for old, new in zip(before, now, strict=False) if old != new]
        return f"{pairs[0][0]!r} became {pairs[0][1]!r}" if pairs else f"{len(before)} lines became {len(now)}"

    def _steady(self, line: str) -> str:
        bare = ANY.sub("#", line)
        return bare if bare in self.unsteady else line


def expected(lines: Sequence[str]) -> Expected:
    """What the first plain run printed."""
    bare = [without_times(line) for line in lines]
    return Expected(bare, {new for old, new in zip(lines, bare, strict=True) if old != new})


@dataclass(frozen=True)
class Program:
    """A line of the list."""

    name: str
    arguments: tuple[str, ...]


@dataclass
class State:
    """What later runs of a program need to know of earlier ones."""

    expected: Expected
    arms: bool = True


def programs_of(directory: Path) -> list[Program]:
    """The pairs of a directory's list; one that is not whole is an error."""
    found = []
    for number, line in enumerate((directory / "list.txt").read_text().splitlines(), 1):
        words = shlex.split(line, comments=True)
        if not words:
            continue
        for build in ("nvcc", "gpuopt"):
            if not (directory / f"{words[0]}.{build}").is_file():
                raise SystemExit(f"{directory}/list.txt:{number}: there is no {words[0]}.{build}")
        found.append(Program(words[0], tuple(words[1:])))
    return found


def gpus() -> list[str]:
    """Numbers of this machine's GPUs."""
    if os.environ.get("CUDA_VISIBLE_DEVICES"):
        return os.environ["CUDA_VISIBLE_DEVICES"].split(",")
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        raise SystemExit("nvidia-smi lists no GPU: name them with --gpus 0,1") from None
    return re.findall(r"^GPU (\d+):", listed, re.MULTILINE)


class Bench:
    """All programs on all GPUs, until there is no time left."""

    def __init__(self, options: argparse.Namespace, output: TextIO, scratch: Path) -> None:
        self.options, self.output, self.scratch = options, output, scratch
        self.end = time.monotonic() + options.seconds
        self.lock = threading.Lock()
        self.todo: queue.SimpleQueue[Program] = queue.SimpleQueue()
        for program in programs_of(options.directory):
            self.todo.put(program)

    def all(self, numbers: Sequence[str]) -> None:
        """One thread for each GPU."""
        threads = [threading.Thread(target=self.one_gpu, args=(gpu,)) for gpu in numbers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def one_gpu(self, gpu: str) -> None:
        """Programs one after the other, then arms of those that this GPU had."""
        mine: list[tuple[Program, State]] = []
        while True:
            try:
                program = self.todo.get_nowait()
            except queue.Empty:
                break
            state = self.first_runs(program, gpu)
            if state:
                mine.append((program, state))
        for arm in range(1, self.options.arms + 1):
            for program, state in mine:
                if state.arms:
                    told = self.run(program, gpu, f"arm:{arm}", {"GPUOPT_DISPATCH": f"arm:{arm}"}, state)
                    state.arms = bool(told and told["taken"])

    def first_runs(self, program: Program, gpu: str) -> State | None:
        """Plain twice, learned, settled, as models choose. None where there is nothing to compare."""
        directory = self.options.directory
        told = self.run(program, gpu, "plain", {}, None)
        if told is None or told["problem"]:
            return None
        state = State(expected(told.pop("lines")))
        self.run(program, gpu, "plain again", {}, state)
        builds = [(directory / f"{program.name}.{build}").read_bytes() for build in ("nvcc", "gpuopt")]
        if builds[0] == builds[1]:
            self.tell({"program": program.name, "run": "same build", "gpu": gpu, "problem": "", "differs": ""})
            return None
        choices = self.scratch / f"choices-{program.name}"
        choices.mkdir()
        learning = {"GPUOPT_CHOICES": f"{choices}/"}
        for _ in range(self.options.learn):
            self.run(program, gpu, "first", learning, state)
        self.run(program, gpu, "settled", {**learning, "GPUOPT_LEARN": "frozen"}, state)
        self.run(program, gpu, "models", {"GPUOPT_LEARN": "off", "GPUOPT_DISPATCH": "trace"}, state)
        return state

    def run(
        self, program: Program, gpu: str, name: str, more: Mapping[str, str], state: State | None
    ) -> dict[str, Any] | None:
        """One run; None where no time is left for it."""
        left = self.end - time.monotonic()
        if left < 1:
            return None
        build = "nvcc" if name.startswith("plain") else "gpuopt"
        place = Path(tempfile.mkdtemp(dir=self.scratch))
        times = place / "kernel.times"
        kept = {key: value for key, value in os.environ.items() if not key.startswith("GPUOPT_")}
        environment = {
            **kept,
            "CUDA_VISIBLE_DEVICES": gpu,
            **kernel_times.environment(self.options.library, times),
            **more,
        }
        command = [str(self.options.directory / f"{program.name}.{build}"), *program.arguments]
        told: dict[str, Any] = {"program": program.name, "run": name, "gpu": gpu, "problem": "", "differs": ""}
        began = time.monotonic()
        try:
            done = subprocess.run(
                command, env=environment, cwd=place, capture_output=True, text=True, errors="replace",
                timeout=min(self.options.limit, left), stdin=subprocess.DEVNULL, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            if left < self.options.limit:  # the time of all was up, not this program's
                return None
            told["problem"] = f"did not end in {self.options.limit:g} s"
        else:
            self.judge(told, done, state)
        told["seconds"] = round(time.monotonic() - began, 3)
        kernels = kernel_times.joined(kernel_times.read(times)) if times.exists() else {}
        told["kernels"] = {key: [one.launches, one.sum_ns, one.versions] for key, one in kernels.items()}
        if not told["problem"] and not kernels:
            told["problem"] = "no kernel was timed"
        shutil.rmtree(place)
        self.tell(told)
        return told

    def judge(self, told: dict[str, Any], done: subprocess.CompletedProcess[str], state: State | None) -> None:
        """Status, versions taken, and the output beside that of plain runs."""
        lines = lines_of(done)
        told["taken"] = sorted(set(TAKEN.findall(done.stderr)) - {"original"})
        if state is None:
            told["lines"] = lines
            told["put_aside"] = sorted(expected(lines).put_aside)[:20]
        elif told["run"] == "plain again":
            state.expected.again(lines)
            told["unsteady"] = sorted(state.expected.unsteady)[:20]
        if done.returncode:
            told["problem"] = f"status {done.returncode}: {' / '.join(lines[-2:])[:200]}"
        elif state is not None:
            told["differs"] = state.expected.first_difference(lines)[:300]

    def tell(self, told: Mapping[str, Any]) -> None:
        """Write a run's line, and say it."""
        line = json.dumps({key: value for key, value in told.items() if key != "lines"})
        with self.lock:
            self.output.write(line + "\n")
            self.output.flush()
            total = sum(one[1] for one in told.get("kernels", {}).values()) / 1e6
            wrong = told["problem"] or told["differs"]
            print(f"{told['program']:24} {told['run']:12} {total:10.3f} ms in kernels {wrong}"[:200], flush=True)


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", nargs="?", type=Path, help="programs and list.txt")
    parser.add_argument("--library", type=Path, help="what kernel_times.py built")
    parser.add_argument(
        "--results", type=Path, default=Path("suite_programs.jsonl"), help="where lines of JSON are added"
    )
    parser.add_argument("--seconds", type=float, default=540, help="of all runs together")
    parser.add_argument(
        "--limit", type=float, default=20, metavar="SECONDS", help="of one run; what takes longer is left"
    )
    parser.add_argument("--arms", type=int, default=8, help="ways to run a launch that are tried at most")
    parser.add_argument("--learn", type=int, default=1, help="runs that learn before the settled one")
    parser.add_argument("--gpus", help="numbers, as 0,1 (default: all)")
    parser.add_argument("--summary", type=Path, metavar="FILE", help="only the figures of a file of results")
    options = parser.parse_args()
    if not options.summary:
        if not options.directory or not options.library:
            parser.error("which directory of programs, and which --library?")
        options.directory, options.library = options.directory.resolve(), options.library.resolve()
        if not options.library.is_file():
            parser.error(f"there is no {options.library}: python benchmarks/kernel_times.py build {options.library}")
        with tempfile.TemporaryDirectory() as scratch, options.results.open("a") as output:
            bench = Bench(options, output, Path(scratch))
            bench.all(options.gpus.split(",") if options.gpus else gpus())
    lines = [json.loads(line) for line in (options.summary or options.results).read_text().splitlines()]
    text, good = summary(lines)
    print(text)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
