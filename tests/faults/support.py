"""A project whose compiler writes its object slowly and then all at once, and ways to start and stop a run on it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tests.caches import with_library
from tests.driver.support import command_line, program

# The word in the comment has it analysed, beside nvcc, although nothing launches the kernel.
KERNEL = "// gpuopt\n__global__ void k(float *a) { a[threadIdx.x] *= 2; }\n"
PATCH = {"replace": [("a.cu", "*= 2", "*= 3")]}
PATCHED = b"a[threadIdx.x] *= 3; }\nEND\n"
PLAIN = b"a[threadIdx.x] *= 2; }\nEND\n"

# Preprocesses as nvcc would have it done, and writes what comes out to -o: to a file beside it first, then renamed.
COMPILER = """
case "$*" in
  --version) echo "Cuda compilation tools, release 13.0, V13.0.88"; exit 0;;
  "--dryrun -c x.cu") exit 0;;
  "-E probe.cu") exec g++ -E -x c++ probe.cu;;
esac
echo $$ >> {log}
trap 'rm -f "$out.part$$"; exit 255' INT TERM HUP QUIT
out=; previous=
for word; do [ "$previous" = -o ] && out=$word; previous=$word; done
g++ -E -P -x c++ a.cu > "$out.part$$" || exit 1
sleep {seconds} & wait $!
echo END >> "$out.part$$"
mv "$out.part$$" "$out"
echo "made something" >&2
"""


def make_project(root: Path, seconds: float = 0.0, *, empty: bool = False) -> dict[str, str]:
    """Write the project; the environment that its runs need. `empty`: its cache has not even the overlay's library."""
    (root / "a.cu").write_text(KERNEL)
    log, cache = root / "started", root / "cache"
    text = COMPILER.format(log=log, seconds=seconds)
    return {
        "GPUOPT_NVCC": program(root / "toolkit/bin/nvcc", text),
        "GPUOPT_CACHE_DIR": str(cache if empty else with_library(cache)),
        "TMPDIR": str(scratch(root)),
    }


def scratch(root: Path) -> Path:
    """A directory for temporary files of the project's own."""
    (root / "tmp").mkdir(exist_ok=True)
    return root / "tmp"


def started(
    root: Path, env: Mapping[str, str | None], plan: Mapping[str, object], output: str = "a.o"
) -> subprocess.Popen[bytes]:
    """A run in a process group of its own."""
    line, surroundings = command_line("-c", "a.cu", "-o", output, optimizer=plan)
    whole = {name: value for name, value in {**surroundings, **env}.items() if value is not None}
    return subprocess.Popen(
        line, cwd=root, env=whole, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def completed(
    root: Path, env: Mapping[str, str | None], plan: Mapping[str, object], output: str = "a.o"
) -> tuple[int, bytes, bytes]:
    """Exit status, what was said, and the object of a run."""
    process = started(root, env, plan, output)
    _, err = process.communicate(timeout=120)
    path = root / output
    return process.returncode, err, path.read_bytes() if path.exists() else b""


def _runs_in(group: int, status: Path) -> bool:
    """Whether the process of a /proc/PID/stat is of the group and more than a zombie."""
    try:
        state, _, its_group, *_ = status.read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:  # it has just ended
        return False
    return its_group == str(group) and state != "Z"


def group_is_gone(group: int) -> bool:
    """Whether, within a while, no process of a group runs any more."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if not any(_runs_in(group, status) for status in Path("/proc").glob("[0-9]*/stat")):
            return True
        time.sleep(0.05)
    return False


def end_group(group: int) -> None:
    """End what is left of a run."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
