"""How many operators a call of a device function executes: its text, with loops that count between literals taken so
often, and with the functions that it calls."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gpuopt_driver.frontend.model import Function, Kernel
from gpuopt_driver.source.text import SourceFile

OPERATIONS = re.compile(rb"[-+*/%<>=&|^\[(?]+")
_LOOP = re.compile(
    rb"\bfor\s*\(\s*(?:[\w\s]+\s)?(\w+)\s*=\s*(\d+)\s*;\s*\1\s*(<=?|>=?)\s*(\d+)\s*;\s*"
    rb"(?:(\+\+|--)\s*\1|\1\s*(?:(\+\+|--)|([-+*/]|<<|>>)=\s*(\d+)))\s*\)"
)
_HEAD = re.compile(rb"\s*(?:for|if|while)\b\s*(?=\()")
_MOST = 1024  # turns that are counted one by one
_DEEP = 8  # functions that call functions


def operations_of_calls(kernel: Kernel, source: SourceFile, stmt: int) -> int:
    """Operators in the functions that a statement calls, each as often as a call executes it."""
    functions = {one.usr: one for one in kernel.functions if one.span.file == source.path}
    names = {one.qualified: one for one in functions.values()}
    called = [names[call.name] for call in kernel.calls if call.stmt == stmt and not call.via and call.name in names]
    return sum(_operations(one, source.data, functions, 0) for one in called)


def _operations(function: Function, data: bytes, functions: Mapping[str, Function], depth: int) -> int:
    start, end = function.body.start, function.body.end
    loops = [(found.end(), _extent(data, found.end(), end), turns(found)) for found in _LOOP.finditer(data, start, end)]

    def often(at: int) -> int:
        times = 1
        for first, last, trips in loops:
            times *= trips if first <= at < last else 1
        return times

    count = sum(often(found.start()) for found in OPERATIONS.finditer(data, start, end))
    if depth < _DEEP:
        for site in function.call_sites:
            inner = functions.get(site.usr)
            if inner is not None:
                count += often(site.name.start) * _operations(inner, data, functions, depth + 1)
    return count


def turns(found: re.Match[bytes]) -> int:
    """How often a loop between literals runs (1 where it runs for long)."""
    at, limit = int(found[2]), int(found[4])
    sign = (found[7] or (found[5] or found[6])[:1]).decode()
    by = int(found[8] or 1)
    test = {b"<": int.__lt__, b"<=": int.__le__, b">": int.__gt__, b">=": int.__ge__}[found[3]]
    step = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__, "<<": int.__lshift__, ">>": int.__rshift__}
    count = 0
    while test(at, limit):
        count += 1
        if count > _MOST:
            return 1
        at = step[sign](at, by) if sign in step else at // max(1, by)
    return count


def _extent(data: bytes, at: int, end: int) -> int:
    """Where the statement ends that begins here."""
    head = _HEAD.match(data, at, end)
    if head is not None:
        return _extent(data, _closing(data, head.end(), end, b"()"), end)
    begin = at + len(data[at:end]) - len(data[at:end].lstrip())
    if data[begin : begin + 1] == b"{":
        return _closing(data, begin, end, b"{}")
    semicolon = data.find(b";", begin, end)
    return semicolon + 1 if semicolon >= 0 else end


def _closing(data: bytes, at: int, end: int, pair: bytes) -> int:
    """The place behind the bracket that closes the one here."""
    depth = 0
    for place in range(at, end):
        depth += (data[place] == pair[0]) - (data[place] == pair[1])
        if depth == 0:
            return place + 1
    return end
