"""Random kernels with divergent branches, loops, exits, barriers and warp operations, against an interpreter."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.emulator.random_kernels import program
from tests.emulator.support import compile_with, run

pytestmark = pytest.mark.usefixtures("host_compiler")

KERNELS = 40


def test_random_kernels(tmp_path: Path) -> None:
    text, expected = program(range(KERNELS))
    (tmp_path / "random.cu").write_text(text)
    assert compile_with("random.cu", "-o", "random", cwd=tmp_path, plain=True) == 0
    done = run(tmp_path / "random")
    assert done.stderr == ""
    for seed, (line, values) in enumerate(zip(done.stdout.splitlines(), expected, strict=True)):
        assert list(map(int, line.split())) == values, f"kernel_{seed}"
