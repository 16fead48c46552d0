"""README's first command ends with what was gained, the patch in lines, and what to try next."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples/quickstart.sh"


@pytest.mark.usefixtures("host_compiler", "users_settings")
def test_quickstart(tmp_path: Path) -> None:
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\nexit 1\n")  # no GPU answers
    (tmp_path / "nvidia-smi").chmod(0o755)
    path = os.pathsep.join((str(tmp_path), str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        ["sh", SCRIPT], env={**os.environ, "PATH": path}, capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    before, after = map(int, re.findall(r"^   cycles +(\d+) +-> (\d+) \(-", done.stdout, re.MULTILINE)[0])
    assert after < before / 2
    assert "the same results, bit for bit" in done.stdout
    patch = [line for line in done.stdout.splitlines() if line.startswith("   + ")]
    assert len(patch) == 4
    assert "warp_group" in patch[0]
    assert done.stdout.splitlines()[-1].startswith("Next: gpuopt explain ")
