"""Every shared-memory kernel of a suite: its finding, and whether nvcc compiles the versions made of it.

    python benchmarks/vtb/sweep.py DIR [--policy FILE] [--compile] [--only WORDS] [--json FILE] [-- nvcc arguments]

This plugin alone, with the default policy or FILE (`[plugins.vtb]` factor = 2, margin = 0: every kernel that can be
changed is). Units are those that no other file includes. Exit status 1 if a kernel has no finding, an analysis fails,
or a patched unit does not compile although the unit does.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sources import compile_unit, translation_units
from suites import DEFAULT_ARGS, compile_patched

from gpuopt_driver.api import Space
from gpuopt_driver.pipeline import examine
from gpuopt_driver.policy.load import load_policy

OTHERS = (
    *("catt", "cta_clustering", "cta_mapping", "cache_bypass", "unified_memory"),
    *("accumulators", "read_only", "constants", "launch_shape", "coarsening"),
)
ALONE = "".join(f"[plugins.{name}]\nenabled = false\n" for name in OTHERS) + "[plugins.vtb]\nenabled = true\n"
OTHERWISE = "GPUOPT004"  # instances of a template that want different changes
TEXTS = (".cu", ".cuh", ".h", ".inl")


def uses_shared(root: Path, unit: Path) -> bool:
    """Whether a file of the unit's directory declares shared memory (its kernels decide later)."""
    files = (path for path in (root / unit).parent.rglob("*") if path.suffix in TEXTS and path.is_file())
    return any(b"__shared__" in path.read_bytes() for path in files)


def look(root: Path, unit: Path, policy: Path, options: argparse.Namespace) -> dict[str, Any] | None:
    """One unit: the kernels that use shared memory with their findings; None: it has none."""
    arguments = [*DEFAULT_ARGS, f"-I{(root / unit).parent}", *options.arguments]
    result = examine(str(unit), arguments, load_policy([str(root / unit)], explicit=str(policy)), "h200")
    kernels = result.unit.kernels if result.unit else ()
    used = {one.qualified for one in kernels if any(access.array.space is Space.SHARED for access in one.accesses)}
    if not used:
        return None
    findings = [one for one in result.report.findings if one.kernel in used and one.code[:3] in ("VTB", "GPU")]
    found: dict[str, Any] = {
        "unit": str(unit),
        "kernels": sorted(used),
        "silent": sorted(
            used - {one.kernel for one in findings if one.code.startswith("VTB") or one.code == OTHERWISE}
        ),
        "findings": sorted({(one.kernel, one.code, one.message) for one in findings if one.code != "GPUOPT005"}),
        "compiles": None,
    }
    if options.compile and result.patched:
        done = compile_patched(root, str(unit), arguments, result.patched, options)
        found["compiles"], found["said"] = done.ok, done.message
        if not done.ok:
            plain = compile_unit(options.nvcc, arguments, unit, options.work / "plain.o", root)
            found["compiles"] = False if plain.ok else None
    return found


def main() -> int:
    """Parse the command line, look at every unit, print."""
    given = sys.argv[1:]
    split = given.index("--") if "--" in given else len(given)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--policy", type=Path, help="a toolchain.toml; default: this plugin alone with its defaults")
    parser.add_argument("--compile", action="store_true", help="compile the patched units")
    parser.add_argument("--only", default="", help="units whose path has one of these words")
    parser.add_argument("--json", type=Path, help="write everything here")
    parser.add_argument("--nvcc", default=os.environ.get("GPUOPT_NVCC") or "nvcc")
    options = parser.parse_args(given[:split])
    options.arguments, options.keep = given[split + 1 :], False
    root = options.root.resolve()
    target, words = options.json and options.json.resolve(), options.only.split()
    rows: list[dict[str, Any]] = []
    bad: list[str] = []
    with tempfile.TemporaryDirectory(prefix=".vtb-sweep-", dir=root.parent) as scratch:
        options.work = Path(scratch)
        policy = options.policy.resolve() if options.policy else options.work / "alone.toml"
        if not options.policy:
            policy.write_text(ALONE)
        os.chdir(root)
        for unit in sorted(map(Path, translation_units(root))):
            wanted = not words or any(word in str(unit) for word in words)
            if unit.suffix != ".cu" or not wanted or not uses_shared(root, unit):
                continue
            found = look(root, unit, policy, options)
            if found is None:
                continue
            rows.append(found)
            bad += [f"{unit}: {name} has no finding" for name in found["silent"]]
            bad += [f"{unit}: {found['said']}"] if found["compiles"] is False else []
            told = dict(Counter(code for _, code, _ in found["findings"]))
            state = {None: "", True: " compiles", False: " DOES NOT COMPILE"}[found["compiles"]]
            print(f"{unit} {len(found['kernels'])} kernels {told}{state}", flush=True)
    codes = Counter(code for one in rows for _, code, _ in one["findings"])
    kernels, tried = sum(len(one["kernels"]) for one in rows), [one for one in rows if one["compiles"] is not None]
    print(f"{len(rows)} units, {kernels} kernels with shared memory, {dict(sorted(codes.items()))}")
    print(f"{sum(one['compiles'] for one in tried)} of {len(tried)} patched units compile", *bad, sep="\n")
    if target:
        target.write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
