"""Loops in the symbolic run: which variables are inductions, trip counts, and what is left when a loop ends."""

from __future__ import annotations

from gpuopt_driver.frontend.counting import Counter, Found, trips_of
from gpuopt_driver.frontend.expr import ONE, ZERO, Const, Expr, Sym, SymKind, add, is_uniform, mul, symbols
from gpuopt_driver.frontend.expr import sub as minus
from gpuopt_driver.frontend.expressions import ExpressionMachine
from gpuopt_driver.frontend.libclang import K
from gpuopt_driver.frontend.machine import Frame, Interval, LoopFacts, Path, Phi, StmtFacts
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
    replace_symbols,
    uniform,
)

_MAX_ATTEMPTS = 3


class LoopMachine(ExpressionMachine):
    """Runs loops: once per run, from assumptions about what they change."""

    def declare(self, node: Node) -> None:
        """A variable's declaration; in interpreter.py."""
        raise NotImplementedError

    def loop(self, node: Node, facts: StmtFacts) -> None:
        """Run a loop."""
        header = self.activation.tree.header(node)
        if header.init is not None:
            self.run(header.init)
        own = not self.activation.via
        name = f"{self.activation.context}#{node.start}"
        symbol_name = f"loop{self.stmt}" if own else self.label(node, "loop")
        frame = Frame("loop", 0, len(self.conditions), name=name)
        outer_loops = self.kernel_loops
        if own:
            self.kernel_loops = (*outer_loops, self.stmt)
        else:
            self.callee_loops += 1
        jumps = sum(outer.jumps for outer in self.frames)
        entry = self._entry_values(name, node)
        self.frames.append(frame)
        counter = self._place_phis(name, entry, header, symbol_name, own=own)
        around = self.lessons.intervals.setdefault(name, Interval())
        self.interval.add(around)
        top = self.interval.copy()
        frame.mark = self.variables.mark()
        found = self._body(node, header, frame, name, facts)
        self.lessons.note(new=around.add(self.interval))
        self.interval.add(top)
        self._check(name, entry, frame, found.bottom)
        self._finish(frame, found, counter, entry, facts, name)
        if own:
            self._describe(symbol_name, counter, found, header, entry)
            self.kernel_loops = outer_loops
        else:
            self.callee_loops -= 1
        if sum(outer.jumps for outer in self.frames) != jumps:
            self.assume(None)

    def _entry_values(self, name: str, node: Node) -> dict[int, Value]:
        """The values, at the entry, of the variables that the loop is known to change."""
        keys = self.lessons.modified.get(name)
        if keys is None:
            keys = self.lessons.modified[name] = assigned_variables(node)
        values = self.variables.values
        return {key: values[key] for key in sorted(keys, key=lambda key: self.names.get(key, "")) if key in values}

    # -- the top of the loop

    def _place_phis(
        self, name: str, entry: dict[int, Value], header: Header, symbol_name: str, *, own: bool
    ) -> Counter | None:
        """Give every changed variable its value at the top of an arbitrary iteration."""
        counter = self._counter(name, entry, header, symbol_name, own=own)
        for key, value in entry.items():
            self.variables.set(key, self._phi(name, key, (), value, counter))
        return counter

    def _counter(
        self, name: str, entry: dict[int, Value], header: Header, symbol_name: str, *, own: bool
    ) -> Counter | None:
        kind = SymKind.LOOP if own else SymKind.UNKNOWN
        candidates = [key for key in _compared(header) if key in entry]
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
        phi = self.lessons.phis.setdefault((loop, key, path), Phi())
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

    # -- the body

    def _body(self, node: Node, header: Header, frame: Frame, name: str, facts: StmtFacts) -> Found:
        found = Found()
        frame.reach = name not in self.lessons.split_loops and header.exact
        if not header.exact:
            self._guess_nothing(node)
        if node.kind != K.DO:
            self._test(node, header, name, found, facts)
            found.exit = Path(self.variables.changes(frame.mark), True)
            if header.condition is not None:
                frame.reach = frame.reach and facts.uniform
        reach = frame.reach
        if header.then is not None:
            self.run(header.then)
        self.interval.add(frame.interval)
        paths = list(frame.continues)
        if not self.dead:
            paths.append(Path(self.variables.changes(frame.mark), True))
        self.variables.rollback(frame.mark)
        self.dead = not paths
        del self.conditions[frame.conditions_start :]
        frame.reach = reach
        if paths:
            together = all(path.together for path in paths)
            self.merge(paths, divergent=not together, name=f"next{node.start}")
            if header.increment is not None:
                self.discard(header.increment)
            if node.kind == K.DO:
                self._test(node, header, name, found, facts)
                found.exit = Path(self.variables.changes(frame.mark), True)
            found.bottom = self.variables.changes(frame.mark)
        self.variables.rollback(frame.mark)
        self.dead = False
        return found

    def _guess_nothing(self, node: Node) -> None:
        """The header of a range-based loop, or of one that macros hide: all of it runs, nothing is concluded."""
        for child in node.children[:-1]:
            if child.kind == K.VAR_DECL:
                self.names[child.key] = f"{child.name}@{child.start}"
                self.variables.set(child.key, self.unknown(child.type, self.label(child), uniform=False))
            elif 100 <= child.kind < 200:
                self.value(child)

    def _test(self, node: Node, header: Header, name: str, found: Found, facts: StmtFacts) -> None:
        """Evaluate the loop's condition."""
        if header.declaration is not None:
            self.declare(header.declaration)
        if header.condition is None:
            facts.condition, facts.uniform = None, header.exact
            found.endless = header.exact
            return
        test = self.value(header.condition)
        facts.condition, facts.uniform = self.truth(test), uniform(test)
        found.condition = facts.condition
        found.uniform = facts.uniform
        found.tested_at_end = node.kind == K.DO
        if isinstance(found.condition, Const):
            found.endless = bool(found.condition.value)
        if not facts.uniform and name not in self.lessons.split_loops and node.kind == K.DO:
            self.lessons.split_loops.add(name)
            self.lessons.note(new=True)

    # -- what was learnt

    def _check(self, name: str, entry: dict[int, Value], frame: Frame, bottom: dict[int, Value] | None) -> None:
        """Compare what the body left with what was assumed at its top."""
        changed = set(bottom or {})
        for path in (*frame.breaks, *frame.continues):
            changed |= set(path.changes)
        known = self.lessons.modified[name]
        new = {key for key in changed if key in self.variables.values and key not in known}
        if new:
            known |= new
            self.lessons.note(new=True)
        if bottom is None:
            return
        for key, start in entry.items():
            top = self.variables.values[key]
            self._check_part(name, key, (), start, top, bottom.get(key, top), frame)

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
        phi = self.lessons.phis.setdefault((loop, key, path), Phi())
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
                self.escape([place.base for place in (top, after) if isinstance(place.base, Target)])
                phi.base_lost, phi.tried_induction, phi.step = True, True, None
                self.lessons.note(new=True)
            elif top.base is None and not uniform(after):
                self._demote(phi)
            return
        if phi.uniform and not uniform(after):
            self._demote(phi)

    def _check_step(self, phi: Phi, top: Expr, after: Expr, frame: Frame) -> None:
        step = difference(after, top)
        invariant = all(symbol.name not in frame.symbols for symbol in symbols(step))
        if phi.step is not None:
            if step != phi.step:
                phi.attempts += 1
                phi.step = step if invariant and phi.attempts < _MAX_ATTEMPTS else None
                phi.tried_induction = phi.step is None
                self.lessons.note(new=True)
            return
        if invariant and not phi.tried_induction and phi.attempts < _MAX_ATTEMPTS:
            phi.step = step
            self.lessons.note(new=True)
        elif phi.uniform and not is_uniform(after):
            self._demote(phi)

    def _demote(self, phi: Phi) -> None:
        self.lessons.note(new=phi.uniform)
        phi.uniform = False

    # -- the end of the loop

    def _finish(
        self, frame: Frame, found: Found, counter: Counter | None, entry: dict[int, Value], facts: StmtFacts, name: str
    ) -> None:
        """Continue behind the loop with what its exits left."""
        self.frames.pop()
        del self.conditions[frame.conditions_start :]
        outer = self.frames[-1]
        outer.reach = outer.reach and not outer.jumped
        exits = list(frame.breaks)
        if found.exit is not None and not found.endless:
            exits.append(found.exit)
        if not exits:
            self.dead = True
            return
        together = all(path.together for path in exits) and name not in self.lessons.split_loops
        together = together and (found.uniform or found.endless)
        found.leaves = len(frame.breaks) + frame.left
        found.trips = trips_of(found, counter, frame.symbols)
        self.merge(exits, divergent=not together, name=f"exit{self.loop_label(name)}")
        table = self._final_symbols(frame, counter, found, name, entry, together=together)
        for key in entry:
            value = self.variables.values[key]
            self.variables.set(key, replace_symbols(value, table, keep_uniform=together))
        del facts

    def _final_symbols(
        self,
        frame: Frame,
        counter: Counter | None,
        found: Found,
        name: str,
        entry: dict[int, Value],
        *,
        together: bool,
    ) -> dict[str, Expr]:
        """What symbols made inside the loop stand for behind it."""
        table: dict[str, Expr] = {}
        made = {symbol.name: symbol for key in entry for symbol in _symbols_of(self.variables.values[key])}
        for symbol_name in sorted(frame.symbols & set(made)):
            symbol = made[symbol_name]
            if counter is not None and symbol_name == counter.symbol.name and found.trips is not None:
                last = add(counter.start, mul(counter.step, found.trips))
                if found.tested_at_end:
                    last = minus(last, counter.step)
                table[symbol_name] = last
            else:
                table[symbol_name] = self.fresh(f"{symbol_name}!{self.loop_label(name)}", symbol.uniform and together)
        return table

    def _describe(
        self, symbol: str, counter: Counter | None, found: Found, header: Header, entry: dict[int, Value]
    ) -> None:
        facts = LoopFacts(symbol)
        if counter is not None:
            facts.start, facts.step = counter.start, counter.step
            facts.bound, facts.trips = found.bound, found.trips
            if counter.key is not None:
                facts.variable = self.names.get(counter.key, "").split("@")[0]
        else:
            for key in _compared(header):
                facts.variable = self.names.get(key, "").split("@")[0]
                value = entry.get(key)
                facts.start = value.expr if isinstance(value, Int) else None
                break
        self.facts.loops[self.stmt] = facts


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


def _symbols_of(value: Value) -> list[Sym]:
    if isinstance(value, Int):
        return list(symbols(value.expr))
    if isinstance(value, Pointer):
        return list(symbols(value.offset))
    if isinstance(value, Record):
        return [symbol for part in value.fields.values() for symbol in _symbols_of(part)]
    return []


def _compared(header: Header) -> list[int]:
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
