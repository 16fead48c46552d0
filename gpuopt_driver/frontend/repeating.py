"""What keeps a function's text from meaning the same once more, under another name and in another place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gpuopt_driver.frontend import fragments, libclang, types
from gpuopt_driver.frontend.classes import Classes
from gpuopt_driver.frontend.fragments import BUILTINS
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.lexing import DEFINITION
from gpuopt_driver.frontend.libclang import Cursor, Type
from gpuopt_driver.frontend.plain_classes import PlainClasses
from gpuopt_driver.frontend.signatures import CLASSES
from gpuopt_driver.frontend.translation import Translation, place_of
from gpuopt_driver.frontend.tree import Node, build

_WORDS = {
    "func": re.compile(rb"\b(?:__(?:func|FUNCTION|PRETTY_FUNCTION)__|__builtin_FUNCTION|source_location)\b"),
    "counter": re.compile(rb"\b__COUNTER__\b"),
    "known": re.compile(rb"\b__builtin_constant_p\b"),
}
_WORD = re.compile(rb"[A-Za-z_]\w*")
_ACTS = frozenset(map(int, (K.NEW, K.DELETE, K.ASM, K.MS_ASM)))
_STEPS = ("++", "--", "p++", "p--")


class Words:
    """Words that mean something else in another function or behind other text, and the macros that have them."""

    def __init__(self, sources: Iterable[bytes]) -> None:
        self._macros: dict[str, frozenset[bytes]] = {}
        texts = list(sources)
        for what, pattern in _WORDS.items():
            self._macros[what] = _defined_with(texts, pattern) if any(map(pattern.search, texts)) else frozenset()

    def in_text(self, data: bytes, start: int, end: int) -> set[str]:
        """Of `func`, `counter`, `known`: which kinds of such words are in [start, end)."""
        found = {what for what, pattern in _WORDS.items() if pattern.search(data, start, end)}
        if any(self._macros.values()):
            words = set(_WORD.findall(data, start, end))
            found |= {what for what, macros in self._macros.items() if macros & words}
        return found


def _defined_with(texts: Sequence[bytes], pattern: re.Pattern[bytes]) -> frozenset[bytes]:
    """The macros whose expansion has such a word.

    What a failing assertion says is not counted: the kernel has failed, and the name that it says begins with its own.
    """
    definitions = [
        (name, rest) for data in texts for name, rest in DEFINITION.findall(data) if b"__assert_fail" not in rest
    ]
    found = {name for name, rest in definitions if pattern.search(rest)}
    more = found
    while more:
        more = {name for name, rest in definitions if name not in found and not more.isdisjoint(_WORD.findall(rest))}
        found |= more
    return frozenset(found)


class Repeating:
    """Answers for the kernels of one unit."""

    def __init__(self, translation: Translation, plain: PlainClasses) -> None:
        self.lib = translation.lib
        self.words = Words(source.data for source in translation.files.values())
        self._translation = translation
        self._plain = plain
        self._classes = Classes(translation)

    def marks(self, declarations: Iterable[Cursor], names: Iterable[str], params: Iterable[Node]) -> set[str]:
        """Of `friend`, `hides`, `copies`: what is true of a kernel with these declarations, parameters of templates
        and parameters."""
        found = set()
        given = list(params)
        if any(self._is_friend(one) for one in declarations):
            found.add("friend")
        if not BUILTINS.isdisjoint([*names, *(one.name for one in given)]):
            found.add("hides")
        if any(self._acts_when_copied(types.canonical(one.type), set()) for one in given):
            found.add("copies")
        return found

    def _is_friend(self, cursor: Cursor) -> bool:
        """Whether a class declares a function that is not its member."""
        inside = self.lib.clang_getCursorLexicalParent(cursor).kind in (*CLASSES, K.FRIEND_DECL)
        return inside and self.lib.clang_getCursorSemanticParent(cursor).kind not in CLASSES

    def _acts_when_copied(self, type_: Type, seen: set[int]) -> bool:
        """Whether copying or destroying an object of a class changes more than the object: versions are launched by
        functions of ours, which copy arguments more often."""
        while types.is_array(type_):
            type_ = types.canonical(types.element(type_))
        if not types.is_record(type_) or self._plain.ends_plainly(type_):
            return False
        key = self._classes.key(type_)
        if key in seen:
            return False
        seen.add(key)
        facts = self._classes.of(type_)
        own = [one for one in (*facts.copies, *facts.destructors) if not self._classes.is_implicit(one)]
        parts = [one for one in facts.parts if one not in facts.arguments]
        return any(map(self._acts, own)) or any(self._acts_when_copied(one, seen) for one in parts)

    def _acts(self, cursor: Cursor) -> bool:
        """Whether a constructor or destructor does more than give its own object's members their values."""
        written = libclang.definition(cursor)
        if written is None:
            return True
        place = place_of(self._translation, written)
        root = build(written, place)
        if b"__CUDA_ARCH" in place.source.data[root.start : root.end]:  # what the host does is not in the tree
            return True
        return any(map(_changes, root.walk()))


def _changes(node: Node) -> bool:
    if node.kind == K.CALL:
        called = node.reference
        return called is None or called.kind != K.CONSTRUCTOR
    if node.kind in _ACTS:
        return True
    assigns = node.kind == K.COMPOUND_ASSIGN or (node.kind == K.BINARY and node.op == "=")
    steps = node.kind == K.UNARY and node.op in _STEPS
    return (assigns or steps) and bool(node.children) and not fragments.is_own(node.children[0])
