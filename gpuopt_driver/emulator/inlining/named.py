"""Which function of a unit a call means, and whether its words mean the same where the call stands."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from gpuopt_driver.emulator.fission.tree import Declined, Statement, declaration, parse, statements
from gpuopt_driver.emulator.inlining.brought import Brought, declared_within
from gpuopt_driver.emulator.inlining.callees import Callee, callee_of, template_of
from gpuopt_driver.emulator.inlining.groups import GroupNames, mentions_groups
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.shared import statement_start
from gpuopt_driver.emulator.statements import name_of
from gpuopt_driver.emulator.structure import Function, Structure

_Path = tuple[bytes, ...]


def _refers(tokens: Tokens, part: tuple[int, int]) -> bool:
    return not {b"*", b"&", b"["}.isdisjoint(tokens.original[slice(*part)])


class Unit:
    """A unit's functions by their names. `wanted`: the names of those that are to be written in place."""

    def __init__(self, tokens: Tokens, structure: Structure, wanted: frozenset[bytes]) -> None:
        self.tokens = tokens
        self.structure = structure
        self.wanted = wanted
        self.groups = GroupNames(tokens, structure) if mentions_groups(tokens.original) else None
        self._named: dict[bytes, list[Function]] = {}
        for function in structure.functions:
            self._named.setdefault(name_of(tokens, function), []).append(function)
        self._callees: dict[int, Callee | None] = {}
        self._paths: dict[int, _Path] = {}
        self._brought = Brought(tokens, structure)

    def callee(self, name: bytes, count: int, kernel: Function) -> Callee:
        """The one function that a call with `count` arguments may mean; raises Declined."""
        found: list[Callee] = []
        for function in self._named.get(name, ()):
            if function.head in self.structure.in_class:
                raise Declined("a function that may be a member")
            callee = self._read(function)
            if callee is None:
                raise Declined("a function that cannot be written in place")
            found += [callee] if callee.takes(count) else []
        if len(found) != 1:
            raise Declined("a call that may mean several functions")
        for item in self.structure.declarations:
            declares = item.params >= 0 and self.tokens.at(item.params - 1) == name
            if declares and b"=" in self.tokens.original[item.params : item.end]:
                raise Declined("default arguments in a declaration")
        self._check(found[0], kernel)
        return found[0]

    def _read(self, function: Function) -> Callee | None:
        if function.body not in self._callees:
            try:
                self._callees[function.body] = callee_of(self.tokens, function)
            except Declined:
                self._callees[function.body] = None
        return self._callees[function.body]

    def _check(self, callee: Callee, kernel: Function) -> None:
        """Whether the function's words mean the same in the kernel."""
        tokens, here, there = self.tokens, self._path(kernel), self._path(callee.function)
        if callee.function.body > kernel.head:
            raise Declined("a function that comes later")
        if (callee.mentions - self.wanted) & self._brought.between(callee.function, kernel):
            raise Declined("a name that `using` brings to the kernel alone")
        declared = [(tokens.at(item.params - 1), item.head) for item in self.structure.declarations if item.params >= 0]
        declared += [(name, f.head) for name in callee.mentions for f in self._named.get(name, ())]
        for name in callee.mentions - self.wanted:
            between = [at for one, at in declared if one == name and callee.function.body < at < kernel.head]
            if between and len(self._named.get(name, ())) > 1:
                raise Declined("a function that has another one of its name later")
        common = 0
        while common < min(len(here), len(there)) and here[common] == there[common]:
            common += 1
        if len(here) == len(there) == common:
            return
        if b"__shared__" in tokens.original[callee.function.body : tokens.match[callee.function.body]]:
            raise Declined("shared variables of another namespace")
        for path in (here, there):
            for depth in range(common, len(path)):
                if (callee.mentions - self.wanted) & self._words(path[: depth + 1]):
                    raise Declined("a name of another namespace")

    def _path(self, function: Function) -> _Path:
        """The namespaces around a function."""
        if function.body not in self._paths:
            self._paths[function.body] = self._around(function.head)
        return self._paths[function.body]

    def _around(self, index: int) -> _Path:
        tokens = self.tokens
        braces = takewhile(lambda at: at < index, tokens.places(b"{"))
        opened = [at for at in braces if tokens.match[at] > index]
        found: list[bytes] = []
        for at in opened:
            words = tokens.original[statement_start(tokens, at) : at]
            if b"namespace" in words:  # `namespace a::b` is `namespace a`, `namespace b`
                first = words.index(b"namespace")
                names = [word for word in words[first + 1 :] if word not in (b"::", b"inline")] or [b""]
                found += [b"namespace " + name for name in names]
            else:
                found.append(b" ".join(words))
        return tuple(found)

    def _words(self, path: _Path) -> set[bytes]:
        """What may be declared in a namespace: its functions, and all other words outside of them."""
        tokens = self.tokens
        last = path[-1].split(b" ")[-1] or b"namespace"
        found: set[bytes] = set()
        for at in tokens.places(b"{"):
            if tokens.match[at] < at or tokens.at(at - 1) != last:
                continue
            if self._around(at + 1) == path:
                found |= declared_within(tokens, self._brought.functions, at, tokens.match[at])
        return found

    def overloaded(self, callee: Callee, name: bytes) -> bool:
        """Whether a variable of a function chooses among several functions, or may: it is given to one alone, or is
        the object of one."""
        tokens = self.tokens
        for at in range(callee.function.body, tokens.match[callee.function.body]):
            if tokens.at(at) != name or tokens.at(at - 1) in (b".", b"->", b"::"):
                continue
            if tokens.at(at + 1) == b"." and tokens.at(at + 3) == b"(" and self._several(tokens.at(at + 2)):
                return True
            if tokens.at(at - 1) in (b"(", b",") and tokens.at(at + 1) in (b")", b","):
                opened = at - 1
                while opened > callee.function.body and not tokens.match[opened] > at:
                    opened -= 1
                if tokens.at(opened) == b"(" and self._several(tokens.at(opened - 1)):
                    return True
        return False

    def _several(self, name: bytes) -> bool:
        return len(self._named.get(name, ())) > 1

    def stores_outside(self, function: Function, seen: frozenset[int] = frozenset()) -> bool:
        """Whether a function may change what others see: anything but its own variables, shared ones among them."""
        tokens = self.tokens
        if function.body in seen:
            return False
        own = self._read(function)
        mine = own.declares - {one.name for one in own.parameters} if own else frozenset()
        values = {one.name for one in own.parameters if not _refers(tokens, one.type)} if own else set()
        for at in range(function.body, tokens.match[function.body]):
            text, called = tokens.at(at), tokens.at(at + 1) == b"("
            if text.startswith((b"atomic", b"__st", b"asm", b"mem")) and tokens.is_word(at):
                return True
            if called and any(self.stores_outside(f, seen | {function.body}) for f in self._named.get(text, ())):
                return True
            step = text in (b"+", b"-") and tokens.at(at + 1) == text and not tokens.gap[at + 1]
            if not step and (text[-1:] != b"=" or text in (b"==", b"!=", b"<=", b">=")):
                continue
            base, plain = self._stored(at)
            if step and not tokens.is_word(at - 1) and tokens.at(at - 1) != b"]":
                base, plain = tokens.at(at + 2), tokens.at(at + 3) not in (b"[", b"->")
            if base not in mine and not (plain and base in values):
                return True
        return False

    def _stored(self, at: int) -> tuple[bytes, bool]:
        """The variable that is changed by the operator at `at`, and whether it is itself, not what it points to."""
        tokens, plain = self.tokens, True
        index = at - 1
        while True:
            if tokens.at(index) in (b"]", b")"):
                plain = plain and tokens.at(index) == b")"
                index = tokens.match[index] - 1
            elif tokens.is_word(index) and tokens.at(index - 1) in (b".", b"->"):
                plain = plain and tokens.at(index - 1) == b"."
                index -= 2
            else:
                dereferenced = tokens.at(index - 1) == b"*" and not tokens.is_word(index - 2)
                return tokens.at(index), plain and not dereferenced

    def declared_in(self, kernel: Function) -> set[bytes]:
        """The names of a kernel's variables and parameters, and of its template's."""
        tokens = self.tokens
        close = tokens.match[kernel.params]
        found = {one.name for one in template_of(tokens, kernel) or ()}
        found |= {tokens.at(at) for at in range(kernel.params, close) if tokens.at(at + 1) in (b",", b")", b"=", b"[")}
        for start, end in self._simple(statements(tokens, kernel.body + 1, tokens.match[kernel.body])):
            item = declaration(tokens, start, end) if start < end else None
            found |= {tokens.at(one.name) for one in item.declarators} if item else set()
            if tokens.at(start) == b"using" and tokens.at(start + 1) != b"namespace":
                names = tokens.original[start + 1 : end]
                found.add(names[0] if b"=" in names else names[-1])
            elif tokens.at(start) == b"typedef":
                found |= {tokens.at(at) for at in range(start, end) if tokens.is_word(at)}
        return found

    def _simple(self, items: Iterator[Statement] | tuple[Statement, ...]) -> Iterator[tuple[int, int]]:
        """Declarations and expressions, without their `;`, also in the heads of control."""
        tokens = self.tokens
        for item in items:
            if item.kind == "simple":
                yield item.start, item.end - 1
            elif item.kind in ("case", "default"):
                at = item.start
                while tokens.at(at) != b":" and at < item.end:
                    at += 1
                if at + 1 < item.end:
                    yield from self._simple((parse(tokens, at + 1),))
            if item.kind in ("for", "if", "while", "switch"):
                close = tokens.match[item.head]
                stop = next((at for at in range(item.head, close) if tokens.at(at) in (b";", b":")), close)
                yield item.head + 1, stop
            yield from self._simple(item.parts)
