"""Declarations as text: where a name belongs in one, where a template's head ends, what its parameters are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gpuopt_driver.frontend import lexing

# What takes a name inside: `(*`, `(&`, `(Class::*`, with qualifiers.
_GROUP = re.compile(
    r"\(\s*(?:(?:::)?\s*(?:[\w:]+(?:<[^()]*>)?::\s*)?[*&]+\s*(?:(?:const|volatile|__restrict(?:__)?)\b\s*)*)+"
)
_ANONYMOUS = re.compile(r"\(anonymous namespace\)::")
_GRID_CONSTANT = re.compile(
    r"\b__grid_constant__(?!\w)|\b__location__\s*\(\s*grid_constant\s*\)"
    r"|\b__attribute(?:__)?\s*\(\s*\(\s*(?:__)?grid_constant(?:__)?\s*\)\s*\)"
)
_TEMPLATE = re.compile(rb"template\b")
_REQUIRES = re.compile(rb"requires\b")
_WORD = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_AND_OR = re.compile(rb"&&|\|\||(?:and|or)\b")
_PAIRS = {b"(": b")", b"[": b"]", b"{": b"}"}


def declare(written: str, name: str) -> str:
    """A declaration of `name`: by a type, or by a parameter that has no name."""
    text = _ANONYMOUS.sub("", written)
    at, skip = len(text.rstrip()), 0
    for index, depth in depths(text):
        char = text[index]
        if skip and depth >= skip:
            continue
        skip = 0
        if depth == 1 and char == "[" and text[index : index + 2] != "[[":
            at = index
            break
        if depth == 1 and char in "([":
            group = _GROUP.match(text, index)
            if group is not None:
                while group is not None:
                    at = group.end()
                    group = _GROUP.match(text, at)
                break
            if char == "(" and index and text[index - 1] == " ":  # a function; `decltype(x)` has no blank
                at = index
                break
            skip = 1
    gap = "" if at and text[at - 1] in "*&(" else " "
    return f"{text[:at].rstrip() if gap else text[:at]}{gap}{name}{text[at:]}".strip()


def depths(text: str) -> Iterator[tuple[int, int]]:
    """(index, how many brackets are open behind it) of every character; a `<` or `>` in parentheses compares."""
    angles = others = 0
    for index, char in enumerate(text):
        if char in "([{":
            others += 1
        elif char in ")]}":
            others -= 1
        elif char in "<>" and not others and text[index + 1 : index + 2] != "=":
            if char == "<" and "<<" not in (text[index : index + 2], text[index - 1 : index + 1]):
                angles += 1
            elif char == ">" and text[index - 1] != "-":
                angles -= 1
        yield index, angles + others


def without_grid_constant(text: str) -> str:
    """A parameter's declaration without `__grid_constant__`, which only those of kernels may have."""
    return " ".join(_GRID_CONSTANT.sub(" ", text).split()) if "grid_constant" in text else text


def head_end(data: bytes, start: int, limit: int) -> int:
    """The offset behind the `template <...> requires ...` (none, one or more) that a declaration begins with."""
    end = start
    while True:
        at = lexing.skip_gap(data, end)
        word = _TEMPLATE.match(data, at, limit)
        opened = lexing.skip_gap(data, word.end()) if word else limit
        if word is None or data[opened : opened + 1] != b"<":
            return end
        end = _angles_end(data, opened, limit)
        at = lexing.skip_gap(data, end)
        if _REQUIRES.match(data, at, limit):
            end = _constraint_end(data, at + len(b"requires"), limit)


def _angles_end(data: bytes, opened: int, limit: int) -> int:
    """The offset behind the `>` that closes the `<` at an offset."""
    depth = others = 0
    for kind, text, at in lexing.tokens(data, opened, limit):
        if kind == "mark3":
            depth -= 3 * (text == b">>>" and not others)
        elif text in _PAIRS:
            others += 1
        elif text in _PAIRS.values():
            others -= 1
        elif kind == "other" and text in b"<>" and not others and data[at + 1 : at + 2] != b"=":
            if text == b"<" and b"<<" not in (data[at : at + 2], data[at - 1 : at + 1]):
                depth += 1
            elif text == b">" and data[at - 1 : at] != b"-":
                depth -= 1
        if depth <= 0:
            return at + (len(text) + depth if kind == "mark3" else 1)
    return limit


def _constraint_end(data: bytes, at: int, limit: int) -> int:
    """The offset behind a requires-clause's expression: primary expressions, joined by && and ||."""
    while True:
        end = _primary_end(data, lexing.skip_gap(data, at), limit)
        joined = _AND_OR.match(data, lexing.skip_gap(data, end), limit)
        if joined is None:
            return end
        at = joined.end()


def _primary_end(data: bytes, at: int, limit: int) -> int:
    if data[at : at + 1] == b"(":
        return _closed(data, at, limit)
    if _REQUIRES.match(data, at, limit):  # requires (parameters) { requirements }
        at = lexing.skip_gap(data, at + len(b"requires"))
        if data[at : at + 1] == b"(":
            at = lexing.skip_gap(data, _closed(data, at, limit))
        return _closed(data, at, limit)
    end = at
    while True:  # [::] name [<arguments>] [:: name ...]
        if data[at : at + 2] == b"::":
            at = lexing.skip_gap(data, at + 2)
        word = _WORD.match(data, at, limit)
        if word is None:
            return end
        end = word.end()
        at = lexing.skip_gap(data, end)
        if data[at : at + 1] == b"<":
            end = _angles_end(data, at, limit)
            at = lexing.skip_gap(data, end)
        if word.group() != b"template" and data[at : at + 2] != b"::":
            return end


def _closed(data: bytes, at: int, limit: int) -> int:
    closed = lexing.closing(data, at, limit)
    return limit if closed is None else closed + 1


def named_head(head: str, names: Sequence[str], unnamed: str, *, defaults: bool) -> str:
    """A template's head (on one line) as another declaration repeats it.

    Parameters that have no name are given theirs of `names`, which begin with `unnamed`; without `defaults`, default
    arguments are left out.
    """
    opened = head.find("<")
    parts: list[str] = []
    last, close = opened + 1, len(head)
    for index, depth in depths(head[opened:]):
        at = opened + index
        if (depth == 1 and head[at] == ",") or depth == 0:
            parts.append(head[last:at])
            last = at + 1
        if depth == 0:
            close = at
            break
    made = []
    for number, part in enumerate(parts):
        declared, default = _default(part)
        name = names[number] if number < len(names) else ""
        text = declare(declared, name) if name.startswith(unnamed) else declared.strip()
        made.append(f"{text} = {default}" if defaults and default else text)
    return f"{head[: opened + 1]}{', '.join(made)}{head[close:]}".strip()


def _default(part: str) -> tuple[str, str]:
    """A template parameter's declaration, and its default argument ("": none)."""
    for index, depth in depths(part):
        if depth == 0 and part[index] == "=":
            return part[:index].strip(), part[index + 1 :].strip()
    return part.strip(), ""
