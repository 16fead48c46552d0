"""The assembly text that g++ writes with `-g1 -dA`: sections, symbols, and the source position of every line.

Only directives and the comments of `-dA` are read, never instructions, so that the processor does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field

from gpuopt_driver.dataclass import dataclass

_FILE = re.compile(r'\t\.file (\d+) (?:"((?:[^"\\]|\\.)*)" )?"((?:[^"\\]|\\.)*)"')
_LOC = re.compile(r"\t\.loc (\d+) (\d+)")
_BLOCK = re.compile(r"\.LB([BE])(\d+):")
_SECTION = re.compile(r"\t\.section\t([^,\s]+)(?:,\"(\w*)\")?(?:,[@%]\w+)?(?:,\d+)?(?:,([^,\s]+),comdat)?")
_TYPE = re.compile(r"\t\.type\t([^,\s]+), ?[@%](\w+)")
_COMMON = re.compile(r"\t\.(?:comm|lcomm)\t([^,\s]+),(\d+)")
_SIZE = re.compile(r"\t\.size\t([^,\s]+), ?(\d+)")
_ALIAS = re.compile(r"\t\.set\t([^,\s]+), ?([A-Za-z_][\w.$]*)$")
_ABOUT_SYMBOLS = ("\t.type", "\t.comm", "\t.lcomm", "\t.globl", "\t.weak", "\t.size", "\t.set")
_EXTERNAL = re.compile(r"\t\.(?:globl|weak)\t(\S+)")
_PLAIN_SECTIONS = {"\t.text": ".text", "\t.data": ".data", "\t.bss": ".bss"}
_ATTRIBUTES = ("\t.globl\t", "\t.weak\t", "\t.hidden\t", "\t.local\t", "\t.comm\t")  # they come before a section, too
_INLINED = "DW_TAG_inlined_subroutine"
_DIE = re.compile(r"\(DIE \(|end of children")
_CALL_FILE = re.compile(r"DW_AT_call_file \((?:\d+, )?(.*)\)$")
_CALL_LINE = re.compile(r"(?:0x([0-9a-f]+)\s.*)?DW_AT_call_line(?: \(0x([0-9a-f]+)\))?")
_LABEL_OF_BLOCK = re.compile(r"\.LBB(\d+)")
_RANGES = re.compile(r"\.LLRL\d+")
_ESCAPE = re.compile(r"\\(?:([0-7]{3})|(.))")

Frames = tuple[tuple[str, int], ...]  # (file, line), the innermost first


def unquoted(text: str) -> str:
    """The contents of a string as the assembler reads them; bytes beyond ASCII come as surrogates."""
    if "\\" not in text:
        return text
    raw = _ESCAPE.sub(lambda found: chr(int(found[1], 8)) if found[1] else found[2], text)
    return raw.encode("latin-1", "replace").decode("utf-8", "surrogateescape")


@dataclass(slots=True)
class _Inlined:
    """One inlined call, as the debug information tells it."""

    file: str = ""
    line: int = 0
    blocks: set[int] = field(default_factory=set)
    ranges: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Line:
    """A line of code or data with what is known of it."""

    text: str
    section: str
    group: str  # of the section, "" outside
    active: tuple[int, ...]  # numbers of the blocks around it, outermost first
    file: str
    number: int  # of the source line, 0: unknown


@dataclass(slots=True)
class Listing:
    """One assembly text. `functions` and `objects` are the symbols that it defines."""

    lines: list[str]
    functions: set[str] = field(default_factory=set)
    objects: set[str] = field(default_factory=set)
    external: set[str] = field(default_factory=set)  # that other objects can name
    sizes: dict[str, tuple[int, str]] = field(default_factory=dict)  # of writable objects: bytes, group of the section
    files: dict[int, str] = field(default_factory=dict)
    # block -> where the inlined functions were called whose code it is, outermost first: equal ranges share a block
    calls: dict[int, list[tuple[str, int]]] = field(default_factory=dict)

    def frames(self, line: Line) -> Frames:
        """Where a line comes from, with the calls that were inlined around it."""
        around = [call for block in line.active for call in self.calls.get(block, ())]
        return ((line.file, line.number), *reversed(around))

    def walk(self, *, debug: bool = False) -> Iterator[Line]:
        """All lines without comments; those of the debug information only if asked for."""
        section, group, skipping = ".text", "", False
        previous = (section, group)
        file, number = "", 0
        active: tuple[int, ...] = ()
        for text in self.lines:
            head = text[:2]
            if head in ("# ", "\t#", "//", "\t/") or not text:
                continue
            if head in ("\t.", ".L"):
                if found := _section(text):
                    now = previous if found[0] == ".previous" else found
                    previous, (section, group) = (section, group), now
                    skipping = section.startswith(".debug") and not debug
                elif text.startswith("\t.loc "):
                    if at := _LOC.match(text):
                        file, number = self.files.get(int(at[1]), ""), int(at[2])
                elif block := _BLOCK.match(text):
                    name = int(block[2])
                    active = (*active, name) if block[1] == "B" else tuple(item for item in active if item != name)
            if not skipping or text.startswith(_ATTRIBUTES):
                yield Line(text, section, group, active, file, number)


def _section(text: str) -> tuple[str, str] | None:
    if text.startswith("\t.section"):
        found = _SECTION.match(text)
        return (found[1], found[3] or "") if found else ("", "")
    if text in _PLAIN_SECTIONS:
        return _PLAIN_SECTIONS[text], ""
    return (".previous", "") if text == "\t.previous" else None


def _read_inlined(lines: list[str], start: int) -> _Inlined:
    """The attributes of the DIE whose tag is on line `start`."""
    item = _Inlined()
    for index in range(start + 1, len(lines)):  # of millions: a copy of the rest would take longer than all else
        text = lines[index]
        if _DIE.search(text):
            break
        if "DW_AT_call_file" in text:
            found = _CALL_FILE.search(text)
            item.file = found[1] if found else ""
        elif "DW_AT_call_line" in text:
            found = _CALL_LINE.search(text)
            item.line = int(found[1] or found[2] or "0", 16) if found else 0
        elif label := _LABEL_OF_BLOCK.search(text):
            item.blocks.add(int(label[1]))
        elif ranges := _RANGES.search(text):
            item.ranges.append(ranges[0])
    return item


def _symbols(listing: Listing, line: str, section: str, group: str) -> None:
    """What a directive about a symbol says."""
    if kind := _TYPE.match(line):
        (listing.functions if kind[2] == "function" else listing.objects).add(kind[1])
    elif common := _COMMON.match(line):
        listing.objects.add(common[1])
        listing.sizes[common[1]] = int(common[2]), ""
    elif external := _EXTERNAL.match(line):
        listing.external.add(external[1])
    elif (size := _SIZE.match(line)) and not section.startswith((".rodata", ".text")):
        listing.sizes[size[1]] = int(size[2]), group
    elif alias := _ALIAS.match(line):
        (listing.functions if alias[2] in listing.functions else listing.objects).add(alias[1])


def read_listing(text: str) -> Listing:
    """Read assembly text."""
    listing = Listing(text.split("\n"))
    inlined: list[_Inlined] = []
    ranges: dict[str, set[int]] = {}
    current: set[int] | None = None
    section, group = "", ""
    for index, line in enumerate(listing.lines):
        if found_section := _section(line):
            section, group = found_section
            current = None
        elif line.startswith("\t.file"):
            if found := _FILE.match(line):
                listing.files[int(found[1])] = unquoted(found[3])
        elif line.startswith(_ABOUT_SYMBOLS):
            _symbols(listing, line, section, group)
        elif line.startswith(".LLRL"):
            current = ranges.setdefault(line.partition(":")[0], set())
        elif _INLINED in line and "DIE (" in line:
            inlined.append(_read_inlined(listing.lines, index))
        elif current is not None and (label := _LABEL_OF_BLOCK.search(line)):
            current.add(int(label[1]))
    for item in inlined:
        for block in item.blocks.union(*(ranges.get(name, ()) for name in item.ranges)):
            listing.calls.setdefault(block, []).append((item.file, item.line))
    return listing
