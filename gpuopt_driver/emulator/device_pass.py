"""`__CUDA_ARCH__`: nvcc preprocesses a source once for the host and once for the device; so do we, and join the two.

Kernels and `__device__` functions get the bodies of the device's pass. A function for both gets both bodies, chosen
when it runs. Everything else is the host's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from gpuopt_driver.emulator.device_classes import add_classes
from gpuopt_driver.emulator.lexer import Tokens, marker
from gpuopt_driver.emulator.regions import user_markers
from gpuopt_driver.emulator.statements import name_of
from gpuopt_driver.emulator.structure import Function, Role, Structure, outline

NAME = b"__CUDA_ARCH__"
_SPEAKING = (NAME, b"NV_IF_TARGET", b"NV_IF_ELSE_TARGET", b"NV_DISPATCH_TARGET")  # nv/target's macros ask for it
_Key = tuple[str, int, int]  # file, line, which one on that line


def _speaks_of_it(path: Path) -> bool:
    try:
        text = path.read_bytes()
    except OSError:  # <built-in>, <command-line>
        return False
    return any(name in text for name in _SPEAKING)


def wants_device_pass(source: bytes, cwd: str) -> bool:
    """Whether one of the user's files in preprocessed text asks for `__CUDA_ARCH__`; paths are relative to `cwd`."""
    return any(_speaks_of_it(Path(cwd, file)) for file in {file for _, _, file in user_markers(source)})


def _functions(tokens: Tokens, structure: Structure) -> Iterator[tuple[_Key, Function]]:
    seen: Counter[tuple[str, int]] = Counter()
    for function in structure.functions:
        where = tokens.where(function.head)
        seen[where] += 1
        yield (*where, seen[where]), function


def _body(tokens: Tokens, function: Function) -> bytes:
    return marker(tokens, function.body) + tokens.join(function.body, tokens.match[function.body] + 1)


def _replace(host: Tokens, mine: Function, device: Tokens, its: Function) -> None:
    """Put the device's body into the host's text."""
    close = host.match[mine.body]
    if host.original[mine.body : close] == device.original[its.body : device.match[its.body]]:
        return
    words = host.original[mine.head : mine.body]
    if b"constexpr" in words:
        return
    body = _body(device, its)
    if b"__host__" in words and mine.role is not Role.KERNEL:
        body = b"{if(::gpuopt_emu::on_device())" + body + b"else" + _body(host, mine) + b"}"
    for index in range(mine.body, close + 1):
        host.text[index] = b""
        if index > mine.body:
            host.gap[index] = b""
    host.text[mine.body] = body
    if close + 1 < len(host):
        host.gap[close + 1] += marker(host, close + 1)


_Place = tuple[str, int] | None  # where the innermost brace around something stands


def _braces(tokens: Tokens, functions: Iterable[Function]) -> dict[int, int]:
    """The innermost brace around each function, by its head; -1: none."""
    heads = {function.head for function in functions}
    found: dict[int, int] = {}
    opened = [-1]
    for index, text in enumerate(tokens.original):
        if index in heads:
            found[index] = opened[-1]
        if text == b"{" and tokens.match[index] > index:
            opened.append(index)
        elif text == b"}" and len(opened) > 1 and tokens.match[index] == opened[-1]:
            opened.pop()
    return found


def _place(tokens: Tokens, brace: int) -> _Place:
    return tokens.where(brace) if brace >= 0 else None


def _signature(tokens: Tokens, function: Function, brace: int) -> tuple[_Place, tuple[bytes, ...]]:
    """The scope of a function, its name and its parameters."""
    name = function.params - 1
    while tokens.at(name - 1) == b"operator" or tokens.at(name) == b")":
        name -= 1
    return _place(tokens, brace), tuple(tokens.original[name : tokens.match[function.params] + 1])


def _join_alike(
    host: Tokens, mine: list[Function], device: Tokens, its: list[Function], members: set[int]
) -> list[Function]:
    """Join functions on different lines that declare the same; those of the device that are still alone."""
    if not its:
        return its
    around, there = _braces(host, mine), _braces(device, its)
    alike = {_signature(host, function, around[function.head]): function for function in mine}
    braces = {host.where(brace): brace for brace in set(around.values()) if brace >= 0}
    names = {name_of(device, function) for function in its}
    alone: list[Function] = []
    classes: set[int] = set()
    for function in its:
        brace = there[function.head]
        same = alike.pop(_signature(device, function, brace), None)
        if same is not None:
            _replace(host, same, device, function)
            continue
        into = braces.get(device.where(brace)) if function.head in members else None
        if into is None and function.head in members:
            classes.add(brace)
        elif into is None:
            alone.append(function)
        else:
            added = marker(device, function.head) + device.join(function.head, device.match[function.body] + 1)
            host.text[into] += added + marker(host, into + 1)
    # What else the host has under such a name nobody calls.
    for function in alike.values():
        words = host.original[function.head : function.body]
        if function.role is not Role.HOST and b"__host__" not in words and name_of(host, function) in names:
            host.clear(function.head, host.match[function.body] + 1)
    add_classes(host, device, classes)
    return alone


def join_passes(host: Tokens, device: Tokens) -> bytes:
    """The host's preprocessed text with the device's bodies in it; `host` is changed."""
    structure = outline(device)
    mine = dict(_functions(host, outline(host)))
    theirs = dict(_functions(device, structure))
    alone = [its for key, its in theirs.items() if key not in mine and its.role is not Role.HOST]
    unmatched = [function for key, function in mine.items() if key not in theirs]
    others = {function.head for function in _join_alike(host, unmatched, device, alone, structure.in_class)}
    only_device: list[Function] = []
    for key, its in theirs.items():
        function = mine.get(key)
        if function is None:
            only_device += [its] if its.head in others else []
            continue
        if its.role is Role.HOST:
            continue
        _replace(host, function, device, its)
        if only_device:  # they stand before this one
            added = b"".join(
                marker(device, item.head) + device.join(item.head, device.match[item.body] + 1) for item in only_device
            )
            host.gap[function.head] += added + marker(host, function.head)
            only_device = []
    return host.bytes()
