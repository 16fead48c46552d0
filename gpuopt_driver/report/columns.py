"""Text in aligned columns, and numbers for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_NUMBER = re.compile(r"([+-]?[\d.]+( ?%| [kMG]| [KMG]?B)?)?")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Rows in aligned columns; columns of numbers are aligned to the right."""
    cells = [list(header), *(list(row) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    numeric = [all(_NUMBER.fullmatch(row[column]) for row in cells[1:]) for column in range(len(header))]
    return [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in cells
    ]


def size(count: float) -> str:
    """Bytes for people: exact in the largest unit that divides well enough."""
    amount = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if amount < 1024 or unit == "GB":
            return f"{amount:.0f} {unit}" if amount == int(amount) else f"{amount:.1f} {unit}"
        amount /= 1024
    raise AssertionError("the last unit takes every amount")


def count(value: float) -> str:
    """A count for people: whole up to six digits, then with k, M or G."""
    for unit, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= scale * (1 if scale > 1e3 else 1000):
            return f"{value / scale:.1f} {unit}"
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"


def percent(rate: float | None) -> str:
    """A rate of 0 to 1 as percent; nothing where there is none."""
    return "" if rate is None else f"{100 * rate:.1f} %"
