"""The kit's part in pytest: `-p gpuopt_driver.testing.golden` adds `--update-golden` and a fixture of that name."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update-golden`."""
    group = parser.getgroup("gpuopt")
    group.addoption(
        "--update-golden", action="store_true", help="write the expected files of cases instead of comparing"
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether expected files are to be written: pass it to `check_case`."""
    return bool(request.config.getoption("update_golden"))
