"""Classes that only the device's pass has, such as a specialization under `#ifdef __CUDA_ARCH__`."""

from __future__ import annotations

from collections.abc import Iterable

from gpuopt_driver.emulator.lexer import Tokens, marker


def add_classes(host: Tokens, device: Tokens, braces: Iterable[int]) -> None:
    """Add the classes whose bodies begin at `braces` of the device's text, each where it stands among the host's lines.

    What the host has already, under whatever name, is left alone.
    """
    braces = sorted(braces)
    if not braces:
        return
    known = {host.where(at): at for at in range(len(host)) if host.at(at) == b"{"}
    parents = _parents(device)
    done: set[int] = set()
    for inner in braces:
        brace = inner
        while brace >= 0 and parents[brace] >= 0 and device.where(parents[brace]) not in known:
            brace = parents[brace]
        if brace < 0 or brace in done or device.where(brace) in known:
            continue
        done.add(brace)
        start, end = _statement(device, brace)
        around = parents[brace]
        at = _place(host, known[device.where(around)] if around >= 0 else -1, device.where(start))
        added = marker(device, start) + device.join(start, end)
        if at < len(host):
            host.gap[at] += added + marker(host, at)
        else:
            host.tail += b"\n" + added


def _parents(tokens: Tokens) -> dict[int, int]:
    """The brace around each brace, -1 where there is none."""
    found: dict[int, int] = {}
    opened = [-1]
    for index, text in enumerate(tokens.original):
        if text == b"{" and tokens.match[index] > index:
            found[index] = opened[-1]
            opened.append(index)
        elif text == b"}" and len(opened) > 1 and tokens.match[index] == opened[-1]:
            opened.pop()
    return found


def _statement(tokens: Tokens, brace: int) -> tuple[int, int]:
    """The declaration with the braces at `brace`, with its `;`."""
    start = brace
    while start > 0 and tokens.at(start - 1) not in (b";", b"{", b"}"):
        start -= 1
    end = tokens.match[brace] + 1
    while tokens.at(end - 1) != b";" and end < len(tokens):
        end += 1
    return start, end


def _place(tokens: Tokens, around: int, where: tuple[str, int]) -> int:
    """The first declaration in the braces at `around` (-1: outside of all) that stands behind a line, or their end."""
    last = tokens.match[around] if around >= 0 else len(tokens)
    index = around + 1
    begins = True
    while index < last:
        if begins:
            file, line = tokens.where(index)
            if file == where[0] and line > where[1]:
                return index
        begins = tokens.at(index) == b";"
        if tokens.match[index] > index:
            begins = tokens.at(index) == b"{" and tokens.at(tokens.match[index] + 1) not in (b";", b",", b"=")
            index = tokens.match[index]
        index += 1
    return last
