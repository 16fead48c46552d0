"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuopt_driver.nvcc.find import FROM_WHEELS, find_nvcc

pytest_plugins = ("gpuopt_driver.testing.golden",)


def _works(nvcc: str) -> bool:
    try:
        return subprocess.run([nvcc, "--version"], capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def pytest_configure() -> None:
    """Heed the signals that nohup and shells' background jobs have a process and all that it starts ignore."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share what a fixture of their module makes run in one worker: it is made once."""
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("xdist_group") is None:
            fixtures = item._fixtureinfo.name2fixturedefs.values()
            if any(one.scope == "module" for several in fixtures for one in several):
                item.add_marker(pytest.mark.xdist_group(f"{item.path.parent.name}-{item.path.stem}"))


@pytest.fixture(scope="session")
def real_nvcc(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of the real nvcc: the machine's, else the wheels' (GPUOPT_NVCC=wheels or =PATH chooses one).

    The test is skipped where there is none. One from wheels is named to the tests' programs, so that all mean the same.
    """
    found = find_nvcc({**os.environ, "GPUOPT_CACHE_DIR": str(_cache(tmp_path_factory))})
    if found is None or not _works(found.path):
        pytest.skip("no nvcc on this machine; pip install 'gpuopt-driver[cuda13]' brings one")
    if FROM_WHEELS in found.origin:
        os.environ["GPUOPT_NVCC"] = found.path
    return found.path


@pytest.fixture(scope="session")
def host_compiler() -> str:
    """A C++ compiler; the test is skipped where there is none."""
    found = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")
    if found is None:
        pytest.skip("no C++ compiler on this machine")
    return found


@pytest.fixture(scope="session", autouse=True)
def _own_surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing of the caller's gpuopt settings reaches a test or a fixture, and none writes to the caller's cache."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith("GPUOPT_") and name != "GPUOPT_NVCC":
                patch.delenv(name)
        patch.setenv("GPUOPT_CACHE_DIR", str(_cache(tmp_path_factory)))
        yield


def _cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all workers: the emulator's runtime is built once."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "gpuopt-cache"
