"""Line numbers for the keys of a TOML document, which the TOML parser does not keep.

The document has been parsed by the real parser before, so it is well-formed: this walk only skips values, and keeps
where each key and table stands. Paths are tuples of keys, with positions for the elements of arrays.
"""

from __future__ import annotations

import re
from dataclasses import field

import tomli

from gpuopt_driver.dataclass import dataclass

KeyPath = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_QUOTED_KEY = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'')
# Up to two quotes may stand right before the closing three.
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}(?!")' + r"|'''.*?'{3,5}(?!')" + r'|"(?:[^"\\\n]|\\.)*"' + r"|'[^'\n]*'",
    re.DOTALL,
)
_SCALAR = re.compile(r"[^,\]}#\n]*")


def locate(text: str) -> dict[KeyPath, int]:
    """The 1-based line of every table header, key and array element of a well-formed TOML document."""
    walk = _Walk(text.replace("\r\n", "\n"))
    walk.document()
    return walk.lines


@dataclass
class _Walk:
    text: str
    at: int = 0
    lines: dict[KeyPath, int] = field(default_factory=dict)
    counts: dict[KeyPath, int] = field(default_factory=dict)  # elements of arrays of tables so far
    counted_to: tuple[int, int] = (0, 1)  # an offset and its line

    def line(self) -> int:
        """The line that the walk has reached."""
        offset, line = self.counted_to
        line += self.text.count("\n", offset, self.at)
        self.counted_to = (self.at, line)
        return line

    def skip(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:
            raise ValueError(f"offset {self.at}: not {pattern.pattern}")
        self.at = match.end()
        return match.group()

    def take(self, token: str) -> bool:
        if self.text.startswith(token, self.at):
            self.at += len(token)
            return True
        return False

    def note(self, path: KeyPath, line: int) -> None:
        """Remember a path, and the tables on the way to it that have no header of their own."""
        for end in range(1, len(path) + 1):
            self.lines.setdefault(path[:end], line)

    def document(self) -> None:
        table: KeyPath = ()
        self.skip(_BLANK)
        while self.at < len(self.text):
            if self.take("[["):
                table = self.header(is_element=True)
            elif self.take("["):
                table = self.header(is_element=False)
            else:
                self.pair(table)
            self.skip(_BLANK)

    def header(self, *, is_element: bool) -> KeyPath:
        line = self.line()
        path: KeyPath = ()
        keys = self.keys()
        for key in keys[:-1]:
            path = self.newest((*path, key))
        path = (*path, keys[-1])
        if is_element:
            count = self.counts.get(path, 0)
            self.counts[path] = count + 1
            self.note(path, line)
            path = (*path, count)
        self.note(path, line)
        self.lines[path] = line  # a header says where a table is, whatever implied it before
        self.take("]]" if is_element else "]")
        return path

    def newest(self, path: KeyPath) -> KeyPath:
        """The last element of an array of tables, which is what its name means in later headers."""
        return (*path, self.counts[path] - 1) if path in self.counts else path

    def keys(self) -> list[str]:
        """A dotted key; the walk stands behind it and the blanks after it."""
        keys: list[str] = []
        while True:
            self.skip(_SPACE)
            if self.text[self.at] in "\"'":
                keys.append(next(iter(tomli.loads(f"{self.skip(_QUOTED_KEY)} = 0"))))
            else:
                keys.append(self.skip(_BARE_KEY))
            self.skip(_SPACE)
            if not self.take("."):
                return keys

    def pair(self, table: KeyPath) -> None:
        line = self.line()
        path = (*table, *self.keys())
        self.take("=")
        self.skip(_SPACE)
        self.note(path, line)
        self.value(path)

    def value(self, path: KeyPath) -> None:
        if self.text[self.at] in "\"'":
            self.skip(_STRING)
        elif self.take("["):
            self.array(path)
        elif self.take("{"):
            self.inline_table(path)
        else:
            self.skip(_SCALAR)

    def array(self, path: KeyPath) -> None:
        position = 0
        self.skip(_BLANK)
        while not self.take("]"):
            self.note((*path, position), self.line())
            self.value((*path, position))
            position += 1
            self.skip(_BLANK)
            self.take(",")
            self.skip(_BLANK)

    def inline_table(self, path: KeyPath) -> None:
        self.skip(_BLANK)
        while not self.take("}"):
            self.pair(path)
            self.skip(_BLANK)
            self.take(",")
            self.skip(_BLANK)
