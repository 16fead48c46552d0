"""The bulk copy engine and barriers that count bytes in check mode: what they order is no race."""

from __future__ import annotations

from pathlib import Path

from tests.emulator.support import compile_with, run

PROGRAM = Path(__file__).parent.parent / "conformance" / "exec_bulk.cu"


def test_what_barriers_order_is_no_race(tmp_path: Path, host_compiler: str) -> None:
    binary = tmp_path / "bulk"
    assert compile_with(PROGRAM, "-std=c++17", "-o", binary, cwd=tmp_path, check=True, gpu="h200") == 0
    done = run(binary, GPUOPT_EMU_MODE="check")
    assert done.stdout == (PROGRAM.parent / "expected" / "exec_bulk.txt").read_text()
    assert "gpuopt check: 0 errors" in done.stderr, done.stderr
