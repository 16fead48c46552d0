"""Inline PTX becomes C++; an instruction without counterpart is a compile error that names file, line, instruction."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.lexer import Kind, Tokens
from gpuopt_driver.emulator.paths import SCALE
from gpuopt_driver.emulator.ptx_instructions import ARITHMETIC, Instruction, Unknown, register_types
from gpuopt_driver.emulator.ptx_memory import MEMORY

_RULES = {**ARITHMETIC, **MEMORY}
_KEYWORDS = frozenset({b"asm", b"__asm__", b"__asm"})
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}
_WORD = re.compile(r"[\w$%]+")
_PREDICATE = re.compile(r"@(!?)\s*([%\w$]+)\s+(.*)", re.DOTALL)
_OPERAND = re.compile(r"%(\d+)|%\[(\w+)\]")
_REGISTERS = re.compile(r"\.reg\s+(?:\.v[24]\s+)?\.(\w+)\s+(.*)", re.DOTALL)
_RANGE = re.compile(r"([%\w$]+)<(\d+)>")


@dataclass(frozen=True, slots=True)
class Unsupported:
    """An instruction without counterpart."""

    file: str
    line: int
    instruction: str

    def __str__(self) -> str:
        return (
            f"{self.file}:{self.line}: error: the emulator does not know the PTX instruction '{self.instruction}'; "
            "put it under #ifdef __CUDA_ARCH__ with a C++ form beside it, or build with nvcc"
        )


@dataclass(frozen=True, slots=True)
class _Operand:
    """`[name] "constraint" (expression)` of an asm statement."""

    name: str
    constraint: str
    expression: bytes


def _unescape(literal: bytes) -> str:
    body = literal[literal.index(b'"') + 1 : -1]
    if literal.startswith(b"R"):
        return body[body.index(b"(") + 1 : body.rindex(b")")].decode("utf-8", "replace")
    return re.sub(rb"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), body).decode("utf-8", "replace")


def _sections(tokens: Tokens, opened: int) -> tuple[str, list[_Operand]]:
    """The text of an asm statement and its operands."""
    close = tokens.match[opened]
    index = opened + 1
    text = ""
    while index < close and tokens.kind[index] is Kind.STRING:
        text += _unescape(tokens.at(index))
        index += 1
    operands: list[_Operand] = []
    name = constraint = ""
    while index < close:
        token = tokens.at(index)
        if token == b"[" and tokens.match[index] == index + 2:
            name = tokens.at(index + 1).decode()
        if tokens.kind[index] is Kind.STRING:
            constraint += _unescape(token)  # literals side by side are one
        if token == b"(" and tokens.match[index] > index:
            operands.append(_Operand(name, constraint, tokens.one_line(index, tokens.match[index] + 1)))
            name = constraint = ""
        index = tokens.match[index] + 1 if tokens.match[index] > index else index + 1
    return text, operands


def _statements(text: str) -> Iterator[str]:
    """Instructions, directives, labels (with their colon), and the braces of scopes."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    part, depth = "", 0
    for at, char in enumerate(text):
        if char == "{" and not part.strip():
            yield "{"
        elif char == "}" and not depth:
            yield from filter(None, [part.strip()])
            yield "}"
            part = ""
        elif char == ";" and not depth:
            yield from filter(None, [part.strip()])
            part = ""
        elif char == ":" and _WORD.fullmatch(part.strip()) and text[at + 1 : at + 2] != ":":
            yield part.strip() + ":"
            part = ""
        else:
            depth += (char in "{[") - (char in "}]")
            part += char
    yield from filter(None, [part.strip()])


def _split(text: str) -> list[str]:
    """At the commas outside brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += (char in "{[(") - (char in "}])")
        if char == "," and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]


@dataclass(slots=True)
class _Block:
    """One asm statement on its way to C++."""

    operands: list[_Operand]
    site: int  # of its first instruction
    registers: dict[str, str] = field(default_factory=dict)  # as PTX names them -> C++ names
    labels: set[str] = field(default_factory=set)
    lines: list[str] = field(default_factory=list)

    def operand(self, text: str) -> str | None:
        """The C++ name of `%3` or `%[name]`, None where the text is neither."""
        if match := _OPERAND.fullmatch(text):
            if match.group(1):
                number = int(match.group(1))
            else:
                names = [item.name for item in self.operands]
                number = names.index(match.group(2)) if match.group(2) in names else len(names)
            return f"gpuopt_o{number}" if number < len(self.operands) else None
        return self.registers.get(text)

    def declare(self, kind: str, names: str) -> bool:
        """`.reg`: variables; False where the type is unknown."""
        type_ = register_types().get(kind)
        if type_ is None:
            return False
        for item in _split(names):
            ranged = _RANGE.fullmatch(item)
            for name in [f"{ranged.group(1)}{i}" for i in range(int(ranged.group(2)))] if ranged else [item]:
                self.registers[name] = f"gpuopt_r{len(self.registers)}"
                self.lines.append(f"{type_} {self.registers[name]}={{}};")
        return True

    def add(self, statement: str) -> bool:
        """Translate one statement; False where it has no counterpart."""
        if statement in ("{", "}"):
            self.lines.append(statement)
            return True
        if statement.endswith(":"):
            self.lines.append(f"{self.label(statement[:-1])}:;")
            return True
        if match := _REGISTERS.fullmatch(statement):
            return self.declare(match.group(1), match.group(2))
        if statement.startswith((".pragma", ".loc")):
            return True
        condition = ""
        if match := _PREDICATE.fullmatch(statement):
            predicate = self.operand(match.group(2))
            if predicate is None:
                return False
            condition, statement = f"if({match.group(1)}{predicate})", match.group(3)
        code = self.instruction(statement)
        if code is None:
            return False
        self.lines.append(f"{condition}{{{code};}}")
        return True

    def label(self, name: str) -> str:
        self.labels.add(name)
        return "gpuopt_l_" + re.sub(r"\W", "_", name)

    def instruction(self, statement: str) -> str | None:
        opcode, _, rest = statement.partition(" ") if " " in statement else (statement, "", "")
        name, *modifiers = opcode.strip().split(".")
        if name == "bra":
            return f"goto {self.label(rest.strip())}"
        try:
            return _RULES[name](
                Instruction(name, tuple(modifiers), tuple(_split(rest)), self.operand, self.site + len(self.lines))
            )
        except (Unknown, KeyError, IndexError):
            return None

    def text(self) -> bytes:
        """The C++ statement, without its semicolon."""
        parts = [b"do{"]
        if self.labels:
            parts.append(b"__label__ " + ",".join(sorted(map(self.label, self.labels))).encode() + b";")
        for number, item in enumerate(self.operands):
            written = item.constraint[:1] in ("=", "+")
            parts.append(
                (b"auto&gpuopt_o%d=" if written else b"const auto gpuopt_o%d=") % number + item.expression + b";"
            )
            parts.append(b"(void)gpuopt_o%d;" % number)
            if not written and item.constraint.isdigit():  # tied to an output
                parts.append(b"gpuopt_o%d=gpuopt_o%d;" % (int(item.constraint), number))
        parts.append("".join(self.lines).encode())
        parts.append(b"}while(0)")
        return b"".join(parts)


def rewrite_asm(tokens: Tokens, start: int, end: int) -> list[Unsupported]:
    """Translate the asm statements in the device code [start, end); returns those that cannot be."""
    unsupported: list[Unsupported] = []
    for index in range(start, end):
        if tokens.at(index) not in _KEYWORDS or tokens.text[index] == b"":
            continue
        opened = index + 1
        while tokens.is_word(opened):  # volatile
            opened += 1
        if tokens.at(opened) != b"(" or tokens.match[opened] < opened:
            continue
        text, operands = _sections(tokens, opened)
        block = _Block(operands, SCALE * index)
        for statement in _statements(text.replace("%%", "%")):
            words = " ".join(re.sub(r"\s*,\s*", ", ", statement).split())
            if not block.add(words):
                unsupported.append(Unsupported(*tokens.where(index), words))
        tokens.clear(index, tokens.match[opened] + 1)
        tokens.text[index] = block.text()
    return unsupported
