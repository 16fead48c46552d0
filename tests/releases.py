"""Releases of nvcc for tests: `python -m tests.releases 13.0 newest` prints where each is, and gets what is missing.

It is this machine's nvcc, or comes from wheels that are installed, or with pip from wheels that are put into a
directory of their own. `--turn N` prints one of the releases: the oldest for even N, the newest for odd N.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from gpuopt_driver.nvcc.find import find_nvcc, wheel_directories
from gpuopt_driver.nvcc.wheels import assembled

OLDEST, NEWEST = "13.0", "newest"
_PARTS = "cccl,crt,cudart,nvcc,nvvm"


def release_of(nvcc: str) -> str:
    """The release of an nvcc, `13.0`; "" of what does not answer as one."""
    try:
        done = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(r"release (\d+\.\d+)", done.stdout)
    return found.group(1) if found else ""


def nvcc_of(release: str, env: Mapping[str, str]) -> str:
    """The path of nvcc of a release (`13.3`), or of the newest that there are wheels of; exits where there is none."""
    if re.fullmatch(r"\d+\.\d+", release) is None and release != NEWEST:
        sys.exit(f"{release}: not a release of nvcc: 13.0, 13.3, {NEWEST}")
    if release != NEWEST:
        found = find_nvcc({name: text for name, text in env.items() if name != "GPUOPT_NVCC"})
        if found is not None and release_of(found.path) == release:
            return found.path
    for package in wheel_directories():  # [cuda13] brings the newest
        path = assembled(package, env)
        if path and release in (NEWEST, release_of(path)):
            return path
    return _installed(release, env)


def _installed(release: str, env: Mapping[str, str]) -> str:
    """The nvcc of a release from wheels in a directory of their own."""
    base = env.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    place = Path(base, "gpuopt-tests", f"nvcc-{release}")
    package = place / f"nvidia/cu{13 if release == NEWEST else release.partition('.')[0]}"
    if not (path := assembled(str(package), env)):
        wanted = f"cuda-toolkit[{_PARTS}]" + (">=13,<14" if release == NEWEST else f"=={release}.*")
        words = ["-m", "pip", "install", "--quiet", "--no-compile", "--upgrade", "--target", str(place), wanted]
        print(f"getting nvcc {release}: pip install {wanted}", file=sys.stderr, flush=True)
        if subprocess.run([sys.executable, *words], check=False, stdout=sys.stderr).returncode:
            sys.exit(f"nvcc {release}: not on this machine, and pip cannot get {wanted}")
        path = assembled(str(package), env)
    if not path or release not in (NEWEST, release_of(path)):
        sys.exit(f"nvcc {release}: the wheels in {place} are not whole; remove it and try again")
    return path


def in_turn(number: int) -> str:
    """Which release a run of the tests takes."""
    return (OLDEST, NEWEST)[number % 2]


def main() -> int:
    """Print the paths."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("releases", nargs="*", help=f"13.0, 13.3, {NEWEST}")
    parser.add_argument("--turn", type=int, help="the number of a run of the tests")
    options = parser.parse_args()
    turn = [] if options.turn is None else [in_turn(options.turn)]
    for release in (*options.releases, *turn):
        print(nvcc_of(release, os.environ))
    return 0


if __name__ == "__main__":
    sys.exit(main())
