"""A suite of CUDA programs through its own Makefiles or CMake files, by nvcc and by gpuopt-nvcc: what comes of each?

    python benchmarks/suite_builds.py DIR --work DIR [--policy FILE] [--only TEXT] -- make -k NVCC={nvcc}
    python benchmarks/suite_builds.py DIR --work DIR --cmake [--architecture 90] [--sample N] -- -DNAME=VALUE...

The command runs in every directory that has a makefile and, there or below, a .cu file. `{nvcc}` and `{toolkit}` stand
for the compiler and the toolkit-shaped directory around it (its bin is first in PATH), `{dir}` and `{root}` for the
directory and the copy of the tree. With --cmake the tree is configured and built once; what follows `--` goes to the
configuration. Both builds run in a fresh copy under the same path. Exit status 1 if a target comes out differently.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sources import machine, nvcc_version

TIME_LIMIT = 3600  # seconds for one target, or for the whole of a CMake build
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
MARK = b"__gpuopt_"  # in the names of everything that a version of a kernel brings along
VARIES = re.compile(r"tmpxft_[0-9a-f]{8}_[0-9a-f]{8}(-\d+)?|\b\d+(\.\d+)? ?(ms|s)\b|/tmp/cc\w{6}\.\w+")
ABSENT = """\
if(NOT TARGET @)
  add_library(@ INTERFACE IMPORTED GLOBAL)
endif()
"""
ONLY_ONE = """\
function(only_one_architecture)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    set_property(TARGET ${target} PROPERTY CUDA_ARCHITECTURES @)
  endforeach()
endfunction()
cmake_language(DEFER CALL only_one_architecture)
"""


@dataclass
class Target:
    """What came of one target; `made` are the files that were not there before, `patched` those with our symbols."""

    ok: bool
    made: list[str] = field(default_factory=list)
    patched: list[str] = field(default_factory=list)
    log: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Side:
    """One of the two compilers: its toolkit and what its builds have in their environment."""

    name: str
    toolkit: Path
    environment: dict[str, str]

    def fill(self, text: str, root: Path, directory: Path) -> str:
        """The command's word with its placeholders filled."""
        names = {"nvcc": self.toolkit / "bin" / "nvcc", "toolkit": self.toolkit, "root": root, "dir": directory}
        return re.sub(r"\{(nvcc|toolkit|root|dir)\}", lambda found: str(names[found.group(1)]), text)


def shaped_toolkit(toolkit: Path, compiler: Path, where: Path) -> Path:
    """A directory like `toolkit`, of links, whose bin/nvcc is `compiler`."""
    if where.exists():
        shutil.rmtree(where)
    (where / "bin").mkdir(parents=True)
    for path in toolkit.iterdir():
        if path.name != "bin":
            (where / path.name).symlink_to(path)
    for path in (toolkit / "bin").iterdir():
        if path.name != "nvcc":
            (where / "bin" / path.name).symlink_to(path)
    (where / "bin" / "nvcc").symlink_to(compiler)
    return where


def files_in(root: Path) -> dict[str, tuple[int, int]]:
    """Every file below `root`, with time and size."""
    found = {}
    for path in root.rglob("*"):
        if path.is_file() and not path.is_symlink():
            status = path.stat()
            found[str(path.relative_to(root))] = (status.st_mtime_ns, status.st_size)
    return found


def has_symbols_of_ours(path: Path) -> bool:
    """Whether a file that was built has a version of ours in it."""
    return path.suffix not in (".d", ".txt", ".json", ".ninja") and MARK in path.read_bytes()


def run(command: Sequence[str], cwd: Path, side: Side) -> tuple[int, str]:
    """The exit status and everything said; a hang is a failure."""
    env = {**os.environ, **side.environment, "PATH": f"{side.toolkit / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIME_LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        return -1, "timed out"
    return done.returncode, done.stdout.decode("utf-8", "replace")


def make_directories(root: Path, only: str) -> list[Path]:
    """The directories to run the command in, relative to `root`; those further up come first."""
    found = {}
    for path in root.rglob("*"):
        if path.name in MAKEFILES and path.is_file() and any(path.parent.rglob("*.cu")):
            found[path.parent.relative_to(root)] = None
    if len(found) > 1:
        found.pop(Path(), None)
    return sorted((path for path in found if only in str(path)), key=lambda path: (len(path.parts), path))


def build_with_make(root: Path, directories: Sequence[Path], command: Sequence[str], side: Side) -> dict[str, Target]:
    """Every directory after the other."""
    results = {}
    before = files_in(root)
    for directory in directories:
        place = root / directory
        begin = time.monotonic()
        status, log = run([side.fill(word, root, place) for word in command], place, side)
        seconds = time.monotonic() - begin
        after = files_in(root)
        made = sorted(name for name, state in after.items() if before.get(name) != state)
        patched = [name for name in made if has_symbols_of_ours(root / name)]
        results[str(directory)] = Target(status == 0, made, patched, log, seconds)
        before = after
    return results


def cmake_outputs(build: Path, only: str) -> list[str]:
    """What ninja would make with compilers and linkers, relative to `build`."""
    listed = subprocess.run(
        ["ninja", "-C", str(build), "-t", "targets", "all"], capture_output=True, text=True, check=False
    )
    rows = [line.rpartition(": ") for line in listed.stdout.splitlines()]
    return sorted(name for name, _, rule in rows if re.search(r"_(COMPILER|LINKER)_", rule) and only in name)


def build_with_cmake(
    root: Path, arguments: Sequence[str], options: argparse.Namespace, side: Side
) -> dict[str, Target]:
    """Configure and build all (or the sampled programs); one target per object, library and program."""
    build = root / "build-of-the-comparison"
    begin = time.monotonic()
    configure = ["cmake", "-G", "Ninja", "-S", str(root), "-B", str(build), *arguments]
    configure.append(f"-DCMAKE_CUDA_COMPILER={side.toolkit / 'bin' / 'nvcc'}")
    script = options.work / "comparison.cmake"
    script.write_text(
        "".join(ABSENT.replace("@", name) for name in options.absent)
        + (ONLY_ONE.replace("@", options.architecture) if options.architecture else "")
    )
    configure.append(f"-DCMAKE_PROJECT_INCLUDE={script}")
    status, log = run(configure, root, side)
    results = {"(configure)": Target(status == 0, [], [], log, time.monotonic() - begin)}
    outputs = cmake_outputs(build, options.only)
    programs = [name for name in outputs if not name.endswith(".o")]
    if options.sample and options.sample < len(programs):
        programs = random.Random(options.seed).sample(programs, options.sample)
    begin = time.monotonic()
    status, log = run(["ninja", "-k", "0", "-j", str(options.jobs), *sorted(programs)], build, side)
    results["(build)"] = Target(status == 0, [], [], log, time.monotonic() - begin)
    wanted = {Path(name).parent for name in programs}
    for name in outputs:
        if name in programs or (name.endswith(".o") and any(parent in wanted for parent in Path(name).parents)):
            made = (build / name).is_file()
            patched = [name] if made and has_symbols_of_ours(build / name) else []
            results[name] = Target(made, [name] if made else [], patched)
    return results


def build_all(side: Side, options: argparse.Namespace, command: Sequence[str]) -> dict[str, Target]:
    """One side's builds in a fresh copy; what is known from an earlier run with the same question is not repeated."""
    memory: Path = options.work / f"{options.root.name}-{side.name}.json"
    question = [
        str(options.root),
        options.only,
        options.sample,
        options.seed,
        options.architecture,
        options.absent,
        *command,
    ]
    question.append({name: os.environ.get(name, "") for name in ("NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS")})
    if options.again and memory.exists() and (known := json.loads(memory.read_text()))["question"] == question:
        return {name: Target(**target) for name, target in known["targets"].items()}
    copy = options.work / "tree" / options.root.name
    if copy.exists():
        shutil.rmtree(copy)
    shutil.copytree(options.root, copy, symlinks=True)
    if options.cmake:
        results = build_with_cmake(copy, command, options, side)
    else:
        results = build_with_make(copy, make_directories(copy, options.only), command, side)
    shutil.rmtree(copy)
    targets = {name: asdict(target) for name, target in results.items()}
    memory.write_text(json.dumps({"question": question, "targets": targets}, indent=1) + "\n")
    return results


def plain(log: str, side: Side) -> list[str]:
    """What was said, without what differs from run to run, without our own lines, in any order of parallel jobs."""
    lines = (VARIES.sub("*", line.replace(str(side.toolkit), "TOOLKIT")) for line in log.splitlines())
    return sorted(line for line in lines if not line.startswith(("gpuopt: ", "[")))


def differences(name: str, one: Target, other: Target) -> list[str]:
    """In what a target came out differently."""
    found = []
    if one.ok != other.ok:
        builds, fails = ("nvcc", "gpuopt-nvcc") if one.ok else ("gpuopt-nvcc", "nvcc")
        found.append(f"{name}: builds with {builds}, fails with {fails}")
    found += [f"{name}: {made}: made by nvcc only" for made in one.made if made not in set(other.made)]
    found += [f"{name}: {made}: made by gpuopt-nvcc only" for made in other.made if made not in set(one.made)]
    return found


def show(sides: Sequence[Side], results: Sequence[dict[str, Target]], options: argparse.Namespace) -> bool:
    """The table, then every difference; True when there is none."""
    ours, theirs = results[1], results[0]
    names = list(theirs)
    steps = [name for name in names if name.startswith("(")]
    targets = [name for name in names if name not in steps]
    different = [line for name in targets for line in differences(name, theirs[name], ours.get(name, Target(False)))]
    different += [f"{name}: with gpuopt-nvcc only" for name in ours if name not in theirs]
    said = [line for target in ours.values() for line in target.log.splitlines() if line.startswith("gpuopt: ")]
    warnings = sorted({line for line in said if "warning" in line or "error" in line})
    common = [name for name in names if name in ours]
    logs = [name for name in common if plain(theirs[name].log, sides[0]) != plain(ours[name].log, sides[1])]
    print(f"## {options.root.name}, policy {options.policy or 'default'}")
    print(f"{machine()}; nvcc {nvcc_version(str(sides[0].toolkit / 'bin' / 'nvcc'))}")
    made = {made for target in theirs.values() for made in target.made}
    rows: list[tuple[str, object]] = [
        ("targets", len(targets)),
        ("targets that nvcc builds", sum(theirs[name].ok for name in targets)),
        ("targets that gpuopt-nvcc builds", sum(ours[name].ok for name in targets if name in ours)),
        ("targets that come out the same", len(targets) - len({line.split(":")[0] for line in different})),
        ("files made by nvcc", len(made)),
        ("files made with versions of ours", len({made for target in ours.values() for made in target.patched})),
        ("logs that differ", len(logs)),
        ("seconds with nvcc", round(sum(target.seconds for target in theirs.values()))),
        ("seconds with gpuopt-nvcc", round(sum(target.seconds for target in ours.values()))),
    ]
    for label, value in rows:
        print(f"  {label:34} {value}")
    for title, lines in (("different", different), ("said by gpuopt", warnings), ("log differs", logs)):
        for line in lines:
            print(f"  {title}: {line}")
    return not different


def main() -> int:
    """Parse the command line, build twice, print."""
    given = sys.argv[1:]
    split = given.index("--") if "--" in given else len(given)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path, help="the suite; it is only read")
    parser.add_argument("--work", type=Path, required=True, help="where copies, toolkits and results go")
    parser.add_argument("--toolkit", type=Path, default=Path("/usr/local/cuda"), help="the real toolkit")
    parser.add_argument("--gpuopt-nvcc", default=shutil.which("gpuopt-nvcc"), help="the compiler to compare with it")
    parser.add_argument("--policy", type=Path, help="a toolchain.toml for gpuopt-nvcc")
    parser.add_argument("--cmake", action="store_true", help="one CMake project instead of makefiles")
    parser.add_argument("--architecture", default="", help="CMake: for this architecture alone")
    parser.add_argument(
        "--absent", action="append", default=[], help="CMake: a library's target that this machine lacks"
    )
    parser.add_argument("--only", default="", help="directories (CMake: files) whose path contains this")
    parser.add_argument("--sample", type=int, default=0, help="CMake: this many programs, chosen at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="CMake: parallel jobs")
    parser.add_argument(
        "--again", action="store_true", help="take nvcc's results from the last run if they are for the same"
    )
    options = parser.parse_args(given[:split])
    options.root, options.work = options.root.resolve(), options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    toolkit = options.toolkit.resolve()
    ours = shaped_toolkit(toolkit, Path(options.gpuopt_nvcc).resolve(), options.work / "toolkit")
    settings = {"GPUOPT_NVCC": str(toolkit / "bin" / "nvcc"), "GPUOPT_CACHE_DIR": str(options.work / "cache")}
    if options.policy:
        settings["GPUOPT_POLICY"] = str(options.policy.resolve())
    sides = (Side("nvcc", toolkit, {}), Side("gpuopt", ours, settings))
    results = []
    for side in sides:
        again, options.again = options.again, options.again and side.name == "nvcc"
        results.append(build_all(side, options, given[split + 1 :]))
        options.again = again
    return 0 if show(sides, results, options) else 1


if __name__ == "__main__":
    sys.exit(main())
