"""What tests of the emulator share."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def clang(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
    """clang++; it compiles the runtime, not programs, in half the time: without optimization."""
    found = shutil.which("clang++")
    if found is None:
        pytest.skip("there is no clang++")
    script = tmp_path_factory.mktemp("clang") / "clang++"
    script.write_text(f'#!/bin/sh\ncase "$*" in *" -S unit"*) set -- "$@" -O0 ;; esac\nexec {found} "$@"\n')
    script.chmod(0o755)
    return script
