"""Kernels without barriers, for eight threads abreast: they go through a loop's turns together, so that compilers can
vectorise over threads where a thread's own turns wait for each other (sums)."""

from __future__ import annotations

from collections.abc import Iterator

from gpuopt_driver.emulator.fission.names import Names
from gpuopt_driver.emulator.fission.plan import Planner
from gpuopt_driver.emulator.fission.shape import shape_of
from gpuopt_driver.emulator.fission.split import Split, Surroundings, aliases_of, parameters_of
from gpuopt_driver.emulator.fission.text import Writer, storable
from gpuopt_driver.emulator.fission.tree import Declined, Statement, statements
from gpuopt_driver.emulator.guards import Guard
from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.structure import Function

_SUMS = frozenset({b"+=", b"-=", b"*="})
# Atomic operations of neighbours may be on one place; a thread that returns would have to be left out.
_UNFIT = (b"atomic", b"return", b"goto", b"volatile")


PRAGMAS = b"\n#pragma GCC unroll 1\n#pragma GCC ivdep\n"


class _Abreast(Writer):
    """Eight threads, from `gpuopt_x0` on in the row `gpuopt_y`, `gpuopt_z`. Threads do not wait for each other, so in
    a program without races no access of one depends on another one's."""

    # Loops of eight turns would be unrolled before anybody thinks of vectors.
    loop = PRAGMAS + (
        b"for(int gpuopt_i=0;gpuopt_i<::gpuopt_emu::ABREAST;++gpuopt_i){const int gpuopt_x=gpuopt_x0+gpuopt_i;"
    )
    independent_loop = loop
    keeps = b"::gpuopt_emu::Few"

    def sizes(self) -> bytes:
        """Indices are sums that do not overflow, as where guards are known to hold."""
        return b"const ::gpuopt_emu::Sums gpuopt_emu_at={};(void)gpuopt_emu_at;"


def _flat(items: list[Statement]) -> Iterator[Statement]:
    for item in items:
        if item.kind == "{":
            yield from _flat(list(item.parts))
        else:
            yield item


def _nest(tokens: Tokens, item: Statement) -> set[int]:
    """Where the loops of a nest of loops begin that does nothing else but compute; empty if it is none."""
    inner = list(_flat(list(item.parts)))
    found = {item.start}
    for one in inner:
        if one.kind == "for":
            loops = _nest(tokens, one)
            if not loops:
                return set()
            found |= loops
        elif one.kind != "simple":
            return set()
    return found


def _statements(tokens: Tokens, function: Function, guards: list[Guard]) -> list[Statement]:
    """The kernel's statements where all guards let threads in."""
    at = {guard.item.start: guard for guard in guards}
    found: list[Statement] = []
    for item in statements(tokens, function.body + 1, tokens.match[function.body]):
        guard = at.get(item.start)
        if guard is None:
            found.append(item)
        elif not guard.leaves:
            found += item.parts[0].parts if item.parts[0].kind == "{" else item.parts
    return found


def abreast(tokens: Tokens, function: Function, around: Surroundings, guards: list[Guard]) -> Split:
    """The kernel for threads abreast, in which `guards` are known to hold; raises Declined where there is no gain."""
    items = _statements(tokens, function, guards)
    nests = [(item, _nest(tokens, item)) for item in _flat(items) if item.kind == "for"]
    nests = [
        (item, loops) for item, loops in nests if _SUMS.intersection(tokens.original[item.start : item.end]) and loops
    ]
    if not nests:
        raise Declined("no loop that adds up")
    words = [word for item in items for word in tokens.original[item.start : item.end]]
    if any(word.startswith(_UNFIT) for word in words):
        raise Declined("an atomic operation or a return")
    shared = frozenset(start for _, loops in nests for start in loops)
    parameters = parameters_of(tokens, function.params)
    names = Names(tokens, around.modifying, [{v.name: v for v in parameters}])
    shape = shape_of(tokens, names, items, shared)
    plan = Planner(tokens, shape, parameters, around.memory, around.acting).plan()
    text = _Abreast(tokens, plan).whole()
    types = storable(tokens, plan)
    plain = [b"__is_trivially_copyable(%s)" % one for one in types]
    return Split(text, b"&&".join(plain) or b"true", aliases=aliases_of(tokens, shape, types))
