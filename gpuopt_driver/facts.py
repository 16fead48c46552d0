"""The model of a kernel as plain JSON facts: what `gpuopt explain` shows whether or not a plugin has an opinion."""

from __future__ import annotations

from gpuopt_driver.analysis.coalescing import WARP
from gpuopt_driver.frontend.expr import Const, Expr, SymKind, coefficient, evaluate, substitute, symbols, to_text
from gpuopt_driver.frontend.launch_sites import Launch
from gpuopt_driver.frontend.model import Access, Kernel, Loop, StmtKind, Unit
from gpuopt_driver.report.model import Json
from gpuopt_driver.source.text import Span

_INDEX_KINDS = (SymKind.THREAD, SymKind.BLOCK, SymKind.LOOP)
_ROWS = ("threadIdx.y", "threadIdx.z")  # zero in a grid's first warp, as are the blocks' numbers


def kernel_facts(unit: Unit, kernel: Kernel) -> dict[str, Json]:
    """Launches, loops, accesses and synchronisation of one kernel."""
    return {
        "kernel": kernel.qualified,
        "instantiation": list(kernel.facts_of.arguments) if kernel.facts_of else None,
        "file": kernel.name_span.file,
        "line": kernel.name_span.line,
        "parameters": [param.text for param in kernel.params],
        "launch_bounds": list(kernel.launch_bounds),
        "static_shared_bytes": kernel.static_shared_bytes,
        "dynamic_shared": kernel.uses_dynamic_shared,
        "launches": [_launch(launch) for launch in unit.launches_of(kernel)],
        "loops": [_loop(kernel, loop) for loop in kernel.loops],
        "accesses": [
            {**access_facts(access), "lanes": _lanes(kernel, access), **_file(kernel, access.span)}
            for access in kernel.accesses
        ],
        "barriers": [
            {"kind": sync.kind.value, "line": sync.span.line, "text": sync.text, **_file(kernel, sync.span)}
            for sync in kernel.syncs
        ],
        "problems": list(kernel.problems),
    }


def _file(kernel: Kernel, span: Span) -> dict[str, Json]:
    """The file of what a called function does, where it is not the kernel's."""
    return {} if span.file == kernel.span.file else {"file": span.file}


def _launch(launch: Launch) -> dict[str, Json]:
    return {
        "file": launch.span.file,
        "line": launch.span.line,
        "kind": launch.kind.value,
        "configuration": list(launch.config_texts),
        "grid": [_value(part) for part in (launch.grid.x, launch.grid.y, launch.grid.z)],
        "block": [_value(part) for part in (launch.block.x, launch.block.y, launch.block.z)],
        "dynamic_shared_bytes": _value(launch.shared),
    }


def _value(expr: Expr | None) -> Json:
    """A number where it is constant, its text where it is symbolic, None where it is unknown."""
    if expr is None:
        return None
    value = evaluate(expr, {})
    return to_text(expr) if value is None else value


def _loop(kernel: Kernel, loop: Loop) -> dict[str, Json]:
    stmt = kernel.stmt(loop.stmt)
    return {
        "id": loop.stmt,
        "line": stmt.span.line,
        "kind": stmt.kind.value,
        "symbol": loop.symbol,
        "variable": loop.variable,
        "depth": loop.depth,
        "step": _value(loop.step),
        "trips": _value(loop.trips),
        "uniform": stmt.uniform,
    }


def _lanes(kernel: Kernel, access: Access) -> int | None:
    """How many lanes of a grid's first warp come to an access, None where a test around it is not modelled.

    Tests of what is not known, as of a bound, are taken to hold.
    """
    tests: list[tuple[Expr, bool]] = []
    inner = kernel.stmt(access.stmt)
    for outer in kernel.ancestors(access.stmt):
        if outer.kind is StmtKind.IF and inner.role:
            if outer.condition is None or by_data(outer.condition) == "thread":
                return None
            tests.append((outer.condition, inner.role == "then"))
        elif outer.kind is StmtKind.SWITCH:
            return None
        inner = outer
    if access.via and access.guarded:
        return None
    names = {symbol.name: symbol.kind for test, _ in tests for symbol in symbols(test)}
    first = {name: Const(0) for name, kind in names.items() if kind is SymKind.BLOCK or name in _ROWS}
    held = [(substitute(test, first), wanted) for test, wanted in tests]
    return sum(all(_may_be(test, lane, wanted) for test, wanted in held) for lane in range(WARP))


def _may_be(test: Expr, lane: int, wanted: bool) -> bool:  # noqa: FBT001 - a value
    value = evaluate(substitute(test, {"threadIdx.x": Const(lane)}), {})
    return value is None or bool(value) is wanted


def access_facts(access: Access) -> dict[str, Json]:
    """One access: what, where, and its index form in bytes."""
    return {
        "text": access.text,
        "line": access.span.line,
        "array": access.array.name,
        "space": access.array.space.value,
        "element": access.array.element,
        "bytes": access.bytes,
        "reads": access.is_read,
        "writes": access.is_write,
        "atomic": access.is_atomic,
        "volatile": access.is_volatile,
        "loops": list(access.loops),
        "via": list(access.via),
        "in_called_loop": access.in_callee_loop,
        "offset_bytes": None if access.offset is None else to_text(access.offset),
        "coefficients_bytes": coefficients(access.offset),
        "by_data": by_data(access.offset),
    }


def by_data(offset: Expr | None) -> str | None:
    """Whether data (or what is not modelled) has a part in it: "thread" by thread, one for a "block", or None."""
    unknown = [symbol for symbol in symbols(offset) if symbol.kind is SymKind.UNKNOWN] if offset is not None else []
    if not unknown:
        return None
    return "block" if all(symbol.uniform for symbol in unknown) else "thread"


def coefficients(offset: Expr | None) -> dict[str, Json]:
    """The coefficient (bytes) of every thread, block and loop symbol; None where the form is not linear in it."""
    if offset is None:
        return {}
    names = dict.fromkeys(symbol.name for symbol in symbols(offset) if symbol.kind in _INDEX_KINDS)
    return {name: _value(coefficient(offset, name)) for name in names}
