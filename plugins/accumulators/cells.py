"""Elements of global arrays that a loop updates: what could be kept in a register while the loop runs."""

from __future__ import annotations

from collections.abc import Iterator

from gpuopt_driver.api import Access, Expr, Kernel, Loop, Space, SymKind, dataclass, expr, normal

_NUMBERS = frozenset(
    {
        *("float", "double", "int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long"),
        *("short", "unsigned short", "char", "signed char", "unsigned char"),
    }
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One element of an array behind a pointer parameter, with all accesses to it in a loop."""

    loop: Loop
    array: str
    offset: Expr
    accesses: tuple[Access, ...]

    @property
    def text(self) -> str:
        """The element as the source writes it first."""
        return " ".join(self.accesses[0].text.split())

    @property
    def bytes(self) -> int:
        """The size of the element."""
        return self.accesses[0].bytes

    @property
    def is_number(self) -> bool:
        """Whether the element is of a built-in type, read and written as that."""
        array = self.accesses[0].array
        return array.element in _NUMBERS and all(one.bytes == array.element_bytes for one in self.accesses)


def inside(kernel: Kernel, loop: Loop) -> list[Access]:
    """All accesses of a loop, its header's too."""
    stmts = {stmt.id for stmt in kernel.descendants(loop.stmt)}
    return [access for access in kernel.accesses if access.stmt in stmts]


def cells(kernel: Kernel, loop: Loop) -> Iterator[Cell]:
    """The elements that a loop writes and whose address is the same in all of its iterations."""
    changing = {one.symbol for one in kernel.loops if any(s.id == one.stmt for s in kernel.descendants(loop.stmt))}
    groups: dict[tuple[str, Expr], list[Access]] = {}
    for access in inside(kernel, loop):
        array = access.array
        if array.space is not Space.GLOBAL or not array.is_param or access.offset is None:
            continue
        groups.setdefault((array.name, normal(access.offset)), []).append(access)
    for (name, offset), accesses in groups.items():
        varies = any(one.name in changing or one.kind is SymKind.UNKNOWN for one in expr.symbols(offset))
        if not varies and any(access.is_write for access in accesses) and any(one.is_read for one in accesses):
            yield Cell(loop, name, offset, tuple(accesses))
