"""Tokens of a kernel with the tokens of other functions among them, each with the place in the source it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.builtin_variables import BUILTINS
from gpuopt_driver.emulator.lexer import Kind, Tokens, marker

_MEMBERS = (b".", b"->", b"::")
# A word as group 1, but in literals, and behind what makes it a member's.
_WORDS = re.compile(
    rb'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|\.?\d(?:[\w.]|\'\w)*|(?:(?<!\.)\.(?!\.)|->|::)\s*[A-Za-z_]\w*|([A-Za-z_]\w*)'
)
_OPEN = {b"(": b")", b"[": b"]", b"{": b"}"}


@dataclass(frozen=True, slots=True)
class Token:
    """One token. `text`: what is written; `word`: what those take it for who read it; `at`: the token of the source
    that it comes from, or stands for; `copied`: it is that token."""

    word: bytes
    text: bytes
    kind: Kind
    at: int
    gap: bytes = b" "
    copied: bool = False
    also: tuple[bytes, ...] = ()


Names = Mapping[bytes, tuple[Token, ...]]


def word(text: bytes, at: int, written: bytes = b"") -> Token:
    """A token of our own for the one at `at`; `written`: its text, where that is more than its word."""
    kind = Kind.NUMBER if text[:1].isdigit() else Kind.WORD if text[:1].isalpha() or text[:1] == b"_" else Kind.PUNCT
    return Token(text, written or text, kind, at)


def written(part: Iterable[Token]) -> bytes:
    """The texts of tokens, on one line."""
    return b" ".join(filter(None, (one.text for one in part)))


def _renamed(text: bytes, names: Names) -> bytes:
    """A text that other rewriting has made, with other names in it."""
    if names:
        text = _WORDS.sub(lambda found: written(names[found[1]]) if found[1] in names else found[0], text)
    for name, (_, _, value) in BUILTINS.items():
        text = text.replace(value, name)
    return text


def copied(tokens: Tokens, at: int, names: Names, *, as_read: bool = False) -> list[Token]:
    """The token at `at` as it stands now, or `as_read`; `names`: what stands for some words. Built-in variables have
    their names, as in a kernel."""
    text, was, kind, gap = tokens.text[at], tokens.at(at), tokens.kind[at], tokens.gap[at]
    text = was if as_read else text
    also = tuple(one.word for name in tokens.also.get(at, ()) for one in names.get(name, (word(name, at),)))
    if kind is Kind.STRING and text == was:
        return [Token(was, text, kind, at, gap, copied=True)]
    named = names.get(was, ()) if kind is Kind.WORD and tokens.at(at - 1) not in _MEMBERS else ()
    if not named:
        text = text if text == was else _renamed(text, names)
        return [Token(was, text, kind, at, gap, copied=True, also=also)]
    if text != was:
        now = named[0].word if len(named) == 1 else was
        return [Token(now, _renamed(text, names), named[0].kind, at, gap, copied=True, also=also)]
    found = [Token(one.word, one.text, one.kind, at, b" ", copied=True) for one in named]
    found[0] = Token(named[0].word, named[0].text, named[0].kind, at, gap, copied=True, also=also)
    return found


class Draft:
    """What is written, token by token."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self._found: list[Token] = []

    def __len__(self) -> int:
        return len(self._found)

    def put(self, part: Iterable[Token]) -> None:
        """Append tokens."""
        self._found += part

    def finish(self) -> Tokens:
        """The tokens; where they do not follow each other in the source, a line marker stands between them."""
        source = self.tokens
        made = Tokens(source=source.source, markers=source.markers, own=source.own)
        opened: list[int] = []
        before = -2
        for index, one in enumerate(self._found):
            follows = one.at == before or (one.copied and one.at == before + 1)
            gap = one.gap if follows else one.gap + marker(source, one.at, b" 3")
            before = one.at
            made.text.append(one.text)
            made.gap.append(gap if index else b"")
            made.kind.append(one.kind)
            made.match.append(-1)
            made.offset.append(source.offset[one.at])
            if one.also:
                made.also[index] = one.also
            if one.word in _OPEN:
                opened.append(index)
            elif opened and _OPEN[self._found[opened[-1]].word] == one.word:
                other = opened.pop()
                made.match[index], made.match[other] = other, index
        made.original = tuple(one.word for one in self._found)
        return made
