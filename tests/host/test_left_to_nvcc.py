"""Patched sources are parsed again, but for those with versions alone that nvcc builds: it says what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpuopt_driver import phases
from gpuopt_driver.hooks import Proposal
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.pipeline import optimize
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.model import Decision
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants.model import Variant
from tests.host.small_plugins import KERNEL, finding, plugin, together


def broken_version(kernel: Any, _context: Any, _facts: Any) -> Proposal:
    """A version that no compiler takes."""
    edit = Edit.insert_before(kernel.body, "nonsense ")
    variant = Variant(kernel.usr, "one", (edit,), "return true;")
    return Proposal((finding("one", kernel, Decision.APPLIED),), (), (variant,))


@pytest.mark.parametrize(
    ("words", "backend", "checks", "is_parsed"),
    [
        ("-c", "nvcc", False, False),
        ("-dc", "nvcc", False, False),
        ("-o a", "nvcc", False, False),
        ("-c", "nvcc", True, True),  # nvcc has refused it
        ("-c", "emulator", False, True),
        ("-E", "nvcc", False, True),  # others compile what it prints
        ("-ptx", "nvcc", False, True),  # the host's part is not compiled
        ("-c --dryrun", "nvcc", False, True),
    ],
)
def test_who_looks(
    words: str, backend: str, checks: bool, is_parsed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.cu").write_text(KERNEL)
    parsed: list[str] = []
    look = phases.parse_errors
    monkeypatch.setattr(phases, "parse_errors", lambda *given: parsed.append("") or look(*given))
    command = parse_command([*words.split(), "a.cu"], {}, str(tmp_path))
    result = optimize(command, Policy(), backend, plugins=together(plugin("one", broken_version)), checks=checks)
    codes = [item.code for report in result.reports for item in report.findings]
    if "-ptx" not in words:  # where no launch is compiled there are no versions
        assert bool(parsed) == is_parsed
        assert codes == (["GPUOPT003"] if is_parsed else ["ONE001"])
        assert bool(result.patched) != is_parsed
