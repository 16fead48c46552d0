"""Fixtures shared by all tests."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import gpuopt_plugins
import pytest

import gpuopt_driver
from gpuopt_driver.emulator.compiler import find_host_compiler
from gpuopt_driver.emulator.runtime import runtime_library
from gpuopt_driver.nvcc.find import FROM_WHEELS, find_nvcc
from tests.needs import MARKS, begins, marks_of, quick_linker, settings_of, without_compilers

pytest_plugins = ("gpuopt_driver.testing.golden", "tests.processor_times")

ROOT = Path(__file__).parents[1]
_PATH = os.environ["PATH"]


def _works(nvcc: str) -> bool:
    try:
        return subprocess.run([nvcc, "--version"], capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def pytest_addoption(parser: pytest.Parser) -> None:
    """What takes minutes and is run by hand."""
    parser.addoption("--every-kind", action="store_true", help="every kind of hostile plugin, not a sample")


def pytest_configure() -> None:
    """Refuse other trees' packages; heed the signals that nohup and shells' background jobs have a process ignore."""
    for package in (gpuopt_driver, gpuopt_plugins):
        place = Path(str(package.__file__)).resolve().parents[1]
        if place != ROOT:
            raise pytest.UsageError(
                f"{package.__name__} is of {place}, the tests are of {ROOT}: `pip install -e .` there"
            )
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what a test needs; tests that share what a fixture of their module makes run in one worker.

    Workers take what comes first in this order.
    """
    items.sort(key=lambda item: begins(item.path.relative_to(ROOT).as_posix()))
    for item in items:
        if item.get_closest_marker("every_kind") and not item.config.getoption("--every-kind"):
            item.add_marker(pytest.mark.skip(reason="not in the sample; --every-kind runs it"))
        for mark in marks_of(getattr(item, "fixturenames", ())):
            item.add_marker(mark)
        if isinstance(item, pytest.Function) and item.get_closest_marker("xdist_group") is None:
            fixtures = item._fixtureinfo.name2fixturedefs.values()
            if any(one.scope == "module" for several in fixtures for one in several):
                item.add_marker(pytest.mark.xdist_group(f"{item.path.parent.name}-{item.path.stem}"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tests that ask for no compiler find none, nor do the fixtures that they are the first to use."""
    wants = any(item.get_closest_marker(mark) for mark in MARKS.values())
    os.environ["PATH"] = _PATH if wants else _path_without_compilers()
    fixtures = getattr(item, "fixturenames", ())
    settings = settings_of(item.path.relative_to(ROOT).as_posix(), fixtures)
    settings["COMPILER_PATH"] = None if "users_settings" in fixtures else _quick_linker()
    for name, value in settings.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


def _scratch() -> Path:
    """A directory for as long as this process lives."""
    made = Path(tempfile.mkdtemp(prefix="gpuopt-tests-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


@cache
def _path_without_compilers() -> str:
    return without_compilers(_PATH, _scratch())


@cache
def _quick_linker() -> str | None:
    return quick_linker(shutil.which("ld.gold"), _scratch())


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
def host_compiler(_own_surroundings: None, pytestconfig: pytest.Config) -> str:
    """A C++ compiler, for which the emulator's runtime is there; the test is skipped where there is none."""
    found = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")
    if found is None:
        pytest.skip("no C++ compiler on this machine")
    _provide_runtime(found, getattr(pytestconfig, "cache", None))
    return found


def _provide_runtime(compiler: str, cache: pytest.Cache | None) -> None:
    """Build the runtime (half a minute of processor time), or take an earlier run's: its name says what it is of."""
    here = Path(os.environ["GPUOPT_CACHE_DIR"])
    kept = cache.mkdir("gpuopt-runtime") if cache is not None else here
    with suppress(OSError):  # workers do this side by side
        for path in filter(Path.is_file, kept.rglob("*")):
            _link(path, here / path.relative_to(kept))
    library = runtime_library(find_host_compiler(((compiler, "tests"),), os.environ), os.environ)
    with suppress(OSError):
        if not (kept / library.relative_to(here)).exists():
            shutil.rmtree(kept)
            for path in (library, *filter(Path.is_file, (here / "emulator-digest").rglob("*"))):
                _link(path, kept / path.relative_to(here))


def _link(path: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.link(path, place)


@pytest.fixture(scope="session")
def users_settings() -> None:
    """A test that asks for this has none of the settings with which tests/needs.py has others build sooner."""


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
