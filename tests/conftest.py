"""Fixtures shared by all tests."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import sys
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
from gpuopt_driver.nvcc.find import FROM_WHEELS, NONE, find_nvcc
from tests.needs import MARKS, begins, compilers_in, marks_of, quick_linker, refused, settings_of, without

pytest_plugins = ("gpuopt_driver.testing.golden", "tests.processor_times")

ROOT = Path(__file__).parents[1]
_PATH = os.environ["PATH"]
_NVCC = os.environ.get("GPUOPT_NVCC")  # the caller's, then what `real_nvcc` has found


def _works(nvcc: str) -> bool:
    try:
        return subprocess.run([nvcc, "--version"], capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def pytest_addoption(parser: pytest.Parser) -> None:
    """What takes minutes and is run by hand."""
    parser.addoption("--every-kind", action="store_true", help="every kind of hostile plugin, not a sample")


def pytest_configure() -> None:
    """Refuse other trees' packages; heed the signals that nohup and shells' background jobs have a process ignore.

    And see which programs tests start.
    """
    for package in (gpuopt_driver, gpuopt_plugins):
        place = Path(str(package.__file__)).resolve().parents[1]
        if place != ROOT:
            raise pytest.UsageError(
                f"{package.__name__} is of {place}, the tests are of {ROOT}: `pip install -e .` there"
            )
    sys.addaudithook(_audit)
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
    fixtures = getattr(item, "fixturenames", ())
    settings = settings_of(item.path.relative_to(ROOT).as_posix(), fixtures)
    settings["PATH"] = _path_without(_refused_to(item))
    settings["GPUOPT_NVCC"] = _NVCC if item.get_closest_marker("nvcc") else NONE
    settings["COMPILER_PATH"] = None if "users_settings" in fixtures else _quick_linker()
    for name, value in settings.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    global _running  # noqa: PLW0603 - audit hooks are told nothing of tests
    _running = item


_running: pytest.Item | None = None


def _refused_to(item: pytest.Item) -> str:
    return refused(mark for mark in MARKS.values() if item.get_closest_marker(mark))


def _audit(event: str, arguments: tuple[object, ...]) -> None:
    """Fail a test that starts a compiler which it has not asked for, by its path or with a PATH of its own."""
    if event not in ("subprocess.Popen", "os.exec", "os.posix_spawn") or _running is None:
        return
    program, env = os.fsdecode(arguments[0]), arguments[-1] or os.environ  # type: ignore[arg-type]
    found = shutil.which(program, path=env.get("PATH"))  # type: ignore[attr-defined]
    if found and os.path.realpath(found) in _compilers(_refused_to(_running)):
        pytest.fail(f"{found} is started by a test that does not ask for it: {' or '.join(MARKS)} is missing")


@cache
def _compilers(programs: str) -> frozenset[str]:
    places = [find_nvcc({"PATH": path, "GPUOPT_CACHE_DIR": str(_scratch())}) for path in (_PATH, "")]
    return compilers_in(programs, os.pathsep.join([_PATH, *(str(Path(one.path).parent) for one in places if one)]))


def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest) -> None:
    """Fixtures that mark a test have to be known when tests are collected: no `getfixturevalue`."""
    mark = MARKS.get(fixturedef.argname)
    if mark and _running is not None and _running.get_closest_marker(mark) is None:
        pytest.fail(f"{fixturedef.argname} is to stand among the test's arguments or in usefixtures: it marks the test")


def _scratch() -> Path:
    """A directory for as long as this process lives."""
    made = Path(tempfile.mkdtemp(prefix="gpuopt-tests-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


@cache
def _path_without(programs: str) -> str:
    return without(programs, _PATH, _scratch()) if programs else _PATH


@cache
def _quick_linker() -> str | None:
    return quick_linker(shutil.which("ld.gold"), _scratch())


@pytest.fixture(scope="session")
def real_nvcc(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of the real nvcc: the machine's, else the wheels' (GPUOPT_NVCC=wheels or =PATH chooses one).

    The test is skipped where there is none. One from wheels is named to the tests' programs, so that all mean the same.
    """
    global _NVCC  # noqa: PLW0603 - what later tests have in their environment
    found = find_nvcc({**os.environ, "GPUOPT_CACHE_DIR": str(_cache(tmp_path_factory))})
    if found is None or not _works(found.path):
        pytest.skip("no nvcc on this machine; pip install 'gpuopt-driver[cuda13]' brings one")
    if FROM_WHEELS in found.origin:
        os.environ["GPUOPT_NVCC"] = _NVCC = found.path
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
        patch.setattr("gpuopt_driver.progress._ELSEWHERE", 300.0)  # or slow machines add lines to what is compared
        # Analyses begin with the memory of the process that they are forked from, here of all the tests before.
        patch.setattr("gpuopt_driver.unanalysed.LEAST", 2_000_000_000)
        patch.setenv("GPUOPT_CACHE_DIR", str(_cache(tmp_path_factory)))
        yield


def _cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all workers: the emulator's runtime is built once."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "gpuopt-cache"
