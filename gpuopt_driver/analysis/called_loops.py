"""Loops that are not the kernel's own: those of functions that it calls, which no plugin looks at."""

from __future__ import annotations

from gpuopt_driver.frontend.model import Kernel, Space


def called_loop(kernel: Kernel) -> str:
    """What to say behind "no own loop": the first loop of a called function that reads off-chip memory, "" if none."""
    for access in kernel.accesses:
        off_chip = access.array.space in (Space.GLOBAL, Space.UNKNOWN)
        if access.in_callee_loop and access.is_read and access.via and off_chip:
            place = f"{access.text}, {kernel.line_of(access.span)}"
            return f"; that of {access.via[-1]}, which it calls, is not looked at ({place})"
    return ""
