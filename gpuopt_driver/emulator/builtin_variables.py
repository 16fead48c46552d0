"""CUDA's built-in variables in a body of device code: which it names itself, and what stands for the others."""

from __future__ import annotations

from collections.abc import Iterable

from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.structure import Function, Role, Structure

# Type, value in a kernel, value elsewhere.
BUILTINS = {
    b"threadIdx": (b"::uint3", b"gpuopt_emu_at.thread", b"::gpuopt_emu::thread_index()"),
    b"blockIdx": (b"::uint3", b"gpuopt_emu_at.block", b"::gpuopt_emu::block_index()"),
    b"blockDim": (b"::dim3", b"gpuopt_emu_at.block_size", b"::gpuopt_emu::block_size()"),
    b"gridDim": (b"::dim3", b"gpuopt_emu_at.grid_size", b"::gpuopt_emu::grid_size()"),
}


def _default_capture(tokens: Tokens, opened: int) -> bool:
    return tokens.at(opened + 1) in (b"=", b"&") and tokens.at(opened + 2) in (b",", b"]")


def lambda_body(tokens: Tokens, opened: int) -> int:
    """The `{` of the lambda whose introducer is the `[` at `opened`, -1 if it is a subscript or an attribute."""
    before = tokens.at(opened - 1)
    if tokens.match[opened] < 0 or before in (b")", b"]", b"[") or tokens.at(opened + 1) == b"[":
        return -1
    if tokens.is_word(opened - 1) and before not in (b"return", b"else", b"do", b"case", b"mutable"):
        return -1
    index = tokens.match[opened] + 1
    while index < len(tokens) and tokens.at(index) not in (b";", b")", b",", b"}"):
        if tokens.at(index) == b"{":
            return index
        index = tokens.match[index] + 1 if tokens.match[index] > index else index + 1
    return -1


def closed_regions(tokens: Tokens, start: int, end: int) -> list[tuple[int, int]]:
    """Parts of a function body that cannot see its local variables: local classes, lambdas without default capture."""
    regions: list[tuple[int, int]] = []
    index = start
    while index < end:
        text = tokens.at(index)
        body = -1
        if text == b"[" and tokens.match[index] > index and not _default_capture(tokens, index):
            body = lambda_body(tokens, index)
        elif text in (b"struct", b"class", b"union"):
            ahead = index + 1
            while ahead < end and tokens.at(ahead) not in (b"{", b";", b"(", b")", b"=", b",", b">"):
                ahead += 1
            body = ahead if tokens.at(ahead) == b"{" else -1
        if body >= 0 and tokens.match[body] > body:
            regions.append((body, tokens.match[body]))
            index = tokens.match[body]
        index += 1
    return regions


def name_builtins(
    tokens: Tokens, start: int, end: int, closed: list[tuple[int, int]] | None, hidden: Iterable[bytes] = ()
) -> set[bytes]:
    """Give built-in variables in [start, end) their values; those outside `closed` stay names, and are returned.

    `closed` is None where all are replaced; `hidden` are the names of parameters. Behind a local declaration of such
    a name (`const uint3 threadIdx = ...`, as versions of kernels have it) it means that variable.
    """
    used: set[bytes] = set()
    local = set(hidden)
    for index in range(start, end):
        text = tokens.at(index)
        if text in BUILTINS and tokens.at(index - 1) in (b"uint3", b"dim3"):
            local.add(text)
        if text in local:
            continue
        if text not in BUILTINS or tokens.text[index] != text or tokens.at(index - 1) in (b".", b"->", b"::"):
            continue
        if closed is None or any(opened <= index <= close for opened, close in closed):
            tokens.text[index] = BUILTINS[text][2]
        else:
            used.add(text)
    return used


def name_builtins_between(tokens: Tokens, structure: Structure) -> None:
    """Built-in variables outside function bodies: default arguments, initialisers of members and of constructors."""
    inside: set[int] = set()
    for function in structure.functions:
        inside.update(range(function.body, tokens.match[function.body]))
        hidden = BUILTINS if function.role is Role.HOST else BUILTINS.keys() & parameter_names(tokens, function)
        inside.update(at for at in range(function.head, function.body) if tokens.at(at) in hidden)
    for index, text in enumerate(tokens.original):
        if text not in BUILTINS or index in inside or tokens.text[index] != text:
            continue
        if tokens.at(index - 1) not in (b".", b"->", b"::") and tokens.at(index + 1) == b".":
            tokens.text[index] = BUILTINS[text][2]


def parameter_names(tokens: Tokens, function: Function) -> set[bytes]:
    """The words of a function's parameter list that may be the names of parameters."""
    close = tokens.match[function.params]
    return {tokens.at(at) for at in range(function.params, close) if tokens.at(at + 1) in (b",", b")", b"=", b"[")}


def builtins_of(tokens: Tokens, function: Function) -> set[bytes]:
    """The built-in variables that a kernel's body names itself; where it cannot, they get their values."""
    start, end = function.body + 1, tokens.match[function.body]
    return name_builtins(tokens, start, end, closed_regions(tokens, start, end), parameter_names(tokens, function))
