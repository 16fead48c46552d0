"""In which order the files of a unit are read, and what is read behind a place."""

from __future__ import annotations

import re

from gpuopt_driver.frontend import libclang
from gpuopt_driver.frontend.libclang import Cursor
from gpuopt_driver.frontend.translation import Place, Translation

_GAP = rb"(?:[ \t]|\\\r?\n)*"
DIRECTIVE = re.compile(
    rb"^[ \t]*(?:#|%%:)%s(define|undef|include)%s([^\s(\\]+)((?:[^\\\n]|\\\r?\n|\\.)*)" % (_GAP, _GAP), re.M
)
_POP = re.compile(rb"\bpop_macro[ \t]*\([ \t]*\\?\"(\w+)")


class Behind:
    """Answers for one unit. Files of one name count as one another: what an include means is not looked up."""

    def __init__(self, translation: Translation) -> None:
        self.translation = translation
        self.files = {path: source.data for path, source in translation.files.items()}
        self.named: dict[str, list[str]] = {}
        for path in self.files:
            self.named.setdefault(path.rpartition("/")[2], []).append(path)
        self._lib = translation.lib
        self._owned: dict[str, tuple[list[tuple[int, bytes]], list[tuple[int, str]]]] = {}
        self._closures: dict[str, frozenset[str]] = {}
        self._first: dict[int, int] = {}
        self._late: dict[tuple[str, int], frozenset[str]] = {}

    def is_behind(self, place: Place, end: int, cursor: Cursor) -> bool:
        """Whether a declaration is read behind an offset of a file: in that file, or in one that it includes there."""
        file, at = libclang.file_location(self._lib.clang_getCursorLocation(cursor))
        if file == place.file or not file:
            return file == place.file and at >= end
        late = self.late(place.source.path, end)
        if not late or self._begin(file) < self._begin(place.file):
            return False
        return self.translation.path(file).rpartition("/")[2] in late

    def late(self, path: str, end: int) -> frozenset[str]:
        """The names of files that a file includes, directly or not, behind an offset and not before."""
        key = (path, end)
        if key not in self._late:
            includes = self.own(path)[1] if path in self.files else []
            late = frozenset[str]().union(*(self.closure(one) for at, one in includes if at >= end))
            early = frozenset[str]().union(*(self.closure(one) for at, one in includes if at < end)) if late else late
            self._late[key] = late - early
        return self._late[key]

    def _begin(self, file: int) -> int:
        """libclang's number of a file's first byte, which grows in the order in which files are read."""
        if file not in self._first:
            self._first[file] = self._lib.clang_getLocationForOffset(self.translation.index.unit, file, 0).raw
        return self._first[file]

    def where(self, place: Place, cursor: Cursor) -> str:
        """The line of a declaration, in words."""
        file, at = libclang.file_location(self._lib.clang_getCursorLocation(cursor))
        data = place.source.data if file == place.file else self.files.get(self.translation.path(file), b"")
        number = data.count(b"\n", 0, at) + 1
        name = "" if file == place.file else f"{self.translation.path(file).rpartition('/')[2]}, "
        return f"{name}line {number}"

    def own(self, path: str) -> tuple[list[tuple[int, bytes]], list[tuple[int, str]]]:
        """Where a file itself changes which macros, and includes files of which names (without directories)."""
        if path not in self._owned:
            data = self.files[path]
            names = [(match.start(), match[1]) for match in _POP.finditer(data)]
            includes: list[tuple[int, str]] = []
            for match in DIRECTIVE.finditer(data):
                if match[1] == b"include":
                    included = match[2].strip(b'"<>').rpartition(b"/")[2].decode("utf-8", "surrogateescape")
                    includes.append((match.start(), included))
                else:
                    names.append((match.start(), match[2]))
            self._owned[path] = names, [one for one in includes if one[1] in self.named]
        return self._owned[path]

    def closure(self, name: str) -> frozenset[str]:
        """The name of a file, and those of all that files of this name include."""
        if name not in self._closures:
            seen, todo = {name}, [name]
            while todo:
                for path in self.named.get(todo.pop(), ()):
                    includes = self.own(path)[1]
                    todo.extend(one for _at, one in includes if one not in seen)
                    seen.update(one for _at, one in includes)
            self._closures[name] = frozenset(seen)
        return self._closures[name]
