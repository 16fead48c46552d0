"""Host-side arithmetic of launch configurations: constants, variables assigned once, dim3, ceiling divisions."""

from __future__ import annotations

from fractions import Fraction

from gpuopt_driver.frontend import libclang, types
from gpuopt_driver.frontend.expr import ONE, Const, Expr, Op, Sym, SymKind, op
from gpuopt_driver.frontend.expressions import operands
from gpuopt_driver.frontend.libclang import Cursor, K
from gpuopt_driver.frontend.model import Dim3
from gpuopt_driver.frontend.polynomial import normal
from gpuopt_driver.frontend.translation import Translation, place_of
from gpuopt_driver.frontend.tree import Node, build, decl_key

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


class HostScope:
    """The variables of one host function: which are assigned once, and with what."""

    def __init__(self, translation: Translation, root: Node) -> None:
        self.translation = translation
        self.lib = translation.lib
        self.root = root
        self.data = b""
        source = translation.source(place_of(translation, root.cursor).file)
        if source is not None:
            self.data = source.data
        self.initial: dict[int, Node] = {}
        self.assigned: dict[int, list[tuple[Node, Node]]] = {}  # variable -> (target, value)
        self.fields: dict[tuple[int, str], list[tuple[Node, Node]]] = {}
        self.unclear: set[int] = set()
        self._conditional: set[int] = set()
        self._collect(root)

    def _collect(self, root: Node) -> None:
        stack: list[tuple[Node, bool]] = [(root, False)]
        while stack:
            node, nested = stack.pop()
            if node.kind == K.VAR_DECL:
                values = [child for child in node.children if 100 <= child.kind < 200]
                if values:
                    self.initial[node.key] = values[-1]
            elif node.kind == K.BINARY and node.op == "=" or _is_record_assignment(node):
                self._assignment(node, nested=nested)
            elif node.kind == K.COMPOUND_ASSIGN or (
                node.kind == K.UNARY and node.op in ("++", "--", "p++", "p--", "&")
            ):
                self._spoil(node.children[0])
            elif node.kind == K.CALL and not _is_record_assignment(node):
                for child in node.children:
                    if child.kind == K.DECL_REF:
                        self._spoil(child, by_call=True)
            inner = nested or node.kind in (K.IF, K.FOR, K.WHILE, K.DO, K.SWITCH, K.CONDITIONAL, K.LAMBDA)
            stack.extend((child, inner) for child in node.children)

    def _assignment(self, node: Node, *, nested: bool) -> None:
        target, value = node.children[0], node.children[-1]
        if target.kind == K.DECL_REF and target.reference is not None:
            key = decl_key(target.reference)
            self.assigned.setdefault(key, []).append((node, value))
            if nested:
                self._conditional.add(key)
        elif target.kind == K.MEMBER_EXPR and target.children:
            base = target.children[-1]
            if base.kind == K.DECL_REF and base.reference is not None:
                key = decl_key(base.reference)
                self.fields.setdefault((key, target.name), []).append((node, value))
                if nested:
                    self._conditional.add(key)

    def _spoil(self, node: Node, *, by_call: bool = False) -> None:
        while node.kind in (K.PAREN, K.UNEXPOSED_EXPR, K.MEMBER_EXPR) and node.children:
            node = node.children[-1]
        if node.kind == K.DECL_REF and node.reference is not None and node.reference.kind == K.VAR_DECL:
            type_ = node.type
            if by_call and (types.is_const(type_) or types.plain_name(type_) == "dim3"):
                return
            self.unclear.add(decl_key(node.reference))

    def single(self, key: int, before: int) -> Node | None:
        """The one value that a variable ever has at an offset, if it is known."""
        if key in self.unclear or key in self._conditional:
            return None
        assigned = self.assigned.get(key, [])
        if key in self.initial:
            return self.initial[key] if not assigned else None
        if len(assigned) == 1 and assigned[0][0].start < before:
            return assigned[0][1]
        return None

    # -- values

    def value(self, node: Node, at: int, bound: dict[int, HostValue] | None = None, depth: int = 0) -> HostValue:  # noqa: PLR0911, PLR0912
        """The value of a host expression as seen at an offset; None where it is not arithmetic."""
        if depth > _DEPTH_LIMIT:
            return None
        kind = node.kind
        constant = libclang.constant(node.cursor) if kind in (106, 110, 130, 136) else None
        if isinstance(constant, int):
            return Const(constant)
        if kind == K.FLOATING:
            real = libclang.constant(node.cursor)
            if isinstance(real, int | float):
                fraction = Fraction(real).limit_denominator(1 << 20)
                return Ratio(Const(fraction.numerator), Const(fraction.denominator))
            return None
        parts = operands(node)
        if kind == K.PAREN and parts:
            return self.value(parts[0], at, bound, depth + 1)
        if kind == K.UNEXPOSED_EXPR or kind in _CASTS:
            if len(parts) < 1:
                folded = libclang.constant(node.cursor)
                return Const(folded) if isinstance(folded, int) else None
            inner = self.value(parts[-1], at, bound, depth + 1)
            return _cast(inner, node)
        if kind == K.DECL_REF:
            return self._variable(node, at, bound, depth)
        if kind == K.BINARY and len(parts) == 2:
            return self._binary(node, parts, at, bound, depth)
        if kind == K.UNARY and parts and node.op in ("-", "+"):
            inner = self.value(parts[0], at, bound, depth + 1)
            if isinstance(inner, Ratio):
                return Ratio(op("neg", inner.over), inner.under) if node.op == "-" else inner
            return op("neg", inner) if inner is not None and node.op == "-" else inner
        if kind == K.CONDITIONAL and len(parts) == 3:
            values = [self.value(part, at, bound, depth + 1) for part in parts]
            if any(value is None or isinstance(value, Ratio) for value in values):
                return self._symbol(node)
            test, yes, no = values
            if isinstance(test, Const):
                return yes if test.value else no
            return op("?:", *[value for value in (test, yes, no) if value is not None and not isinstance(value, Ratio)])
        if kind == K.CALL:
            return self._call(node, parts, at, bound, depth)
        if kind == K.MEMBER_EXPR and parts:
            return self._member(node, parts[-1], at, bound, depth)
        if kind == K.INIT_LIST and len(parts) == 1:
            return self.value(parts[0], at, bound, depth + 1)
        return self._symbol(node) if types.is_integer(node.type) else None

    def _symbol(self, node: Node) -> Sym:
        text = " ".join(self.data[node.start : min(node.end, node.start + 48)].decode("utf-8", "replace").split())
        return Sym(text or node.name or "?", SymKind.HOST, uniform=True)

    def _variable(self, node: Node, at: int, bound: dict[int, HostValue] | None, depth: int) -> HostValue:
        reference = node.reference
        if reference is None:
            return self._symbol(node)
        if reference.kind == K.ENUM_CONSTANT:
            return Const(self.lib.clang_getEnumConstantDeclValue(reference))
        if reference.kind == K.TEMPLATE_NON_TYPE:
            parts = operands(node)
            return self.value(parts[0], at, bound, depth + 1) if parts else Sym(node.name, SymKind.TEMPLATE, True)
        if reference.kind not in (K.VAR_DECL, K.PARM_DECL):
            return None
        key = decl_key(reference)
        if bound is not None and key in bound:
            return bound[key]
        single = self.single(key, at)
        if single is not None:
            found = self.value(single, at, bound, depth + 1)
            if found is not None and not isinstance(found, Ratio):
                return found
            if isinstance(found, Ratio):
                return op("/", found.over, found.under) if types.is_integer(node.type) else found
        elif key not in self.initial and reference.kind == K.VAR_DECL:
            constant = libclang.constant(reference) if types.is_const(node.type) else None
            if isinstance(constant, int):
                return Const(constant)
            if isinstance(constant, float):
                fraction = Fraction(constant).limit_denominator(1 << 20)
                return Ratio(Const(fraction.numerator), Const(fraction.denominator))
        return self._host_symbol(node, key) if types.is_integer(node.type) else self._real_symbol(node, key)

    def _host_symbol(self, node: Node, key: int) -> Sym:
        """A variable whose value is not known; the offset tells apart values that it has at different times."""
        changes = key in self.unclear or key in self.assigned or key in self._conditional
        name = f"{node.name}@{node.start}" if changes and key in self.initial else node.name
        return Sym(name, SymKind.HOST, uniform=True)

    def _real_symbol(self, node: Node, key: int) -> HostValue:
        if types.is_float(node.type):
            return Ratio(self._host_symbol(node, key), ONE)
        return None

    def _binary(
        self, node: Node, parts: list[Node], at: int, bound: dict[int, HostValue] | None, depth: int
    ) -> HostValue:
        left = self.value(parts[0], at, bound, depth + 1)
        right = self.value(parts[1], at, bound, depth + 1)
        if left is None or right is None:
            return self._symbol(node) if types.is_integer(node.type) else None
        if isinstance(left, Ratio) or isinstance(right, Ratio) or types.is_float(node.type):
            return _real(node.op, left, right)
        if node.op not in _INTEGER_OPERATORS:
            return self._symbol(node)
        return normal(op(node.op, left, right))

    def _call(
        self, node: Node, parts: list[Node], at: int, bound: dict[int, HostValue] | None, depth: int
    ) -> HostValue:
        reference = node.reference
        name = node.name
        if reference is not None and reference.kind == K.CONSTRUCTOR and len(parts) == 1:
            return self.value(parts[0], at, bound, depth + 1)
        values = [self.value(part, at, bound, depth + 1) for part in parts[1:]]
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
        found = inner.value(returned[0], returned[0].end, bound, depth + 4)
        return found if found is None or isinstance(found, Ratio) or not _has_foreign(found, parameters) else None

    def _member(self, node: Node, base: Node, at: int, bound: dict[int, HostValue] | None, depth: int) -> HostValue:
        if types.plain_name(base.type) == "dim3":
            whole = self.dim3(base, at, bound, depth + 1)
            return {"x": whole.x, "y": whole.y, "z": whole.z}.get(node.name)
        return self._symbol(node) if types.is_integer(node.type) else None

    # -- dim3

    def dim3(self, node: Node, at: int, bound: dict[int, HostValue] | None = None, depth: int = 0) -> Dim3:  # noqa: PLR0911
        """A grid or block dimension."""
        nothing = Dim3(None, None, None)
        if depth > _DEPTH_LIMIT:
            return nothing
        if types.is_integer(node.type):
            return Dim3(_plain(self.value(node, at, bound, depth)), ONE, ONE)
        parts = operands(node)
        if node.kind in (K.UNEXPOSED_EXPR, K.PAREN) or node.kind in _CASTS:
            return self.dim3(parts[-1], at, bound, depth + 1) if parts else nothing
        if node.kind == K.CALL and node.reference is not None and node.reference.kind == K.CONSTRUCTOR:
            if len(parts) == 1 and not types.is_integer(parts[0].type) and not types.is_float(parts[0].type):
                return self.dim3(parts[0], at, bound, depth + 1)
            return self._components(parts, at, bound, depth)
        if node.kind == K.INIT_LIST:
            return self._components(parts, at, bound, depth)
        if node.kind == K.CALL and node.name in ("make_uint3", "make_int3"):
            return self._components(parts[1:], at, bound, depth)
        if node.kind == K.CONDITIONAL:
            return nothing
        if node.kind == K.DECL_REF and node.reference is not None and node.reference.kind == K.VAR_DECL:
            return self._dim3_variable(node, at, bound, depth)
        return nothing

    def _components(self, parts: list[Node], at: int, bound: dict[int, HostValue] | None, depth: int) -> Dim3:
        values: list[Expr | None] = []
        for part in parts[:3]:
            has_text = part.end > part.start
            values.append(_plain(self.value(part, at, bound, depth + 1)) if has_text else ONE)
        values += [ONE] * (3 - len(values))
        return Dim3(*values)

    def _dim3_variable(self, node: Node, at: int, bound: dict[int, HostValue] | None, depth: int) -> Dim3:
        reference = node.reference
        assert reference is not None, "checked by the caller"
        key = decl_key(reference)
        nothing = Dim3(None, None, None)
        if key in self.unclear or (key in self._conditional):
            return nothing
        assigned = self.assigned.get(key, [])
        if not assigned and key in self.initial:
            start = self.dim3(self.initial[key], at, bound, depth + 1)
        elif len(assigned) == 1 and assigned[0][0].start < at:
            start = self.dim3(assigned[0][1], at, bound, depth + 1)
        elif not assigned and key not in self.initial:
            outside = libclang.definition(reference)
            local = any(part.kind == K.VAR_DECL and part.key == key for part in self.root.walk())
            if local or outside is None:
                start = nothing
            else:
                return self._global_dim3(outside)
        else:
            return nothing
        axes = {"x": start.x, "y": start.y, "z": start.z}
        for axis in axes:
            changes = self.fields.get((key, axis), [])
            if len(changes) == 1 and changes[0][0].start < at:
                axes[axis] = _plain(self.value(changes[0][1], at, bound, depth + 1))
            elif changes:
                axes[axis] = None
        return Dim3(axes["x"], axes["y"], axes["z"])

    def _global_dim3(self, cursor: Cursor) -> Dim3:
        if not types.is_const(types.canonical(self.lib.clang_getCursorType(cursor))):
            return Dim3(None, None, None)
        root = build(cursor, place_of(self.translation, cursor))
        values = [child for child in root.children if 100 <= child.kind < 200]
        return HostScope(self.translation, root).dim3(values[-1], root.end) if values else Dim3(None, None, None)


def _is_record_assignment(node: Node) -> bool:
    return node.kind == K.CALL and node.name == "operator=" and len(node.children) >= 2


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
