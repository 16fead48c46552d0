"""Which GPUs a command line asks for: -arch, -code and -gencode in all their forms."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpuopt_driver.dataclass import dataclass

# What "all" and "all-major" stand for in CUDA 13.0 (13.4: and 107); a toolkit at hand can say it (--list-gpu-arch).
ALL = (75, 80, 86, 87, 88, 89, 90, 100, 103, 107, 110, 120, 121)

_TARGET = re.compile(r"(?:sm|compute|lto)_(\d+)[af]?$")


def majors(known: tuple[int, ...]) -> tuple[int, ...]:
    """What "all-major" stands for with an nvcc that knows these: the oldest one and the first of each generation."""
    return tuple(sorted({number for number in known if number % 10 == 0} | set(known[:1])))


def _numbers(names: Iterable[str]) -> set[int]:
    return {int(target.group(1)) for name in names if (target := _TARGET.match(name))}


@dataclass(frozen=True, slots=True)
class Architectures:
    """`numbers`: compute capabilities that code is made for, ascending (90 for sm_90a); `names` as they were written.

    `native` says that the GPUs of this machine are meant; they are not in `numbers` (`native.py` asks for them).
    """

    numbers: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    native: bool = False

    @property
    def named(self) -> tuple[int, ...]:
        """Those of `numbers` that stand there by name, ascending."""
        return tuple(sorted(_numbers(self.names)))


def _specification(text: str) -> tuple[str, ...]:
    """The targets in `arch=compute_80,code=[sm_80,compute_80]` (brackets and quotes are optional)."""
    arch, _, code = text.partition("code=")
    targets = re.sub(r'[\[\]"\']', "", code)
    if not targets:
        targets = arch.partition("arch=")[2]
    return tuple(filter(None, targets.strip(", ").split(",")))


def architectures(arch: str, codes: tuple[str, ...], gencodes: tuple[str, ...]) -> Architectures:
    """What `-arch`, the elements of `-code`, and the values of `-gencode` ask for together."""
    names: list[str] = []
    if codes:
        names.extend(re.sub(r'[\[\]"\']', "", code) for code in codes)
    elif arch:
        names.append(arch)
    for gencode in gencodes:
        names.extend(_specification(gencode))
    numbers = _numbers(names)
    if "all" in names:
        numbers.update(ALL)
    if "all-major" in names:
        numbers.update(majors(ALL))
    return Architectures(tuple(sorted(numbers)), tuple(dict.fromkeys(names)), "native" in names)
