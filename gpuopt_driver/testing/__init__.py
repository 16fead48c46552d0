"""The public test kit: what a plugin does to sources, held against files, and what patched kernels compute.

A case is a file `NAME.cu` in the plugin's `cases/` directory with `NAME.expected.cu` (what becomes of it) and
`NAME.report.txt` (a line `kernel decision CODE` per finding); `noop_NAME.cu` must come out as it went in and has no
expected file. docs/writing-plugins.md is the tutorial.
"""

from __future__ import annotations

from gpuopt_driver.testing.cases import Case, Run, cases, check_share_of_noops
from gpuopt_driver.testing.check import check_case, examine_case
from gpuopt_driver.testing.execute import Execution, Pick, assert_same_output, check_execution

__all__ = [
    "Case",
    "Execution",
    "Pick",
    "Run",
    "assert_same_output",
    "cases",
    "check_case",
    "check_execution",
    "check_share_of_noops",
    "examine_case",
]
