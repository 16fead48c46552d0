"""One open libclang translation unit: its files as bytes, and byte ranges of its cursors in them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from gpuopt_driver import text_read, traced
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import ParseError
from gpuopt_driver.frontend import lexing, libclang
from gpuopt_driver.frontend.attributes import Attributes
from gpuopt_driver.frontend.libclang import MACRO_BIT, SEVERITY_ERROR, Cursor, Index, Location, Range
from gpuopt_driver.frontend.model import ParseLevel
from gpuopt_driver.frontend.options import (
    DECLARATIONS,
    UMBRELLA,
    ParseOptions,
    foreign_dirs,
    host_wrappers,
    include_arguments,
    language_arguments,
    macros_path,
    user_arguments,
    user_macros,
)
from gpuopt_driver.frontend.precompiled import precompiled_header
from gpuopt_driver.paths import absolute
from gpuopt_driver.source.text import SourceFile, Span

_FATAL = 4
MANY = 2000  # files that are included
# clang tries `new float[1 << 20]` as a constant and makes all elements, 300 bytes each, if it may take so many steps.
_STEPS = 65_536
_READ = 1000  # errors; PyTorch's headers alone have 35,000 where the C++ library is not read
_TOO_FEW = ("maximum step limit", "-fconstexpr-steps", "invalid explicitly-specified argument")  # notes of errors then


@dataclass(frozen=True)
class Diagnostic:
    """An error that libclang reported; `file` is "" where it has no place in a file."""

    file: str
    offset: int
    message: str
    severity: int

    @property
    def is_missing_file(self) -> bool:
        """Whether an included file was not found; libclang tells that in words alone."""
        return "file not found" in self.message


class Translation:
    """An open unit. `files` are the project's files by absolute path, read as libclang read them."""

    def __init__(self, main: str, options: ParseOptions, level: ParseLevel, overlay: Mapping[str, bytes]) -> None:
        self.options = options
        self.level = level
        self.lib = libclang.library()
        self._paths: dict[int, str] = {}
        self._sources: dict[int, SourceFile | None] = {}
        self._system: dict[int, bool] = {}
        self._foreign_dirs = foreign_dirs(main, options)
        self._foreign: dict[tuple[int, int], bool] = {}
        self._entered: dict[int, str] = {}  # by file that was read: how more than once
        self._invented = {macros_path(), *host_wrappers()}
        self._originals: dict[str, bytes] = {}
        self.files: dict[str, SourceFile] = {}
        first = self._tidied(main, overlay)
        self.index = self._open(main, first)
        self._collect_files()
        self._tidy(main, first)
        self.main = self.path(self.lib.clang_getFile(self.index.unit, os.fsencode(main)))
        for path, source in self.files.items():
            if path not in overlay:
                traced.note(path, source.data)
        self.errors = self._read_errors()

    def _open(self, main: str, overlay: Mapping[str, bytes]) -> Index:
        index = self._opened(main, overlay, f"-fconstexpr-steps={_STEPS}")
        if not any(words in note for note in index.notes(_READ) for words in _TOO_FEW):
            return index
        index.close()
        return self._opened(main, overlay)

    def _opened(self, main: str, overlay: Mapping[str, bytes], *more: str) -> Index:
        unsaved = {**overlay, macros_path(): user_macros(self.options)}
        arguments = language_arguments(self.options, self.level)
        tail = [*include_arguments(self.options, self.level), *user_arguments(self.options), *more]
        if self.level is ParseLevel.BUNDLED:
            for rebuild in (False, True):
                header = precompiled_header(self.options, rebuild=rebuild)
                if header is None:
                    break
                index = Index(main, [*arguments, "-include-pch", str(header), *tail], unsaved)
                if index.unit is not None and not _is_stale(index):
                    return index
                index.close()
                if index.status == libclang.CRASHED:  # PyTorch's headers behind a precompiled one, however new that is
                    break
        else:
            unsaved.update(host_wrappers())
        index = Index(main, [*arguments, "-include", str(DECLARATIONS / UMBRELLA), *tail], unsaved)
        if index.unit is None:
            raise ParseError(f"{main}: libclang could not parse this file (status {index.status})")
        return index

    def _tidied(self, main: str, overlay: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """The overlay with the main file as `_tidy` wants it, which need not be read twice then."""
        data = overlay.get(main)
        if data is None:
            data = Path(main).read_bytes()
        tidy = lexing.tidied(data)
        if tidy is None:
            return overlay
        self._originals[main] = data
        return {**overlay, main: tidy}

    def _tidy(self, main: str, overlay: Mapping[str, bytes]) -> None:
        """Where launches are written `<< <...>> >`, which nvcc takes and libclang does not, read again without blanks.

        The text is as long as the one that was written, which is what everybody else sees.
        """
        known = self._originals
        tidy = {
            path: text
            for path, source in self.files.items()
            if path not in known and (text := lexing.tidied(source.data)) is not None
        }
        if not tidy:
            return
        self._originals = {**known, **{path: self.files[path].data for path in tidy}}
        self.index.close()
        self._paths.clear()
        self._sources.clear()
        self._system.clear()
        self._foreign.clear()
        self._entered.clear()
        self.files = {}
        self.index = self._open(main, {**overlay, **tidy})
        self._collect_files()

    def close(self) -> None:
        """Release libclang's memory."""
        self.index.close()

    def path(self, file: int) -> str:
        """The absolute path of a file handle, as spelled; "" for none."""
        if not file:
            return ""
        known = self._paths.get(file)
        if known is None:
            name = libclang.text_of(self.lib.clang_getFileName(file))
            known = self._paths[file] = absolute(self.options.absolute(name))
        return known

    def source(self, file: int) -> SourceFile | None:
        """The source of a file handle, None for none."""
        if file not in self._sources:
            path = self.path(file)
            data = self._originals.get(path) or (self.index.contents(file) if path else None)
            known = self.files.get(path)
            self._sources[file] = known or (None if data is None else SourceFile.of(path, data))
        return self._sources[file]

    def is_system(self, file: int) -> bool:
        """Whether a file belongs to the compiler, the toolkit or us rather than to the project."""
        known = self._system.get(file)
        if known is None:
            known = self._system[file] = self.path(file).startswith((*self._foreign_dirs, str(DECLARATIONS)))
            if not known:  # libclang goes through all files that were read
                start = self.lib.clang_getLocationForOffset(self.index.unit, file, 0)
                known = self._system[file] = bool(self.lib.clang_Location_isInSystemHeader(start))
        return known

    def declares_for_system(self, cursor: Cursor) -> bool:
        """Whether a declaration is in no file, or in one of the compiler's, the toolkit's or ours."""
        key = cursor.key
        known = self._foreign.get(key)
        if known is None:
            file, _offset = libclang.file_location(self.lib.clang_getCursorLocation(cursor))
            known = self._foreign[key] = not file or self.is_system(file)
        return known

    @property
    def has_many_files(self) -> bool:
        """Whether reading them with the C++ library's takes a good part of what nvcc takes (PyTorch's headers)."""
        return len(self._entered) > MANY

    def contents(self) -> Iterator[bytes]:
        """The bytes of all files that were read, those of the system, too."""
        for file in self._entered:
            yield self.index.contents(file) or b""

    def _collect_files(self) -> None:
        handles: list[int] = []

        def visit(file: int | None, stack: object, depth: int, _data: int | None) -> None:
            if file:
                if file in self._entered:
                    around = [libclang.file_location(stack[at])[0] for at in range(depth)]  # type: ignore[index]
                    self._entered[file] = "inside" if file in around else self._entered[file] or "again"
                else:
                    self._entered[file] = ""
                handles.append(file)

        self.lib.clang_getInclusions(self.index.unit, libclang.INCLUSION(visit), None)
        text_read.note(sum(map(self.index.size, self._entered)))
        for file in dict.fromkeys(handles):
            if not self.is_system(file):
                source = self.source(file)
                if source is not None:
                    self.files[source.path] = source
            elif self.path(file).startswith(os.sep) and self.path(file) not in self._invented:
                traced.note(self.path(file), None)

    def entered(self, file: int) -> str:
        """How a file is read more than once: "inside" of itself, or "again"; empty where it is read once."""
        return self._entered.get(file, "")

    def _read_errors(self) -> list[Diagnostic]:
        found = []
        attributes = Attributes(self.files.values())
        for severity, location, message in self.index.diagnostics(SEVERITY_ERROR):
            file, offset = libclang.file_location(location)
            if "attribute" not in message or not attributes.only_warn(message, self.source(file), offset):
                found.append(Diagnostic(self.path(file), offset, message, severity))
        return found


def _is_stale(index: Index) -> bool:
    """Whether libclang refused the precompiled header."""
    return any(
        "PCH" in message or "precompiled header" in message or "AST file" in message
        for _severity, _location, message in index.diagnostics(_FATAL)
    )


class Place:
    """Byte offsets of cursors: direct arithmetic inside one file's text, libclang's answer for macros."""

    def __init__(self, translation: Translation, anchor: Location) -> None:
        self.translation = translation
        self.lib = translation.lib
        file, offset = libclang.file_location(anchor)
        self.file = file
        source = translation.source(file)
        assert source is not None, "a declaration has a file"
        self.source: SourceFile = source
        self._base = None if anchor.raw & MACRO_BIT else anchor.raw - offset
        self._size = len(source.data)
        self._expansions: dict[int, tuple[int, int]] = {}
        self._expanded = self._expansions.get

    def offsets(self, extent: Range) -> tuple[int, int, bool]:
        """(start, end, comes out of a macro) of an extent in `source`; (0, 0, True) if it lies elsewhere."""
        if self._base is not None and not (extent.begin | extent.end) & MACRO_BIT:
            start, end = extent.begin - self._base, extent.end - self._base
            if 0 <= start <= end <= self._size:
                return start, end, False
        if extent.begin == 0:
            return 0, 0, True
        first, start = self._expanded(extent.begin) or self._expand(extent.begin, self.lib.clang_getRangeStart(extent))
        last, end = self._expanded(extent.end) or self._expand(extent.end, self.lib.clang_getRangeEnd(extent))
        if first != self.file or last != self.file or end < start:
            return 0, 0, True
        macro = bool((extent.begin | extent.end) & MACRO_BIT)
        return start, end, macro

    def _expand(self, raw: int, location: Location) -> tuple[int, int]:
        """Where a macro is invoked: an expression begins where its first operand does, and so on."""
        found = self._expansions[raw] = libclang.expansion_location(location)
        return found

    def ends_before(self) -> str:
        """Why the file's end is read before this place, in words; empty where it is not."""
        entered = self.translation.entered(self.file)
        if entered == "inside":
            return "its file includes itself"
        if entered and self._base is not None:
            first = self.lib.clang_getLocationForOffset(self.translation.index.unit, self.file, 0)
            return "" if first.raw == self._base else "its file is included before, without the kernel"
        return ""

    def span(self, start: int, end: int, *, editable: bool = True) -> Span:
        """A span of this place's file."""
        return self.source.span(start, end, editable=editable)


def place_of(translation: Translation, cursor: Cursor) -> Place:
    """The place of a declaration's text."""
    return Place(translation, translation.lib.clang_getCursorLocation(cursor))


def main_path(main: str | os.PathLike[str], options: ParseOptions, overlay: Mapping[str, bytes]) -> str:
    """The absolute path of the main file; ParseError when it cannot be read."""
    path = absolute(options.absolute(os.fspath(main)))
    if path not in overlay:
        if Path(path).is_dir():
            raise ParseError(f"{main}: cannot read source: it is a directory")
        SourceFile.read(path)
    return path
