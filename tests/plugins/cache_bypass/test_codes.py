"""Every message code is explained with an example and seen in a case, but for those of profiles and tables."""

from __future__ import annotations

from pathlib import Path

from gpuopt_plugins.cache_bypass import codes

CASES = Path(__file__).parents[3] / "plugins" / "cache_bypass" / "cases"
# test_profile.py; the last: tests/plugins/test_launches_that_stay.py
ELSEWHERE: set[str] = {codes.FROM_PROFILE, codes.STALE, codes.NO_PROFILE, codes.NO_LAUNCH}


def test_every_code_is_seen_in_a_case() -> None:
    seen = {line.split()[2] for report in CASES.glob("*.report.txt") for line in report.read_text().splitlines()}
    # Kernels that nothing in their file launches are the core's.
    assert seen - {"GPUOPT016"} == set(codes.EXPLANATIONS) - ELSEWHERE


def test_explanations_have_a_headline_and_an_example() -> None:
    for code, text in codes.EXPLANATIONS.items():
        lines = text.splitlines()
        assert lines[0].endswith((".", ":")), code
        assert any(line.startswith("Example: ") for line in lines), code
