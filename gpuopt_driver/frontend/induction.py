"""Values at the top of loops: inductions and the rest, assumed first and checked against what the body leaves."""

from __future__ import annotations

from gpuopt_driver.frontend.counting import Counter
from gpuopt_driver.frontend.expr import ONE, ZERO, Const, Expr, Sym, SymKind, add, is_uniform, symbols
from gpuopt_driver.frontend.expressions import ExpressionMachine
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.lessons import Phi
from gpuopt_driver.frontend.machine import Frame
from gpuopt_driver.frontend.polynomial import difference, normal
from gpuopt_driver.frontend.statements import Header
from gpuopt_driver.frontend.tree import Node, decl_key
from gpuopt_driver.frontend.values import (
    Int,
    Opaque,
    Pointer,
    Record,
    Target,
    Undefined,
    Value,
    uniform,
)

_MAX_ATTEMPTS = 3
_ONE_MORE = {"++": 1, "p++": 1, "--": -1, "p--": -1}


class InductionMachine(ExpressionMachine):
    """Assumptions about the variables that loops change."""

    # -- the top of the loop

    def place_phis(
        self, name: str, entry: dict[int, Value], header: Header, symbol_name: str, *, own: bool
    ) -> Counter | None:
        """Give every changed variable its value at the top of an arbitrary iteration."""
        self._expect(name, entry, header)
        for key in entry:
            self.lessons.phi(name, key, (), self.names.get(key, ""))
        counter = self._counter(name, entry, header, symbol_name, own=own)
        for key, value in entry.items():
            self.variables.set(key, self._phi(name, key, (), value, counter))
        return counter

    def _expect(self, name: str, entry: dict[int, Value], header: Header) -> None:
        """Before the first run: a variable that the header alone counts up or down by one will have that step."""
        part = header.increment
        if part is None or part.kind != K.UNARY or part.op not in _ONE_MORE or not header.exact:
            return
        keys = assigned_variables(part) - (assigned_variables(header.then) if header.then is not None else set())
        for key in keys:
            if isinstance(entry.get(key), Int):
                self.lessons.phi(name, key, (), self.names.get(key, ""), Const(_ONE_MORE[part.op]))

    def _counter(
        self, name: str, entry: dict[int, Value], header: Header, symbol_name: str, *, own: bool
    ) -> Counter | None:
        kind = SymKind.LOOP if own else SymKind.UNKNOWN
        candidates = [key for key in compared_variables(header) if key in entry]
        inductions = {
            key: phi.step
            for (loop, key, path), phi in self.lessons.phis.items()
            if loop == name and not path and phi.step is not None and not self.lessons.pessimistic
        }
        for key in [*candidates, *(key for key in entry if key not in candidates)]:
            value, step = entry[key], inductions.get(key)
            if step is not None and step != ZERO and isinstance(value, Int) and (key in candidates or not candidates):
                known = uniform(value) and is_uniform(step)
                self.frames[-1].symbols.add(symbol_name)
                return Counter(Sym(symbol_name, kind, known), value.expr, step, key)
        if (
            any(loop == name and phi.step is not None for (loop, _key, _path), phi in self.lessons.phis.items())
            and not self.lessons.pessimistic
        ):
            self.frames[-1].symbols.add(symbol_name)
            return Counter(Sym(symbol_name, kind, True), ZERO, ONE, None)
        return None

    def _phi(self, loop: str, key: int, path: tuple[str, ...], value: Value, counter: Counter | None) -> Value:
        """The value at the top of the loop of one variable, or part of it."""
        phi = self.lessons.phi(loop, key, path, self.names.get(key, ""))
        label = f"?{'.'.join((self.names.get(key, '?'), *path))}~{self.loop_label(loop)}"
        if isinstance(value, Int):
            return Int(self._phi_expression(phi, key, path, value.expr, counter, label))
        if isinstance(value, Pointer):
            offset = self._phi_expression(phi, None, path, value.offset, counter, label)
            return Pointer(value.base if not phi.base_lost else None, offset)
        if isinstance(value, Record):
            parts = {part: self._phi(loop, key, (*path, part), inner, counter) for part, inner in value.fields.items()}
            return Record(parts, value.uniform and phi.uniform)
        if isinstance(value, Undefined):
            return Opaque(False)
        return Opaque(uniform(value) and phi.uniform and not self.lessons.pessimistic)

    def loop_label(self, loop: str) -> str:
        """A short name of a loop in its call path."""
        context, _mark, start = loop.rpartition("#")
        return f"{start}{self.suffix(context)}"

    def _phi_expression(
        self, phi: Phi, key: int | None, path: tuple[str, ...], start: Expr, counter: Counter | None, label: str
    ) -> Expr:
        if phi.step is not None and counter is not None and not self.lessons.pessimistic:
            if key is not None and key == counter.key and not path:
                return counter.symbol
            return normal(add(start, counter.iterations(phi.step)))
        return self.fresh(label, phi.uniform and is_uniform(start))

    # -- what was learnt

    def check(self, name: str, entry: dict[int, Value], frame: Frame, bottom: dict[int, Value] | None) -> None:
        """Compare what the body left with what was assumed at its top."""
        changed = set(bottom or {})
        for path in (*frame.breaks, *frame.continues):
            changed |= set(path.changes)
        new = self.lessons.changes(name, changed, self.variables.values, self.names)
        if bottom is None:
            return
        for key, start in entry.items():
            top = self.variables.values[key]
            self._check_part(name, key, (), start, top, bottom.get(key, top), frame)
        for key in sorted(new & bottom.keys(), key=lambda key: self.names.get(key, "")):
            start = self.variables.values[key]  # what one iteration makes of it: the next run shows whether all do
            self._check_part(name, key, (), start, start, bottom[key], frame)

    def _check_part(
        self,
        loop: str,
        key: int,
        path: tuple[str, ...],
        start: Value,
        top: Value,
        after: Value,
        frame: Frame,
    ) -> None:
        phi = self.lessons.phi(loop, key, path, self.names.get(key, ""))
        if isinstance(top, Record) and isinstance(after, Record):
            for part in top.fields:
                inner = after.fields.get(part, Opaque(after.uniform))
                self._check_part(
                    loop,
                    key,
                    (*path, part),
                    start.fields.get(part, Opaque(False)) if isinstance(start, Record) else Opaque(False),
                    top.fields[part],
                    inner,
                    frame,
                )
            phi.doubt(wrong=after.uniform and not phi.uniform)
            if not after.uniform and phi.uniform:
                self._demote(phi)
            return
        if isinstance(top, Int) and isinstance(after, Int):
            self._check_step(phi, top.expr, after.expr, frame)
            return
        if isinstance(top, Pointer) and isinstance(after, Pointer):
            if after.base == top.base:
                self._check_step(phi, top.offset, after.offset, frame)
            elif not phi.base_lost:
                phi.doubt(wrong=True)
                self.escape([place.base for place in (top, after) if isinstance(place.base, Target)])
                phi.base_lost, phi.tried_induction, phi.step = True, True, None
                self.lessons.note(new=True)
            elif top.base is None and not uniform(after):
                self._demote(phi)
            return
        phi.doubt(wrong=not phi.uniform and uniform(after))
        if phi.uniform and not uniform(after):
            self._demote(phi)

    def _check_step(self, phi: Phi, top: Expr, after: Expr, frame: Frame) -> None:
        step = difference(after, top)
        invariant = all(symbol.name not in frame.symbols for symbol in symbols(step))
        if phi.is_hint and phi.step is not None and step != phi.step:
            phi.forget()
            self.lessons.note(new=True)
        if phi.step is not None:
            if step != phi.step:
                phi.attempts += 1
                phi.step = step if invariant and phi.attempts < _MAX_ATTEMPTS else None
                phi.tried_induction = phi.step is None
                self.lessons.note(new=True)
            return
        if invariant and not phi.tried_induction and phi.attempts < _MAX_ATTEMPTS:
            phi.doubt(wrong=True)
            phi.step = step
            self.lessons.note(new=True)
        elif is_uniform(after):
            phi.doubt(wrong=not phi.uniform)
        elif phi.uniform:
            self._demote(phi)

    def _demote(self, phi: Phi) -> None:
        self.lessons.note(new=phi.uniform)
        phi.uniform = False


def assigned_variables(node: Node) -> set[int]:
    """The variables that are assigned by name anywhere under a node: where the first run starts from."""
    found: set[int] = set()
    for part in node.walk():
        changes = part.kind == K.COMPOUND_ASSIGN or (part.kind == K.BINARY and part.op == "=")
        if changes or (part.kind == K.UNARY and part.op in ("++", "--", "p++", "p--")):
            target = part.children[0] if part.children else part
            while target.kind in (K.PAREN, K.MEMBER_EXPR) and target.children:
                target = target.children[0]
            if target.kind == K.DECL_REF and target.reference is not None:
                found.add(decl_key(target.reference))
    return found


def compared_variables(header: Header) -> list[int]:
    """The variables that the condition compares, then those that the increment changes."""
    keys: list[int] = []
    for part in (header.condition, header.increment):
        if part is None:
            continue
        for node in part.walk():
            if (
                node.kind == K.DECL_REF
                and node.reference is not None
                and node.reference.kind in (K.VAR_DECL, K.PARM_DECL)
            ):
                key = decl_key(node.reference)
                if key not in keys:
                    keys.append(key)
    return keys
