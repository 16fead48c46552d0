"""Whether a launch that is written in a macro's argument stands in the expansion as it is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import lexing

_BRACKET = re.compile(rb"(\([^()]*\))?(.*)", re.S)  # a definition behind its name
_DEFINED = re.compile(rb"\bdefine(?:[ \t]|\\\r?\n|/\*.*?\*/)+(\w+)", re.S)
_WORD = re.compile(rb"[A-Za-z_]\w*")
_PASTED = (b"#", b"#")
_OPTIONAL = (b",", b"#", b"#")  # `, ## __VA_ARGS__`: no comma where there is nothing behind it
_Written = tuple["bytes | None", bytes]  # parameters in their bracket, and what they become
_OTHERS = (b"assert", b"__VA_OPT__")  # the C library's, which makes a string, and what only looks like one
_PARAMETER = re.compile(rb"(\w*)[ \t\r\n\\]*(\.\.\.)?")


@dataclass(frozen=True)
class _Macro:
    """A definition with parameters, of which the last one of a variadic macro takes all arguments that are left."""

    parameters: tuple[bytes, ...]
    is_variadic: bool
    body: tuple[bytes, ...]

    @property
    def named(self) -> int:
        """How many arguments have a parameter of their own."""
        return len(self.parameters) - self.is_variadic

    def parameter(self, index: int) -> bytes | None:
        """The parameter that takes an argument."""
        if index < self.named:
            return self.parameters[index]
        return self.parameters[-1] if self.is_variadic else None


@dataclass
class _Bracket:
    """An open '(' in front of a launch."""

    word: bytes  # in front of it
    is_pasted: bool = False
    commas: int = 0
    has_parameters: bool = False  # of the macro whose body it is in: these may have commas


@dataclass(frozen=True)
class _Text:
    """A launch, or what a macro makes of one, where it stands in a bracket."""

    has_commas: bool  # outside of brackets, where they part arguments
    behind: int = 0  # so many arguments that are not written in the bracket
    is_expanded: bool = False  # there may be other commas


class Macros:
    """The macros of a unit, by their texts: all definitions of a name count, whichever holds at a place."""

    def __init__(self, texts: Callable[[], Iterable[bytes]]) -> None:
        self._texts = texts
        self._known: dict[bytes, list[_Macro] | None] = {}
        self._written: dict[bytes, list[_Written | None]] | None = None  # None in a list: not understood

    def keep(self, data: bytes, at: int, start: int, end: int) -> bool:
        """Whether [start, end) stands as written in the expansion of the macro that is invoked at `at`.

        It is no part of a string or of a pasted word there, and stands there, too, if it is replaced by something
        without commas outside of brackets.
        """
        open_: list[_Bracket] = []
        last = b""
        for _kind, text, _offset in lexing.tokens(data, at, start):
            if text == b"(":
                open_.append(_Bracket(last))
            elif text == b")" and open_:
                open_.pop()
            elif text == b"," and open_:
                open_[-1].commas += 1
            last = text
        if not open_ or not self._named(open_[0].word):
            return False
        return self._pass(open_, _Text(_has_commas(data, start, end)), frozenset())

    def _pass(self, open_: list[_Bracket], text: _Text, within: frozenset[bytes]) -> bool:
        """Whether the macros that are named in front of open brackets keep a text in the innermost one."""
        parted_anew = text.is_expanded
        for bracket in reversed(open_):
            macros = self._named(bracket.word)
            if macros is None or bracket.is_pasted:
                return False
            if not macros:
                text, parted_anew = _Text(has_commas=False), False  # the bracket stays
                continue
            is_unsure = parted_anew or bracket.has_parameters
            if bracket.word in within or not all(
                self._keeps(one, bracket, text, within, is_unsure=is_unsure) for one in macros
            ):
                return False
            parted_anew = False
            text = _Text(has_commas=False, is_expanded=True)
        return True

    def _keeps(
        self, macro: _Macro, bracket: _Bracket, text: _Text, within: frozenset[bytes], *, is_unsure: bool
    ) -> bool:
        """Whether a macro keeps a text among its arguments. `is_unsure`: there may be more arguments in front of it."""
        index = bracket.commas + text.behind
        parameter = macro.parameter(index)
        if parameter is None or (index < macro.named and (text.has_commas or is_unsure)):
            return False
        inner = _Text(text.has_commas, max(index - macro.named, 0), text.is_expanded)
        return self._in_body(macro, parameter, inner, within | {bracket.word})

    def _in_body(self, macro: _Macro, parameter: bytes, text: _Text, within: frozenset[bytes]) -> bool:
        """Whether a parameter is neither made a string nor pasted, nor do macros of the body do such."""
        open_: list[_Bracket] = []
        words = macro.body
        parameters = macro.parameters
        for at, word in enumerate(words):
            front = words[at - 1] if at else b""
            if word == b"(":
                pasted = words[max(at - 3, 0) : max(at - 1, 0)] == _PASTED
                open_.append(_Bracket(front, is_pasted=pasted or front in parameters))
            elif word == b")" and open_:
                open_.pop()
            elif word == b"," and open_:
                open_[-1].commas += 1
            elif word == parameter:
                behind_comma = (
                    macro.is_variadic and parameter == parameters[-1] and words[max(at - 3, 0) : at] == _OPTIONAL
                )
                if (front == b"#" and not behind_comma) or words[at + 1 : at + 3] == _PASTED:
                    return False
                if front in parameters or self._named(front) != []:
                    return False  # which may take brackets of the argument for its own
                if not self._pass(open_, text, within):
                    return False
            if word in parameters and open_:
                open_[-1].has_parameters = True
        return True

    def _named(self, name: bytes) -> list[_Macro] | None:
        """The definitions of a name, [] for what is no macro; None where one is not understood."""
        if name in _OTHERS:
            return None
        if not _WORD.fullmatch(name):
            return []
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]

    def _find(self, name: bytes) -> list[_Macro] | None:
        found: list[_Macro] = []
        self._known[name] = None  # for names that stand for each other
        if self._written is None:
            self._written = _definitions(self._texts())
        for written in self._written.get(name, ()):
            if written is None:
                return None
            parameters, body = written
            made = self._stood_for(body) if parameters is None else _macro(parameters, body)
            if made is None:
                return None
            found += made
        return found

    def _stood_for(self, body: bytes) -> list[_Macro] | None:
        """The macros that a name without parameters stands for."""
        words = [text for _kind, text, _at in lexing.tokens(body, 0, len(body))]
        return self._named(words[0]) if len(words) == 1 else None


def _definitions(texts: Iterable[bytes]) -> dict[bytes, list[_Written | None]]:
    """All definitions of all names, None for each one that is written in an unusual way."""
    found: dict[bytes, list[_Written | None]] = {}
    for data in texts:
        for seen in _DEFINED.finditer(data):
            line = data.rfind(b"\n", 0, seen.start()) + 1
            if _is_prose(data, line, seen.start()):
                continue
            match = lexing.DEFINITION.match(data, line)
            parts = _BRACKET.fullmatch(match[2]) if match and match[1] == seen[1] else None
            found.setdefault(seen[1], []).append((parts[1], parts[2]) if parts else None)
    return found


def _is_prose(data: bytes, line: int, at: int) -> bool:
    """Whether the word `define` at an offset of a line is none of a directive."""
    front = data[line:at].strip()
    if front.startswith(b"//") or (front.startswith(b"*") and b"*/" not in front):
        return True
    return not front.endswith((b"#", b"%:", b"*/", b"\\")) and not data[max(line - 3, 0) : line].rstrip(
        b"\r\n"
    ).endswith(b"\\")


def _has_commas(data: bytes, start: int, end: int) -> bool:
    """Whether a text has commas outside of all its brackets, as the preprocessor counts these."""
    depth = 0
    for _kind, text, _offset in lexing.tokens(data, start, end):
        depth += (text == b"(") - (text == b")")
        if text == b"," and depth == 0:
            return True
    return False


def _macro(bracket: bytes, text: bytes) -> list[_Macro] | None:
    """A definition with parameters, as a list of one; None where it is not understood."""
    parameters: list[bytes] = []
    is_variadic = False
    for written in bracket[1:-1].split(b","):
        part = _PARAMETER.fullmatch(written.strip(b" \t\r\n\\"))
        if part is None or is_variadic:
            return None
        is_variadic = part[2] is not None
        name = part[1] or (b"__VA_ARGS__" if is_variadic else b"")
        if name:
            parameters.append(name)
    body = tuple(word for _kind, word, _at in lexing.tokens(text, 0, len(text)))
    return [_Macro(tuple(parameters), is_variadic, body)]
