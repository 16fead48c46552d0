"""Which kernels a launch may mean that does not name one: variables, tables, and parameters of helpers."""

from __future__ import annotations

from collections.abc import Iterator

from gpuopt_driver.frontend import libclang, types
from gpuopt_driver.frontend.declarations import HostFunction, has_attribute
from gpuopt_driver.frontend.hostscope import Definition, Unclear
from gpuopt_driver.frontend.hostvalues import HostScope
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.libclang import Cursor
from gpuopt_driver.frontend.places import operands
from gpuopt_driver.frontend.translation import Translation, place_of
from gpuopt_driver.frontend.tree import Node, build, decl_key

_FUNCTIONS = (K.FUNCTION_DECL, K.CXX_METHOD, K.FUNCTION_TEMPLATE)
_DEPTH_LIMIT = 6
_CONFIG = ("gridDim", "blockDim", "dynamicSmemBytes", "stream")  # in the order of cudaLaunchConfig_t


class Kernels:
    """The kernels that expressions of the unit's host functions may stand for."""

    def __init__(self, translation: Translation, hosts: list[HostFunction]) -> None:
        self.translation = translation
        self.hosts = hosts
        self._callers: dict[int, list[HostFunction]] | None = None

    def behind(self, function: HostFunction, node: Node) -> list[Cursor]:
        """The kernels that one of a launch's expressions may mean, in source order; none where nothing is known."""
        found: dict[int, Cursor] = {}
        for cursor in self._behind(function, node, set(), 0):
            found.setdefault(decl_key(cursor), cursor)
        return list(found.values())

    def _behind(self, function: HostFunction, node: Node, seen: set[int], depth: int) -> Iterator[Cursor]:
        if depth > _DEPTH_LIMIT:
            return
        for part in node.walk():
            reference = part.reference if part.kind in (K.DECL_REF, K.MEMBER_EXPR) else None
            if reference is None:
                continue
            if reference.kind in _FUNCTIONS and has_attribute(reference, K.GLOBAL_ATTR):
                yield reference
            elif reference.kind == K.OVERLOADED_REF:  # an instantiation in a list: which one is not shown
                named = overloads(part)
                yield from named if len(named) == 1 else ()
            elif reference.kind in (K.VAR_DECL, K.PARM_DECL) and decl_key(reference) not in seen:
                seen.add(decl_key(reference))
                yield from self._of_variable(function, reference, seen, depth + 1)

    def _of_variable(self, function: HostFunction, reference: Cursor, seen: set[int], depth: int) -> Iterator[Cursor]:
        """What is assigned to a variable anywhere: its initialiser, assignments, arguments of calls."""
        key = decl_key(reference)
        is_ours = False
        for at, node in enumerate(_parameters(function.root)):
            if node.key == key:
                yield from self._of_parameter(function, at, seen, depth)
                return
        for node in function.root.walk():
            if node.kind == K.VAR_DECL and node.key == key:
                is_ours = True
                yield from self._initialiser(function, node, seen, depth)
            elif node.kind == K.BINARY and node.op == "=" and _base(node.children[0]) == key:
                yield from self._behind(function, node.children[1], seen, depth)
        if not is_ours and reference.kind == K.VAR_DECL:
            made = libclang.definition(reference) or reference
            yield from self._initialiser(function, build(made, place_of(self.translation, made)), seen, depth)

    def _initialiser(self, function: HostFunction, node: Node, seen: set[int], depth: int) -> Iterator[Cursor]:
        for child in node.children:
            if 100 <= child.kind < 200:
                yield from self._behind(function, child, seen, depth)

    def _of_parameter(self, function: HostFunction, at: int, seen: set[int], depth: int) -> Iterator[Cursor]:
        """What the unit's calls of a helper give for one of its parameters."""
        for caller, call in self._calls_of(function):
            arguments = operands(call)[1:]
            if at < len(arguments):
                yield from self._behind(caller, arguments[at], seen, depth)

    def _calls_of(self, function: HostFunction) -> list[tuple[HostFunction, Node]]:
        if self._callers is None:
            self._callers = {}
            for host in self.hosts:
                if host.in_template and not host.is_instantiation:
                    continue  # its instantiations are looked at
                for called in host.callees():
                    self._callers.setdefault(called, []).append(host)
        key = decl_key(function.cursor)
        return [(host, call) for host in self._callers.get(key, ()) for call in host.calls_of(key)]


def configuration(scope: HostScope, node: Node) -> tuple[list[Node | None], bool]:
    """Grid, block, shared memory and stream of the `cudaLaunchConfig_t` whose address is given (None: not known).

    Also whether there is no shared memory where it is None: an initialiser that does not go so far leaves zeros.
    """
    key = _base(node)
    found = [scope.definitions.reaching(key, name, node) if key is not None else None for name in _CONFIG]
    parts = [_field(one, at) for at, one in enumerate(found)]
    return parts, _is_list(found[_CONFIG.index("dynamicSmemBytes")])


def _field(found: Definition | Unclear | None, at: int) -> Node | None:
    """What a field of a configuration was last given."""
    if not isinstance(found, Definition) or found.value is None:
        return None
    if found.field:
        return found.value
    parts = operands(_initialiser(found.value)) if _is_list(found) else []
    return parts[at] if at < len(parts) else None


def _is_list(found: Definition | Unclear | None) -> bool:
    whole = isinstance(found, Definition) and not found.field and found.value is not None
    return whole and _initialiser(found.value).kind == K.INIT_LIST  # type: ignore[union-attr, arg-type]


def _initialiser(made: Node) -> Node:
    while made.kind == K.UNEXPOSED_EXPR and len(made.children) == 1:
        made = made.children[0]
    return made


def _parameters(root: Node) -> list[Node]:
    return [child for child in root.children if child.kind == K.PARM_DECL]


def _base(node: Node) -> int | None:
    """The variable that an expression is, is an element or a field of, or points to."""
    while node.kind not in (K.DECL_REF,) and node.children:
        if node.kind == K.MEMBER_EXPR and types.is_pointer(node.children[0].type):
            return None
        node = node.children[0]
    named = node.kind == K.DECL_REF and node.reference is not None
    return decl_key(node.reference) if named and node.reference is not None else None


def overloads(node: Node) -> list[Cursor]:
    """The kernels that a dependent name in a template may mean."""
    lib = libclang.library()
    for part in node.walk():
        if part.kind == K.OVERLOADED_REF:
            count = lib.clang_getNumOverloadedDecls(part.cursor)
            found = [lib.clang_getOverloadedDecl(part.cursor, at) for at in range(count)]
            return [cursor for cursor in found if has_attribute(_inner(cursor), K.GLOBAL_ATTR)]
    return []


def _inner(cursor: Cursor) -> Cursor:
    """The declaration behind a using-declaration."""
    return libclang.referenced(cursor) or cursor
