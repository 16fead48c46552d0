"""Output of the subcommands: plain text; on a terminal the same text in colours."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from typing import Any

from gpuopt_driver.errors import GpuoptError

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
    if sys.stdout is None:
        raise GpuoptError("standard output is closed: there is nowhere to write to")
    try:
        _write(text)
    except BrokenPipeError:  # its reader wants no more, as `head` does
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the rest is tried once more at the end
        raise GpuoptError(f"standard output: cannot be written: {error.strerror}") from error


def _write(text: str) -> None:
    if not sys.stdout.isatty():
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.flush()
        return
    from rich.console import Console  # noqa: PLC0415 - only for terminals
    from rich.text import Text  # noqa: PLC0415

    console = Console(highlight=False, soft_wrap=True)
    for line in text.splitlines():
        styled = Text(line.encode("utf-8", "replace").decode())
        for pattern, style in _STYLES:
            styled.highlight_regex(pattern, style)
        console.print(styled)


def json_text(value: Any) -> str:
    """A value as indented JSON."""
    return json.dumps(value, indent=2, ensure_ascii=True) + "\n"


def show_json(value: Any) -> None:
    """Write a value as indented JSON."""
    show(json_text(value))


def warn(text: str) -> None:
    """One warning on standard error."""
    sys.stderr.write(f"gpuopt: warning: {text}\n")
