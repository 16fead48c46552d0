"""What means something else at the end of a file, where versions and copies stand, than where a function stands."""

from __future__ import annotations

import operator
import re
from collections import deque
from collections.abc import Mapping, Sequence

from gpuopt_driver.frontend import libclang
from gpuopt_driver.frontend.behind import DIRECTIVE, Behind
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor
from gpuopt_driver.frontend.overloads import FUNCTIONS, Overloads, defaults
from gpuopt_driver.frontend.signatures import CLASSES
from gpuopt_driver.frontend.translation import Place, Translation
from gpuopt_driver.frontend.tree import Node

_LINE = re.compile(rb"^[ \t]*(?:#|%:)[ \t]*(?:line\b|\d)", re.M)
_PACK = re.compile(rb"\b(?:pragma|_Pragma\s*\(\s*\")\s*pack\s*\(([^)\n]*)\)")
_CLASS = re.compile(rb"\b(?:struct|class|union)\b|\[[^\]\n]*\]\s*(?:\(|\{|mutable\b|<)")
_PLACES = frozenset({b"__LINE__", b"__FILE__", b"__builtin_LINE", b"__builtin_FILE", b"assert"})
_WORD = re.compile(rb"[A-Za-z_]\w*")
_UNQUALIFIED = re.compile(rb"(?<![\w.])(?<!->)(?<!::)[A-Za-z_]\w*")
_CALLS = frozenset(map(int, (K.CALL, K.DECL_REF, K.OVERLOADED_REF)))
_HIDING = frozenset(map(int, (K.VAR_DECL, *CLASSES, K.UNION_DECL, K.ENUM_DECL, K.TYPEDEF, K.TYPE_ALIAS, K.USING_DECL)))


class Later:
    """Answers for one unit; `functions` are all that it declares, by name."""

    def __init__(self, translation: Translation, functions: Mapping[str, Sequence[Cursor]]) -> None:
        self._lib = translation.lib
        self._files = {path: source.data for path, source in translation.files.items()}
        self._functions = functions
        self._translation = translation
        self._behind = Behind(translation)
        self._overloads = Overloads(self._behind, functions)
        self._inside: dict[str, list[Cursor]] | None = None
        self._usings: list[tuple[str, Cursor]] = []  # with the namespace that they stand in, outer ones first
        self._brought: dict[str, frozenset[str]] = {}
        self._changed: dict[str, list[tuple[int, frozenset[bytes]]]] = {}
        self._reaching: dict[str, frozenset[bytes]] = {}
        self._macros: dict[bytes, frozenset[bytes]] | None = None

    def change(self, place: Place, start: int, end: int, root: Node) -> str:
        """What the text [start, end) of a function names and means another thing at the end of its file, in words."""
        path = place.source.path
        found = self._macro(path, start, end) or self._line(path, start, end) or self._packing(path, start, end)
        found = (
            found
            or self._function(place, end, root)
            or self._hiding(place, start, end, root)
            or self._using(place, start, end, root)
        )
        return found or self._overloads.change(place, start, end, root)

    def _macro(self, path: str, start: int, end: int) -> str:
        data = self._files.get(path)
        changes = [] if data is None else [one for one in self._changes(path) if one[0] > start]
        if data is None or not changes:
            return ""
        words = self._reached(set(_WORD.findall(data, start, end)))
        seen: set[bytes] = set()
        for at, names in changes:
            for name in sorted(names & words):
                # What a body defines for itself, it defines once more.
                own = at < end and (name in seen or name not in self._reached(set(_WORD.findall(data, start, at))))
                if not own:
                    line = data.count(b"\n", 0, at) + 1
                    return f"the macro {name.decode('utf-8', 'replace')} is another one behind it (line {line})"
                seen.add(name)
        return ""

    def _line(self, path: str, start: int, end: int) -> str:
        """Versions have the lines that their kernel has in its file, not those that it gives itself."""
        data = self._files.get(path)
        found = None if data is None else _LINE.search(data, 0, start)
        if data is None or found is None or self._reached(set(_WORD.findall(data, start, end))).isdisjoint(_PLACES):
            return ""
        line = data.count(b"\n", 0, found.start()) + 1
        return f"it says where it stands, and a #line gives its file other lines (line {line})"

    def _packing(self, path: str, start: int, end: int) -> str:
        """Whether classes (and closures) of the text are laid out otherwise behind it, by `#pragma pack`."""
        data = self._files.get(path)
        if data is None or not any(b"pack" in text for text in self._files.values()):
            return ""
        if _CLASS.search(data, start, end) is None:
            return ""
        changed = "classes are laid out otherwise behind it"
        words = self._reached(set(_WORD.findall(data, start)))
        if {b"_Pragma", b"pack"} <= words and b"_Pragma" not in data[start:]:
            return f"{changed} (by a macro)"
        depth = 0
        for found in _PACK.finditer(data, start):
            depth += (b"push" in found[1]) - (b"pop" in found[1])
            if depth < 0 or (depth == 0 and b"pop" not in found[1]):
                line = data.count(b"\n", 0, found.start()) + 1
                return f"{changed} (line {line})"
        return changed if depth else ""

    def _changes(self, path: str) -> list[tuple[int, frozenset[bytes]]]:
        """Where a file defines or undefines macros, in order; includes of the project's files count with theirs."""
        if path not in self._changed:
            names, includes = self._behind.own(path)
            found = [(at, frozenset((name,))) for at, name in names]
            found += [(at, self._all_names(included)) for at, included in includes]
            self._changed[path] = sorted(found, key=operator.itemgetter(0))
        return self._changed[path]

    def _all_names(self, name: str) -> frozenset[bytes]:
        """The macros that files of this name change, and all that these include."""
        if name not in self._reaching:
            paths = [path for one in self._behind.closure(name) for path in self._behind.named.get(one, ())]
            self._reaching[name] = frozenset(macro for path in paths for _at, macro in self._behind.own(path)[0])
        return self._reaching[name]

    def _reached(self, words: set[bytes]) -> set[bytes]:
        """These words, and those of the macros among them."""
        if self._macros is None:
            macros: dict[bytes, set[bytes]] = {}
            for data in self._files.values():
                for match in DIRECTIVE.finditer(data):
                    if match[1] == b"define":
                        macros.setdefault(match[2], set()).update(_WORD.findall(match[3]))
            self._macros = {name: frozenset(found) for name, found in macros.items()}
        found, todo = set(words), list(words)
        while todo:
            more = self._macros.get(todo.pop(), frozenset()) - found
            found |= more
            todo.extend(more)
        return found

    def _function(self, place: Place, end: int, root: Node) -> str:
        """The first function behind the text that has the name of one that it calls, and no declaration before.

        A declaration of the same with more default arguments lets it be called where another one was.
        """
        for name in dict.fromkeys(_name(node) for node in root.walk() if node.kind in _CALLS):
            declared = [one for one in self._functions.get(name, ()) if one.kind in FUNCTIONS] if name else []
            behind = [one for one in declared if self._behind.is_behind(place, end, one)]
            before = {libclang.usr(one): defaults(one) for one in declared if one not in behind} if behind else {}
            for one in behind if before else ():
                is_member = self._lib.clang_getCursorSemanticParent(one).kind in CLASSES
                if not is_member and libclang.usr(one) not in before:
                    return f"another {name}() is declared behind it ({self._behind.where(place, one)})"
                if not is_member and defaults(one) > before[libclang.usr(one)]:
                    return f"{name}() gets default arguments behind it ({self._behind.where(place, one)})"
        return ""

    def _hiding(self, place: Place, start: int, end: int, root: Node) -> str:
        """The first declaration behind the text that is new in a namespace around it, and has a name that is in it."""
        if b"namespace" not in place.source.data[end:]:
            return ""
        words = set(_WORD.findall(place.source.data, start, end))
        around = self._lib.clang_getCursorSemanticParent(root.cursor)
        while around.kind == K.NAMESPACE:
            before: set[str] = set()
            for one in self._declared_in(libclang.usr(around)):
                name, usr = libclang.spelling(one), libclang.usr(one)
                if usr not in before and name.encode() in words and self._behind.is_behind(place, end, one):
                    return f"another {name} is declared in its namespace behind it ({self._behind.where(place, one)})"
                before.add(usr)
            around = self._lib.clang_getCursorSemanticParent(around)
        return ""

    def _using(self, place: Place, start: int, end: int, root: Node) -> str:
        """The first `using` behind the text, around it, that brings a name which is in it and was not before."""
        if b"using" not in place.source.data[end:]:
            return ""
        words = {word.decode() for word in _UNQUALIFIED.findall(place.source.data, start, end)}
        words -= {node.name for node in root.walk() if node.kind in (K.VAR_DECL, K.PARM_DECL)}
        scopes = {""}
        around = self._lib.clang_getCursorSemanticParent(root.cursor)
        while around.kind == K.NAMESPACE:
            scopes.add(libclang.usr(around))
            around = self._lib.clang_getCursorSemanticParent(around)
        self._declared_in("")
        before: set[str] = set()
        for scope, one in self._usings:
            for name in sorted(words & self._brought_by(one)) if scope in scopes else ():
                if name not in before and self._behind.is_behind(place, end, one):
                    return f"a using behind it brings another {name} ({self._behind.where(place, one)})"
                before.add(name)
        return ""

    def _brought_by(self, using: Cursor) -> frozenset[str]:
        """The names that a using-declaration or a using-directive makes known."""
        if using.kind == K.USING_DECL:
            return frozenset((libclang.spelling(using),))
        named = next((one for one in libclang.children(using) if one.kind == K.NAMESPACE_REF), None)
        if named is None:
            return frozenset()
        space = libclang.usr(self._lib.clang_getCursorReferenced(named))
        if space not in self._brought:
            found = {libclang.spelling(one) for one in self._declared_in(space)}
            for name, functions in self._functions.items():
                parents = (self._lib.clang_getCursorSemanticParent(one) for one in functions)
                found.update(name for one in parents if one.kind == K.NAMESPACE and libclang.usr(one) == space)
            self._brought[space] = frozenset(found)
        return self._brought[space]

    def _declared_in(self, namespace: str) -> list[Cursor]:
        """What is declared in a namespace, in all of its parts, but for functions."""
        if self._inside is None:
            self._inside = {}
            todo = deque([self._translation.index.root()])
            while todo:
                parent = todo.popleft()  # the parts of a namespace in their order
                scope = libclang.usr(parent) if parent.kind == K.NAMESPACE else ""
                for one in libclang.children(parent):
                    if one.kind in (K.NAMESPACE, K.LINKAGE_SPEC):
                        file, _at = libclang.file_location(self._lib.clang_getCursorLocation(one))
                        todo.extend([] if self._translation.is_system(file) else [one])
                    elif one.kind in _HIDING and parent.kind == K.NAMESPACE:
                        self._inside.setdefault(scope, []).append(one)
                    if one.kind in (K.USING_DECL, K.USING_DIRECTIVE):
                        self._usings.append((scope, one))
        return self._inside.get(namespace, [])


def _name(node: Node) -> str:
    if node.kind == K.OVERLOADED_REF:
        return node.name
    reference = node.reference
    return "" if reference is None or reference.kind not in FUNCTIONS else libclang.spelling(reference)
