"""Occupancy queries and attribute calls in the source: sent to the runtime's twins, which know a kernel's versions.

In such a call two words change: `cudaFuncSetAttribute` becomes `gpuopt_rt::all::cudaFuncSetAttribute`, and the kernel
`K` becomes `K__gpuopt_versions`, a function of which only the address is passed on, through whatever casts stand there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

from gpuopt_driver.frontend.launch_sites import Query
from gpuopt_driver.frontend.model import Kernel, Unit
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants import declared, lexical
from gpuopt_driver.variants.guards import address
from gpuopt_driver.variants.model import Variant

_SET = {
    "cudaFuncSetAttribute": "template <class F> static inline cudaError_t {name}(F, cudaFuncAttribute, int);",
    "cudaFuncSetCacheConfig": "template <class F> static inline cudaError_t {name}(F, cudaFuncCache);",
}
_BLOCKS, _SIZE = "cudaOccupancyMaxActiveBlocksPerMultiprocessor", "cudaOccupancyMaxPotentialBlockSize"
_ASK = {
    _BLOCKS: "template <class F> static inline cudaError_t {name}(int *, F, int, size_t);",
    f"{_BLOCKS}WithFlags": "template <class F> static inline cudaError_t {name}(int *, F, int, size_t, unsigned);",
    _SIZE: "template <class F> static inline cudaError_t {name}(int *, int *, F, size_t = 0, int = 0);",
    f"{_SIZE}WithFlags": (
        "template <class F> static inline cudaError_t {name}(int *, int *, F, size_t = 0, int = 0, unsigned = 0);"
    ),
    f"{_SIZE}VariableSMem": (
        "template <class F, class S> static inline cudaError_t {name}(int *, int *, F, S, int = 0);"
    ),
    f"{_SIZE}VariableSMemWithFlags": (
        "template <class F, class S> static inline cudaError_t {name}(int *, int *, F, S, int = 0, unsigned = 0);"
    ),
}


def redirected(unit: Unit, kernel: Kernel, variants: Iterable[Variant]) -> tuple[Query, ...]:
    """The calls of a unit that must reach the versions of a kernel, and whose words can be changed.

    An occupancy query keeps the original's answer, which holds for every version that keeps block and shared memory,
    unless a version has an answer of its own.
    """
    apis = {**_SET, **_ASK} if any(variant.occupancy for variant in variants) else _SET
    mine = (query for query in unit.queries if query.kernel == kernel.usr and query.api in apis)
    return tuple(query for query in mine if _is_rewritable(unit, kernel, query))


def _is_rewritable(unit: Unit, kernel: Kernel, query: Query) -> bool:
    if not (query.name.editable and query.reference.editable):
        return False
    if query.reference.file == kernel.span.file and query.reference.start < kernel.span.end:
        return False
    behind = lexical.strip_comments(unit.files[query.name.file].data[query.name.end : query.name.end + 200])
    return behind.lstrip().startswith(b"(")


def edits_of(unit: Unit, kernel: Kernel, queries: Sequence[Query], author: str) -> list[Edit]:
    """The two words of every call."""
    edits = []
    for query in queries:
        path = lexical.path_to(unit, kernel, query.reference.file, query.reference.start)
        edits.append(Edit(query.name.file, query.name.start, query.name.start, b"gpuopt_rt::all::", author))
        if path:
            edits.append(Edit(query.reference.file, query.reference.start, query.reference.start, path, author))
        edits.append(Edit(query.reference.file, query.reference.end, query.reference.end, b"__gpuopt_versions", author))
    return edits


def declarations(queries: Iterable[Query]) -> str:
    """What stands in front of the first kernel, inside the runtime's namespace."""
    apis = {query.api for query in queries}
    texts = [text.format(name=name) for name, text in {**_SET, **_ASK}.items() if name in apis]
    return f"struct versions; namespace all {{ {' '.join(texts)} }} " if texts else ""


def definition(kernel: Kernel, versions: Mapping[str, bool], copied: Set[str]) -> str:
    """`K__gpuopt_versions`: the addresses of the kernel and its versions (by name, whether it answers queries).

    Those that are not `copied` are the kernel itself.
    """
    head = f"{declared.definition_head(kernel)} " if kernel.template_head else ""
    given = f"<{', '.join(kernel.template_params)}>" if kernel.template_head else ""
    lines = [f"  gpuopt_v.add({address(kernel)}, 0);\n"]
    for name, answers in versions.items():
        asked = f"&{kernel.name}__gpuopt_{name}_asked{given}" if answers else "0"
        if answers or name in copied:
            lines.append(f"  gpuopt_v.add({address(kernel, name if name in copied else '')}, {asked});\n")
    return (
        f"{head}static gpuopt_rt::versions {kernel.name}__gpuopt_versions() {{\n  gpuopt_rt::versions gpuopt_v;\n"
        f"{''.join(lines)}  return gpuopt_v;\n}}\n"
    )
