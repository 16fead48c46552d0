"""The tests that a change can affect are found."""

from __future__ import annotations

import pytest

from tests.changed import affected

pytestmark = pytest.mark.xdist_group("changed")  # all look at one graph of imports


@pytest.mark.parametrize(
    ("file", "among", "without"),
    [
        ("gpuopt_driver/report/html.py", "tests/report/test_documents.py", "tests/ptx/test_fusion.py"),
        ("gpuopt_driver/ptx/fusion.py", "tests/ptx/test_fusion.py", "tests/policy/test_locate.py"),
        (
            "gpuopt_driver/ptx/fusion.py",
            "tests/driver/test_rounding.py",
            "tests/arch/test_gpu_files.py",
        ),  # starts the driver
        ("gpuopt_driver/emulator/runtime/block.cpp", "tests/emulator/test_programs.py", "tests/policy/test_locate.py"),
        ("plugins/vtb/staging.py", "tests/plugins/vtb", "tests/plugins/catt"),
        ("plugins/catt/cases/loop.cu", "tests/plugins/catt", "tests/plugins/vtb"),
        ("tests/emulator/programs/clusters.cu", "tests/emulator/test_programs.py", "tests/driver/test_rounding.py"),
        ("docs/vtb.md", "tests/meta", "tests/plugins/vtb"),
        ("docs/commands.md", "tests/cli/test_command_docs.py", "tests/plugins/vtb"),
        ("examples/quickstart.sh", "tests/examples/test_quickstart.py", "tests/arch/test_gpu_files.py"),
        ("benchmarks/learning_rule.py", "tests/benchmarks/test_learning.py", "tests/arch/test_gpu_files.py"),
    ],
)
def test_what_a_change_affects(file: str, among: str, without: str) -> None:
    found = affected([file])
    assert among in found
    assert without not in found


def test_what_everything_stands_on_affects_all() -> None:
    assert affected(["pyproject.toml", "docs/vtb.md"]) == ["tests"]
