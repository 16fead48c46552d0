"""Every message code is explained with an example and seen in a case."""

from __future__ import annotations

from pathlib import Path

from gpuopt_plugins.constants import codes

CASES = Path(__file__).parents[3] / "plugins" / "constants" / "cases"


def test_every_code_is_seen_in_a_case() -> None:
    seen = {line.split()[2] for report in CASES.glob("*.report.txt") for line in report.read_text().splitlines()}
    # Kernels that nothing launches are the core's (GPUOPT016), unless their code is asked for all the same (CONST013).
    assert seen - {"GPUOPT016"} | {codes.NOT_LAUNCHED} == set(codes.EXPLANATIONS) - {
        codes.NO_LAUNCH
    }  # test_launches_that_stay.py


def test_explanations_have_a_headline_and_an_example() -> None:
    for code, text in codes.EXPLANATIONS.items():
        lines = text.splitlines()
        assert lines[0].endswith((".", ":")), code
        assert any(line.startswith("Example: ") for line in lines), code
