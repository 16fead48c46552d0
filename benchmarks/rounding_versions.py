"""How many versions of kernels are lost because nvcc rounds them otherwise than their kernels; needs nvcc, no GPU.

    python benchmarks/rounding_versions.py FILE.cu... --policy NAME=OPTIONS... [-- nvcc arguments]

Each file is built under each policy (`catt='[plugins.catt]\\nfixed_tlp = [1, 0]'`) with other rounding allowed; its
versions are then held against their kernels in the PTX, as a build does (docs/variants.md). Prints versions and losses
by policy and version, and how many would get the form of their kernels if ptxas does what is assumed there.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gpuopt_driver.ptx.fusion import difference
from gpuopt_driver.ptx.mend import mended
from gpuopt_driver.ptx.names import MARK, original_of, version_of
from gpuopt_driver.ptx.read import function, texts

DRIVER = '[driver]\nmemory_mb = 4000\nplugin_seconds = 60.0\nrounding = "any"\n'


def compared(module: str) -> Iterator[tuple[str, str]]:
    """(version, "same", "mended" or "lost") of every version and copy in a PTX module."""
    bodies = {name: (lines, is_entry) for name, is_entry, lines in texts(module)}
    for name in bodies:
        told = version_of(name) if MARK in name else None
        original = original_of(name, bodies)
        if told is not None and original is not None:
            one, other = (function(each, bodies[each][0], is_entry=bodies[each][1]) for each in (original, name))
            is_same = difference(one, other, 1) is None
            yield told[2], "same" if is_same else "mended" if mended(one, other, 1) is not None else "lost"


def main() -> int:
    """Build, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--policy", action="append", default=[], metavar="NAME=OPTIONS")
    arguments, rest = sys.argv[1:], []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, rest = arguments[:at], arguments[at + 1 :]
    options = parser.parse_args(arguments)
    found: Counter[tuple[str, str, str]] = Counter()
    for name, _, text in (one.partition("=") for one in options.policy or ["default="]):
        for path in options.files:
            with tempfile.TemporaryDirectory(prefix="gpuopt-") as scratch:
                policy = Path(scratch, "toolchain.toml")
                policy.write_text(DRIVER + text.replace("\\n", "\n") + "\n")
                line = ["gpuopt-nvcc", f"--gpuopt-policy={policy}", "--gpuopt-gpu=h200", "-O3", "-arch=sm_90", "-w"]
                line += [*rest, "-c", "-keep", "-keep-dir", scratch, path.name, "-o", f"{scratch}/a.o"]
                done = subprocess.run(line, cwd=path.resolve().parent, capture_output=True, check=False)
                if done.returncode != 0:
                    print(f"{path}: does not compile", file=sys.stderr)
                for module in Path(scratch).glob("*.ptx"):
                    found.update((name, version, state) for version, state in compared(module.read_text()))
    for name, version in sorted({key[:2] for key in found}):
        same, changed, lost = (found[name, version, state] for state in ("same", "mended", "lost"))
        print(f"{name}: {version}: {same + changed + lost} versions, {changed} changed, {lost} lost")
    return 0


if __name__ == "__main__":
    sys.exit(main())
