"""Running `gpuopt-nvcc` as a program, with an optimizer of the test's choice in place of the real one."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]

UNCOMPILABLE = b"gpuopt: warning: the patched source does not compile; it was compiled as it was (changed by test)\n"
# What the child process runs: the pipeline is replaced by one that does what $TEST_OPTIMIZER says.
_RUNNER = """
import json, os, signal, sys, time, types
from gpuopt_driver.report.model import Decision, Finding, UnitReport
sys.argv[0] = "gpuopt-nvcc"
plan = json.loads(os.environ.pop("TEST_OPTIMIZER"))

class Outcome:
    def __init__(self, patched, reports, originals):
        self.patched, self.reports, self.originals, self.emitted = patched, reports, originals, ()

def optimize(command, policy, backend, **_):
    if plan.get("print"):
        print(plan["print"])
    if plan.get("raise"):
        raise RuntimeError(plan["raise"])
    if plan.get("kill") == "exit":
        os._exit(5)
    if plan.get("kill"):
        os.kill(os.getpid(), getattr(signal, "SIG" + plan["kill"]))
    if plan.get("grow"):
        held = b"x" * plan["grow"]
        time.sleep(1)
    if plan.get("hang"):
        time.sleep(plan["hang"])
    patched, originals = {}, {}
    for name, old, new in plan["replace"]:
        path = command.path(name)
        data = patched.get(path)
        if data is None:
            with open(path, "rb") as file:
                data = originals[path] = file.read()
        assert old.encode() in data, (path, old)
        patched[path] = data.replace(old.encode(), new.encode())
    for old, new in plan.get("everywhere", ()):
        for item in command.cuda_inputs:
            folder = os.path.dirname(item.absolute)
            for path in (item.absolute, *(os.path.join(folder, n) for n in os.listdir(folder) if n.endswith(".cuh"))):
                with open(path, "rb") as file:
                    data = originals[path] = file.read()
                if old.encode() in data:
                    patched[path] = data.replace(old.encode(), new.encode())
    authors = ["test"]
    left_out = os.environ.get("GPUOPT_DISABLE_PLUGINS", "").split(",")
    for author, name, old, new in plan.get("by", ()):
        path = command.path(name)
        if author not in left_out:
            authors = [one for one in authors if one != "test"] + [author]
            with open(path, "rb") as file:
                originals[path] = file.read()
            patched[path] = patched.get(path, originals[path]).replace(old.encode(), new.encode())
    for name in plan.get("touch", ()):
        with open(command.path(name), "ab") as file:
            file.write(b"// later\\n")
    reports = tuple(
        UnitReport(item.absolute, "h200", backend, patched_files=tuple(patched), findings=tuple(
            Finding(author, "k", Decision.APPLIED, "TEST001", "did it", item.absolute, 1) for author in authors))
        for item in command.cuda_inputs
    )
    return Outcome(patched, reports, originals)

module = types.ModuleType("gpuopt_driver.pipeline")
module.optimize = optimize
sys.modules["gpuopt_driver.pipeline"] = module
from gpuopt_driver.nvcc_main import main
sys.exit(main())
"""


def command_line(*argv: str, optimizer: Mapping[str, object] | None = None) -> tuple[list[str], dict[str, str]]:
    """argv and environment of a run; without an optimizer nothing is replaced."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    if optimizer is None:
        return [sys.executable, "-m", "gpuopt_driver.nvcc_main", *argv], env
    env["TEST_OPTIMIZER"] = json.dumps({"replace": [], **optimizer})
    return [sys.executable, "-c", _RUNNER, *argv], env


def gpuopt_nvcc(
    *argv: str,
    cwd: Path,
    optimizer: Mapping[str, object] | None = None,
    env: Mapping[str, str | None] | None = None,
    stdin: bytes | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """One run; a None in `env` removes a variable."""
    line, surroundings = command_line(*argv, optimizer=optimizer)
    for name, value in (env or {}).items():
        if value is None:
            surroundings.pop(name, None)
        else:
            surroundings[name] = value
    return run(line, cwd, surroundings, stdin)


def wrapper(path: Path, optimizer: Mapping[str, object]) -> str:
    """A program that is `gpuopt-nvcc` with an optimizer, for build systems to call."""
    line, env = command_line(optimizer=optimizer)
    kept = {name: env[name] for name in ("TEST_OPTIMIZER", "PYTHONPATH")}
    settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in kept.items())
    return program(path, f'{settings} exec {shlex.join(line)} "$@"')


def run(
    line: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None, stdin: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Any program, its output captured as bytes."""
    return subprocess.run(line, cwd=cwd, env=env, input=stdin, capture_output=True, timeout=240, check=False)


def program(path: Path, text: str) -> str:
    """A shell script that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)
