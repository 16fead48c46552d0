"""Output of the subcommands: plain text; on a terminal the same text in colours."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

# What stands out on a terminal, and how.
_STYLES = (
    (r"^\S+:\d+(:\d+)?:", "bold"),
    (r"\bwarning:", "magenta"),
    (r"\bnote:", "cyan"),
    (r"\[[A-Z]+\d{3}\]", "dim"),
    (r"\bapplied\b", "green"),
    (r"\b(declined|not ok)\b", "yellow"),
    (r"^\+.*", "green"),
    (r"^-.*", "red"),
    (r"^@@.*", "cyan"),
)


def show(lines: str | Iterable[str]) -> None:
    """Write lines to standard output."""
    text = lines if isinstance(lines, str) else "".join(f"{line}\n" for line in lines)
    if not sys.stdout.isatty():
        data = text.encode("utf-8", "surrogateescape")
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    from rich.console import Console  # noqa: PLC0415 - only for terminals
    from rich.text import Text  # noqa: PLC0415

    console = Console(highlight=False, soft_wrap=True)
    for line in text.splitlines():
        styled = Text(line.encode("utf-8", "replace").decode())
        for pattern, style in _STYLES:
            styled.highlight_regex(pattern, style)
        console.print(styled)


def show_json(value: Any) -> None:
    """Write a value as indented JSON."""
    show(json.dumps(value, indent=2, ensure_ascii=True) + "\n")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Rows in aligned columns; columns of numbers are aligned to the right."""
    cells = [list(header), *(list(row) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    numeric = [all(_is_number(row[column]) for row in cells[1:]) for column in range(len(header))]
    return [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in cells
    ]


def _is_number(cell: str) -> bool:
    return cell == "" or cell.replace(".", "", 1).replace("-", "", 1).isdigit()


def size(count: int) -> str:
    """Bytes for people: exact in the largest unit that divides well enough."""
    amount = float(count)
    for unit in ("B", "KB", "MB", "GB"):
        if amount < 1024 or unit == "GB":
            return f"{amount:.0f} {unit}" if amount == int(amount) else f"{amount:.1f} {unit}"
        amount /= 1024
    raise AssertionError("the last unit takes every amount")
