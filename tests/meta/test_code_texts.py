"""What `gpuopt explain CODE` says is for somebody who knows CUDA and not this project."""

from __future__ import annotations

import re
from functools import cache

import pytest

from gpuopt_driver.commands.codes import explanations
from gpuopt_driver.host import CODES

# Words of ours and of papers, and what a text that has one must say, too; none: there is a plain word for it.
OURS = {
    r"\bagents?\b": "persistent",
    r"\bfootprint\b": "cache lines",
    r"\bCO-VTB\b": 'form = "co"',
    r"\bVTB_pipe\b": 'form = "pipe"',
    r"\bcarve-out\b": "shared memory|other_files",
    r"\bregister for\b|\bmapping register\b": "",
    r"\btraffic reduction graph\b|\blaunch plan\b|\bregression coefficient|\beq\. ?\d": "",
    r"\binstances\b|\bshims?\b|\bclones?\b|\btwins?\b|\bdoors?\b": "",
}
every_code = cache(explanations)


def test_words_of_ours_are_explained_where_they_stand() -> None:
    wrong = [
        (code, found[0])
        for code, text in every_code().items()
        for word, meaning in OURS.items()
        if (found := re.search(word, text)) and not (meaning and re.search(meaning, text, re.IGNORECASE))
    ]
    assert wrong == []


def test_codes_of_plugins_say_what_was_found_and_give_an_example() -> None:
    for code, text in every_code().items():
        first, *rest = text.splitlines()
        assert first.endswith((".", ")")), code
        assert code in CODES or any(line.startswith("Example: ") for line in rest), code


@pytest.mark.parametrize("code", ["CONST010", "CONST011"])
def test_numbers_that_are_not_known_have_a_way_to_be(code: str) -> None:
    assert "`watch = true`" in every_code()[code]
    assert "`gpuopt numbers" in every_code()[code]
