"""Running gpuopt and gpuopt-nvcc as programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def gpuopt(*words: str, status: int = 0, **env: str) -> str:
    """Run a `gpuopt` command; its standard output, or its standard error where it is to fail."""
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT), **env}
    line = [sys.executable, "-m", "gpuopt_driver", *words]
    done = subprocess.run(line, env=surroundings, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 else done.stderr


def our_nvcc(path: Path) -> str:
    """A program that is gpuopt-nvcc."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m gpuopt_driver.nvcc_main "$@"\n')
    path.chmod(0o755)
    return str(path)
