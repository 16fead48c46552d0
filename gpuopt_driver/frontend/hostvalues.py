"""Host-side arithmetic of launch configurations: constants, variables assigned once, dim3, ceiling divisions."""

from __future__ import annotations

from fractions import Fraction

from gpuopt_driver.frontend import libclang, types
from gpuopt_driver.frontend.expr import ONE, Const, Expr, Op, Sym, SymKind, op
from gpuopt_driver.frontend.hostscope import UNCLEAR, Definition, Definitions, Unclear
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.launch_sites import Dim3
from gpuopt_driver.frontend.libclang import Cursor
from gpuopt_driver.frontend.places import operands
from gpuopt_driver.frontend.polynomial import normal
from gpuopt_driver.frontend.translation import Translation, place_of
from gpuopt_driver.frontend.tree import Node, build, decl_key, is_omitted

_CASTS = frozenset({117, 124, 125, 126, 127, 128})
_INTEGER_OPERATORS = frozenset(
    {"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||"}
)
_DEPTH_LIMIT = 24
_CEIL = frozenset({"ceil", "ceilf"})
_FLOOR = frozenset({"floor", "floorf"})


class Ratio:
    """A real number as a quotient of integer expressions: what `ceil((float)n / b)` rounds."""

    def __init__(self, over: Expr, under: Expr) -> None:
        self.over = over
        self.under = under


HostValue = Expr | Ratio | None
Bound = dict[int, HostValue] | None  # parameters of a helper that is being looked into


class HostScope:
    """The variables of one host function: which are assigned once, and with what."""

    def __init__(self, translation: Translation, root: Node) -> None:
        self.translation = translation
        self.lib = translation.lib
        self.root = root
        self.data = b""
        self.errors: list[int] = []
        source = translation.source(place_of(translation, root.cursor).file)
        if source is not None:
            self.data = source.data
            self.errors = [error.offset for error in translation.errors if error.file == source.path]
        self.definitions = Definitions(root)

    # -- values

    def value(self, node: Node, bound: Bound = None, depth: int = 0) -> HostValue:  # noqa: PLR0911, PLR0912
        """The value of a host expression where it stands; None where it is not arithmetic."""
        if depth > _DEPTH_LIMIT:
            return None
        kind = node.kind
        constant = node.constant if kind in (106, 110, 130, 136) else None
        if isinstance(constant, int):
            return Const(constant)
        if kind == K.FLOATING:
            real = node.constant
            if isinstance(real, int | float):
                return _fraction(real)
            return None
        parts = operands(node)
        if kind == K.PAREN and parts:
            return self.value(parts[0], bound, depth + 1)
        if kind == K.UNEXPOSED_EXPR and self._is_remnant(node):
            return None
        if kind == K.UNEXPOSED_EXPR or kind in _CASTS:
            if len(parts) < 1:
                folded = node.constant
                return Const(folded) if isinstance(folded, int) else None
            inner = self.value(parts[-1], bound, depth + 1)
            return _cast(inner, node)
        if kind == K.DECL_REF:
            return self._variable(node, bound, depth)
        if kind == K.BINARY and len(parts) == 2:
            return self._binary(node, parts, bound, depth)
        if kind == K.UNARY and parts and node.op in ("-", "+"):
            inner = self.value(parts[0], bound, depth + 1)
            if isinstance(inner, Ratio):
                return Ratio(op("neg", inner.over), inner.under) if node.op == "-" else inner
            return op("neg", inner) if inner is not None and node.op == "-" else inner
        if kind == K.CONDITIONAL and len(parts) == 3:
            values = [self.value(part, bound, depth + 1) for part in parts]
            if any(value is None or isinstance(value, Ratio) for value in values):
                return self._symbol(node)
            test, yes, no = values
            if isinstance(test, Const):
                return yes if test.value else no
            return op("?:", *[value for value in (test, yes, no) if value is not None and not isinstance(value, Ratio)])
        if kind == K.CALL:
            return self._call(node, parts, bound, depth)
        if kind == K.MEMBER_EXPR and parts:
            return self._member(node, parts[-1], bound, depth)
        if kind == K.INIT_LIST and len(parts) == 1:
            return self.value(parts[0], bound, depth + 1)
        return self._symbol(node) if types.is_integer(node.type) else None

    def _is_remnant(self, node: Node) -> bool:
        """Whether this is what is left of an expression with an error: its parts, without what was done with them."""
        return types.is_dependent(node.type) or any(node.start <= at < node.end for at in self.errors)

    def _symbol(self, node: Node) -> Sym:
        text = " ".join(self.data[node.start : min(node.end, node.start + 48)].decode("utf-8", "replace").split())
        return Sym(text or f"{node.name}@{node.start}", SymKind.HOST, uniform=True)

    def _variable(self, node: Node, bound: Bound, depth: int) -> HostValue:
        reference = node.reference
        parts = operands(node)
        if parts:  # the argument of a template, where its parameter is written
            return self.value(parts[0], bound, depth + 1)
        if reference is None:
            return self._symbol(node)
        if reference.kind == K.ENUM_CONSTANT:
            return Const(types.enumerator(reference))
        if reference.kind == K.TEMPLATE_NON_TYPE:
            return Sym(node.name, SymKind.TEMPLATE, uniform=True)
        if reference.kind not in (K.VAR_DECL, K.PARM_DECL):
            return None
        key = decl_key(reference)
        if bound is not None and key in bound:
            return bound[key]
        found = self.definitions.reaching(key, "", node)
        if isinstance(found, Definition) and found.value is not None and not found.field:
            value = self.value(found.value, bound, depth + 1)
            if isinstance(value, Ratio) and types.is_integer(node.type):
                return op("/", value.over, value.under)
            if value is not None:
                return value
        elif found is None and reference.kind == K.VAR_DECL and types.is_const(node.type):
            constant = libclang.constant(reference)
            if constant is not None:
                return Const(constant) if isinstance(constant, int) else _fraction(constant)
        return self._unresolved(node, found)

    def _unresolved(self, node: Node, found: Definition | Unclear | None) -> HostValue:
        """A symbol for a variable whose value is not known."""
        name = node.name if found is None else f"{node.name}@{self._place(found, node)}"
        symbol = Sym(name, SymKind.HOST, uniform=True)
        if types.is_integer(node.type):
            return symbol
        return Ratio(symbol, ONE) if types.is_float(node.type) else None

    def _place(self, found: Definition | Unclear, node: Node) -> int:
        """What tells apart the values that a variable has at different times: where it got the present one."""
        return found.node.start if isinstance(found, Definition) else node.start

    def _binary(self, node: Node, parts: list[Node], bound: Bound, depth: int) -> HostValue:
        left = self.value(parts[0], bound, depth + 1)
        right = self.value(parts[1], bound, depth + 1)
        if left is None or right is None:
            return self._symbol(node) if types.is_integer(node.type) else None
        if isinstance(left, Ratio) or isinstance(right, Ratio) or types.is_float(node.type):
            return _real(node.op, left, right)
        if node.op not in _INTEGER_OPERATORS:
            return self._symbol(node)
        return normal(op(node.op, left, right))

    def _call(self, node: Node, parts: list[Node], bound: Bound, depth: int) -> HostValue:
        reference = node.reference
        name = node.name
        if reference is not None and reference.kind == K.CONSTRUCTOR and len(parts) == 1:
            return self.value(parts[0], bound, depth + 1)
        values = [self.value(part, bound, depth + 1) for part in parts[1:]]
        if len(values) == 1 and name in _CEIL | _FLOOR and values[0] is not None:
            return _rounded(name in _CEIL, values[0])
        if name in ("min", "max") and len(values) == 2:
            plain = [value for value in values if value is not None and not isinstance(value, Ratio)]
            if len(plain) == 2:
                return op(name, *plain)
        if reference is not None and reference.kind in (K.FUNCTION_DECL, K.CXX_METHOD):
            inlined = self._inline(reference, values, depth)
            if inlined is not None:
                return inlined
        return self._symbol(node) if types.is_integer(node.type) else None

    def _inline(self, reference: Cursor, values: list[HostValue], depth: int) -> HostValue:
        """The value of a function that consists of one return statement."""
        definition = libclang.definition(reference)
        if definition is None:
            return None
        file, _offset = libclang.file_location(self.lib.clang_getCursorLocation(definition))
        if self.translation.path(file) not in self.translation.files:
            return None
        root = build(definition, place_of(self.translation, definition))
        block = next((child for child in root.children if child.kind == K.COMPOUND), None)
        if block is None or len(block.children) != 1 or block.children[0].kind != K.RETURN:
            return None
        parameters = [child for child in root.children if child.kind == K.PARM_DECL]
        inner = HostScope(self.translation, root)
        bound = {parameter.key: value for parameter, value in zip(parameters, values, strict=False)}
        returned = block.children[0].children
        if not returned:
            return None
        found = inner.value(returned[0], bound, depth + 4)
        return found if found is None or isinstance(found, Ratio) or not _has_foreign(found, parameters) else None

    def _member(self, node: Node, base: Node, bound: Bound, depth: int) -> HostValue:
        if types.plain_name(base.type) == "dim3":
            whole = self.dim3(base, bound, depth + 1)
            return {"x": whole.x, "y": whole.y, "z": whole.z}.get(node.name)
        return self._symbol(node) if types.is_integer(node.type) else None

    # -- dim3

    def dim3(self, node: Node, bound: Bound = None, depth: int = 0) -> Dim3:
        """A grid or block dimension."""
        nothing = Dim3(None, None, None)
        if depth > _DEPTH_LIMIT:
            return nothing
        if types.is_integer(node.type):
            return Dim3(_plain(self.value(node, bound, depth)), ONE, ONE)
        parts = operands(node)
        if node.kind in (K.UNEXPOSED_EXPR, K.PAREN) or node.kind in _CASTS:
            return self.dim3(parts[-1], bound, depth + 1) if parts else nothing
        if node.kind == K.CALL and node.reference is not None and node.reference.kind == K.CONSTRUCTOR:
            if len(parts) == 1 and not types.is_integer(parts[0].type) and not types.is_float(parts[0].type):
                return self.dim3(parts[0], bound, depth + 1)
            return self._components(parts, bound, depth)
        if node.kind == K.INIT_LIST:
            return self._components(parts, bound, depth)
        if node.kind == K.CALL and node.name in ("make_uint3", "make_int3"):
            return self._components(parts[1:], bound, depth)
        if node.kind == K.CONDITIONAL:
            return nothing
        if node.kind == K.DECL_REF and node.reference is not None and node.reference.kind == K.VAR_DECL:
            return self._dim3_variable(node, bound, depth)
        return nothing

    def _components(self, parts: list[Node], bound: Bound, depth: int) -> Dim3:
        values = [ONE if is_omitted(part) else _plain(self.value(part, bound, depth + 1)) for part in parts[:3]]
        values += [ONE] * (3 - len(values))
        return Dim3(*values)

    def _dim3_variable(self, node: Node, bound: Bound, depth: int) -> Dim3:
        reference = node.reference
        assert reference is not None, "checked by the caller"
        key = decl_key(reference)
        axes = [self._axis(node, key, axis, bound, depth) for axis in "xyz"]
        if all(axis is UNCLEAR for axis in axes):
            return self._global_dim3(reference)
        return Dim3(*(None if isinstance(axis, Unclear) else axis for axis in axes))

    def _axis(self, node: Node, key: int, axis: str, bound: Bound, depth: int) -> Expr | Unclear | None:
        """One component of a dim3 variable; UNCLEAR if this function says nothing of it."""
        found = self.definitions.reaching(key, axis, node)
        if found is None:
            return UNCLEAR
        if isinstance(found, Unclear) or found.value is None:
            return None
        if found.field:
            return _plain(self.value(found.value, bound, depth + 1))
        whole = self.dim3(found.value, bound, depth + 1)
        return {"x": whole.x, "y": whole.y, "z": whole.z}[axis]

    def _global_dim3(self, cursor: Cursor) -> Dim3:
        if not types.is_const(types.canonical(self.lib.clang_getCursorType(cursor))):
            return Dim3(None, None, None)
        root = build(cursor, place_of(self.translation, cursor))
        values = [child for child in root.children if 100 <= child.kind < 200]
        return HostScope(self.translation, root).dim3(values[-1]) if values else Dim3(None, None, None)


def _fraction(real: float) -> Ratio:
    fraction = Fraction(real).limit_denominator(1 << 20)
    return Ratio(Const(fraction.numerator), Const(fraction.denominator))


def _plain(value: HostValue) -> Expr | None:
    """An integer from a value; a real is truncated."""
    if isinstance(value, Ratio):
        return normal(op("/", value.over, value.under))
    return None if value is None else normal(value)


def _cast(value: HostValue, node: Node) -> HostValue:
    if value is None:
        return None
    if types.is_float(node.type):
        return value if isinstance(value, Ratio) else Ratio(value, ONE)
    if isinstance(value, Ratio) and types.is_integer(node.type):
        return op("/", value.over, value.under)
    return value


def _real(name: str, left: HostValue, right: HostValue) -> HostValue:
    first = left if isinstance(left, Ratio) else Ratio(left or Const(0), ONE)
    second = right if isinstance(right, Ratio) else Ratio(right or Const(0), ONE)
    if name == "/":
        return Ratio(op("*", first.over, second.under), op("*", first.under, second.over))
    if name == "*":
        return Ratio(op("*", first.over, second.over), op("*", first.under, second.under))
    if name in ("+", "-"):
        over = op(name, op("*", first.over, second.under), op("*", second.over, first.under))
        return Ratio(over, op("*", first.under, second.under))
    return None


def _rounded(up: bool, value: HostValue) -> HostValue:  # noqa: FBT001
    """ceil or floor of a quotient of positive numbers."""
    if not isinstance(value, Ratio):
        return value
    over = op("-", op("+", value.over, value.under), ONE) if up else value.over
    whole = normal(op("/", normal(over), normal(value.under)))
    return Ratio(whole, ONE)


def _has_foreign(expr: Expr, parameters: list[Node]) -> bool:
    """Whether a helper's result still speaks of its own parameters."""
    names = {parameter.name for parameter in parameters}
    stack = [expr]
    while stack:
        part = stack.pop()
        if isinstance(part, Sym) and part.kind is SymKind.HOST and part.name in names:
            return False
        if isinstance(part, Op):
            stack.extend(part.args)
    return False
