"""Facts that a version may require of a launch, mostly of pointers: what nobody can see when the kernel is compiled.

A guard cannot read pointers, as launches that differ in these share its answer. A version says which facts must hold
for it to be legal; each launch looks whether they do, by the pointers and scalars that it has, and shares decisions
with launches for which the same facts hold.
"""

from __future__ import annotations

from gpuopt_driver.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Extent:
    """Where some accesses through a pointer parameter, or a pointer in a parameter (`p.data`), go.

    `reach` is C++11 text of type `gpuopt_rt::reach` (variants/reach.h) over `gpuopt_l.grid`, `gpuopt_l.block` and the
    kernel's scalar parameters: the offsets, in bytes from the pointer's value at the launch, at which accesses may
    begin. `bytes` is the size of the largest access. `analysis.extents` writes it for accesses of a kernel.
    """

    pointer: str
    reach: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Disjoint:
    """The accesses of one extent have no byte in common with those of the other."""

    one: Extent
    other: Extent


@dataclass(frozen=True, slots=True)
class Aligned:
    """A pointer parameter is a multiple of `bytes`, a power of two."""

    pointer: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Counted:
    """A number that threads compute is an index of 31 bits for all of them, so that no type of theirs wraps it.

    `reach` is C++11 text as of an extent: its values. `analysis.extents` writes it.
    """

    reach: str


Fact = Disjoint | Aligned | Counted
