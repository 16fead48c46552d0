"""The small project for every test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builds.support import Project, copy_project


@pytest.fixture
def project(tmp_path: Path, real_nvcc: str) -> Project:
    """A copy of the project."""
    return copy_project(tmp_path, real_nvcc)
