"""A user's program: built under a policy, run, and what it said. Builds and runs are child processes."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import GpuoptError, ToolchainError

_UNIT = rb"(ns|us|ms|s|sec|secs|seconds|msec|usec|[KMGT]?B/s|[KMGT]?FLOPS?(/s)?|[KMGT]?FLOP/s)\b"
# "1.5 ms", and as benchmarks print it: "kernel time: 1.5 (ms)", "kernel time (ms): 1.5".
_LINES_OF_TIME = re.compile(
    rb"\b\d[\d.]*(e[+-]?\d+)? ?[(\[]?%b|[(\[]%b[)\]] *[:=]? *\d" % (_UNIT, _UNIT), re.IGNORECASE
)
_VERSION = re.compile(r"^.*\w<<<.*>>>: .*$", re.MULTILINE)  # what GPUOPT_DISPATCH=trace prints
_SECONDS_TO_END = 10.0
_SHOWN = 200  # characters of what a failing program said


@dataclass(frozen=True, slots=True)
class Program:
    """How a program is built and run.

    Either `sources` with `nvcc_args` are built by gpuopt-nvcc, or the shell command `build` does it (with the policy in
    GPUOPT_POLICY). `run`: the shell command to run, {} standing for the program; `files`: what it writes that counts.
    """

    sources: tuple[str, ...]
    nvcc_args: tuple[str, ...] = ()
    build: str = ""
    run: str = "{}"
    files: tuple[str, ...] = ()
    ignore: str = ""  # lines of the output that match do not count, beside those that tell times
    seconds: float = 600.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run. `digest` is of what counts: output without times, and the files that the program writes."""

    status: int
    digest: str
    counted: bytes  # the output that counts
    stdout: bytes
    stderr: bytes
    seconds: float

    @property
    def complaint(self) -> str:
        """Why it does not count as a run, in one line; "" if it does."""
        if self.status == 0:
            return ""
        said = (self.stderr.strip() or self.stdout.strip()).decode("utf-8", "replace").splitlines()[-1:] or [""]
        return f"exit status {self.status}: {said[0][:_SHOWN]}".rstrip(": ")

    @property
    def versions(self) -> tuple[str, ...]:
        """Which versions of kernels were picked, where GPUOPT_DISPATCH=trace was set."""
        return tuple(dict.fromkeys(_VERSION.findall(self.stderr.decode("utf-8", "replace"))))


def compile_program(program: Program, output: Path, environment: Mapping[str, str], backend: str = "") -> None:
    """Build the program as `output`; GpuoptError with the compiler's last line where that fails.

    `environment` holds GPUOPT_POLICY, GPUOPT_OFF and the like.
    """
    settings = {**os.environ, **environment, **({"GPUOPT_BACKEND": backend} if backend else {})}
    if program.build:
        argv: Sequence[str] = ["/bin/sh", "-c", program.build]
    else:
        argv = [
            sys.executable,
            "-m",
            "gpuopt_driver.nvcc_main",
            *program.nvcc_args,
            "-o",
            str(output),
            *program.sources,
        ]
    done = _run(argv, settings)
    if done.returncode != 0:
        said = (done.stderr + done.stdout).decode("utf-8", "replace").strip().splitlines()
        errors = (line for line in said if "error" in line.lower() or "undefined reference" in line)
        telling = next(errors, said[-1] if said else f"exit status {done.returncode}")
        raise ToolchainError(f"{shlex.join(program.sources) or program.build}: does not build: {telling[:_SHOWN]}")


def run_program(program: Program, built: Path, environment: Mapping[str, str]) -> Outcome:
    """Run it once; a program that does not end in time is a GpuoptError."""
    command = program.run.replace("{}", shlex.quote(str(built)))
    for name in program.files:
        Path(name).unlink(missing_ok=True)
    begin = time.perf_counter()
    try:
        env = {"GPUOPT_LEARN": "off", **os.environ, **environment}  # what the policy decides, at every launch
        done = _run(["/bin/sh", "-c", command], env, program.seconds)
    except subprocess.TimeoutExpired as error:
        raise GpuoptError(f"{command}: does not end within {program.seconds:g} s; --seconds allows more") from error
    seconds = time.perf_counter() - begin
    counted = counting(done.stdout, program.ignore)
    state = hashlib.blake2b(counted, digest_size=16)
    for name in program.files if done.returncode == 0 else ():
        state.update(name.encode() + _content(name))
    return Outcome(done.returncode, state.hexdigest(), counted, done.stdout, done.stderr, seconds)


def _run(
    argv: Sequence[str], env: Mapping[str, str], seconds: float | None = None
) -> subprocess.CompletedProcess[bytes]:
    """What a program says. At Ctrl-C, which it gets as we do, it has time to remove what it has begun."""
    with subprocess.Popen(
        argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        try:
            out, err = running.communicate(timeout=seconds)
        except KeyboardInterrupt:
            with suppress(subprocess.TimeoutExpired):
                running.communicate(timeout=_SECONDS_TO_END)
            raise
        finally:
            if running.poll() is None:
                running.kill()
    return subprocess.CompletedProcess(argv, running.returncode, out, err)


def counting(output: bytes, ignore: str) -> bytes:
    """Output without the lines that tell times or rates, and those that match `ignore`."""
    other = re.compile(ignore.encode()) if ignore else None
    lines = output.splitlines(keepends=True)
    return b"".join(line for line in lines if not _LINES_OF_TIME.search(line) and not (other and other.search(line)))


def _content(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise GpuoptError(f"{name}: the program was to write it: {error.strerror}") from error


def first_difference(one: bytes, other: bytes) -> str:
    """Where two outputs part, in one line."""
    lines, others = one.splitlines(), other.splitlines()
    for number, (line, another) in enumerate(zip(lines, others, strict=False), 1):
        if line != another:
            return f"line {number}: {_quoted(line)} against {_quoted(another)}"
    if len(lines) != len(others):
        return f"{len(lines)} lines against {len(others)}"
    return "in the files that it writes"


def _quoted(line: bytes) -> str:
    return f'"{line.decode("utf-8", "replace")[:_SHOWN]}"'
