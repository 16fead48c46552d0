"""Cases are read from their first comment lines, and every mistake in one is a line that says where."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.testing import Run, cases, check_share_of_noops
from gpuopt_driver.testing.cases import CaseError, read_case


def write(directory: Path, name: str, *head: str) -> Path:
    path = directory / name
    path.write_text("".join(f"{line}\n" for line in (*head, "__global__ void k() {}")))
    return path


def test_a_case_says_what_it_is_compiled_and_run_with(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "a.cu",
        "// What this shows: prose is left alone.",
        '// gpu: h200; policy: margin=1.05, tlp=[4, 2], model=paper, on=true; args: -DN=4 "-DS=a b"',
        "// run: kernel=k<float,4> grid=(n+3)/4,2 block=4 n=9 A=n*n",
        "// run: main 7 'x y'",
    )
    case = read_case(path)
    assert (case.name, case.gpu, case.nvcc_args) == ("a", "h200", ("-DN=4", "-DS=a b"))
    assert case.options == {"margin": 1.05, "tlp": [4, 2], "model": "paper", "on": True}
    launch = {"kernel": "k<float,4>", "grid": "(n+3)/4,2", "block": "4", "n": "9", "A": "n*n"}
    assert case.runs == (Run(3, launch), Run(4, program=("7", "x y")))
    assert (case.is_noop, str(case), case.expected.name, case.report.name) == (
        False,
        "a",
        "a.expected.cu",
        "a.report.txt",
    )


def test_only_the_first_comment_lines_count(tmp_path: Path) -> None:
    path = write(tmp_path, "noop_a.cu", "// nothing", "int x;", "// gpu: h200")
    case = read_case(path)
    assert (case.gpu, case.options, case.runs, case.is_noop) == ("auto", {}, (), True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("// polcy: a=1", "a.cu:1: unknown key 'polcy'; did you mean 'policy'?"),
        ("// gpu: h200; runs: 1", "a.cu:1: unknown key 'runs'"),
        ("// policy: a", "a.cu:1: policy: 'a' is not key=value"),
        ("// run: grid=1 block", "a.cu:1: run: 'block' is not name=value"),
        ("// run: grid=1", "a.cu:1: run: no block=..."),
    ],
)
def test_a_mistake_is_reported_with_its_line(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(CaseError) as caught:
        read_case(write(tmp_path, "a.cu", line))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_cases_are_collected_by_name_and_leftovers_are_errors(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="no cases"):
        cases(tmp_path)
    write(tmp_path, "b.cu")
    write(tmp_path, "a.cu")
    write(tmp_path, "a.expected.cu")
    assert [case.name for case in cases(tmp_path)] == ["a", "b"]
    write(tmp_path, "old.expected.cu")
    with pytest.raises(CaseError, match=r"old.expected.cu: there is no old.cu"):
        cases(tmp_path)


@pytest.mark.parametrize(("names", "enough"), [("noop_a b c", True), ("noop_a b c d", False), ("noop_a", True)])
def test_a_third_must_be_noops(tmp_path: Path, names: str, enough: bool) -> None:
    for name in names.split():
        write(tmp_path, f"{name}.cu")
    found = cases(tmp_path)
    if enough:
        check_share_of_noops(found)
    else:
        with pytest.raises(AssertionError, match="1 of 4 cases are noop"):
            check_share_of_noops(found)
