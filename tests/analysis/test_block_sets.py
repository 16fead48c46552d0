"""The integer-set library is loaded without what it imports to look up its own version, and has that version."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from gpuopt_driver.analysis import block_sets
{before}
islpy = block_sets._isl()
assert ("importlib.metadata" in sys.modules) is {asked}
from importlib.metadata import version
assert islpy.__version__ == version("islpy") and islpy.version.VERSION_TEXT == version("islpy")
assert islpy.version.VERSION == tuple(int(part) for part in islpy.version.VERSION_TEXT.split("."))
assert islpy.Set("{{ [i] : 0 <= i < 3 }}").count_val().to_python() == 3
"""


def test_its_version_is_known_without_asking() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(before="", asked=False)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_it_asks_where_the_name_of_its_distribution_does_not_tell() -> None:
    before = "import re\nblock_sets._VERSION = re.compile('never')"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(before=before, asked=True)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
