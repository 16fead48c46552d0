"""Which GPUs a command line asks for: -arch, -code and -gencode in all their forms."""

from __future__ import annotations

import re
from dataclasses import dataclass

# What "all" and "all-major" stand for in CUDA 13.0 (13.4: and 107); a toolkit at hand can say it (--list-gpu-arch).
ALL = (75, 80, 86, 87, 88, 89, 90, 100, 103, 107, 110, 120, 121)
ALL_MAJOR = (75, 80, 90, 100, 110, 120)

_TARGET = re.compile(r"(?:sm|compute|lto)_(\d+)[af]?$")


@dataclass(frozen=True, slots=True)
class Architectures:
    """`numbers`: compute capabilities that code is made for, ascending (90 for sm_90a); `names` as they were written.

    `native` says that the GPUs of this machine are meant; they are not in `numbers`.
    """

    numbers: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    native: bool = False


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
    numbers: set[int] = set()
    for name in names:
        if name == "all":
            numbers.update(ALL)
        elif name == "all-major":
            numbers.update(ALL_MAJOR)
        elif target := _TARGET.match(name):
            numbers.add(int(target.group(1)))
    return Architectures(tuple(sorted(numbers)), tuple(dict.fromkeys(names)), "native" in names)
