"""Launch sites: which kernel, with which configuration, and the byte ranges of their parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend import lexing, libclang, types
from gpuopt_driver.frontend.declarations import HostFunction, instantiation_of, template_of
from gpuopt_driver.frontend.expr import ZERO, Expr
from gpuopt_driver.frontend.hostvalues import HostScope, Ratio
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.launch_sites import Dim3, Launch, LaunchKind
from gpuopt_driver.frontend.launched import Kernels, configuration, overloads
from gpuopt_driver.frontend.libclang import Cursor
from gpuopt_driver.frontend.macro_arguments import Macros
from gpuopt_driver.frontend.places import operands
from gpuopt_driver.frontend.polynomial import normal
from gpuopt_driver.frontend.translation import Place, Translation
from gpuopt_driver.frontend.tree import Node, is_omitted
from gpuopt_driver.source.text import Span

CONFIGURE = ("__cudaPushCallConfiguration", "cudaConfigureCall")
_RUNTIME = {
    "cudaLaunchKernel": LaunchKind.RUNTIME,
    "cudaLaunchKernelEx": LaunchKind.RUNTIME,
    "cudaLaunchKernelExC": LaunchKind.RUNTIME,
    "cudaLaunchCooperativeKernel": LaunchKind.COOPERATIVE,
}
_UNKNOWN = Dim3(None, None, None)
_COMPUTES = frozenset(
    {
        *(K.DECL_REF, K.MEMBER_EXPR, K.INTEGER, K.FLOATING, K.STRING, K.CHARACTER, K.BOOL, K.NULLPTR, K.THIS, K.PAREN),
        *(K.SUBSCRIPT, K.CONDITIONAL, K.C_CAST, K.STATIC_CAST, K.REINTERPRET_CAST, K.CONST_CAST, K.FUNCTIONAL_CAST),
        *(K.SIZEOF, K.SIZEOF_PACK, K.TYPE_REF, K.TEMPLATE_REF, K.NAMESPACE_REF, K.MEMBER_REF),
    }
)
_WORD = re.compile(r"\w+")
_WRITES = ("=", ",", "++", "--", "p++", "p--")
_Instance = tuple[str, ...] | None  # arguments of a template


@dataclass
class _Config:
    grid: Dim3
    block: Dim3
    shared: Expr | None
    texts: tuple[str, ...]
    arguments: tuple[Expr | None, ...] = ()
    acts: bool = False


class LaunchReader:
    """Reads the launches of host (and device) functions."""

    def __init__(self, translation: Translation, hosts: list[HostFunction]) -> None:
        self.translation = translation
        self._kernels = Kernels(translation, hosts)
        self.lib = translation.lib
        self._scopes: dict[int, HostScope] = {}
        self._macros = Macros(translation.contents)

    def read(self, function: HostFunction) -> list[Launch]:
        """The launches in a function, in source order."""
        found = []
        inside = {
            node.name for node in function.root.walk() if node.kind == K.FUNCTION_DECL and node is not function.root
        }
        for node in function.root.walk():
            if node.kind != K.CALL or len(node.children) < 1:
                continue
            config = node.children[1] if len(node.children) > 1 else None
            if config is not None and config.kind == K.CALL and config.name in CONFIGURE:
                found += self._chevron(function, node, config)
            elif node.name in _RUNTIME and node.name.startswith("cudaLaunch"):
                found += self._runtime(function, node)
        return [replace(one, declared_inside=not inside.isdisjoint(_WORD.findall(one.callee_name))) for one in found]

    def _scope(self, function: HostFunction) -> HostScope:
        known = self._scopes.get(id(function))
        if known is None:
            known = self._scopes[id(function)] = HostScope(self.translation, function.root)
        return known

    def _targets(self, function: HostFunction, target: Cursor | None, node: Node) -> list[tuple[str, _Instance]]:
        """The kernels (USRs and template arguments) that a launch may mean; one without a name if none is known."""
        if target is not None:
            return [self._target(target)]
        is_pattern = function.in_template and not function.is_instantiation
        behind = [] if is_pattern else self._kernels.behind(function, node)
        return [self._target(one) for one in behind] or [("", None)]

    def _chevron(self, function: HostFunction, node: Node, config: Node) -> list[Launch]:
        place = function.place
        data = place.source.data
        callee = node.children[0]
        target = _kernel_reference(callee)
        meant = [] if target is not None else overloads(callee)
        if len(meant) == 1:
            target = meant[0]
        inside = node.macro and (config.macro or config.start <= node.start)
        parsed = self._configuration(function, config)
        parsed.arguments = self._arguments(function, operands(node)[1:], config)
        # What is called is another function in each instantiation of a template, whose text is one.
        is_template = function.in_template or function.is_instantiation
        parsed.acts = is_template or _order_shows(
            operands(config)[1:], [one for one in operands(node)[1:] if one is not config]
        )
        kind = LaunchKind.CHEVRON if target is not None or meant else LaunchKind.POINTER
        targets = self._targets(function, target, callee)
        config_end = config.end - 3 + (lexing.chevrons(data, config.end - 3) or 3)
        opened = lexing.skip_gap(data, config_end)
        exact = not inside and data[opened : opened + 1] == b"(" and lexing.chevrons(data, config.start) > 0
        if not exact:
            span = place.span(node.start, node.end, editable=False)
            spans = self._in_argument(place, node, config) or (span, span, span, span)
            if spans[2].editable:  # expansions of one text may mean several things
                parsed.acts, parsed.texts = True, _configuration_texts(place.source.text(spans[2]))
            return [self._launch(function, one, node, kind, spans, parsed) for one in targets]
        callee_end = _trim(data, node.start, config.start)
        spans = (
            place.span(node.start, node.end),
            place.span(node.start, callee_end),
            place.span(config.start, config_end),
            place.span(opened, node.end),
        )
        return [self._launch(function, one, node, kind, spans, parsed) for one in targets]

    def _in_argument(self, place: Place, node: Node, config: Node) -> tuple[Span, Span, Span, Span] | None:
        """The spans of a launch that is written in a macro's argument and stands so in the expansion."""
        extents = [self.lib.clang_getCursorExtent(one.cursor) for one in (node, config)]
        first, opening = map(self.lib.clang_getRangeStart, extents)
        file, start = libclang.file_location(first)
        (outer, at), (inner, marks) = libclang.expansion_location(first), libclang.file_location(opening)
        data = place.source.data
        if not (first.raw & libclang.MACRO_BIT and file == outer == inner == place.file and at < start < marks):
            return None
        if not lexing.chevrons(data, marks):
            return None
        config_end = lexing.configuration_end(data, marks)
        opened = lexing.skip_gap(data, config_end)
        closed = lexing.closing(data, opened, len(data)) if config_end and data[opened : opened + 1] == b"(" else None
        if closed is None or not self._macros.keep(data, at, start, closed + 1):
            return None
        callee = place.span(start, _trim(data, start, marks))
        return (place.span(start, closed + 1), callee, place.span(marks, config_end), place.span(opened, closed + 1))

    def _launch(
        self,
        function: HostFunction,
        target: tuple[str, _Instance],
        node: Node,
        kind: LaunchKind,
        spans: tuple[Span, Span, Span, Span],
        parsed: _Config,
    ) -> Launch:
        usr, instantiation = target
        span, callee, config, args = spans
        name = function.place.source.text(callee) if callee.editable else node.name
        return Launch(
            kernel=usr,
            callee_name=name,
            kind=kind,
            span=span,
            callee=callee,
            config=config,
            args=args,
            grid=parsed.grid,
            block=parsed.block,
            shared=parsed.shared,
            config_texts=parsed.texts,
            instantiation=instantiation,
            in_template=function.in_template or function.is_instantiation,
            in_device_code=function.in_device_code,
            arguments=parsed.arguments,
            acts=parsed.acts,
        )

    def _target(self, target: Cursor) -> tuple[str, _Instance]:
        """(USR of the kernel or its template, template arguments)."""
        made = instantiation_of(target)
        return libclang.usr(template_of(target) or target), made.arguments if made else None

    def _configuration(self, function: HostFunction, config: Node) -> _Config:
        parts = operands(config)[1:]
        return self._parsed(function, [*parts, *[None] * (4 - len(parts))])

    def _arguments(self, function: HostFunction, parts: list[Node], config: Node) -> tuple[Expr | None, ...]:
        """The values of a launch's arguments, as far as they are integer arithmetic of the host's."""
        scope = self._scope(function)
        found: list[Expr | None] = []
        for part in parts:
            if part is config or is_omitted(part):
                continue
            value = scope.value(part) if types.is_integer(part.type) else None
            found.append(None if value is None or isinstance(value, Ratio) else normal(value))
        return tuple(found)

    def _parsed(self, function: HostFunction, parts: list[Node | None]) -> _Config:
        scope = self._scope(function)
        data = function.place.source.data

        def text(node: Node | None) -> str:
            return data[node.start : node.end].decode("utf-8", "replace") if node is not None else ""

        grid = scope.dim3(parts[0]) if parts[0] is not None else _UNKNOWN
        block = scope.dim3(parts[1]) if parts[1] is not None else _UNKNOWN
        shared: Expr | None = ZERO
        if parts[2] is not None and not is_omitted(parts[2]):
            value = scope.value(parts[2])
            shared = None if value is None or isinstance(value, Ratio) else normal(value)
        return _Config(grid, block, shared, tuple(part for part in map(text, parts) if part))

    def _runtime(self, function: HostFunction, node: Node) -> list[Launch]:
        """cudaLaunchKernel(function, grid, block, arguments, shared, stream) and its relatives."""
        arguments = operands(node)[1:]
        if not arguments:
            return []
        if node.name in ("cudaLaunchKernelEx", "cudaLaunchKernelExC"):
            kernel = arguments[1] if len(arguments) > 1 else arguments[0]
            parts, is_zero = configuration(self._scope(function), arguments[0])
            parsed = self._parsed(function, parts)
            if parts[2] is None and not is_zero:
                parsed.shared = None
        else:
            kernel = arguments[0]
            shared = arguments[4] if len(arguments) > 4 else None
            stream = arguments[5] if len(arguments) > 5 else None
            grid, block = (arguments[1], arguments[2]) if len(arguments) > 2 else (None, None)
            parsed = self._parsed(function, [grid, block, shared, stream])
        targets = self._targets(function, _kernel_reference(kernel), kernel)
        place = function.place
        span = place.span(node.start, node.end, editable=not node.macro)
        callee = place.span(kernel.start, kernel.end, editable=not kernel.macro)
        kind = _RUNTIME[node.name]
        return [self._launch(function, one, node, kind, (span, callee, span, span), parsed) for one in targets]


def _configuration_texts(configuration: str) -> tuple[str, ...]:
    """Grid, block and so on of `<<<...>>>`, as they are written."""
    data = configuration.encode()
    marks = lexing.configuration_marks(data) or (3, 3)
    begin, end = marks[0], len(data) - marks[1]
    commas, depth = [], 0
    for _kind, text, offset in lexing.tokens(data, begin, end):
        depth += (text in (b"(", b"[", b"{")) - (text in (b")", b"]", b"}"))
        commas += [offset] if text == b"," and not depth else []
    borders = zip([begin, *(at + 1 for at in commas)], [*commas, end], strict=True)
    return tuple(data[start:stop].decode().strip() for start, stop in borders)


def _order_shows(configuration: Sequence[Node], arguments: Sequence[Node]) -> bool:
    """Whether it may show which is evaluated first: one acts, and the other one acts or reads what may change."""
    if not any(map(is_omitted, arguments)):  # of a default argument, what it evaluates is not in the tree
        parts = [[one for part in side for one in part.walk()] for side in (configuration, arguments)]
        acts = [any(map(_acts, part)) for part in parts]
        reads = [any(map(_reads, part)) for part in parts]
        return (acts[0] and (acts[1] or reads[1])) or (acts[1] and (acts[0] or reads[0]))
    return True


def _reads(node: Node) -> bool:
    """Whether this part of an expression reads a variable that may change."""
    if node.kind in (K.MEMBER_EXPR, K.SUBSCRIPT, K.THIS) or (node.kind == K.UNARY and node.op == "*"):
        return True
    named = node.reference if node.kind == K.DECL_REF else None
    if named is None:
        return node.kind == K.DECL_REF
    lib = libclang.library()
    type_ = lib.clang_getCursorType(named)
    is_fixed = lib.clang_isConstQualifiedType(type_) and not lib.clang_isVolatileQualifiedType(type_)
    return not is_fixed and named.kind != K.ENUM_CONSTANT


def _acts(node: Node) -> bool:
    """Whether evaluating this part of an expression may do more than compute a value from others."""
    if node.kind in (K.UNARY, K.BINARY):
        return node.op in _WRITES or not node.op
    if node.kind == K.CALL:
        made = node.reference
        return made is None or made.kind != K.CONSTRUCTOR or libclang.spelling(made) != "dim3"
    if node.kind == K.UNEXPOSED_EXPR:  # an implicit conversion; what is not understood has other numbers of parts
        return len(operands(node)) != 1 and node.end > node.start  # nothing is written of what `dim3` has by default
    return node.kind not in _COMPUTES


def _trim(data: bytes, start: int, end: int) -> int:
    """The end of the last token in [start, end)."""
    last = start
    for _kind, text, offset in lexing.tokens(data, start, end):
        last = offset + len(text)
    return last


def _kernel_reference(node: Node) -> Cursor | None:
    """The kernel that an expression names, None for variables and the like."""
    for part in node.walk():
        if part.kind in (K.DECL_REF, K.MEMBER_EXPR):
            reference = part.reference
            if reference is not None and reference.kind in (K.FUNCTION_DECL, K.CXX_METHOD, K.FUNCTION_TEMPLATE):
                return reference
            if reference is not None and reference.kind == K.OVERLOADED_REF:
                return None
    return None
