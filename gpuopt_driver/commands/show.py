"""Output of the subcommands: plain text; on a terminal the same text in colours."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
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


def warn(text: str) -> None:
    """One warning on standard error."""
    sys.stderr.write(f"gpuopt: warning: {text}\n")
