"""Loads in reordered kernels: what no other block reads goes past L1, what the next block reads first is prefetched."""

from __future__ import annotations

from gpuopt_driver.api import Access, Arch, BlockForm, BlockSurvey, Edit, Expr, Kernel, Space, Sym, SymKind, expr

from .rewrite import NAME, SCOPE

_LOADABLE = frozenset(
    {"float", "double", "int", "unsigned int", "short", "unsigned short", "signed char", "unsigned char", "char"}
    | {"long long", "unsigned long long"}
)


def past_l1(kernel: Kernel, survey: BlockSurvey, arch: Arch) -> tuple[Edit, ...]:
    """Loads of arrays that blocks do not share, by the operator that leaves L1 to others on this GPU."""
    shared = {one.array for one in survey.reuse if any(one.lines)} | {one.array.name for one in survey.found.irregular}
    written = {access.array.name for access in kernel.accesses if access.is_write}
    streaming = arch.operators.get("cs")
    operator = "__ldcs" if streaming is not None and streaming.spares_used_twice else "__ldcg"
    spans = {
        (access.span.start, access.span.end)
        for access in kernel.accesses
        if _is_plain_load(access) and access.array.name not in shared | written
    }
    edits: list[Edit] = []
    for start, end in sorted(spans):
        edits.append(Edit(kernel.span.file, start, start, f"{operator}(&(".encode(), NAME))
        edits.append(Edit(kernel.span.file, end, end, b"))", NAME))
    return tuple(edits)


def _is_plain_load(access: Access) -> bool:
    array = access.array
    simple = access.is_read and not (access.is_write or access.is_atomic or access.is_volatile or access.via)
    return (
        simple
        and access.span.editable
        and array.space is Space.GLOBAL
        and array.element in _LOADABLE
        and access.bytes == array.element_bytes
        and access.text.rstrip().endswith("]")
    )


def ahead(kernel: Kernel, forms: tuple[BlockForm, ...]) -> str:
    """Statements that prefetch what the block `gpuopt_n` reads in its first iterations; "" if nothing is known."""
    params = {param.name for param in kernel.params if param.is_pointer}
    texts: dict[str, None] = {}
    for form in forms:
        if not form.is_read or form.is_atomic or form.array not in params:
            continue
        parts = [_first(form.offset), *map(_first, form.conditions)]
        if all(map(_is_known, parts)):
            offset, *conditions = (expr.to_cpp(part, _name) for part in parts)
            asked = f"if ({' && '.join(conditions)}) " if conditions else ""
            texts[f"{asked}{SCOPE}::soon((const char *){form.array} + {offset});"] = None
    return " ".join(texts)


def _first(value: Expr) -> Expr:
    """The first iteration of all loops."""
    loops = {one.name: expr.Const(0) for one in expr.symbols(value) if one.kind is SymKind.LOOP}
    return expr.substitute(value, loops)


def _is_known(value: Expr) -> bool:
    return not any(one.kind in (SymKind.UNKNOWN, SymKind.TEMPLATE, SymKind.HOST) for one in expr.symbols(value))


def _name(symbol: Sym) -> str:
    axis = symbol.name.rpartition(".")[2]
    if symbol.kind is SymKind.BLOCK:
        return f"(long long)gpuopt_n.{axis}"
    if symbol.kind is SymKind.GRID_DIM:
        return f"(long long)gpuopt_a.grid.{axis}"
    return f"(long long){symbol.name}"
