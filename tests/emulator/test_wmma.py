"""Matrix fragments under the model and in check mode: lanes have what other lanes gave there, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.emulator.support import compile_with, run

CONFORMANCE = Path(__file__).parents[1] / "conformance"
PROGRAMS = ("exec_wmma", "exec_mma")


@pytest.mark.parametrize("program", PROGRAMS)
def test_same_in_every_mode(program: str, tmp_path: Path, host_compiler: str) -> None:
    source = CONFORMANCE / f"{program}.cu"
    assert compile_with(source, "-o", tmp_path / "program", cwd=tmp_path, check=True, gpu="h200") == 0
    expected = (CONFORMANCE / "expected" / f"{program}.txt").read_text()
    for mode in ("model", "check"):
        assert run(tmp_path / "program", GPUOPT_EMU_MODE=mode).stdout == expected, mode
