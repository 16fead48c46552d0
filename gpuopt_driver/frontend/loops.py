"""Loops in the symbolic run: which variables are inductions, trip counts, and what is left when a loop ends."""

from __future__ import annotations

from gpuopt_driver.frontend.counting import Counter, Found, trips_of
from gpuopt_driver.frontend.expr import Const, Expr, Sym, add, mul, symbols
from gpuopt_driver.frontend.expr import sub as minus
from gpuopt_driver.frontend.induction import InductionMachine, assigned_variables, compared_variables
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.machine import Frame, LoopFacts, Path, StmtFacts
from gpuopt_driver.frontend.model import Convergence
from gpuopt_driver.frontend.statements import Header
from gpuopt_driver.frontend.tree import Node
from gpuopt_driver.frontend.values import (
    Int,
    Pointer,
    Record,
    Value,
    replace_symbols,
    uniform,
)
from gpuopt_driver.frontend.warps import same_in_warp

_MAX_ATTEMPTS = 3


class LoopMachine(InductionMachine):
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
        counter = self.place_phis(name, entry, header, symbol_name, own=own)
        if counter is not None and all(same_in_warp(one, self.by_warp) for one in (counter.start, counter.step)):
            self.by_warp.add(counter.symbol.name)
        around = self.lessons.interval(name, (array for array, _type in self.arrays.values()))
        self.interval.add(around)
        top = self.interval.copy()
        frame.mark = self.variables.mark()
        found = self._body(node, header, frame, name, facts)
        self.lessons.note(new=around.add(self.interval))
        self.interval.add(top)
        self.check(name, entry, frame, found.bottom)
        if own and counter is None:
            self._changes(header, found, entry)
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
        values = self.variables.values
        if keys is None:
            keys = self.lessons.loop(name, assigned_variables(node), self.names, values)
        return {key: values[key] for key in sorted(keys, key=lambda key: self.names.get(key, "")) if key in values}

    # -- the body

    def _body(self, node: Node, header: Header, frame: Frame, name: str, facts: StmtFacts) -> Found:
        found = Found()
        followed = name not in self.lessons.split_loops and header.exact
        frame.reach = Convergence.BLOCK if followed else Convergence.DIVERGENT
        if not header.exact:
            self._guess_nothing(node)
        if node.kind != K.DO:
            self._test(node, header, name, found, facts)
            found.exit = Path(self.variables.changes(frame.mark), True)
            if header.condition is not None:
                frame.reach = min(frame.reach, self.together(facts.condition, facts.uniform))
        outside = len(self.continuing)
        if node.kind != K.DO and found.condition is not None:
            self.continuing.append(found.condition)
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
            del self.continuing[outside:]
            if node.kind == K.DO:
                self._test(node, header, name, found, facts)
                found.exit = Path(self.variables.changes(frame.mark), True)
            found.bottom = self.variables.changes(frame.mark)
        del self.continuing[outside:]
        self.variables.rollback(frame.mark)
        self.dead = False
        return found

    def _guess_nothing(self, node: Node) -> None:
        """The header of a range-based loop, or of one that macros hide: all of it runs, nothing is concluded."""
        for child in node.children[:-1]:
            if child.kind == K.VAR_DECL:
                self.named_as(child.key, f"{child.name}@{child.start}")
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
        self.tested(node, facts.condition)
        found.condition = facts.condition
        found.uniform = facts.uniform
        found.tested_at_end = node.kind == K.DO
        if isinstance(found.condition, Const):
            found.endless = bool(found.condition.value)
        if not facts.uniform and node.kind == K.DO:
            self.lessons.split(name)

    def _changes(self, header: Header, found: Found, entry: dict[int, Value]) -> None:
        """Of a loop that counts otherwise than by sums: its variable's symbol, and the value in the next iteration."""
        for key in compared_variables(header):
            start, top, after = (known.get(key) for known in (entry, self.variables.values, found.bottom or {}))
            if not (isinstance(start, Int) and isinstance(top, Int) and isinstance(after, Int)):
                continue
            if isinstance(top.expr, Sym) and {one.name for one in symbols(after.expr)} == {top.expr.name}:
                found.changing, found.following = top.expr.name, after.expr
                return

    # -- the end of the loop

    def _finish(
        self, frame: Frame, found: Found, counter: Counter | None, entry: dict[int, Value], facts: StmtFacts, name: str
    ) -> None:
        """Continue behind the loop with what its exits left."""
        self.frames.pop()
        del self.conditions[frame.conditions_start :]
        outer = self.frames[-1]
        outer.reach = min(outer.reach, outer.staying)
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
            for key in compared_variables(header):
                facts.variable = self.names.get(key, "").split("@")[0]
                value = entry.get(key)
                facts.start = value.expr if isinstance(value, Int) else None
                break
            if facts.start is not None:
                facts.changing, facts.following = found.changing, found.following
        self.facts.loops[self.stmt] = facts


def _symbols_of(value: Value) -> list[Sym]:
    if isinstance(value, Int):
        return list(symbols(value.expr))
    if isinstance(value, Pointer):
        return list(symbols(value.offset))
    if isinstance(value, Record):
        return [symbol for part in value.fields.values() for symbol in _symbols_of(part)]
    return []
