"""Programs in a Python of their own: what is loaded and patched there is nobody else's."""

from __future__ import annotations

import subprocess
import sys


def assert_runs(program: str) -> None:
    """Run a program in a new interpreter; its assertions are the test's."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
