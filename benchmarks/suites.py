"""What gpuopt makes of a tree of CUDA sources: every unit examined, every patched unit compiled by the real nvcc.

    python benchmarks/suites.py DIR [--compile] [--work DIR] [--json FILE] [-- nvcc arguments]

For each translation unit that plain nvcc compiles: does every kernel in its object file have a finding, and does the
patched source compile with the same arguments? nvcc and gpuopt run with DIR as working directory, so -I paths in the
arguments may be relative to it. Exit status 1 if anything is missing or fails.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import queue
import re
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sources import Compiled, compile_unit, kernels_in_object, machine, nvcc_version, plain_name, translation_units

DEFAULT_ARGS = ("-arch=sm_90", "-DcudaThreadSynchronize=cudaDeviceSynchronize", "-DcudaThreadExit=cudaDeviceReset")
TIME_LIMIT = 300  # seconds for one unit


@dataclass(frozen=True)
class Settings:
    """What decides beside the source: the GPU and a toolchain.toml (None: the one found from the source)."""

    gpu: str
    policy: str | None


@dataclass
class UnitResult:
    """One translation unit: plain nvcc, gpuopt, and nvcc on the patched bytes."""

    source: str
    nvcc_ok: bool = False
    nvcc_seconds: float = 0.0
    nvcc_message: str = ""
    object_kernels: list[str] = field(default_factory=list)
    kernels: list[str] = field(default_factory=list)
    without_finding: list[str] = field(default_factory=list)
    codes: dict[str, int] = field(default_factory=dict)
    decisions: dict[str, int] = field(default_factory=dict)
    level: str = ""
    problems: list[str] = field(default_factory=list)
    seconds: float = 0.0
    crash: str = ""
    patched_files: list[str] = field(default_factory=list)
    patched_ok: bool | None = None  # None: nothing to compile
    patched_message: str = ""


def examine_unit(
    root: Path, source: str, args: Sequence[str], settings: Settings
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The facts of `gpuopt explain` and the patched bytes by absolute path; runs in a process of its own."""
    from gpuopt_driver.frontend.parse import ParseOptions  # noqa: F401, PLC0415  (loads the parser before the clock runs)
    from gpuopt_driver.pipeline import examine  # noqa: PLC0415
    from gpuopt_driver.policy.load import load_policy  # noqa: PLC0415

    os.chdir(root)
    policy = load_policy([str(root / source)], explicit=settings.policy)
    begin = time.perf_counter()
    result = examine(source, list(args), policy, settings.gpu)
    seconds = time.perf_counter() - begin
    unit, report = result.unit, result.report
    facts: dict[str, Any] = {
        "kernels": sorted({kernel.name for kernel in unit.kernels}) if unit else [],
        "found": sorted({plain_name(finding.kernel) for finding in report.findings}),
        "codes": dict(Counter(finding.code for finding in report.findings)),
        "decisions": dict(Counter(finding.decision.value for finding in report.findings)),
        "level": unit.level.value if unit else "none",
        "problems": [problem.message for problem in report.problems],
        "seconds": seconds,
    }
    return facts, dict(result.patched)


def _examine_into(
    results: multiprocessing.Queue[Any], root: Path, source: str, args: Sequence[str], settings: Settings
) -> None:
    try:
        results.put(examine_unit(root, source, args, settings))
    except BaseException:  # a crash of any kind is a result here
        results.put(traceback.format_exc())


def examine_apart(
    root: Path, source: str, args: Sequence[str], settings: Settings
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """`examine_unit` in its own process, so that a crash or a hang is one line of the table."""
    context = multiprocessing.get_context("spawn")
    results: multiprocessing.Queue[Any] = context.Queue()
    process = context.Process(target=_examine_into, args=(results, root, source, args, settings))
    process.start()
    answer: Any = None
    deadline = time.monotonic() + TIME_LIMIT
    while answer is None and time.monotonic() < deadline:
        try:
            answer = results.get(timeout=0.2)
        except queue.Empty:
            if not process.is_alive() and results.empty():
                break
    process.join(5)
    if process.is_alive():
        process.kill()
        process.join()
    if answer is None:
        answer = f"ended with status {process.exitcode} and no answer"
    if isinstance(answer, str):
        raise RuntimeError(answer)
    return answer


def try_unit(root: Path, source: str, args: Sequence[str], options: argparse.Namespace) -> UnitResult:
    """All that is asked of one translation unit."""
    result = UnitResult(source)
    objects = options.work / "objects"
    objects.mkdir(parents=True, exist_ok=True)
    output = objects / (source.replace("/", "__") + ".o")
    plain = compile_plain(root, source, args, output, options)
    result.nvcc_ok, result.nvcc_seconds, result.nvcc_message = plain.ok, plain.seconds, plain.message
    if plain.ok:
        result.object_kernels = sorted(kernels_in_object(output))
    try:
        facts, patched = examine_apart(root, source, args, Settings(options.gpu, options.policy))
    except RuntimeError as error:
        result.crash = str(error).strip()
        return result
    for name in ("kernels", "codes", "decisions", "level", "problems", "seconds"):
        setattr(result, name, facts[name])
    # Kernels of the toolkit's own headers (cub, thrust) are in the object, but are no source of the user's.
    own = {name for name in result.object_kernels if name in options.own_names}
    result.without_finding = sorted((own | set(facts["kernels"])) - set(facts["found"]))
    result.patched_files = sorted(patched)
    if options.compile and plain.ok and patched:
        done = compile_patched(root, source, args, patched, options)
        result.patched_ok, result.patched_message = done.ok, done.message
    return result


def compile_plain(root: Path, source: str, args: Sequence[str], output: Path, options: argparse.Namespace) -> Compiled:
    """Plain nvcc; a kept --work directory remembers what came of it."""
    memory = output.with_suffix(".json")
    if memory.exists():
        known = json.loads(memory.read_text())
        if known["args"] == list(args) and known["mtime"] == (root / source).stat().st_mtime:
            return Compiled(known["ok"], known["seconds"], known["message"])
    done = compile_unit(options.nvcc, args, Path(source), output, root)
    memory.write_text(json.dumps({"args": list(args), "mtime": (root / source).stat().st_mtime, **asdict(done)}))
    return done


def compile_patched(
    root: Path, source: str, args: Sequence[str], patched: Mapping[str, bytes], options: argparse.Namespace
) -> Compiled:
    """nvcc on a copy of the tree in which the patched files are replaced: no overlay, no way back to the original."""
    copy = Path(tempfile.mkdtemp(dir=options.work)) / root.name
    shutil.copytree(root, copy, copy_function=os.link)
    for name, data in patched.items():
        target = copy / Path(name).resolve().relative_to(root)
        target.unlink()
        target.write_bytes(data)
    done = compile_unit(options.nvcc, args, Path(source), copy / "patched.o", copy)
    if done.ok or not options.keep:
        shutil.rmtree(copy.parent)
    return done


def own_names(root: Path) -> set[str]:
    """The identifiers in files with kernels, to tell the tree's own kernels from those of the toolkit's headers."""
    names: set[str] = set()
    for path in root.rglob("*"):
        if path.suffix in {".cu", ".cuh", ".h", ".hpp", ".inl"} and path.is_file():
            data = path.read_bytes()
            if b"__global__" in data:
                names.update(re.findall(r"[A-Za-z_]\w*", data.decode("latin-1")))
    return names


def show(root: Path, results: Sequence[UnitResult], options: argparse.Namespace) -> bool:
    """The table, then every failure; True when there is none."""
    compiled = [one for one in results if one.nvcc_ok]
    examined = [one for one in results if not one.crash]
    codes: Counter[str] = Counter()
    decisions: Counter[str] = Counter()
    for one in examined:
        codes.update(one.codes)
        decisions.update(one.decisions)
    patched = [one for one in compiled if one.patched_files]
    print(f"## {root.name}")
    print(f"{machine()}; nvcc {nvcc_version(options.nvcc)}; GPU {options.gpu}")
    rows: list[tuple[str, object]] = [
        ("units", len(results)),
        ("units that plain nvcc compiles", len(compiled)),
        ("kernels in their objects", sum(len(one.object_kernels) for one in compiled)),
        ("kernels seen", sum(len(one.kernels) for one in examined)),
        ("units by parse level", dict(sorted(Counter(one.level for one in examined).items()))),
        ("findings by decision", dict(sorted(decisions.items()))),
        ("findings by code", dict(sorted(codes.items()))),
        ("units patched", len(patched)),
        ("patched units that nvcc compiles", sum(one.patched_ok is True for one in patched)),
        ("seconds in gpuopt", round(sum(one.seconds for one in examined), 1)),
        ("seconds in plain nvcc", round(sum(one.nvcc_seconds for one in results), 1)),
    ]
    for name, value in rows:
        print(f"  {name:34} {value}")
    failures = 0
    for one in results:
        lines = []
        if one.crash:
            lines.append("crash: " + (one.crash if options.keep else one.crash.splitlines()[-1]))
        if one.nvcc_ok and one.without_finding:
            lines.append("no finding: " + ", ".join(one.without_finding))
        if one.patched_ok is False:
            lines.append("patched source does not compile: " + one.patched_message)
        lines += [f"problem: {text}" for text in one.problems if one.nvcc_ok]
        failures += bool(lines)
        for line in lines:
            print(f"  {one.source}: {line}")
    print(f"  {failures} units with failures")
    return failures == 0


def main() -> int:
    """Parse the command line, try every unit, print."""
    given = sys.argv[1:]
    split = given.index("--") if "--" in given else len(given)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path, help="the tree; it is only read")
    parser.add_argument("--compile", action="store_true", help="compile the patched sources too")
    parser.add_argument("--gpu", default="h200")
    parser.add_argument("--policy", help="a toolchain.toml to use for all units")
    parser.add_argument("--nvcc", default=os.environ.get("GPUOPT_NVCC") or "nvcc")
    parser.add_argument("--only", default="", help="units whose path contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--work", type=Path, help="where objects and copies go; on the tree's file system")
    parser.add_argument("--keep", action="store_true", help="keep copies that do not compile; whole tracebacks")
    parser.add_argument("--json", type=Path, help="write everything here")
    options = parser.parse_args(given[:split])
    root = options.root.resolve()
    scratch = None
    if options.work is None:
        scratch = tempfile.mkdtemp(prefix=".gpuopt-suites-", dir=root.parent)
    options.work = Path(scratch or options.work).resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    options.own_names = own_names(root)
    units = [str(path) for path in translation_units(root) if options.only in str(path)]
    args = [*DEFAULT_ARGS, *given[split + 1 :]]
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda source: try_unit(root, source, args, options), units))
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in results], indent=1) + "\n")
    if scratch:
        shutil.rmtree(scratch)
    return 0 if show(root, results, options) else 1


if __name__ == "__main__":
    sys.exit(main())
