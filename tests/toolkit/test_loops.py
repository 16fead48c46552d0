"""Ways back to ourselves, run for real: one clear line, or the next nvcc, and never a process that goes round."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.toolkit.support import our_nvcc

LINES = (["--version"], ["-c", "host.cpp"], ["-c", "kernel.cu"], ["-E", "kernel.cu"], ["--dryrun", "kernel.cu"])


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GPUOPT_NVCC", raising=False)
    (tmp_path / "host.cpp").write_text("int x;\n")
    (tmp_path / "kernel.cu").write_text("__global__ void k() {}\n")
    return our_nvcc(tmp_path / "ours" / "gpuopt-nvcc")


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def run(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    surroundings = {**os.environ, **env}
    return subprocess.run(words, env=surroundings, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("line", LINES, ids=" ".join)
@pytest.mark.parametrize("kind", ["itself", "link", "script", "hidden", "two scripts"])
def test_a_named_one_is_refused_in_one_line(ours: str, tmp_path: Path, kind: str, line: list[str]) -> None:
    """`hidden`: a script in which nothing says that it starts us."""
    named = tmp_path / "named" / "nvcc"
    named.parent.mkdir()
    if kind == "itself":
        named = Path(ours)
    elif kind == "link":
        named.symlink_to(ours)
    elif kind == "script":
        script(named, f'exec {ours} "$@"')
    elif kind == "hidden":
        script(named, 'exec "$NEXT" "$@"')
    else:
        script(
            named,
            f'exec {script(tmp_path / "second", chr(34) + "$NEXT" + chr(34) + " " + chr(34) + "$@" + chr(34))} "$@"',
        )
    done = run(ours, *line, GPUOPT_NVCC=str(named), NEXT=ours)
    assert done.returncode != 0
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert f"GPUOPT_NVCC: {named} leads back to gpuopt-nvcc; name the real nvcc, or unset it" in done.stderr


@pytest.mark.nvcc
@pytest.mark.parametrize("kind", ["link", "script", "hidden"])
def test_one_in_path_is_passed_over(ours: str, tmp_path: Path, real_nvcc: str, kind: str) -> None:
    first, second = tmp_path / "first" / "nvcc", tmp_path / "second" / "nvcc"
    first.parent.mkdir()
    if kind == "link":
        first.symlink_to(ours)
    else:
        script(first, f'exec {ours} "$@"' if kind == "script" else 'exec "$NEXT" "$@"')
    script(second, f'exec {real_nvcc} "$@"')
    env = {"PATH": f"{first.parent}:{second.parent}:{os.environ['PATH']}", "NEXT": ours}
    plain = run(real_nvcc, "--version")
    assert run(ours, "--version", **env).stdout == plain.stdout
    assert run(ours, "-c", "kernel.cu", "-o", "kernel.o", **env).returncode == 0
    assert (tmp_path / "kernel.o").stat().st_size > 0
