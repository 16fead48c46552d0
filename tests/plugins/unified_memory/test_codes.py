"""Every message code is explained with an example and seen in a case, but for what takes more than one."""

from __future__ import annotations

from pathlib import Path

from gpuopt_plugins.unified_memory import codes

CASES = Path(__file__).parents[3] / "plugins" / "unified_memory" / "cases"
# What takes two files is in test_launches.py, and what is said only where a policy has tables in test_other_files.py.
ELSEWHERE = {codes.ELSEWHERE, codes.OTHER_FILES, codes.NO_LAUNCH}


def test_every_code_is_seen_in_a_case() -> None:
    seen = {line.split()[2] for report in CASES.glob("*.report.txt") for line in report.read_text().splitlines()}
    # Kernels that nothing in their file launches are the core's.
    assert seen - {"GPUOPT016"} == set(codes.EXPLANATIONS) - ELSEWHERE


def test_explanations_have_a_headline_and_an_example() -> None:
    for code, text in codes.EXPLANATIONS.items():
        lines = text.splitlines()
        assert lines[0].endswith((".", ":")), code
        assert any(line.startswith("Example: ") for line in lines), code
