"""Every message code is explained with an example and seen in a case, but for one that takes a table of a policy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gpuopt_plugins.catt import codes
from gpuopt_plugins.catt.place import Refusal, place

from gpuopt_driver.frontend.model import Convergence
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

CASES = Path(__file__).parents[3] / "plugins" / "catt" / "cases"


def test_every_code_is_seen_in_a_case() -> None:
    seen = {line.split()[2] for report in CASES.glob("*.report.txt") for line in report.read_text().splitlines()}
    # Kernels that nothing in their file launches are the core's.
    elsewhere = {codes.NO_LAUNCH}  # tests/plugins/test_launches_that_stay.py
    assert seen - {"GPUOPT016"} == set(codes.EXPLANATIONS) - elsewhere


def test_explanations_have_a_headline_and_an_example() -> None:
    for code, text in codes.EXPLANATIONS.items():
        lines = text.splitlines()
        assert lines[0].endswith((".", ":")), code
        assert any(line.startswith("Example: ") for line in lines), code


def test_a_loop_that_no_statement_around_makes_uniform_is_refused() -> None:
    """Statements that the frontend cannot prove to be reached together, as values: there is no place."""
    source = CASES / "early_return.cu"
    unit = parse_unit(source, ParseOptions())
    kernel = unit.kernels[0]
    file = unit.files[kernel.span.file]
    assert not isinstance(place(kernel, kernel.loops[0].stmt, file), Refusal)
    stmts = tuple(replace(stmt, convergence=Convergence.DIVERGENT) for stmt in kernel.stmts)
    found = place(replace(kernel, stmts=stmts), kernel.loops[0].stmt, file)
    assert isinstance(found, Refusal)
    assert found.code == codes.NOT_UNIFORM
