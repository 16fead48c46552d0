"""Files that users hand us: read whole, or refused in a few words, whatever lies under their name.

A pipe would be waited for and a device read for ever, so only regular files of a size that makes sense are opened. What
is read is text of the form that is asked for, and its numbers are finite and have no more than 64 bits.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
from pathlib import Path
from typing import Any

import tomli

SETTINGS = 1 << 20  # bytes of what people write by hand: policies, GPU files
RESULTS = 1 << 30  # bytes of what programs write: reports, profiles, tables
_DEEPEST = 64  # tables in tables, arrays in arrays
_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_ENDS_IN_LINE = re.compile(r"(.*) \(at line (\d+), column (\d+)\)", re.DOTALL)
_BARE = re.compile(r"[^\s,\]}#=]+")
_MOST_SHOWN = 60  # characters of what is wrong


class Unusable(ValueError):
    """A file that cannot be used: the reason as the rest of a sentence, and the line where it shows (0: none).

    `is_read`: its contents are wrong; else there are none to look at.
    """

    def __init__(self, reason: str, line: int = 0, *, is_read: bool = True) -> None:
        super().__init__(reason)
        self.line = line
        self.is_read = is_read

    def told(self, path: str | os.PathLike[str], what: str, otherwise: str = "") -> str:
        """The message: where, and what is wrong. `what` it should be ("policy"), `otherwise` what it is not then."""
        where = f"{os.fspath(path)}:{self.line}" if self.line else os.fspath(path)
        return f"{where}: {otherwise if self.is_read else f'cannot read {what}: '}{self}"


def read_bytes(path: str | os.PathLike[str], most: int) -> bytes:
    """The contents of a regular file of at most so many bytes; Unusable says why there are none."""
    try:
        # Opening a pipe or a device can block, or have effects: it is looked at before and, as it may change, behind.
        _regular(Path(path).stat(), most)
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
        with open(descriptor, "rb") as file:  # noqa: PTH123
            _regular(os.fstat(descriptor), most)
            data = file.read(most + 1)
    except OSError as error:
        raise Unusable(error.strerror or type(error).__name__, is_read=False) from error
    except ValueError as error:
        if isinstance(error, Unusable):
            raise
        raise Unusable("no file can have such a name", is_read=False) from error  # a NUL byte
    if len(data) > most:  # it has grown, or says nothing of its size, as those of /proc
        raise Unusable(_too_large(most), is_read=False)
    return data


def read_text(path: str | os.PathLike[str], most: int) -> str:
    """The same as UTF-8 text, without a byte order mark."""
    data = read_bytes(path, most)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = 1 + data.count(b"\n", 0, error.start)
        raise Unusable(f"not UTF-8 text (byte {error.start})", line) from error


def toml(text: str) -> dict[str, Any]:
    """A TOML document."""
    try:
        document = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        found = _ENDS_IN_LINE.fullmatch(str(error))
        message = found.group(1) if found else str(error).removesuffix(" (at end of document)")
        line = int(found.group(2)) if found else 1 + text.rstrip().count("\n")
        if message == "Invalid value":
            message = no_value(text.split("\n")[line - 1][int(found.group(3)) - 1 :] if found else "")
        raise Unusable(f"not TOML: {message}", line) from error
    except RecursionError as error:
        raise Unusable("not usable TOML: tables, arrays or keys are nested too deeply") from error
    except ValueError as error:
        raise Unusable(f"not usable TOML: {_number(error)}", _line_of_long_number(text)) from error
    _flat(document, "TOML")
    return document


_TRUTH = {"yes": "true", "on": "true", "true": "true", "no": "false", "off": "false", "false": "false"}


def no_value(text: str) -> str:
    """What is said of text that TOML knows no value for, and what was probably meant."""
    found = _BARE.match(text)
    word = found[0][:_MOST_SHOWN] if found else ""
    if not word:
        return "a value is missing"
    if word.casefold() in _TRUTH:
        return f"'{word}' is no value; did you mean {_TRUTH[word.casefold()]}?"
    if word.casefold() in ("none", "null", "nil"):
        return f"'{word}' is no value; leave the key out"
    return f"'{word}' is no value" + (
        f'; text stands in quotes: "{word}"' if word.isprintable() and '"' not in word else ""
    )


def json_document(data: bytes) -> Any:
    """A JSON document."""
    try:
        document = json.loads(data, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise Unusable(f"not UTF-8 text (byte {error.start})", 1 + data.count(b"\n", 0, error.start)) from error
    except json.JSONDecodeError as error:
        raise Unusable(f"not JSON: {error.msg}", error.lineno) from error
    except RecursionError as error:
        raise Unusable("not usable JSON: arrays or objects are nested too deeply") from error
    except ValueError as error:
        if isinstance(error, Unusable):
            raise
        raise Unusable(f"not usable JSON: {_number(error)}") from error
    _flat(document, "JSON")
    return document


def read_json(path: str | os.PathLike[str]) -> Any:
    """The JSON document in a file that a program wrote."""
    return json_document(read_bytes(path, RESULTS))


def is_usable_number(value: object) -> bool:
    """Whether a number is finite and has no more than 64 bits; what is no number is no wrong one."""
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or -(1 << 63) <= value < 1 << 64


def check_regular(path: str | os.PathLike[str]) -> None:
    """Refuse what is no regular file; for files that are too large to be read at once."""
    try:
        _regular(Path(path).stat(), 1 << 62)
    except OSError as error:
        raise Unusable(error.strerror or type(error).__name__, is_read=False) from error


def is_there(path: Path) -> bool:
    """Whether anything lies under a name: also a link to nothing, which somebody has put there."""
    try:
        os.lstat(path)
    except (OSError, ValueError):
        return False
    return True


def _regular(status: os.stat_result, most: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = next((name for test, name in _KINDS if test(status.st_mode)), "something else")
        raise Unusable(f"{kind}, not a regular file", is_read=False)
    if status.st_size > most:
        raise Unusable(_too_large(most), is_read=False)


def _too_large(most: int) -> str:
    size = f"{most >> 20} MB" if most < 1 << 30 else f"{most >> 30} GB"
    return f"larger than {size}"


def _refuse_constant(name: str) -> Any:
    raise Unusable(f"not JSON: {name} is no number")


def _number(error: ValueError) -> str:
    """What Python says of a number with more digits than it converts, without its advice."""
    return "a number has too many digits" if "digits" in str(error) else " ".join(str(error).split())


def _line_of_long_number(text: str) -> int:
    found = re.search(r"\d(?:_?\d){4000}", text)
    return 1 + text.count("\n", 0, found.start()) if found else 0


def _flat(document: Any, form: str) -> None:
    """Refuse what is nested so deeply that those who walk through it would fail, and numbers that are none."""
    level = [document]
    for _ in range(_DEEPEST):
        level = [inner for value in level for inner in _parts(value, form)]
        if not level:
            return
    raise Unusable(f"not usable {form}: more than {_DEEPEST} levels of nesting")


def _parts(value: Any, form: str) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, list):
        return value
    if form == "JSON" and not is_usable_number(value):
        raise Unusable(f"not usable {form}: the number {str(value)[:40]} is too large")
    return []
