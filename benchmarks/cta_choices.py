"""Which bands the model takes on an H200 where every order has been timed, and how far from the best they are.

    python benchmarks/cta_choices.py        as Markdown; needs no GPU

Times are those of RESULTS.md: "Thirteen orders" and, for the kernels that it leaves out, the table of the first session
(factors over the usual order); "Where blocks of bands run" for blocks of one row (milliseconds).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gpuopt_driver.analysis.block_choice import Choice, Machine, Near, best_tile
from gpuopt_driver.analysis.block_survey import survey
from gpuopt_driver.analysis.block_traffic import numbers, walks
from gpuopt_driver.analysis.sites import dimensions
from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

HERE = Path(__file__).parent
MARGIN, SHARE, KEPT = 1.5, 0.013, 0.72  # the plugin's defaults, and its part of L2
THREADS = 2048  # of a multiprocessor


@dataclass(frozen=True)
class Case:
    """A launch: its row of the tables, its kernel in benchmarks/cta/kernels.cu, block, grid, parameters."""

    row: str
    kernel: str
    block: tuple[int, int, int]
    grid: tuple[int, int, int]
    values: Mapping[str, int]
    element: int = 4


def cases() -> Iterator[Case]:
    """The launches of benchmarks/cta/kernels.cu that share more than halos, and flat blocks."""
    square, wide = (16, 16, 1), (32, 8, 1)
    for n in (2048, 4096, 8192):
        yield Case(f"sgemm {n}", "gemm", square, (n // 16, n // 16, 1), {"n": n})
        if n < 8192:
            yield Case(f"dgemm {n}", "gemm", square, (n // 16, n // 16, 1), {"n": n}, 8)
    for n in (4096, 8192):
        yield Case(f"gemm_shared {n}", "gemm_shared", square, (n // 16, n // 16, 1), {"n": n})
        for row, kernel in (("sgemm_wide", "gemm"), ("gemm_tn", "gemm_tn"), ("syrk", "syrk")):
            yield Case(f"{row} {n}", kernel, wide, (n // 32, n // 8, 1), {"n": n})
    for n in (8192, 16384):
        yield Case(f"distances {n}", "distances", wide, (n // 32, n // 8, 1), {"n": n, "m": n, "d": n // 16})
    for n in (128, 256):
        values = {"pixels": n * n, "in": 512, "out": 256}
        yield Case(f"mix_channels {n}", "mix_channels", wide, (n * n // 32, 32, 1), values)
    for n in (128, 512):
        yield Case(f"conv_layer {n}", "conv_layer", wide, (n // 32, n // 8, 64), {"n": n, "in": 256})
    for n in (1024, 4096):
        yield Case(f"gemm_batched {n}", "gemm_batched", wide, (n // 32, n // 8, 8), {"n": n, "k_count": n})
    for x, n in ((256, 4096), (128, 4096), (64, 4096), (256, 8192)):
        yield Case(f"{x} x 1, {n}", "gemm", (x, 1, 1), (n // x, n, 1), {"n": n})


def measured() -> dict[str, dict[str, float]]:
    """Factors over the usual order by row and tile ("" for the usual order)."""
    text = (HERE / "RESULTS.md").read_text("utf-8")
    found: dict[str, dict[str, float]] = {}
    for heading in ("## Orders of blocks", "### Thirteen orders"):  # the later one counts
        table = text[text.index(heading) :]
        table = table[table.index("| kernel, size |") :].partition("\n\n")[0]
        head, _, *rows = ([cell.strip(" *") for cell in line.strip("|").split("|")] for line in table.split("\n"))
        for row in rows:
            factors = {
                tile: float(cell) for tile, cell in zip(head, row, strict=True) if re.match(r"\d+x\d+x\d+$", tile)
            }
            found[row[0]] = {"": 1.0, **factors}
    table = text[text.index("### Where blocks of bands run") :].partition("\nBlocks do not come in turn")[0]
    for row in re.finditer(r"^\| (\d+ x 1, \d+) \| ([\d.]+)[^|]*\| (.*) \|$", table, re.MULTILINE):
        times = {f"{width}x0x1": float(time) for width, time in re.findall(r"(\d+): ([\d.]+)", row[3])}
        found[row[1]] = {"": 1.0, **{tile: float(row[2]) / time for tile, time in times.items()}}
    return found


def chosen() -> Iterator[tuple[Case, Choice]]:
    """What the model takes for each case."""
    unit = parse_unit(HERE / "cta" / "kernels.cu", ParseOptions())
    arch = load_arch("h200")
    timing = arch.timing
    assert timing is not None
    l1 = int(arch.l1_bytes(arch.shared.default_configuration) * arch.l1.usable_fraction)
    near = Near(l1, arch.l1.sector_bytes, round(timing.l2_bytes_per_cycle / arch.sms))
    rate = round(arch.dram_bytes_per_second / (arch.clock_mhz * 1e6))
    machine = Machine(arch.sms, 1, 1, int(arch.l2.capacity * KEPT), arch.l2.sector_bytes, rate, near)
    for case in cases():
        threads = case.block[0] * case.block[1]
        here = replace(machine, resident=min(32, THREADS // threads), warps=threads // 32)
        values = {**dimensions(case.block, case.grid), **case.values}
        for kernel in (one for one in unit.kernels if one.name == case.kernel):
            forms = survey(kernel, (), 128, 32).found.forms
            touches = [numbers(one, values) for one in walks(forms) or ()]
            if case.kernel != "gemm" or forms[0].bytes == case.element:
                known = [one for one in touches if one is not None]
                assert len(known) == len(touches) > 0
                yield case, best_tile(known, case.grid, here, SHARE)


def main() -> None:
    """The table."""
    times = measured()
    print("| kernel, size | taken | waited / issued: usual, taken | factor | best | gap |\n|" + " --- |" * 6)
    gaps = []
    for case, found in chosen():
        tile = "x".join(map(str, found.tile)) if found.pays(MARGIN, SHARE) else ""
        factors = times[case.row]
        waited = f"{found.base.waited / found.issued:.3f}, {found.best.waited / found.issued:.3f}"
        best = max(factors.values())
        cells = [case.row, tile or "usual", waited, "", f"{best:.2f}", ""]
        if tile in factors:
            gaps.append(best / factors[tile] - 1)
            cells[3], cells[5] = f"{factors[tile]:.2f}", f"{gaps[-1]:.1%}"
        print(f"| {' | '.join(cells)} |")
    print(f"\nwithin 3 % of the best: {sum(gap <= 0.03 for gap in gaps)} of {len(gaps)}")


if __name__ == "__main__":
    main()
