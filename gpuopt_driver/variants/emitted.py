"""Which versions of kernels a patched source has; light enough for the driver's start."""

from __future__ import annotations

from collections.abc import Mapping

from gpuopt_driver.dataclass import dataclass

# Versions that a compilation has shown to be wrong, by kernel and clone: the code and the reason.
Refused = Mapping[tuple[str, str], tuple[str, str]]
SHARED_MEMORY = "__shared__"  # what `follows` names shared memory


@dataclass(frozen=True, slots=True)
class Emitted:
    """A copy of a kernel that stands in a patched source as `KERNEL__gpuopt_CLONE`, or (no `is_copy`) a version that is
    the kernel itself.

    `kernel` is the plain name, `members` the versions whose text it has, `redefines` the built-in variables that mean
    something else in it than the launch's, `params` the names of the kernel's parameters, `constants` the numbers of
    the launch that are constants in it, `follows` the parameters (and SHARED_MEMORY) whose elements its compiler can
    follow from one access to the next. `findings` are the places, in the findings of the report with the number
    `report`, of what its plugin said of the kernel and would not have without its versions.
    """

    kernel: str
    clone: str
    members: tuple[str, ...]
    redefines: frozenset[str] = frozenset()
    params: tuple[str, ...] = ()
    report: int = 0
    findings: tuple[int, ...] = ()
    is_copy: bool = True
    constants: tuple[tuple[str, int], ...] = ()
    follows: frozenset[str] = frozenset()
