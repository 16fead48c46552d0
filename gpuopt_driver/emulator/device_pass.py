"""`__CUDA_ARCH__`: nvcc preprocesses a source once for the host and once for the device; so do we, and join the two.

Kernels and `__device__` functions get the bodies of the device's pass. A function for both gets both bodies, chosen
when it runs. Everything else is the host's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gpuopt_driver.emulator.lexer import Tokens, lex, marker, user_markers
from gpuopt_driver.emulator.statements import name_of
from gpuopt_driver.emulator.structure import Function, Role, outline

NAME = b"__CUDA_ARCH__"
_Key = tuple[str, int, int]  # file, line, which one on that line


def _speaks_of_it(path: Path) -> bool:
    try:
        return NAME in path.read_bytes()
    except OSError:  # <built-in>, <command-line>
        return False


def wants_device_pass(source: bytes, cwd: str) -> bool:
    """Whether one of the user's files in preprocessed text speaks of `__CUDA_ARCH__`; paths are relative to `cwd`."""
    return any(_speaks_of_it(Path(cwd, file)) for file in {file for _, _, file in user_markers(source)})


def _functions(tokens: Tokens) -> Iterator[tuple[_Key, Function]]:
    seen: Counter[tuple[str, int]] = Counter()
    for function in outline(tokens).functions:
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


def _drop_others(host: Tokens, mine: dict[_Key, Function], device: Tokens, its: dict[_Key, Function]) -> None:
    """Device functions of the host's pass in whose place the device's pass has others: nobody calls them."""
    named = {name_of(device, function) for key, function in its.items() if key not in mine}
    for key, function in mine.items():
        if key in its or function.role is Role.HOST or name_of(host, function) not in named:
            continue
        if b"__host__" not in host.original[function.head : function.body]:
            host.clear(function.head, host.match[function.body] + 1)


def join_passes(host_source: bytes, device_source: bytes) -> bytes:
    """The host's preprocessed text with the device's bodies in it."""
    host, device = lex(host_source), lex(device_source)
    mine = dict(_functions(host))
    theirs = {key: its for key, its in _functions(device) if its.role is not Role.HOST}
    _drop_others(host, mine, device, theirs)
    only_device: list[Function] = []
    for key, its in theirs.items():
        function = mine.get(key)
        if function is None:
            only_device.append(its)
            continue
        _replace(host, function, device, its)
        if only_device:  # they stand before this one
            added = b"".join(
                marker(device, item.head) + device.join(item.head, device.match[item.body] + 1) for item in only_device
            )
            host.gap[function.head] += added + marker(host, function.head)
            only_device = []
    return host.bytes()
