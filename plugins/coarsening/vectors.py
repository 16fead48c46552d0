"""The version whose threads do the work of neighbours and load and store these neighbours' elements at once."""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.api import (
    Const,
    Edit,
    Kernel,
    Sym,
    SymKind,
    Variant,
    body_closure,
    body_edits,
    expr,
    virtual_copies,
)

from .cells import LANES, Cell, facts, limits
from .rewrite import LONGEST, NAME, SCOPE
from .support import SUPPORT

BUILTINS = ("threadIdx", "blockIdx", "gridDim")  # blockDim is the launch's own
_PLACE = f"::{SCOPE}::lane<{LANES}>"
_KINDS = {SymKind.THREAD: "gpuopt_g.thread.", SymKind.BLOCK: "gpuopt_g.block.", SymKind.GRID_DIM: "gpuopt_g.grid."}


def grouped(kernel: Kernel, cells: Sequence[Cell], *, is_measured: bool) -> Variant:
    """The version, for launches whose pointers are aligned and as far apart as it needs."""
    return Variant(
        kernel=kernel.usr,
        name=f"{NAME}_neighbours",
        edits=edits(kernel, cells),
        guard="  return false;" if is_measured else f"  return {SCOPE}::grouped(gpuopt_l, gpuopt_c, {LANES});",
        author=NAME,
        support=SUPPORT,
        functions=virtual_copies(kernel, _PLACE, NAME, BUILTINS),
        redefines=frozenset(BUILTINS),
        candidates=f"  {SCOPE}::offer_grouped(gpuopt_l, gpuopt_o, {LANES});" if is_measured else "",
        only_measured=is_measured,
        requires=facts(cells),
        follows=frozenset(one.array.name for one in cells if _is_read_again(one)),
        repeats=LANES + 1,  # together, unrolled, and one after the other
        longest=LONGEST,
    )


def _is_read_again(cell: Cell) -> bool:
    """Whether an element may be read behind an access in the source: memory may not tell what was known there."""
    places = [(one.span.start, one.is_read) for one in cell.accesses]
    return any(is_read and place > min(places)[0] for place, is_read in places)


def edits(kernel: Kernel, cells: Sequence[Cell]) -> tuple[Edit, ...]:
    """What becomes of the kernel's text."""
    return (*_around(kernel, cells), *_named(kernel, cells))


def _named(kernel: Kernel, cells: Sequence[Cell]) -> list[Edit]:
    """The accesses, to what a neighbour holds."""
    made: dict[int, Edit] = {}
    for number, cell in enumerate(cells):
        for access in cell.accesses:
            start = access.span.start
            end = start + len(cell.array.name.encode())
            made[start] = Edit(kernel.span.file, start, end, f"gpuopt_e{number}".encode(), NAME)
    return list(made.values())


def _around(kernel: Kernel, cells: Sequence[Cell]) -> tuple[Edit, ...]:
    takes, gives = ", const bool gpuopt_whole", ", {}"
    opening, call = body_closure(kernel, _PLACE, "", BUILTINS, takes, gives)
    whole, alone = (
        _looped(call.replace(gives, f", {told}"), unroll) for told, unroll in (("true", ""), ("false", " 1"))
    )
    numbered = list(enumerate(cells))
    held = "".join(f"auto gpuopt_c{n} = ::{SCOPE}::cells_of<{LANES}>({one.array.name}); " for n, one in numbered)
    loads = "".join(f"gpuopt_c{n}.load({_first(one)}); " for n, one in numbered if one.loads)
    stores = "".join(f"gpuopt_c{n}.store({_first(one)}); " for n, one in numbered if one.stores)
    own = "".join(
        f"const auto gpuopt_e{n} = ::{SCOPE}::element_of({one.array.name}, "
        f"gpuopt_whole ? &gpuopt_c{n}.held.at[gpuopt_plan.n[0]] : nullptr); "
        for n, one in numbered
    )
    before = (
        f"const ::{SCOPE}::group<{LANES}> gpuopt_g(gpuopt_plan); if (!gpuopt_g.exists) return; "
        f"{held}const bool gpuopt_all = {_all(cells)}; if (gpuopt_all) {{ {loads}}} "
    )
    after = f"}}; if (gpuopt_all) {{ {whole}{stores}}} else {{ {alone}}} "
    return body_edits(kernel.inner, f"{before}{opening}{own}", NAME, after)


def _looped(call: str, unroll: str) -> str:
    return (
        f'_Pragma("unroll{unroll}") for (unsigned gpuopt_k = 0; gpuopt_k < {LANES}; ++gpuopt_k) '
        f"{{ gpuopt_plan.n[0] = (unsigned short)gpuopt_k; {call} }} "
    )


def _first(cell: Cell) -> str:
    """Where the first neighbour's element is."""
    at = f"{cell.array.name} + gpuopt_g.thread.x"
    return at if cell.beside == Const(0) else f"{at} + {expr.to_cpp(cell.beside, _last)}"


def _all(cells: Sequence[Cell]) -> str:
    """Whether limits hold for the last neighbour, and so for all, and vectors are aligned."""
    tests = [f"{expr.to_cpp(one.index, _last)} <= {expr.to_cpp(one.most, _last)}" for one in limits(cells)]
    tests += [f"gpuopt_c{n}.fits({_first(one)})" for n, one in enumerate(cells) if not one.is_aligned]
    return " && ".join(tests) if tests else "true"


def _last(symbol: Sym) -> str:
    """A symbol's value for the last neighbour."""
    axis = symbol.name.rpartition(".")[2]
    if symbol.kind is SymKind.BLOCK_DIM:
        return f"(long long)blockDim.{axis}"
    if symbol.kind is SymKind.PARAM:
        return f"(long long)({symbol.name})"
    more = f" + {LANES - 1}" if symbol.kind is SymKind.THREAD and axis == "x" else ""
    return f"(long long)({_KINDS[symbol.kind]}{axis}{more})"
