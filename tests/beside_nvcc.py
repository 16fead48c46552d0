"""Builds under hostile circumstances, each with nvcc and with gpuopt-nvcc: `python -m tests.beside_nvcc [NAME ...]`.

A case changes the environment, the streams, the directory, the options or the source (examples/gesummv.cu). Status,
standard output, standard error and the names of the files written must be nvcc's, cold and with what the first build
left in the cache. Exit status 1 where one differs. Needs an nvcc and a host compiler, no GPU.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gpuopt_driver.nvcc.find import find_nvcc

EXAMPLES = Path(__file__).parent.parent / "examples"
HEAD = "__global__ void gesummv(int rows, int columns,"
COMPILE = "{nvcc} -arch=sm_90 -std=c++17 {options} -c {source} -o a.o"
PROGRAM = 'int main() { const char *s = getenv("LC_CTYPE"); printf("%s\\n", s ? s : "unset"); return 3; }\n'


@dataclass(frozen=True)
class Case:
    """`line` for a shell, `changes` to the environment (None: not set), `head` in place of the kernel's first line."""

    options: str = ""
    line: str = COMPILE
    changes: Mapping[str, str | None] = field(default_factory=dict)
    head: str = HEAD
    source: str = ""  # another source than the example
    files: Mapping[str, str] = field(default_factory=dict)


def _environment(**changes: str | None) -> Case:
    return Case(changes=changes)


NO_LOCALE: dict[str, str | None] = {"LC_ALL": None, "LC_CTYPE": None, "LANG": None}
MODULES = {"modules/enum.py": "raise SystemExit(4)\n", "modules/sitecustomize.py": "import os; os._exit(5)\n"}
WARNINGS = ("-Wall,-Wextra,-Wshadow", "-Wcast-qual", "-Wunused-macros", "-Weffc++", "-Winline,-Waggregate-return")
MEASURED = """\
__global__ void k(float *__restrict__ const p, const float *const __restrict__ q, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { p[i] = q[i] * 2.0f; }
}
void f(float *p, float *q, unsigned n) { k<<<n / 256, 256>>>(p, q, n); }
"""  # its versions are measured, which takes the least of the runtime
CASES: dict[str, Case] = {
    "plain": Case(),
    "stdout closed": Case(line=COMPILE + " >&-"),
    "stderr closed": Case(line=COMPILE + " 2>&-"),
    "stdin closed": Case(line=COMPILE + " <&-"),
    "all closed": Case(line=COMPILE + " <&- >&- 2>&-"),
    **{
        name: _environment(**{name: value})
        for name, value in {
            "PYTHONHOME": "/opt/other",
            "PYTHONPLATLIBDIR": "nowhere",
            "PYTHONINSPECT": "1",
            "PYTHONHASHSEED": "abc",
            "PYTHONVERBOSE": "1",
            "PYTHONPROFILEIMPORTTIME": "1",
            "PYTHONWARNINGS": "error",
        }.items()
    },
    "PYTHONPATH": Case(changes={"PYTHONPATH": "{place}/modules"}, files=MODULES),
    "modules in the directory": Case(line="cd modules && " + COMPILE, files=MODULES),
    "no locale, -run": Case(source=PROGRAM, changes=NO_LOCALE, line="{nvcc} -arch=sm_90 -run {source}"),
    "LANG=C, -run": Case(source=PROGRAM, changes={**NO_LOCALE, "LANG": "C"}, line="{nvcc} -arch=sm_90 -run {source}"),
    "no locale, a warning": Case(
        options="-Xcompiler=-Wunused-parameter", source="int f(int a) { return 1; }\n", changes=NO_LOCALE
    ),
    "no directory": Case(
        line="mkdir gone && cd gone && rmdir ../gone && {nvcc} -arch=sm_90 -c {source} -o {place}/a.o"
    ),
    "-ccbin of two words": Case(options="-ccbin 'ccache g++'"),
    "-ccbin of nothing": Case(options="-ccbin {place}/empty", files={"empty/x": ""}),
    "NVCC_CCBIN": _environment(NVCC_CCBIN="/nowhere/g++"),
    "__grid_constant__": Case(head="__global__ void gesummv(const __grid_constant__ int rows, int columns,"),
    "visibility": Case(
        options="-Werror all-warnings",
        head='__attribute__((visibility("hidden"))) __global__ void gesummv(int rows, int columns,',
    ),
    "weak": Case(head="__attribute__((weak)) " + HEAD),
    "[[maybe_unused]]": Case(head="[[maybe_unused]] " + HEAD),
    "digraphs": Case(source="__global__ void k(int *p) <% p<:threadIdx.x:> = 1; %>\n"),
    **{f"-Xcompiler={words}": Case(options=f"-Xcompiler={words}") for words in WARNINGS},
    "errors for warnings": Case(
        source=MEASURED, options="-Xcompiler=-Wcast-qual,-Wunused-macros,-Winline,-Waggregate-return,-Wall,-Werror"
    ),
    "Thrust": Case(source="#include <thrust/device_vector.h>\n__global__ void k(int *p) { *p = 1; }\n"),
    "CUB": Case(source="#include <cub/block/block_reduce.cuh>\n__global__ void k(int *p) { *p = 1; }\n"),
    "a source that is refused": Case(source="__global__ void k(int *p) { *p = ; }\n"),
    "a header that is not there": Case(source='#include "no_such.h"\n__global__ void k(int *p) { *p = 1; }\n'),
    "an output that cannot be written": Case(line="{nvcc} -arch=sm_90 -c {source} -o no/such/a.o"),
}


def _outcome(case: Case, nvcc: str, place: Path, cache: str) -> dict[str, object]:
    """What a build comes to in a directory of its own, which is called the same for both compilers."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    text = (EXAMPLES / "gesummv.cu").read_text().replace(HEAD, case.head, 1)
    files = {"a.cu": case.source or text, "example.h": (EXAMPLES / "example.h").read_text(), **case.files}
    for name, content in files.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(content)
    words = {"nvcc": nvcc, "source": f"{place}/a.cu", "place": str(place)}
    line = case.line.format(options=case.options.format(**words), **words)
    env = {**os.environ, "GPUOPT_CACHE_DIR": cache}
    for name, value in case.changes.items():
        env.pop(name, None)
        if value is not None:
            env[name] = value.format(**words)
    done = subprocess.run(["/bin/sh", "-c", line], cwd=place, env=env, capture_output=True, timeout=600, check=False)
    written = sorted(
        str(path.relative_to(place)) for path in place.rglob("*") if str(path.relative_to(place)) not in files
    )
    return {
        "status": done.returncode,
        "standard output": _normal(done.stdout),
        "standard error": _normal(done.stderr),
        "files": written,
    }


def _normal(text: bytes) -> str:
    """Without process numbers in the names of temporary files, and what any shell says of a directory that is gone."""
    text = re.sub(rb"^\S*sh: 0: getcwd\(\) failed: .*\n", b"", text, flags=re.MULTILINE)
    return re.sub(r"tmpxft_[0-9a-f]+_[0-9a-f]+", "tmpxft", text.decode("utf-8", "replace"))


def differences(case: Case, nvcc: str, ours: str, scratch: Path) -> list[str]:
    """How two builds of ours differ from nvcc's, a line each."""
    theirs = _outcome(case, nvcc, scratch / "place", "")
    cache, lines = str(scratch / "cache"), []
    shutil.rmtree(cache, ignore_errors=True)
    for when in ("cold", "warm"):
        mine = _outcome(case, ours, scratch / "place", cache)
        lines += [
            f"{when}: {what}: {mine[what]!r}, nvcc: {theirs[what]!r}" for what in theirs if mine[what] != theirs[what]
        ]
    return lines


def run(names: Sequence[str]) -> int:
    """All cases of these names; how many differ."""
    nvcc = find_nvcc(os.environ)
    ours = str(Path(sys.executable).with_name("gpuopt-nvcc"))
    if nvcc is None or not Path(ours).is_file():
        raise SystemExit("needs an nvcc, and gpuopt-nvcc beside this Python")
    wrong = 0
    for name in names or CASES:
        with tempfile.TemporaryDirectory() as scratch:
            lines = differences(CASES[name], nvcc.path, ours, Path(scratch))
        wrong += bool(lines)
        print(
            f"{'DIFFERENT' if lines else 'same'}: {name}", *(f"  {line[:1000]}" for line in lines), sep="\n", flush=True
        )
    return wrong


def main() -> int:
    """Run the cases of the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="cases; without: all")
    names = parser.parse_args().names
    unknown = [name for name in names if name not in CASES]
    if unknown:
        parser.error(f"no case {unknown[0]!r}; there are: {', '.join(CASES)}")
    return 1 if run(names) else 0


if __name__ == "__main__":
    sys.exit(main())
