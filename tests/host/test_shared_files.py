"""The sources of one command share their headers: a file gets the same bytes in all of them, or stays as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gpuopt_driver.hooks import Proposal
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.pipeline import Outcome, optimize
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.model import Decision
from gpuopt_driver.source.edits import Edit
from tests.host.small_plugins import finding, plugin, swap, together

HEADER = "#pragma once\ntemplate <class T> __global__ void add(T *x) { x[threadIdx.x] += 1; }\n"
SOURCE = '#include "add.cuh"\nvoid NAME(float *x) { add<<<1, 32>>>(x); }\n'


def outcome(directory: Path, module: Any, **sources: str) -> Outcome:
    (directory / "add.cuh").write_text(HEADER)
    for name, text in sources.items():
        (directory / f"{name}.cu").write_text(text.replace("NAME", name))
    argv = ["-c", *(f"{name}.cu" for name in sources)]
    return optimize(parse_command(argv, {}, str(directory)), Policy(), "nvcc", plugins=together(module))


def where_launched(kernel: Any, context: Any, _facts: Any) -> Proposal:
    """Patches a kernel only in units that launch it."""
    if not context.launches:
        return Proposal((finding("one", kernel, Decision.DECLINED),))
    edit = Edit.insert_before(kernel.body, "/* launched */ ")
    return Proposal((finding("one", kernel, Decision.APPLIED),), (edit,))


def said(result: Outcome) -> list[list[tuple[str, str]]]:
    return [[(item.decision.value, item.code) for item in report.findings] for report in result.reports]


def test_a_header_that_all_sources_patch_alike_is_patched(tmp_path: Path) -> None:
    result = outcome(tmp_path, swap("one", "+= 1", "+= T(1)"), a=SOURCE, b=SOURCE)
    assert said(result) == [[("applied", "ONE001")]] * 2
    assert result.patched == {str(tmp_path / "add.cuh"): HEADER.replace("+= 1", "+= T(1)").encode()}
    assert result.originals == {str(tmp_path / "add.cuh"): HEADER.encode()}


def test_a_header_that_sources_want_differently_stays_as_it_is(tmp_path: Path) -> None:
    only_included = '#include "add.cuh"\n__global__ void other() {}\nvoid NAME() { other<<<1, 1>>>(); }\n'
    result = outcome(tmp_path, plugin("one", where_launched), a=SOURCE, b=only_included)
    assert said(result)[0] == [("declined", "GPUOPT006")]
    assert "add.cuh is shared with another source of this command" in result.reports[0].findings[0].message
    assert list(result.patched) == [str(tmp_path / "b.cu")]
    assert ("applied", "ONE001") in said(result)[1]


def test_a_source_that_cannot_be_read_is_a_problem_of_its_own(tmp_path: Path) -> None:
    command = parse_command(["-c", "gone.cu", "a.cu"], {}, str(tmp_path))
    (tmp_path / "add.cuh").write_text(HEADER)
    (tmp_path / "a.cu").write_text(SOURCE)
    result = optimize(command, Policy(), "nvcc", plugins=together(swap("one", "+= 1", "+= T(1)")))
    assert [len(report.problems) for report in result.reports] == [1, 0]
    assert "gone.cu" in result.reports[0].problems[0].message
    assert list(result.patched) == [str(tmp_path / "add.cuh")]
