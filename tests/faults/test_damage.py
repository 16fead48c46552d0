"""A part of the campaign in `damage.py`: caches that are cut, changed, exchanged and forged."""

from __future__ import annotations

from pathlib import Path

from tests.faults.damage import KINDS, WAYS, Victim, campaign


def test_damaged_caches(tmp_path: Path, host_compiler: str) -> None:
    victim = Victim(tmp_path)
    assert {path.relative_to(victim.cache).parts[0] for path in victim.files()} == KINDS
    assert campaign(victim, len(WAYS) + 3, seed=2) == []
