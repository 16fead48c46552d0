"""Which versions of a kernel a launch can get: one, or several of different plugins on top of each other."""

from __future__ import annotations

from collections.abc import Sequence, Set

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import EditConflict
from gpuopt_driver.frontend.model import Kernel
from gpuopt_driver.source.edits import Edit, merge
from gpuopt_driver.variants.model import Variant

MOST_CLONES = 8  # copies of one kernel; what would need more is not joined


@dataclass(frozen=True, slots=True)
class Clone:
    """One copy of a kernel: its name behind `K__gpuopt_`, the versions whose text it has, and all their edits.

    `bringer` is the version whose copies of device functions it calls, "" without any.
    """

    name: str
    members: tuple[str, ...]
    edits: tuple[Edit, ...]
    bringer: str = ""


@dataclass(frozen=True, slots=True)
class Pick:
    """What a launch can get: versions in their order, and the clone that runs; the original has neither.

    Versions without a clone run the original with what they choose: a carve-out is an attribute of the launch.
    """

    members: tuple[str, ...]
    clone: Clone | None

    @property
    def label(self) -> str:
        """What a trace calls it."""
        return "+".join(self.members) or "original"


def picks_of(
    variants: Sequence[tuple[Kernel, Variant]], without: Set[str] = frozenset(), *, always_copied: bool = False
) -> tuple[Pick, ...]:
    """All picks, the original first: every version alone, and those that join versions before them.

    Versions without text of their own (a carve-out) run the original, or the clone of what joins them. `without` are
    names of clones that must not be made. `always_copied`: launches cannot have a carve-out, functions can.
    """
    first: dict[str, Variant] = {}
    for _, variant in variants:
        first.setdefault(variant.name, variant)
    clones: dict[tuple[str, ...], Clone] = {}
    for name, variant in first.items():
        if always_copied or variant.has_text:
            clones[name,] = Clone(name, (name,), merge(variant.edits).edits, name if variant.functions else "")
    found = [Pick((), None)]
    for name, variant in first.items():
        for before in tuple(found):
            if before.members and any(first[one].only_measured for one in (*before.members, name)):
                continue  # no guard picks it, so that no launch would get what it joins
            if all(member in variant.joins for member in before.members):
                pick = _on_top(first, before.members, name, clones, without)
                found += [pick] if pick is not None else []
    return tuple(found)


def _on_top(
    first: dict[str, Variant],
    before: tuple[str, ...],
    name: str,
    clones: dict[tuple[str, ...], Clone],
    without: Set[str],
) -> Pick | None:
    """The pick of a version on top of others; None where they cannot stand in one copy."""
    members = (*before, name)
    texts = tuple(one for one in members if first[one].has_text) or (name,)
    if texts not in clones and any(first[one].has_text for one in texts):
        made = _joined([first[one] for one in texts])
        if made is None or len(clones) >= MOST_CLONES or made.name in first or made.name in without:
            return None
        clones[texts] = made
    speakers = [one for one in members if first[one].past_l1]
    return Pick(members, clones.get(texts)) if len(speakers) <= 1 else None


def _joined(variants: Sequence[Variant]) -> Clone | None:
    names = tuple(variant.name for variant in variants)
    bringers = [variant.name for variant in variants if variant.functions]
    if len(bringers) > 1:
        return None
    try:
        edits = merge(*(variant.edits for variant in variants)).edits
    except EditConflict:
        return None
    return Clone("_".join(names), names, edits, bringers[0] if bringers else "")


def clones_of(picks: Sequence[Pick]) -> tuple[Clone, ...]:
    """The clones that some pick runs, each once."""
    return tuple(dict.fromkeys(pick.clone for pick in picks if pick.clone is not None))
