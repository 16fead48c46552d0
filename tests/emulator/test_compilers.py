"""Other host compilers than the usual one, where they are installed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.emulator.support import compile_with, run

CONFORMANCE = Path(__file__).parent.parent / "conformance"


@pytest.mark.skipif(shutil.which("clang++") is None, reason="there is no clang++")
def test_clang(tmp_path: Path) -> None:
    source = CONFORMANCE / "exec_barriers.cu"
    env = {"GPUOPT_EMU_MODE": "fast"}
    assert compile_with("-ccbin", "clang++", source, "-o", tmp_path / "program", cwd=tmp_path, env=env) == 0
    assert run(tmp_path / "program").stdout == (CONFORMANCE / "expected/exec_barriers.txt").read_text()
