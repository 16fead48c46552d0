"""Calls that ask for a kernel's occupancy, set its attributes, launch its address or make a graph's node of it.

The words are found through macro arguments too (`CHECK(cudaFuncSetAttribute(k, ...))`), where whole expressions have
no byte range of their own.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuopt_driver.frontend import libclang
from gpuopt_driver.frontend.declarations import HostFunction, has_attribute, template_of
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.launch_sites import Query
from gpuopt_driver.frontend.launches import CONFIGURE
from gpuopt_driver.frontend.translation import Translation
from gpuopt_driver.frontend.tree import Node
from gpuopt_driver.source.text import Span

# Position of the kernel among the arguments.
QUERIES = {
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": 1,
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": 1,
    "cudaOccupancyMaxPotentialBlockSize": 2,
    "cudaOccupancyMaxPotentialBlockSizeWithFlags": 2,
    "cudaOccupancyMaxPotentialBlockSizeVariableSMem": 2,
    "cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags": 2,
    "cudaFuncSetAttribute": 0,
    "cudaFuncSetCacheConfig": 0,
    "cudaLaunchKernel": 0,
    "cudaLaunchKernelEx": 1,
    "cudaLaunchKernelExC": 1,
}
# A node takes its kernel from a structure; the kernels named in the function that makes nodes are meant.
GRAPH_NODES = (
    "cudaGraphAddKernelNode",
    "cudaGraphAddNode",
    "cudaGraphKernelNodeSetParams",
    "cudaGraphExecKernelNodeSetParams",
)
_NAMES = (int(K.DECL_REF), int(K.OVERLOADED_REF))
_FUNCTIONS = (int(K.FUNCTION_DECL), int(K.FUNCTION_TEMPLATE))


def queries(translation: Translation, functions: Iterable[HostFunction]) -> tuple[Query, ...]:
    """The calls in host functions, each place once, in source order."""
    found: dict[tuple[str, int, str], Query] = {}
    for function in functions:
        if function.in_device_code:
            continue
        nodes: list[Node] = []
        for node in function.root.walk():
            query = _query(translation, node)
            if query is not None:
                found.setdefault((query.name.file, query.name.start, query.kernel), query)
            if node.kind in _NAMES and node.name in GRAPH_NODES:
                nodes.append(node)
        for query in _nodes(translation, function, nodes[:1]):
            found.setdefault((query.reference.file, query.reference.start, query.kernel), query)
    return tuple(sorted(found.values(), key=lambda query: (query.name.file, query.name.start, query.kernel)))


def _nodes(translation: Translation, function: HostFunction, made: Iterable[Node]) -> Iterable[Query]:
    """What a function that makes nodes of graphs names and neither launches nor asks about."""
    for call in made:
        others: set[int] = set()
        for node in function.root.walk():
            if node.kind == K.CALL and node.children:
                launched = len(node.children) > 1 and node.children[1].name in CONFIGURE
                asked = next((part.name for part in node.children[0].walk() if part.kind in _NAMES), "") in QUERIES
                inside = node.walk() if asked else node.children[0].walk() if launched else ()
                others.update(part.start for part in inside)
        for node in function.root.walk():
            kernel = _kernel(node) if node.kind in _NAMES and node.start not in others else None
            if kernel is not None:
                yield Query(
                    kernel[0], call.name, _word(translation, call, call.name), _word(translation, node, kernel[1])
                )


def _query(translation: Translation, node: Node) -> Query | None:
    if node.kind != K.CALL or len(node.children) < 2:
        return None
    called = next((part for part in node.children[0].walk() if part.kind in _NAMES), None)
    if called is None or called.name not in QUERIES:
        return None
    arguments = node.children[1:]
    at = QUERIES[called.name]
    if at >= len(arguments):
        return None
    for part in arguments[at].walk():
        kernel = _kernel(part) if part.kind in _NAMES else None
        if kernel is not None:
            usr, word = kernel
            return Query(usr, called.name, _word(translation, called, called.name), _word(translation, part, word))
    return None


def _kernel(node: Node) -> tuple[str, str] | None:
    """(USR, name) of the kernel or kernel template that a name means; None for anything else."""
    lib = libclang.library()
    if node.kind == K.OVERLOADED_REF:
        count = lib.clang_getNumOverloadedDecls(node.cursor)
        meant = [lib.clang_getOverloadedDecl(node.cursor, index) for index in range(count)]
    else:
        meant = [node.reference] if node.reference is not None else []
    inner = [libclang.referenced(cursor) or cursor for cursor in meant]
    kernels = [one for one in inner if one.kind in _FUNCTIONS and has_attribute(one, K.GLOBAL_ATTR)]
    if len(kernels) != 1 or len(inner) != 1:
        return None
    return libclang.usr(template_of(kernels[0]) or kernels[0]), libclang.spelling(kernels[0])


def _word(translation: Translation, node: Node, word: str) -> Span:
    """Where a name is written; not editable where the text there is something else, as in a macro's body."""
    lib = translation.lib
    file, offset = libclang.file_location(lib.clang_getCursorLocation(node.cursor))
    source = translation.source(file)
    assert source is not None, "an expression has a file"
    end = offset + len(word.encode())
    project = source.path in translation.files
    return source.span(offset, end, editable=project and source.data[offset:end] == word.encode())
