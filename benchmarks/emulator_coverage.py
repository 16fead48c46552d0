"""How many programs of a tree of CUDA sources build and run on the emulator: one line of a table for each.

    python benchmarks/emulator_coverage.py DIR... [--recipes FILE] [--only TEXT] [--json FILE] [-- NVCC-ARGUMENTS]

A program is a source with a `main`, together with the other sources of its directory that no other one includes. What a
program needs beyond that is said in a recipes file (TOML), one table per program, named by a path under DIR:

    ["cuda/backprop"]
    sources = ["*.cu", "*.c"]    # globs under the program's directory
    options = ["-I../common"]    # relative to it too
    inputs = "python make_input.py 64 > data.txt"   # run by sh in the work directory before the program
    arguments = ["64", "data.txt"]
    passed = "Test passed"       # a regular expression; where it is given, the output must contain it
    failed = "mismatch"          # one that it must not contain, beside the usual words
    seconds = 120
    skip = "needs OpenGL"        # not counted

NVCC in the environment names another compiler. In inputs, arguments and options {source} stands for the program's
directory, {suite} for DIR.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SOURCES = (".cu", ".cpp", ".cc", ".c", ".cxx")
MAIN = re.compile(r"^[^\n/#*]*\bmain\s*\(", re.MULTILINE)
INCLUDED = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
MISSING = re.compile(r"fatal error: '?([^\s':]+)'?(?:: No such file| file not found)")
UNDEFINED = re.compile(r"undefined reference to [`']([^'`]+)'")
DRIVER = re.compile(r"error: (?:call to )?.?(cu(?:Mem|Ctx|Module|Link|Launch)[A-Z]\w*|CU[a-z]\w+)\b")
# Headers and symbols of libraries that are neither CUDA's runtime nor in the suite.
LIBRARIES = {
    r"cublas": "cuBLAS",
    r"cufft": "cuFFT",
    r"cusparse": "cuSPARSE",
    r"cusolver": "cuSOLVER",
    r"npp|UtilNPP": "NPP",
    r"nvrtc": "NVRTC",
    r"nvJitLink": "nvJitLink",
    r"nvjpeg": "nvJPEG",
    r"nvml": "NVML",
    r"^curand\.h|^curand[A-Z]": "cuRAND's host library",
    r"^(GL|GLUT|GLES\d|GLFW|EGL)/|glut|gl_interop|cudaEGL|_egl": "OpenGL",
    r"vulkan": "Vulkan",
    r"d3d|dxgi|DirectX": "Direct3D",
    r"^mpi\.h": "MPI",
    r"FreeImage": "FreeImage",
    r"nvsci": "NvSci",
    r"^(thrust|cub|cuda)/": "CCCL (thrust, cub, libcu++)",
    r"^boost/": "Boost",
    r"^(windows|drm_fourcc|cudla|llvm/)": "another system",
}
PASSED = re.compile(
    r"test passed|\bpass(ed)?\b|success|\bcorrect\b|\bOK\b|results? match|Non-Matching[^\n]*: 0\b", re.IGNORECASE
)
FAILED = re.compile(
    r"test failed|\bfail(ed|ure)?\b|mismatch|incorrect|not match|Non-Matching[^\n]*: [1-9]|cudaError|CUDA error",
    re.IGNORECASE,
)  # fmt: skip
HARMLESS = re.compile(r"(0 (errors?|failures?|mismatch)|failed[:=]\s*0|fail(ed|ure)s?\s*[:=]?\s*0\b)", re.IGNORECASE)


NVCC = os.environ.get("NVCC", f"{sys.executable} -m gpuopt_driver.nvcc_main --gpuopt-backend=emulator").split()


@dataclass
class Outcome:
    """One program; `state` is passed, ran, built, failed, not built, or skipped."""

    suite: str
    program: str
    state: str = "not built"
    note: str = ""
    build_seconds: float = 0.0
    run_seconds: float = 0.0


@dataclass(frozen=True)
class Program:
    """What is to be built and run."""

    suite: Path
    name: str
    directory: Path
    sources: tuple[Path, ...]
    recipe: Mapping[str, Any] = field(default_factory=dict)


def text_of(path: Path) -> str:
    """A source as text; bytes that are not UTF-8 do not matter here."""
    return path.read_text(encoding="utf-8", errors="replace")


def sources_in(directory: Path) -> list[Path]:
    """The sources of a directory that no other file in it includes."""
    files = sorted(path for path in directory.iterdir() if path.is_file())
    sources = [path for path in files if path.suffix in SOURCES]
    readable = [path for path in files if path.suffix in (*SOURCES, ".h", ".cuh", ".hpp", ".inl")]
    included = {Path(name).name for path in readable for name in INCLUDED.findall(text_of(path))}
    return [path for path in sources if path.name not in included]


def discover(suite: Path, recipes: Mapping[str, Mapping[str, Any]]) -> Iterator[Program]:
    """The programs of a tree, in the order of their paths."""
    named = {suite / str(recipe.get("directory", name)) for name, recipe in recipes.items()}
    for name, recipe in sorted(recipes.items()):
        directory = suite / str(recipe.get("directory", name))
        if directory.is_dir():
            globs = recipe.get("sources")
            found = (
                sorted({path for glob in globs for path in directory.glob(glob)}) if globs else sources_in(directory)
            )
            yield Program(suite, name, directory, tuple(found), recipe)
    for directory in sorted({path.parent for path in suite.rglob("*.cu")}):
        if any(directory == other or other in directory.parents for other in named):
            continue
        sources = sources_in(directory)
        mains = [path for path in sources if MAIN.search(text_of(path))]
        others = [path for path in sources if path not in mains]
        for main in mains:
            name = directory if len(mains) == 1 else main
            yield Program(suite, str(name.relative_to(suite)), directory, (main, *others))


def library_of(name: str) -> str:
    """The library that a header or symbol belongs to, "" if it is none that we know."""
    return next((library for pattern, library in LIBRARIES.items() if re.search(pattern, name)), "")


def limited(command: Sequence[str], cwd: Path, seconds: float) -> tuple[int, str]:
    """Exit status (124: too slow) and everything that was printed."""
    try:
        done = subprocess.run(
            command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=seconds, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        return 124, (error.stdout or b"").decode("utf-8", "replace")
    return done.returncode, done.stdout.decode("utf-8", "replace")


def build(program: Program, binary: Path, arguments: Sequence[str], outcome: Outcome) -> bool:
    """Compile and link; what stopped it is noted."""
    names = [str(path.relative_to(program.directory)) for path in program.sources]
    extra = [expanded(word, program) for word in program.recipe.get("options", ())]
    command = [*NVCC, *arguments, *extra]
    begin = time.monotonic()
    status, output = limited([*command, *names, "-o", str(binary)], program.directory, 600)
    outcome.build_seconds = round(time.monotonic() - begin, 1)
    if status == 0:
        return True
    found = MISSING.search(output)
    driver = DRIVER.search(output)
    undefined = UNDEFINED.findall(output)
    library = library_of(found.group(1)) if found else next(filter(None, map(library_of, undefined)), "")
    library = library or ("the driver API, to load GPU code" if driver else "")
    errors = [line for line in output.splitlines() if "error" in line or "undefined reference" in line]
    if library:
        outcome.state, outcome.note = "skipped", f"needs {library}"
    else:
        outcome.note = (errors or output.splitlines() or ["no message"])[0].strip()[:160]
    return False


def expanded(text: str, program: Program) -> str:
    """With the places filled in."""
    return text.replace("{source}", str(program.directory)).replace("{suite}", str(program.suite))


def check(program: Program, work: Path, seconds: float, outcome: Outcome) -> None:
    """Run it, and see what it says of itself."""
    recipe = program.recipe
    if (program.directory / "data").is_dir() and not (work / "data").exists():
        (work / "data").symlink_to(program.directory / "data")
    if "inputs" in recipe:
        limited(["sh", "-c", expanded(recipe["inputs"], program)], work, 300)
    seconds = float(recipe.get("seconds", seconds))
    arguments = [expanded(word, program) for word in recipe.get("arguments", ())]
    begin = time.monotonic()
    status, output = limited([str(work / "program"), *arguments], work, seconds)
    outcome.run_seconds = round(time.monotonic() - begin, 1)
    (work / "program-output.txt").write_text(output)
    failure = next((line for line in output.splitlines() if FAILED.search(line) and not HARMLESS.search(line)), "")
    if "failed" in recipe and not failure:
        failure = next((line for line in output.splitlines() if re.search(recipe["failed"], line)), "")
    wanted = re.search(recipe["passed"], output) if "passed" in recipe else PASSED.search(output)
    if status == 124:
        outcome.state, outcome.note = "failed", f"still running after {seconds:g} s"
    elif status and status not in recipe.get("statuses", ()):
        said = next((line for line in reversed(output.splitlines()) if line.strip()), "")
        outcome.state, outcome.note = "failed", f"exit status {status}: {failure or said}"[:160]
    elif failure and not (wanted and "passed" in recipe):
        outcome.state, outcome.note = "failed", failure.strip()[:160]
    elif "passed" in recipe and not wanted:
        outcome.state, outcome.note = "failed", f"does not print /{recipe['passed']}/"
    else:
        outcome.state = "passed" if wanted else "ran"


def table(outcomes: Sequence[Outcome]) -> str:
    """The outcomes as Markdown, with totals per suite."""
    lines = ["| suite | program | state | run s | note |", "|---|---|---|---|---|"]
    lines += [
        f"| {o.suite} | {o.program} | {o.state} | {o.run_seconds:g} | {o.note.replace('|', '/')} |" for o in outcomes
    ]
    lines += ["", "| suite | counted | passed own check | ran, no check of its own | failed or not built | skipped |"]
    lines.append("|---|---|---|---|---|---|")
    for suite in sorted({o.suite for o in outcomes}):
        states = Counter(o.state for o in outcomes if o.suite == suite)
        counted = sum(states.values()) - states["skipped"]
        good = states["passed"] + states["ran"]
        share = f" ({100 * good / counted:.1f} % run)" if counted else ""
        figures = (f"{counted}{share}", states["passed"], states["ran"], counted - good, states["skipped"])
        lines.append(f"| {suite} | " + " | ".join(map(str, figures)) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="+", type=Path)
    parser.add_argument("--recipes", type=Path)
    parser.add_argument("--only", default="", help="programs whose path contains this")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--seconds", type=float, default=120.0, help="for programs whose recipe names no time")
    parser.add_argument("--work", type=Path, default=Path("emulator-coverage"))
    parser.add_argument("--json", type=Path)
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:split])
    nvcc_arguments = words[split + 1 :]
    recipes = tomllib.loads(options.recipes.read_text()) if options.recipes else {}
    outcomes: list[Outcome] = []
    for suite in options.suites:
        for program in discover(suite.resolve(), recipes):
            if options.only not in program.name:
                continue
            outcome = Outcome(suite.name, program.name)
            outcomes.append(outcome)
            work = options.work.resolve() / suite.name / program.name.replace("/", "_")
            work.mkdir(parents=True, exist_ok=True)
            if "skip" in program.recipe:
                outcome.state, outcome.note = "skipped", str(program.recipe["skip"])
            elif build(program, work / "program", [expanded(word, program) for word in nvcc_arguments], outcome):
                outcome.state = "built"
                if not options.build_only:
                    check(program, work, options.seconds, outcome)
            print(f"{outcome.state:10} {outcome.program} {outcome.note}", file=sys.stderr, flush=True)
    sys.stdout.write(table(outcomes))
    if options.json:
        options.json.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=1))
    return 0 if all(outcome.state in ("passed", "ran", "skipped") for outcome in outcomes) else 1


if __name__ == "__main__":
    os.environ.setdefault("GPUOPT_EMU_GPU", "h200")
    sys.exit(main())
