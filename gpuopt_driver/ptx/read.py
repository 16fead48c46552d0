"""PTX text to instructions: the functions of a module with their basic blocks, as far as comparisons need them.

PTX ISA 9.0, chapters 4 (syntax) and 9 (instructions). Line tables, pragmas and declarations are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import lru_cache

from gpuopt_driver.dataclass import dataclass

_HEAD = re.compile(r"^[^/\n]*\.(?:entry|func)\b")
_NAME = re.compile(r"\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|^[ \t]*\.loc\b[^\n]*", re.DOTALL | re.MULTILINE)  # `.loc` has no semicolon
_LABEL = re.compile(r"([\w$]+):(?!:)")
_GUARD = re.compile(r"@(!?)(%\w+)\s+")
_OPERAND = re.compile(r"\{[^}]*\}|\[[^\]]*\]|\([^)]*\)|[^,\s][^,]*")
_NESTED = re.compile(r"[{\[(]")
_SKIPPED = (".reg", ".loc", ".pragma", ".local", ".shared", ".param", ".file", ".align", ".callprototype")
_ENDS_BLOCK = frozenset({"bra", "brx", "ret", "exit", "trap"})


@dataclass(slots=True, eq=False)
class Instruction:
    """One instruction: `opcode` with its modifiers, operands as written (destination first), and where it stands.

    `block` numbers the basic blocks of the function in the order of the text, `index` all its instructions. `base` is
    the operation without modifiers (`fma` of `fma.rn.f32`), `type` the last modifier, usually the type of the operands
    (`f32`). Nobody changes one: it is not frozen as there are thousands to make.
    """

    opcode: str
    operands: tuple[str, ...]
    block: int
    index: int
    guard: str = ""
    is_negated: bool = False  # executed where the guard is false
    base: str = field(init=False)
    type: str = field(init=False)

    def __post_init__(self) -> None:
        self.base = self.opcode.partition(".")[0]
        self.type = self.opcode.rpartition(".")[2]


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A kernel (`is_entry`) or device function with its instructions. One text is one object, see `function`."""

    name: str
    is_entry: bool
    lines: tuple[str, ...] = field(repr=False)
    instructions: tuple[Instruction, ...] = field(repr=False)
    labels: Mapping[str, int] = field(repr=False)  # the blocks that labels begin

    def loops(self) -> Iterator[tuple[int, int, Instruction]]:
        """The first and last block of each loop in the order of the text, and the branch that makes it one."""
        for one in self.instructions:
            target = self.labels.get(one.operands[-1]) if one.base == "bra" else None
            if target is not None and target <= one.block:
                yield target, one.block, one


@lru_cache(maxsize=8)
def texts(module: str) -> tuple[tuple[str, bool, list[str]], ...]:
    """(name, whether it is a kernel, lines of the body) of every function that has a body."""
    return tuple((*named("\n".join(head)), body) for head, body in pieces(module) if body is not None)


def named(head: str) -> tuple[str, bool]:
    """A function's name, and whether it is a kernel, by what stands in front of its body."""
    found = _NAME.search(head)
    return found.group(1) if found else "", ".entry" in head.split("(", maxsplit=1)[0]


def pieces(module: str) -> Iterator[tuple[list[str], list[str] | None]]:
    """The lines of a module: of functions those in front of the body, and the body; other lines one by one, with None.

    The braces around a body are left out.
    """
    head: list[str] = []
    body: list[str] = []
    depth = 0
    for line in module.split("\n"):
        if depth > 0:
            depth += braces(line)
            if depth > 0:
                body.append(line)
            else:
                yield head, body
                head, body = [], []
        elif not head:
            if _HEAD.match(line) and not line.rstrip().endswith(";"):  # no declaration
                head = [line]
            else:
                yield [line], None
        elif line.startswith("{"):
            depth = 1
        elif line.rstrip() in (";", ");"):
            yield from (([one], None) for one in (*head, line))
            head = []
        else:
            head = [*head, line]
    yield from (([one], None) for one in head)


def braces(line: str) -> int:
    """How many more braces a line opens than it closes: inline assembly has some of its own, also at a line's start."""
    if "{" not in line and "}" not in line:
        return 0
    code = line.partition("//")[0]
    return code.count("{") - code.count("}")


def function(name: str, lines: list[str], *, is_entry: bool) -> Function:
    """The function with this body, read once while several versions are held against it."""
    return _read(name, tuple(lines), is_entry)


@lru_cache(maxsize=64)
def _read(name: str, lines: tuple[str, ...], is_entry: bool) -> Function:  # noqa: FBT001 - what the cache goes by
    labels: dict[str, int] = {}
    return Function(name, is_entry, lines, tuple(_instructions("\n".join(lines), labels)), labels)


def _instructions(body: str, labels: dict[str, int]) -> Iterator[Instruction]:
    block = index = 0
    for statement in _COMMENT.sub("", body).split(";"):
        text = _unbraced(statement)
        while ":" in text and (found := _LABEL.match(text)):  # also behind the brace that ends inline assembly
            block += 1
            labels[found.group(1)] = block
            text = _unbraced(text[found.end() :])
        guard = _GUARD.match(text) if text.startswith("@") else None
        if guard is not None:
            text = text[guard.end() :]
        opcode, _, rest = text.partition(" ") if "\t" not in text else text.replace("\t", " ").partition(" ")
        if not opcode or opcode.startswith(_SKIPPED):
            continue
        made = Instruction(
            opcode, _operands(rest), block, index, guard.group(2) if guard else "", bool(guard and guard[1])
        )
        yield made
        index += 1
        if made.base in _ENDS_BLOCK:
            block += 1


def _operands(text: str) -> tuple[str, ...]:
    text = text.replace("\n", " ")
    if _NESTED.search(text) is None:
        return tuple(filter(None, map(str.strip, text.split(","))))
    return tuple(one.strip() for one in _OPERAND.findall(text))


def _unbraced(text: str) -> str:
    """A statement without the braces of scopes around it; those of vectors have text on both sides."""
    text = text.strip()
    while text.startswith(("{", "}")):
        text = text[1:].lstrip()
    return text
