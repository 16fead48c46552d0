"""`gpuopt trace`: what traces of the emulator in our own format hold, per launch and place of the source."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field
from pathlib import Path
from typing import Any

from gpuopt_driver.commands.show import show, show_json
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import UsageError
from gpuopt_driver.progress import telling
from gpuopt_driver.report.columns import table
from gpuopt_driver.report.text import shown
from gpuopt_driver.report.traces import Trace, read_trace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments."""
    text = "kernel-N.gputrace, or the directory GPUOPT_EMU_TRACE of a run with GPUOPT_EMU_TRACE_FORMAT=gpuopt"
    parser.add_argument("traces", metavar="TRACE", nargs="+", type=Path, help=text)
    parser.add_argument("--places", action="store_true", help="also the instructions by place of the source")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Count and print."""
    with telling("trace: reading"):
        found = [_summary(read_trace(path)) for path in _files(arguments.traces)]
    if arguments.json:
        show_json({"traces": [item.document() for item in found]})
    else:
        show(_lines(found, places=arguments.places))
    return 0


@dataclass(slots=True)
class _Summary:
    trace: Trace
    warps: int = 0
    instructions: int = 0  # with arithmetic
    accesses: int = 0
    places: Counter[tuple[str, int, str, str]] = field(default_factory=Counter)

    def document(self) -> dict[str, Any]:
        names = ("file", "line", "space", "opcode")
        places = sorted(self.places.items())
        return {
            "path": str(self.trace.path),
            **self.trace.header,
            "bytes": self.trace.path.stat().st_size,
            "warps": self.warps,
            "instructions": self.instructions,
            "accesses": self.accesses,
            "places": [{**dict(zip(names, key, strict=True)), "accesses": count} for key, count in places],
        }


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        inside = sorted(path.glob("kernel-*.gputrace"), key=lambda file: int(file.stem.rpartition("-")[2]))
        if not inside:
            raise UsageError(f"{path}: no kernel-N.gputrace there; GPUOPT_EMU_TRACE_FORMAT=gpuopt writes them")
        yield from inside


def _summary(trace: Trace) -> _Summary:
    said = _Summary(trace)
    for warp in trace.warps():
        said.warps += 1
        for item in warp:
            said.instructions += item.before + 1
            if item.addresses:
                said.accesses += 1
                place = item.place
                said.places[place["file"], place["line"], place["space"], item.opcode] += 1
    return said


def _lines(found: Iterable[_Summary], *, places: bool) -> Iterator[str]:
    found = list(found)
    rows = []
    for item in found:
        header, size = item.trace.header, item.trace.path.stat().st_size
        shape = " x ".join(str(tuple(header[name])) for name in ("grid", "block"))
        each = f"{size / item.instructions:.2f}" if item.instructions else ""
        counts = (item.warps, item.instructions, item.accesses, size)
        rows.append((str(header["launch"]), str(header["kernel"]), shape, *map(str, counts), each))
    heads = ("launch", "kernel", "grid x block", "warps", "warp instructions", "accesses", "bytes", "per instruction")
    yield from table(heads, rows)
    for item in found if places else ():
        yield f"launch {item.trace.header['launch']}:"
        counted = sorted(item.places.items())
        lines = [(f"{shown(file)}:{line}", space, opcode, str(count)) for (file, line, space, opcode), count in counted]
        yield from table(("place", "space", "opcode", "accesses"), lines)
