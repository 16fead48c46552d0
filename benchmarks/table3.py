"""Table 3 of the CATT paper (Titan V) beside what the plugin decides: `python benchmarks/table3.py [--check] [--json]`.

The kernels in `table3/` are written from their mathematics, launched as the paper's baseline column says. Registers are
taken to allow what the baseline column shows. Every decision is taken by the paper's own model (eq. 1-9).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from gpuopt_plugins.catt.options import Options
from gpuopt_plugins.catt.propose import analyze, propose

from gpuopt_driver.analysis.sites import sites
from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit
from gpuopt_driver.hooks import Context, Resources
from gpuopt_driver.report.model import Finding

HERE = Path(__file__).resolve().parent / "table3"
SMALL_L1 = 32768  # bytes; the "32KB L1D" columns
Tlp = tuple[int, int]


@dataclass(frozen=True)
class Row:
    """A kernel of the paper: its loop's number there ("-": it has none), TLP before, at 32 KB and at most L1D."""

    app: str
    kernel: str
    loop: str
    baseline: Tlp
    small: Tlp
    largest: Tlp
    name: str
    exact: bool = True  # follows from the equations


def _rows() -> Iterator[Row]:
    """Table 3, and the cache-insensitive kernels, which the paper leaves as they are at the largest L1D."""
    yield Row("ATAX", "#1", "1", (8, 4), (1, 4), (4, 4), "atax_kernel1")
    yield Row("ATAX", "#2", "2", (8, 4), (8, 4), (8, 4), "atax_kernel2")
    yield Row("BICG", "#1", "1", (8, 4), (8, 4), (8, 4), "bicg_kernel1")
    yield Row("BICG", "#2", "2", (8, 4), (1, 4), (4, 4), "bicg_kernel2")
    yield Row("MVT", "#1", "1", (8, 4), (1, 4), (4, 4), "mvt_kernel1")
    yield Row("MVT", "#2", "2", (8, 4), (8, 4), (8, 4), "mvt_kernel2")
    yield Row("GSMV", "#1", "1", (8, 2), (1, 2), (4, 2), "gesummv_kernel")
    yield Row("SYR2K", "#1", "1", (8, 8), (4, 3), (4, 8), "syr2k_kernel", exact=False)
    yield Row("KM", "#1", "1", (8, 8), (1, 8), (2, 8), "invert_kernel", exact=False)
    yield Row("KM", "#2", "2", (8, 8), (1, 8), (2, 8), "nearest_kernel", exact=False)
    yield Row("PF", "#1", "1", (16, 3), (2, 3), (4, 3), "likelihood_kernel", exact=False)
    yield Row("PF", "#1", "2", (16, 3), (2, 3), (4, 3), "likelihood_kernel", exact=False)
    yield Row("PF", "#1", "3", (16, 3), (16, 3), (16, 3), "likelihood_kernel", exact=False)
    yield Row("PF", "#2", "4", (16, 4), (16, 4), (16, 4), "sum_kernel", exact=False)
    yield Row("PF", "#3", "5", (16, 4), (16, 4), (16, 4), "normalize_kernel", exact=False)
    yield Row("PF", "#4", "6", (16, 4), (16, 4), (16, 4), "find_index_kernel", exact=False)
    yield Row("BFS", "#1", "1", (16, 4), (16, 4), (16, 4), "bfs_kernel1")
    yield Row("BFS", "#2", "-", (16, 4), (16, 4), (16, 4), "bfs_kernel2")
    yield Row("CFD", "#1", "1", (6, 10), (6, 10), (6, 10), "initialize_kernel")
    yield Row("CFD", "#2", "-", (6, 10), (6, 10), (6, 10), "step_factor_kernel")
    yield Row("CFD", "#3", "2", (6, 10), (6, 10), (6, 10), "flux_kernel")
    yield Row("CFD", "#4", "-", (6, 10), (6, 10), (6, 10), "time_step_kernel")
    yield Row("CORR", "#1", "-", (8, 1), (8, 1), (8, 1), "mean_kernel")
    yield Row("CORR", "#2", "-", (8, 1), (8, 1), (8, 1), "std_kernel")
    yield Row("CORR", "#3", "-", (8, 1), (8, 1), (8, 1), "reduce_kernel")
    yield Row("CORR", "#4", "1", (8, 1), (8, 1), (8, 1), "corr_kernel")


INSENSITIVE = (
    "gram_kernel",
    "syrk_kernel",
    "gemm_kernel",
    "mm2_kernel",
    "hotspot3d_kernel",
    "backprop_kernel",
    "lud_kernel",
)


@dataclass(frozen=True)
class Kernel:
    """What the plugin says of a kernel: resident warps per block and blocks, and a finding per loop."""

    baseline: Tlp
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Ours:
    """What the plugin decides for a row."""

    baseline: Tlp
    tlp: Tlp
    requests_per_warp: int | None
    footprint_bytes: int | None
    code: str


def decisions(l1_bytes: int) -> dict[str, Kernel]:
    """What the plugin says per kernel, with the paper's model and this L1D (0: the largest there is)."""
    options = Options(model="paper", margin=1.0, minimum_trips=0, l1_bytes=l1_bytes)
    arch = load_arch("titan-v")
    found: dict[str, Kernel] = {}
    for source in sorted(HERE.glob("*.cu")):
        unit = parse_unit(source, ParseOptions())
        for kernel in unit.kernels:
            launches = unit.launches_of(kernel)
            context = Context(unit, arch, options, launches, Resources(), has_host_code=True)
            (site,) = sites(kernel, launches, arch, largest_l1=True)  # as the paper's model counts
            proposal = propose(kernel, context, analyze(kernel, context))
            found[kernel.name] = Kernel((site.shape.warps, site.occupancy.blocks), proposal.findings)
    return found


def ours(row: Row, kernel: Kernel) -> Ours:
    """The row's TLP: that of its loop where the paper counts several, else the lowest of the kernel."""
    with_tlp = [one for one in kernel.findings if "tlp" in one.figures]
    if row.name == "likelihood_kernel":
        position = int(row.loop) - 1
        with_tlp = with_tlp[position : position + 1]
    if not with_tlp:
        return Ours(kernel.baseline, kernel.baseline, None, None, kernel.findings[0].code)
    chosen = min(with_tlp, key=lambda one: list(one.figures["tlp"]))  # type: ignore[arg-type]
    figures = chosen.figures
    warps, blocks = figures["tlp"]  # type: ignore[misc]
    lines, size = figures["requests_per_warp"], figures["footprint_bytes"]
    return Ours(kernel.baseline, (warps, blocks), lines, size, chosen.code)  # type: ignore[arg-type]


def table() -> list[tuple[Row, Ours, Ours]]:
    """Every row with our decision at 32 KB and at the largest L1D."""
    small, largest = decisions(SMALL_L1), decisions(0)
    return [(row, ours(row, small[row.name]), ours(row, largest[row.name])) for row in _rows()]


def insensitive() -> dict[str, bool]:
    """Whether each cache-insensitive kernel is left alone at the largest L1D."""
    found = decisions(0)
    return {name: all(one.decision.value != "applied" for one in found[name].findings) for name in INSENSITIVE}


def _print(rows: list[tuple[Row, Ours, Ours]]) -> None:
    print("TLP per SM as (warps per block, blocks); CATT ICPP 2019, table 3, Titan V")
    print(f"{'kernel':11}{'loop':>5}  {'baseline':9} {'32 KB L1D':20} {'max. L1D':20} {'lines':>6} {'footprint':>11}")
    print(f"{'':16}  {'':9} {'paper':9} {'ours':10} {'paper':9} {'ours':10}{'/ warp':>7} {'bytes':>11}")
    for row, small, largest in rows:
        mark = "" if row.small == small.tlp and row.largest == largest.tlp else "  <- differs"
        lines = "-" if largest.requests_per_warp is None else str(largest.requests_per_warp)
        size = "-" if largest.footprint_bytes is None else str(largest.footprint_bytes)
        print(
            f"{row.app + row.kernel:11}{row.loop:>5}  {_text(row.baseline):9} {_text(row.small):9} "
            f"{_text(small.tlp):10} {_text(row.largest):9} {_text(largest.tlp):10} {lines:>6} {size:>11}{mark}"
        )
    print("\nCache-insensitive group at the largest L1D:")
    for name, alone in insensitive().items():
        print(f"  {name:20} {'left alone' if alone else 'THROTTLED'}")


def _text(tlp: Tlp) -> str:
    return f"({tlp[0]},{tlp[1]})"


def problems(rows: list[tuple[Row, Ours, Ours]]) -> list[str]:
    """Rows that follow from the equations and do not come out as in the paper."""
    wrong = [f"{row.app}{row.kernel}: baseline {a.baseline}" for row, a, _ in rows if a.baseline != row.baseline]
    for row, small, largest in rows:
        if row.exact and (small.tlp, largest.tlp) != (row.small, row.largest):
            paper = f"the paper has {_text(row.small)} and {_text(row.largest)}"
            wrong.append(f"{row.app}{row.kernel}: {_text(small.tlp)} and {_text(largest.tlp)}, {paper}")
    return wrong + [f"{name}: throttled" for name, alone in insensitive().items() if not alone]


def main() -> int:
    """Print the table; with --check, fail where a row that must be exact is not."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit with 1 where a row differs that must not")
    parser.add_argument("--json", action="store_true", help="the same as JSON")
    arguments = parser.parse_args()
    rows = table()
    if arguments.json:
        print(
            json.dumps(
                [{"paper": asdict(row), "small": asdict(a), "largest": asdict(b)} for row, a, b in rows], indent=1
            )
        )
    else:
        _print(rows)
    wrong = problems(rows) if arguments.check else []
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
