"""What tests find in their environment, and in which order they begin."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.needs import begins, quick_linker, settings_of

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
