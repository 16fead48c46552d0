"""What tests find in their environment, and in which order they begin."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gpuopt_driver.nvcc.find import find_nvcc
from tests.needs import MARKS, begins, quick_linker, refused, settings_of

NAMES = ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "GPUOPT_EMU_MODE")


@pytest.mark.parametrize(
    ("path", "fixtures", "wanted"),
    [
        ("tests/plugins/catt/test_cases.py", (), ("-std=c++14", "-Xcompiler=-O1,-fexpensive-optimizations", "fast")),
        ("tests/plugins/catt/test_cases.py", ("real_nvcc",), ("-std=c++14", None, "fast")),
        ("tests/plugins/catt/test_cases.py", ("users_settings",), (None, None, None)),
        ("tests/builds/test_ninja.py", ("real_nvcc",), ("-std=c++14", None, None)),
        ("tests/driver/test_memo.py", (), (None, None, "fast")),  # nvcc starts ahead there, which flags forbid
        ("tests/differential/test_sample.py", ("real_nvcc",), (None, None, None)),
        ("tests/conformance/test_conformance.py", (), (None, None, None)),
    ],
)
def test_settings_with_which_tests_build_sooner(path: str, fixtures: tuple[str, ...], wanted: tuple[str, ...]) -> None:
    assert settings_of(path, fixtures) == dict(zip(NAMES, wanted, strict=True))


def test_a_test_without_them_has_none_of_those_of_the_test_before() -> None:
    assert not {*NAMES} & os.environ.keys()


def test_long_ones_begin_first() -> None:
    assert begins("tests/emulator/test_check.py") < begins("tests/builds/test_cmake.py") < begins("tests/ptx/test_x.py")


def test_programs_are_linked_by_gold_where_there_is_one(tmp_path: Path) -> None:
    gold = shutil.which("ld.gold")
    assert (os.environ.get("COMPILER_PATH") is None) == (gold is None)
    assert quick_linker(None, tmp_path) is None
    directory = quick_linker("/bin/the linker", tmp_path)
    assert (Path(str(directory)) / "ld").readlink() == Path("/bin/the linker")


@pytest.mark.usefixtures("users_settings")
def test_users_programs_are_linked_as_they_are() -> None:
    assert "COMPILER_PATH" not in os.environ


def test_a_test_that_asks_for_no_compiler_finds_none() -> None:
    assert [name for name in ("g++", "cc", "clang++", "nvcc", "ptxas") if shutil.which(name)] == []
    assert find_nvcc(os.environ) is None


@pytest.mark.parametrize("name", ["g++", "cc", "nvcc"])
def test_a_compiler_that_is_started_by_its_path_fails_the_test(name: str) -> None:
    nvcc = find_nvcc({"PATH": os.defpath, "GPUOPT_CACHE_DIR": os.environ["GPUOPT_CACHE_DIR"]})
    program = shutil.which(name, path=os.defpath) if name != "nvcc" else nvcc and nvcc.path
    if program is None:
        pytest.skip("no such compiler on this machine")
    with pytest.raises(pytest.fail.Exception, match="host_compiler or real_nvcc is missing"):
        subprocess.run([program, "--version"], check=False)
    with pytest.raises(pytest.fail.Exception, match="is missing"):
        subprocess.run([Path(program).name, "--version"], env={"PATH": str(Path(program).parent)}, check=False)


def test_programs_of_that_name_that_tests_write_are_no_compilers(tmp_path: Path) -> None:
    (tmp_path / "nvcc").write_text("#!/bin/sh\nexit 7\n")
    (tmp_path / "nvcc").chmod(0o755)
    assert subprocess.run([tmp_path / "nvcc"], check=False).returncode == 7


@pytest.mark.usefixtures("host_compiler")
def test_a_test_that_asks_for_a_host_compiler_finds_no_nvcc() -> None:
    assert shutil.which("nvcc") is None
    assert find_nvcc(os.environ) is None


@pytest.mark.parametrize(
    ("marks", "programs"),
    [((), {"g++", "nvcc"}), (("compiler",), {"nvcc"}), (("nvcc",), set()), (("compiler", "nvcc"), set())],
)
def test_which_programs_are_refused(marks: tuple[str, ...], programs: set[str]) -> None:
    assert {name for name in ("g++", "nvcc", "make") if re.fullmatch(refused(marks), name)} == programs


def test_the_fixtures_that_mark_tests_stand_among_their_arguments() -> None:
    """`getfixturevalue` would give them to a test that is not marked."""
    asked = re.compile(rf'getfixturevalue\(\s*f?"?(?:{"|".join(MARKS)})')
    texts = {path: path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].rglob("test_*.py")}
    assert [path for path, text in texts.items() if path != Path(__file__) and asked.search(text)] == []
