"""What tests find in their environment, and in which order they begin."""

from __future__ import annotations

import os

import pytest

from tests.needs import begins, settings_of

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
