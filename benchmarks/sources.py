"""CUDA source trees: their translation units, compiling them with nvcc, and the kernels in what comes out."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

INCLUDED = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^">\n]+\.cu)[">]', re.MULTILINE)
SOURCES = {".cu", ".cuh", ".h", ".hpp", ".c", ".cpp", ".cc", ".inl"}
STUB = re.compile(r"\d+__device_stub_(_Z\w+)")


@dataclass(frozen=True)
class Compiled:
    """What nvcc said of one translation unit; `message` is its first error."""

    ok: bool
    seconds: float
    message: str = ""


def translation_units(root: Path) -> list[Path]:
    """The .cu files under `root` that no other file includes, relative to it."""
    files = [path for path in sorted(root.rglob("*")) if path.suffix in SOURCES and path.is_file()]
    cu_files = {path.resolve() for path in files if path.suffix == ".cu"}
    included: set[Path] = set()
    for path in files:
        for name in INCLUDED.findall(path.read_bytes()):
            wanted = Path(os.fsdecode(name))
            target = (path.parent / wanted).resolve()
            if target in cu_files:
                included.add(target)
            else:  # found through -I: take every file that it can be
                included |= {one for one in cu_files if one.parts[-len(wanted.parts) :] == wanted.parts}
    return [path.relative_to(root) for path in files if path.suffix == ".cu" and path.resolve() not in included]


def compile_unit(nvcc: str, args: Sequence[str], source: Path, output: Path, cwd: Path) -> Compiled:
    """`nvcc ARGS -c SOURCE -o OUTPUT`, timed."""
    begin = time.perf_counter()
    done = subprocess.run(
        [nvcc, *args, "-c", str(source), "-o", str(output)],
        cwd=cwd,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    seconds = time.perf_counter() - begin
    lines = [line for line in (done.stderr + done.stdout).splitlines() if "error" in line or "rror:" in line]
    return Compiled(done.returncode == 0, seconds, "" if done.returncode == 0 else (lines or ["failed"])[0][:300])


def kernels_in_object(path: Path) -> set[str]:
    """The plain names of the kernels in an object file, from the stubs that nvcc makes to launch them."""
    symbols = subprocess.run(["nm", str(path)], capture_output=True, text=True, check=True).stdout
    names = set()
    mangled = []
    for line in symbols.splitlines():
        kind, symbol = line.split()[-2:]
        if kind not in "TtWw":
            continue
        if found := STUB.search(symbol):
            mangled.append(found.group(1))
    demangled = subprocess.run(["c++filt", "-p"], input="\n".join(mangled), capture_output=True, text=True, check=True)
    for symbol in demangled.stdout.splitlines():
        names.add(plain_name(symbol))
    return names


def plain_name(demangled: str) -> str:
    """The unqualified name in `void a::(anonymous namespace)::name<int>`, without parameters and arguments."""
    depth = 0
    text = ""
    for char in demangled.replace("(anonymous namespace)", ""):
        if char in "<(":
            depth += 1
        elif char in ">)":
            depth -= 1
        elif depth == 0:
            text += char
    return text.split("::")[-1].split()[-1]


def machine() -> str:
    """One line that says what the figures were taken on."""
    model = platform.processor() or platform.machine()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"


def nvcc_version(nvcc: str) -> str:
    """The version that nvcc gives for itself."""
    text = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"release .*", text)
    return found.group(0) if found else text.strip()
