"""Inline PTX that has a C++ counterpart; anything else is a compile error that names the instruction."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from gpuopt_driver.emulator.lexer import Kind, Tokens

_BRACES = str.maketrans("{}", ";;")
_KEYWORDS = frozenset({b"asm", b"__asm__", b"__asm"})
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r"}
_TYPES = {
    "u8": "unsigned char", "s8": "signed char", "b8": "unsigned char", "u16": "unsigned short", "s16": "short",
    "b16": "unsigned short", "u32": "unsigned", "s32": "int", "b32": "unsigned", "f32": "float",
    "u64": "unsigned long long", "s64": "long long", "b64": "unsigned long long", "f64": "double",
}  # fmt: skip
_N = "::gpuopt_emu::"

_NUMBERED = re.compile(rb"%(\d+)")
_OPERAND = r"(%\[\w+\]|[%\w.]+|-?\d+)"
_ADDRESS = r"\[\s*(%\[\w+\]|[%\w]+)\s*(?:\+\s*(-?\w+))?\s*\]"
_TYPE = r"\.([usbf](?:8|16|32|64))"


def _load(match: re.Match[str]) -> str:
    hints, kind, target, base, offset = match.groups()
    how = "load_again" if re.search(r"cv|volatile|acquire|relaxed|mmio", hints) else "load"
    return f"{target}={_N}ptx::{how}<{_TYPES[kind]}>((char*)({base})+{offset or 0})"


def _store(match: re.Match[str]) -> str:
    kind, base, offset, value = match.groups()
    return f"{_N}ptx::store<{_TYPES[kind]}>((char*)({base})+{offset or 0},{value})"


def _binary(operator: str) -> Callable[[re.Match[str]], str]:
    def translate(match: re.Match[str]) -> str:
        kind = _TYPES[match.group(1)]
        return f"{match.group(2)}=({kind})({match.group(3)}){operator}({kind})({match.group(4)})"

    return translate


def _call(name: str) -> Callable[[re.Match[str]], str]:
    return lambda match: f"{match.group(1)}={name}({','.join(match.groups()[1:])})"


# Instruction (without its `;`) -> C++ expression. Operands (%0, %1, ...) stay and are put in afterwards.
_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = tuple(
    (re.compile(pattern + r"\Z"), translate)
    for pattern, translate in (
        (
            rf"mov\.[usb]32 {_OPERAND}, %(smid|nsmid|laneid|warpid|nwarpid|lanemask_(?:eq|lt|le|ge|gt))",
            lambda m: f"{m.group(1)}={_N}ptx::{m.group(2)}()",
        ),
        (rf"mov\.[usb](?:32|64) {_OPERAND}, %(?:clock(?:64|_hi)?|globaltimer(?:_lo)?)",
         lambda m: f"{m.group(1)}={_N}nanoseconds()"),
        (rf"\.reg {_TYPE} (\w+(?:, \w+)*)", lambda m: f"{_TYPES[m.group(1)]} {m.group(2)}"),
        (rf"mov{_TYPE} {_OPERAND}, {_OPERAND}", lambda m: f"{m.group(2)}={m.group(3)}"),
        (r"(?:bar|barrier)(?:\.cta)?\.sync(?:\.aligned)? (\w+|%\d+)(?:, (\w+|%\d+))?",
         lambda m: f"{_N}named_barrier({m.group(1)},{m.group(2) or 0},true)"),
        (r"(?:bar|barrier)(?:\.cta)?\.arrive(?:\.aligned)? (\w+|%\d+), (\w+|%\d+)",
         lambda m: f"{_N}named_barrier({m.group(1)},{m.group(2)},false)"),
        (r"bar\.warp\.sync (\w+|%\d+)", lambda m: f"__syncwarp({m.group(1)})"),
        (r"(?:membar|fence)[.\w]*", lambda _: "__threadfence()"),
        (r"nanosleep\.u32 (\w+|%\d+)", lambda m: f"__nanosleep({m.group(1)})"),
        (r"(?:prefetch|prefetchu|discard|applypriority)[.:\w]* .*", lambda _: "(void)0"),
        (r"trap", lambda _: "__trap()"),
        (rf"ld((?:\.(?!v[24]\b)[a-z][a-z_]\w*(?:::\w+)*)*){_TYPE} {_OPERAND}, {_ADDRESS}", _load),
        (rf"st(?:\.(?!v[24]\b)[a-z][a-z_]\w*(?:::\w+)*)*{_TYPE} {_ADDRESS}, {_OPERAND}", _store),
        (rf"add{_TYPE} {_OPERAND}, {_OPERAND}, {_OPERAND}", _binary("+")),
        (rf"sub{_TYPE} {_OPERAND}, {_OPERAND}, {_OPERAND}", _binary("-")),
        (rf"mul(?:\.lo)?{_TYPE} {_OPERAND}, {_OPERAND}, {_OPERAND}", _binary("*")),
        (rf"and{_TYPE} {_OPERAND}, {_OPERAND}, {_OPERAND}", _binary("&")),
        (rf"or{_TYPE} {_OPERAND}, {_OPERAND}, {_OPERAND}", _binary("|")),
        (rf"xor{_TYPE} {_OPERAND}, {_OPERAND}, {_OPERAND}", _binary("^")),
        (rf"popc\.b32 {_OPERAND}, {_OPERAND}", _call("__popc")),
        (rf"bfind\.u32 {_OPERAND}, {_OPERAND}", lambda m: f"{m.group(1)}=31-__clz({m.group(2)})"),
        (rf"clz\.b32 {_OPERAND}, {_OPERAND}", _call("__clz")),
        (rf"brev\.b32 {_OPERAND}, {_OPERAND}", _call("__brev")),
        (rf"prmt\.b32 {_OPERAND}, {_OPERAND}, {_OPERAND}, {_OPERAND}", _call("__byte_perm")),
        (rf"fma\.rn\.f32 {_OPERAND}, {_OPERAND}, {_OPERAND}, {_OPERAND}", _call("fmaf")),
        (rf"fma\.rn\.f64 {_OPERAND}, {_OPERAND}, {_OPERAND}, {_OPERAND}", _call("fma")),
        (rf"(?:ex2\.approx(?:\.ftz)?)\.f32 {_OPERAND}, {_OPERAND}", _call("exp2f")),
        (rf"(?:lg2\.approx(?:\.ftz)?)\.f32 {_OPERAND}, {_OPERAND}", _call("log2f")),
        (rf"(?:rsqrt\.approx(?:\.ftz)?)\.f32 {_OPERAND}, {_OPERAND}", _call("rsqrtf")),
        (rf"(?:rcp\.\w+(?:\.ftz)?)\.f32 {_OPERAND}, {_OPERAND}", _call("1.0f/")),
    )
)  # fmt: skip


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


def _unescape(literal: bytes) -> str:
    body = literal[literal.index(b'"') + 1 : -1]
    return re.sub(rb"\\(.)", lambda m: _ESCAPES.get(m.group(1), m.group(1)), body).decode("utf-8", "replace")


def _sections(tokens: Tokens, opened: int) -> tuple[str, list[tuple[str, bytes]]]:
    """The text of an asm statement and its operands: (symbolic name or "", expression)."""
    close = tokens.match[opened]
    index = opened + 1
    text = ""
    while index < close and tokens.kind[index] is Kind.STRING:
        text += _unescape(tokens.at(index))
        index += 1
    operands: list[tuple[str, bytes]] = []
    name = ""
    while index < close:
        token = tokens.at(index)
        if token == b"[" and tokens.match[index] == index + 2:
            name = tokens.at(index + 1).decode()
        if token == b"(" and tokens.match[index] > index:
            operands.append((name, tokens.one_line(index, tokens.match[index] + 1)))
            name = ""
        index = tokens.match[index] + 1 if tokens.match[index] > index else index + 1
    return text, operands


def _operand(values: list[bytes], match: re.Match[bytes]) -> bytes:
    number = int(match.group(1))
    return values[number] if number < len(values) else match.group()


def _translate(instruction: str) -> str | None:
    for pattern, translate in _RULES:
        if match := pattern.match(instruction):
            return translate(match)
    return None


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
        expressions: list[str] = []
        for part in re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL).translate(_BRACES).split(";"):
            instruction = re.sub(r"\s*,\s*", ", ", " ".join(part.split())).replace("%%", "%")
            if not instruction:
                continue
            expression = _translate(instruction)
            if expression is None:
                unsupported.append(Unsupported(*tokens.where(index), instruction))
            else:
                expressions.append(expression)
        result = ";".join(expressions).encode()
        for name, value in operands:
            if name:
                result = result.replace(b"%[" + name.encode() + b"]", value)
        values = [value for _, value in operands]
        result = _NUMBERED.sub(partial(_operand, values), result)
        tokens.clear(index, tokens.match[opened] + 1)
        tokens.text[index] = b"do{" + result + b";}while(0)"
    return unsupported
