"""What Nsight Compute says of a program's loads, as a profile: sectors per source line, hits per kernel.

ncu counts requests and sectors for every instruction (section SourceCounters), but hits of L1 for a kernel as a whole.
Instructions of a line that ask for as many sectors per request are one entry of the profile, others another one.
What a line's hits can be lies between bounds: all misses of the kernel may be its own, or none. Where the bounds are
close they are a figure; elsewhere the profile says that nobody knows (-1), and such loads stay in L1.
"""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.arch.spec import Arch
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import UsageError
from gpuopt_driver.profiles import KernelProfile, LineLoads, Profile, digest

_HITS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
_SHARED = "launch__shared_mem_config_size"
_LIMITS = tuple(f"launch__occupancy_limit_{name}" for name in ("blocks", "registers", "shared_mem", "warps"))
_METRICS = (_HITS, _SECTORS, _SHARED, *_LIMITS)
_CLOSE = 0.05  # of a line's sectors: bounds on its hits that differ by less are a figure
_LINE, _ADDRESS, _SPACE, _OPERATION = "Line No", "Address", "Address Space", "Access Operation"
_REQUESTS, _THEORETICAL = "L1 Tag Requests Global", "L2 Theoretical Sectors Global"
_EXECUTED = "Instructions Executed"


@dataclass(slots=True)
class _Listing:
    """One launch's part of the source page: per file and line, requests and sectors of its global loads by address.

    ncu lists an instruction once for every piece of its line: with the same address.
    """

    function: str = ""
    lines: dict[tuple[str, int], dict[str, tuple[int, int]]] = field(default_factory=dict)

    @property
    def sectors(self) -> int:
        return sum(found[1] for made in self.lines.values() for found in made.values())

    def entries(self, path: str) -> Iterator[tuple[int, int, int]]:
        """(line, requests, sectors) of the loads of a file, by line and by sectors per request."""
        for (where, line), made in sorted(self.lines.items()):
            groups: dict[int, list[tuple[int, int]]] = {}
            for requests, sectors in made.values():
                if where == path and requests:
                    groups.setdefault(round(sectors / requests), []).append((requests, sectors))
            for _, alike in sorted(groups.items()):
                yield line, sum(one[0] for one in alike), sum(one[1] for one in alike)


def profiled(command: Sequence[str], gpu: str) -> Profile:
    """Run a program under ncu, its kernels as they are in the source."""
    ncu = shutil.which("ncu")
    if ncu is None:
        raise UsageError("no ncu in PATH: it comes with CUDA toolkits, or as the package nsight-compute")
    with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
        report = str(Path(scratch, "run.ncu-rep"))
        options = ["--section", "SourceCounters", "--metrics", ",".join(_METRICS), "--clock-control", "none"]
        _said([ncu, *options, "-f", "-o", report, *command], {"GPUOPT_DISPATCH": "original"})
        shown = [ncu, "--import", report, "--csv", "--page"]
        source = _said([*shown, "source", "--print-source", "cuda,sass"])
        raw = _said([*shown, "raw", "--print-units", "base"])
    return profile_of(source, raw, command, load_arch(gpu))


def _said(command: Sequence[str], more: Mapping[str, str] | None = None) -> str:
    """Standard output of a run of ncu, in English."""
    env = {**os.environ, "LC_ALL": "C", **(more or {})}
    done = subprocess.run(command, env=env, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("==ERROR==")]
        raise UsageError(f"ncu: {lines[0].removeprefix('==ERROR== ') if lines else f'status {done.returncode}'}")
    return done.stdout


def profile_of(source: str, raw: str, command: Sequence[str], arch: Arch) -> Profile:
    """A profile from ncu's source page (`cuda,sass`) and raw page: of every kernel the launch that asked for most."""
    listings = list(_listings(source))
    if not any(one.lines for one in listings):
        raise UsageError("ncu names no source lines of loads: build with -lineinfo")
    launches: dict[str, list[Mapping[str, str]]] = {}
    for row in _launches(raw):
        launches.setdefault(name_of(row["Kernel Name"]), []).append(row)
    found: list[KernelProfile] = []
    for name, rows in sorted(launches.items()):
        mine = [one for one in listings if name_of(one.function) == name]
        if len(mine) != len(rows):
            raise UsageError(
                f"ncu lists {name} {len(mine)} times on its source page and {len(rows)} times on its raw page"
            )
        listing, row = max(zip(mine, rows, strict=True), key=lambda pair: pair[0].sectors)
        if listing.lines:
            found.append(_kernel(name, listing, row, arch))
    return Profile("hardware", arch.name, tuple(command), tuple(found))


def name_of(function: str) -> str:
    """`ns::kernel` of `void ns::kernel<int, (bool)1>(float *, ...)`."""
    text, depth = "", 0
    for letter in function.replace("(anonymous namespace)::", ""):
        depth += letter == "<"
        if depth == 0 and letter == "(":
            break
        text += letter if depth == 0 else ""
        depth -= letter == ">"
    return text.split()[-1] if text.split() else ""


def _listings(page: str) -> Iterator[_Listing]:
    """The source page, launch by launch: lines of text, each followed by its instructions.

    A launch has one part per file, with the file's and the function's name above it; another function, or a file that
    the launch had already, begins the next one. Two columns are called "Source", so columns are found by number.
    """
    current = _Listing()
    path, line, seen = "", 0, set[str]()
    columns: dict[str, int] = {}
    for row in csv.reader(io.StringIO(page)):
        if len(row) == 2 and row[0] in ("File Path", "File Name"):
            if current.function and row[1] in seen:
                yield current
                current, seen = _Listing(), set()
            path = row[1]
            seen.add(path)
        elif len(row) == 2 and row[0] in ("Kernel Name", "Function Name"):
            if current.function not in ("", row[1]):
                yield current
                current, seen = _Listing(), {path}
            current.function = row[1]
        elif _LINE in row:
            columns = {name: at for at, name in reversed(list(enumerate(row)))}
            missing = [name for name in (_ADDRESS, _SPACE, _OPERATION, _THEORETICAL) if name not in columns]
            if missing:
                raise UsageError(
                    f"ncu's source page has no column '{missing[0]}'; gpuopt reads that of 2022.1 and later"
                )
        elif columns and len(row) > columns[_THEORETICAL]:
            line = int(row[columns[_LINE]]) if row[columns[_LINE]].isdigit() else line
            if row[columns[_SPACE]] == "Global" and row[columns[_OPERATION]] == "Load" and row[columns[_ADDRESS]]:
                counted = _number(row[columns[_EXECUTED]]), _number(row[columns[_THEORETICAL]])
                current.lines.setdefault((path, line), {})[row[columns[_ADDRESS]]] = counted
    if current.function:
        yield current


def _number(text: str) -> int:
    digits = re.sub(r"[^\d.]", "", text)
    return round(float(digits)) if digits else 0


def _launches(page: str) -> Iterator[Mapping[str, str]]:
    """The raw page, launch by launch; its second row holds units."""
    rows = csv.DictReader(line for line in page.splitlines() if line.startswith('"'))
    yield from (row for row in rows if row.get("ID"))


def _kernel(name: str, listing: _Listing, row: Mapping[str, str], arch: Arch) -> KernelProfile:
    paths = [path for path, _ in listing.lines]
    path = Path(max(sorted(set(paths)), key=paths.count))
    if not path.is_file():
        raise UsageError(f"{path}: the source of {name} is not there; profile where the program was built")
    total, hits = (_number(row.get(metric, "")) for metric in (_SECTORS, _HITS))
    block = _three(row["Block Size"])
    grid = _three(row["Grid Size"])
    warps = -(-block[0] * block[1] * block[2] // 32)
    blocks = min(
        [-(-grid[0] * grid[1] * grid[2] // arch.sms), *_known(_number(row.get(limit, "")) for limit in _LIMITS)]
    )
    shared = _number(row.get(_SHARED, ""))
    return KernelProfile(
        kernel=name,
        file=path.name,
        digest=digest(path.read_bytes()),
        block=block,
        warps=blocks * warps,
        l1_bytes=arch.l1.unified_bytes - shared if arch.l1.unified and shared else arch.l1.capacity,
        loads=tuple(
            LineLoads(line, requests, sectors, _hits(sectors, total, hits))
            for line, requests, sectors in listing.entries(str(path))
        ),
        hits=hits if total else -1,
    )


def _known(values: Iterator[int]) -> list[int]:
    return [value for value in values if value]


def _hits(sectors: int, total: int, hits: int) -> int:
    """A line's hits, from those of the kernel; -1 where they may be too different numbers."""
    most = min(sectors, hits)
    least = max(0, hits - (total - sectors))
    return (least + most) // 2 if total and most - least <= _CLOSE * sectors else -1


def _three(text: str) -> tuple[int, int, int]:
    """`(256, 1, 1)`."""
    numbers = [int(one) for one in re.findall(r"\d+", text)]
    return numbers[0], numbers[1], numbers[2]
