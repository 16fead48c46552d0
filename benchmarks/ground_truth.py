"""Hardware counters of our own kernels, to hold the emulator's model against: builds, runs under ncu, a CSV file.

    python benchmarks/ground_truth.py build DIR        needs nvcc and gpuopt, no GPU
    python benchmarks/ground_truth.py collect DIR OUT  needs the GPU, ncu and DIR only

A row is the first launch of a kernel by one build of one program with one command line and carve-out. ncu empties the
caches before each launch; `time_ms` is the program's own median over repetitions, without ncu.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
TIME = re.compile(r"^\w+: (\w+) ([\d.]+) ms", re.MULTILINE)
VERSION = re.compile(r"(\w+)<<<[^>]*>>>: (.*)")  # of a patched kernel, as GPUOPT_DISPATCH=trace tells
# Columns of the CSV file and the counters that they hold; a GPU may lack some of them.
METRICS = {
    "ncu_time_ns": "gpu__time_duration.sum",
    "sm_cycles": "sm__cycles_elapsed.max",
    "sm_active_cycles": "sm__cycles_active.avg",
    "l1_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1_load_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l1_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1_store_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum",
    "l1_red_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "l1_red_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1_atom_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
    "l1_atom_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "l2_sectors": "lts__t_sectors.sum",
    "l2_hits": "lts__t_sectors_lookup_hit.sum",
    "l2_read_sectors": "lts__t_sectors_op_read.sum",
    "l2_read_hits": "lts__t_sectors_op_read_lookup_hit.sum",
    "l2_write_sectors": "lts__t_sectors_op_write.sum",
    "l2_tex_read_sectors": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_tex_read_hits": "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_write_bytes": "dram__bytes_write.sum",
    "active_warps_pct": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "theoretical_warps_pct": "sm__maximum_warps_per_active_cycle_pct",
    "warp_instructions": "smsp__inst_executed.sum",
    "thread_instructions": "smsp__thread_inst_executed.sum",
    "shared_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "shared_bank_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "registers_per_thread": "launch__registers_per_thread",
    "shared_config_bytes": "launch__shared_mem_config_size",
    "static_shared_bytes": "launch__shared_mem_per_block_static",
    "dynamic_shared_bytes": "launch__shared_mem_per_block_dynamic",
    "limit_blocks": "launch__occupancy_limit_blocks",
    "limit_registers": "launch__occupancy_limit_registers",
    "limit_shared": "launch__occupancy_limit_shared_mem",
    "limit_warps": "launch__occupancy_limit_warps",
}
CASE = ("program", "build", "arguments", "carveout")
COLUMNS = (*CASE, "kernel", "version", "grid", "block", "time_ms", *METRICS)
# Builds that are not plain and no fixed TLP: options by plugin.
OTHER_BUILDS: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "catt": {"catt": {}},
    "tiles": {"cta_clustering": {"order": '"tile"', "tile": "[1, 16, 1]", "form": '"redirect"'}},
    "agents": {"cta_clustering": {"order": '"tile"', "tile": "[1, 16, 1]", "form": '"agents"'}},
}
OURS = ("--kernel-name", "regex:^(?!fill)")
_SECONDS = 120  # no run takes longer unless something hangs


@dataclass(frozen=True)
class Case:
    """One run. `build`: plain, WxB (warps per block, blocks), or of OTHER_BUILDS; `carveout`: percent, "" default."""

    program: str
    build: str
    arguments: str
    carveout: str = ""


def cases(sms: int = 132) -> list[Case]:
    """Every run, for a GPU of so many multiprocessors: sizes that the emulator walks through in seconds."""
    made = [Case("patterns", "plain", ""), Case("patterns", "plain", "", "0"), Case("patterns", "plain", "", "100")]
    rows = {per_sm: f"{sms * per_sm} 256 256" for per_sm in (256, 512, 1024, 2048)}
    for per_sm, text in rows.items():
        made += [Case("gesummv", "plain", text)]
        if per_sm >= 512:
            made += [Case("gesummv", "plain", text, "0"), Case("gesummv", "plain", text, "100")]
    made += [Case("gesummv", build, rows[2048]) for build in ("catt", "4x8", "2x8", "1x8", "8x4", "8x2", "8x1")]
    made += [Case("gesummv", build, rows[1024]) for build in ("catt", "4x4", "2x4")]
    made += [Case("gesummv", "plain", f"{sms * 2048} 192 1024"), Case("gesummv", "plain", f"{sms * 1024} 250 128")]
    made += [Case("atax", "plain", text) for text in ("4096 4096 256", f"{sms * 1024} 256 256")]
    made += [Case("atax", "plain", f"{sms * 2048} 128 256", carveout) for carveout in ("", "0", "100")]
    made += [Case("atax", build, f"{sms * 2048} 128 256") for build in ("catt", "4x8", "2x8", "8x4")]
    made += [Case("bicg", "plain", text) for text in ("4096 2048 256", f"{sms * 1024} 128 512")]
    made += [Case("mvt", build, f"{sms * 2048} 128 256") for build in ("plain", "catt", "2x8", "8x2")]
    made += [Case("mvt", "plain", "8192 1024 256")]
    made += [Case("syr2k", "plain", text) for text in ("512 256 32 8", "512 512 16 16")]
    made += [Case("gemm", "plain", text) for text in ("512 512 512 32 8", "1024 256 512 16 16", "256 1024 512 32 4")]
    made += [Case("gemm", "plain", "512 512 512 32 8", carveout) for carveout in ("0", "100")]
    made += [Case("conv2d", "plain", text) for text in ("2048 2048 32 8", "1024 4096 16 16", "2050 2050 64 4")]
    made += [Case("kmeans", build, f"{sms * 2048} 34 3 256") for build in ("plain", "catt", "4x8")]
    made += [Case("kmeans", "plain", f"{sms * 512} 34 5 256", carveout) for carveout in ("", "100")]
    made += [Case("reduce", "plain", f"{1 << 24} {sms * 8} 256")]
    return made + short_cases(sms)


def short_cases(sms: int = 132) -> list[Case]:
    """Effects of builds and carve-outs at sizes that take the emulator a few seconds."""
    full, half = f"{sms * 2048} 64 256", f"{sms * 1024} 64 256"
    made = [Case("gesummv", build, full) for build in ("plain", "catt", "4x8", "2x8", "8x4", "8x2")]
    made += [
        Case("gesummv", "plain", full, "100"),
        Case("gesummv", "plain", half),
        Case("gesummv", "plain", half, "100"),
    ]
    made += [Case("gesummv", "4x4", half), Case("gesummv", "8x2", half)]
    for program in ("atax", "mvt", "bicg"):
        made += [Case(program, build, f"{sms * 2048} 32 256") for build in ("plain", "2x8", "8x2")]
        made += [Case(program, "plain", f"{sms * 2048} 32 256", "100")]
    sizes = [("syr2k", "128 128 32 8"), ("kmeans", f"{sms * 1024} 16 3 256"), ("gemm", "256 256 256 32 8")]
    sizes += [("conv2d", "512 2048 32 8"), ("conv2d", "1024 1024 8 8"), ("gemm", "256 256 256 8 8")]
    made += [Case(program, "plain", text, carveout) for program, text in sizes for carveout in ("", "100")]
    return made + [Case("gemm", build, "1024 1024 64 32 8") for build in ("plain", "tiles", "agents")]


def policy(build: str) -> str:
    """The policy file of a build: one plugin alone, or none at all."""
    from gpuopt_driver.plugins import load_plugins  # noqa: PLC0415 - the machine with the GPU may lack what they need
    from gpuopt_driver.tuning.candidates import policy_of  # noqa: PLC0415

    options = OTHER_BUILDS.get(build) or {"catt": {"fixed_tlp": f"[{build.replace('x', ', ')}]"}}
    return policy_of([plugin.name for plugin in load_plugins().loaded], {} if build == "plain" else options)


def source_of(program: str) -> Path:
    """The CUDA source of a program."""
    return HERE / "ground_truth/patterns.cu" if program == "patterns" else EXAMPLES / f"{program}.cu"


def compile_case(
    case: Case, output: Path, driver: Sequence[str], more: Sequence[str] = (), source: Path | None = None
) -> None:
    """Build the program of a case (or another `source`) with `gpuopt-nvcc` (`driver`) under the case's policy."""
    output.parent.mkdir(parents=True, exist_ok=True)
    rules = output.with_suffix(".toml")
    rules.write_text(policy(case.build))
    command = [*driver, f"--gpuopt-policy={rules}", "-O3", "-arch=sm_90", *more, "-o", str(output)]
    subprocess.run([*command, str(source or source_of(case.program))], check=True)


def build(directory: Path) -> int:
    """Every program that is not there yet once per build, with carveout.c in front of the shared CUDA runtime."""
    directory.mkdir(parents=True, exist_ok=True)
    hook = directory / "carveout.o"
    subprocess.run(["gcc", "-O2", "-c", str(HERE / "ground_truth/carveout.c"), "-o", str(hook)], check=True)
    driver = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "--gpuopt-backend=nvcc"]
    for case in {(case.program, case.build): case for case in cases()}.values():
        if (directory / f"{case.program}-{case.build}").exists():
            continue
        compile_case(case, directory / f"{case.program}-{case.build}", driver, ["-cudart", "shared", str(hook), "-ldl"])
        print(case.program, case.build, flush=True)
    return 0


def known_metrics() -> list[str]:
    """The metrics of METRICS that this machine's ncu has for its GPU."""
    listed = subprocess.run(["ncu", "--query-metrics"], capture_output=True, text=True, check=False).stdout
    names = {line.split()[0] for line in listed.splitlines() if line and not line.startswith("-")}
    missing = [
        name for name in METRICS.values() if not name.startswith("launch__") and name.split(".", 1)[0] not in names
    ]
    if missing:
        print(f"not known here: {', '.join(missing)}", file=sys.stderr)
    return [name for name in METRICS.values() if name not in missing]


def counters(
    argv: Sequence[str], log: Path, metrics: Sequence[str], case: Case, chosen: Sequence[str]
) -> list[dict[str, str]]:
    """The first launch of each kernel of a program under ncu, in order; nothing where it fails, which is said."""
    environment = {**os.environ, "GROUND_TRUTH_CARVEOUT": case.carveout}
    options = ["--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "function"]
    options += ["--clock-control", "none", "--metrics", ",".join(metrics), *chosen]
    log.unlink(missing_ok=True)
    run = ["ncu", *options, "--log-file", str(log), *argv]
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=False, timeout=_SECONDS)
    if done.returncode != 0 or not log.exists():
        said = log.read_text()[-400:] if log.exists() else ""
        print(f"FAILED {case}: {done.stderr[-300:]} {done.stdout[-300:]} {said}", file=sys.stderr, flush=True)
        return []
    lines = [line for line in log.read_text().splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(lines))[1:]  # the first one holds units
    first = {row["Kernel Name"]: row for row in reversed(rows)}
    return sorted(first.values(), key=lambda row: int(row["ID"]))


def described(case: Case, row: Mapping[str, str], version: str = "", time_ms: str = "") -> dict[str, str]:
    """A row of the CSV file from one of ncu."""
    return {
        **{key: getattr(case, key) for key in CASE},
        "kernel": row["Kernel Name"],
        "version": version,
        "grid": row["Grid Size"],
        "block": row["Block Size"],
        "time_ms": time_ms,
        **{key: row.get(name, "").replace(",", "") for key, name in METRICS.items()},
    }


def profiled(case: Case, directory: Path, metrics: Sequence[str]) -> Iterator[dict[str, str]]:
    """One row per kernel of the case: its first launch under ncu."""
    program = str(directory / f"{case.program}-{case.build}")
    ours = (*case.arguments.split(), "--no-check")
    kernels = counters([program, *with_repeat(case, ours, 0)], directory / "ncu.csv", metrics, case, OURS)
    if not kernels:
        return
    plain = subprocess.run(
        [program, *with_repeat(case, ours, 9)],
        env={**os.environ, "GROUND_TRUTH_CARVEOUT": case.carveout, "GPUOPT_DISPATCH": "trace"},
        capture_output=True,
        text=True,
        check=False,
    )
    versions = dict(VERSION.findall(plain.stderr))
    times = [float(ms) for _, ms in TIME.findall(plain.stdout)]
    for number, row in enumerate(kernels):
        time_ms = str(times[number]) if len(times) == len(kernels) else ""
        yield described(case, row, versions.get(row["Kernel Name"], ""), time_ms)


def with_repeat(case: Case, arguments: Sequence[str], repeat: int) -> list[str]:
    """The command line with the number of repetitions; the examples take it as their last number, at least 1."""
    return [*arguments[:-1], f"repeat={repeat}" if case.program == "patterns" else str(max(repeat, 1)), arguments[-1]]


def collect(
    wanted: Sequence[Case], measure: Callable[[Case], Iterable[Mapping[str, str]]], output: Path, seconds: float
) -> int:
    """Measure what is not in the file yet and can be run in this time. Exit status 1 where something is missing."""
    failed = 0
    begin = time.monotonic()
    known: set[Case] = set()
    if output.exists():
        with output.open(newline="") as file:
            known = {Case(*(row[key] for key in CASE)) for row in csv.DictReader(file)}
    with output.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if not known:
            writer.writeheader()
        for case in (case for case in wanted if case not in known):
            if time.monotonic() - begin > seconds:
                print(f"no time left for {case}", file=sys.stderr)
                failed += 1
                continue
            rows: Sequence[Mapping[str, str]] = list(measure(case))
            failed += not rows
            writer.writerows(rows)
            file.flush()
            print(f"{time.monotonic() - begin:6.1f} s  {case}: {len(rows)} kernels", flush=True)
    return 1 if failed else 0


def main() -> int:
    """Parse the command line; build or collect."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("build", "collect"))
    parser.add_argument("directory", type=Path)
    parser.add_argument("output", type=Path, nargs="?", help="CSV file")
    parser.add_argument("--seconds", type=float, default=1800, help="begin no case after so many seconds")
    options = parser.parse_args()
    if options.step == "build":
        return build(options.directory)
    if options.output is None:
        parser.error("collect: which CSV file?")
    directory, metrics = options.directory.resolve(), known_metrics()
    return collect(cases(), lambda case: profiled(case, directory, metrics), options.output, options.seconds)


if __name__ == "__main__":
    sys.exit(main())
