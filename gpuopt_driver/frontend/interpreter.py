"""The symbolic run of statements: branches, switches, declarations, and where threads part and meet again."""

from __future__ import annotations

from gpuopt_driver.frontend import constants, types
from gpuopt_driver.frontend.aggregates import repeats_names
from gpuopt_driver.frontend.calls import CallMachine
from gpuopt_driver.frontend.effects import Body
from gpuopt_driver.frontend.expr import Const, Expr
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.lessons import Lessons
from gpuopt_driver.frontend.loops import LoopMachine
from gpuopt_driver.frontend.machine import Activation, Frame, Path, StmtFacts
from gpuopt_driver.frontend.memory import declared_array, parameter_value
from gpuopt_driver.frontend.model import Convergence, Space
from gpuopt_driver.frontend.statements import StatementTree, unwrap
from gpuopt_driver.frontend.translation import Place, Translation
from gpuopt_driver.frontend.tree import Node
from gpuopt_driver.frontend.values import (
    UNDEFINED,
    Opaque,
    Record,
    Target,
    Value,
    negation,
    uniform,
)

_LABELS = frozenset({int(K.CASE), int(K.DEFAULT), int(K.LABEL)})
_LOOPS = frozenset({int(K.FOR), int(K.WHILE), int(K.DO), int(K.RANGE_FOR)})


class Interpreter(LoopMachine, CallMachine):
    """Runs the statements of a kernel and of the functions that it calls."""

    def __init__(self, translation: Translation, lessons: Lessons, bodies: dict[int, Body | None]) -> None:
        super().__init__(translation, lessons)
        self.bodies = bodies
        self.targets = {}
        self.referred = {}
        self.arrays = {}
        self.references = {}
        self.uniform_loads = []
        self._written = set()
        self._returned_locations = {}

    def run_kernel(self, function: Node, body: Node, place: Place, tree: StatementTree) -> None:
        """Run a kernel's body from its parameters."""
        self.activations.append(Activation(place, tree, declaration=function.key))
        self.frames.append(Frame("kernel", self.variables.mark(), 0))
        for parameter in function.children:
            if parameter.kind == K.PARM_DECL:
                self.name_variable(parameter)
                self.declared[parameter.key] = types.plain_name(parameter.type)
                self.variables.set(parameter.key, parameter_value(parameter.cursor, parameter.name, parameter.type))
                if repeats_names(parameter.type):
                    self.escape([Target(parameter.key)])
        if tree.has_goto:
            self.facts.special.add("goto")
            self.frames[-1].reach = Convergence.DIVERGENT
            self.lessons.pessimistic = True
        self.run(body)

    def name_variable(self, node: Node) -> None:
        """Give a variable a name that is the same in every run."""
        suffix = self.label(node, "v")[2:]
        self.named_as(node.key, f"{node.name}{suffix}")

    # -- statements

    def run(self, wrapped: Node) -> None:
        """Run one statement."""
        node = unwrap(wrapped)
        if self.dead and node.kind not in (K.CASE, K.DEFAULT, K.LABEL, K.COMPOUND):
            self._skip(node)
            return
        outer = self.stmt
        facts = self._begin(node)
        self._dispatch(node, facts)
        self.stmt = outer

    def _begin(self, node: Node) -> StmtFacts:
        """Make this the current statement, if it is one of the kernel's own."""
        if self.activation.via:
            return StmtFacts()
        number = self.activation.tree.by_node.get(id(node))
        if number is None:
            return StmtFacts()
        self.stmt = number
        facts = self.facts.statements.get(number)
        if facts is None:
            facts = self.facts.statements[number] = StmtFacts()
        facts.reached = min(facts.reached, self.reached()) if facts.visited else self.reached()
        facts.visited = True
        return facts

    def _skip(self, node: Node) -> None:
        """Statements behind a jump are not run, unless a label leads into them."""
        if node.kind == K.COMPOUND:
            for child in node.children:
                self.run(child)
        else:
            self._leave_out(node)

    def _leave_out(self, statement: Node) -> None:
        """Nobody comes to a statement: its calls do not run, unless a label in it is jumped to."""
        if not self._is_ours():
            return
        parts = list(statement.walk())
        if not any(part.kind in _LABELS for part in parts):
            self.facts.skipped.update(id(part) for part in parts if part.kind == K.CALL)

    def _dispatch(self, node: Node, facts: StmtFacts) -> None:  # noqa: PLR0912 - one branch per kind of statement
        kind = node.kind
        if kind == K.COMPOUND:
            for child in node.children:
                self.run(child)
        elif kind == K.DECL_STMT:
            for child in node.children:
                if child.kind == K.VAR_DECL:
                    self.declare(child)
                elif child.kind == K.UNEXPOSED_DECL:
                    self._bind_names(child)
        elif kind == K.IF:
            self._if(node, facts)
        elif kind in _LOOPS:
            self.loop(node, facts)
        elif kind == K.SWITCH:
            self._switch(node, facts)
        elif kind in (K.CASE, K.DEFAULT):
            self._case(node)
        elif kind == K.LABEL:
            self._forget_everything()
            for child in node.children[-1:]:
                self.run(child)
        elif kind in (K.BREAK, K.CONTINUE):
            self._leave(kind)
        elif kind == K.RETURN:
            self._return(node)
        elif kind in (K.GOTO, K.INDIRECT_GOTO):
            self.facts.special.add("goto")
            self.dead = True
        elif kind in (K.ASM, K.MS_ASM):
            self.assembly(node)
        elif kind == K.TRY:
            for child in node.children:
                if child.kind == K.COMPOUND:
                    self.run(child)
        elif 100 <= kind < 200:
            self.discard(node)

    def _forget_everything(self) -> None:
        """A label: control may come from anywhere in the function."""
        self.dead = False
        self.frames[-1].reach = Convergence.DIVERGENT
        self.conditions.append(None)
        for key in self.variables.values:
            if key in self.declared:
                self.variables.set(key, Opaque(False))

    def declare(self, node: Node) -> None:
        """A variable's declaration."""
        type_ = node.type
        self.name_variable(node)
        self.declared[node.key] = types.plain_name(type_)
        initializers = [child for child in node.children if 100 <= child.kind < 200]
        if any(child.kind == K.SHARED_ATTR for child in node.children):
            self.array_of(node.cursor, Space.SHARED)
            return
        if types.is_array(type_):
            self._declare_array(node, initializers)
            return
        if types.is_reference(type_):
            if initializers:
                self.references[node.key] = self.location(initializers[-1])
            return
        value: Value = UNDEFINED
        if initializers:
            child = initializers[-1]
            value = self.convert(self.value(child), child.type, type_, child)
            if types.is_record(type_) and not isinstance(value, Record) and isinstance(value, Opaque):
                value = Record({}, value.uniform)
        elif types.is_record(type_):
            value = Record({}, False)
        if constants.keeps_state(node) or (isinstance(value, Record) and repeats_names(type_)):
            self.set_variable(node.key, value)
            self.escape([Target(node.key)])
            return
        self.variables.set(node.key, value)

    def _bind_names(self, node: Node) -> None:
        """A structured binding: what it names is not followed, and may be changed by these names."""
        for child in node.children:
            if 100 <= child.kind < 200:
                location = self.location(child)
                if isinstance(location, Target):
                    self.escape([location])
                elif types.is_reference(node.type):  # memory is read and written where nothing tells of it
                    self.unknown_result(child, "a structured binding", [])
                else:
                    self.load(location, child)

    def _declare_array(self, node: Node, initializers: list[Node]) -> None:
        space = Space.GLOBAL if constants.is_static_constant(node) else Space.LOCAL  # nvcc makes the former .global
        array = declared_array(node.cursor, node.name, node.type, space)
        self.arrays[node.key] = (array, node.type)
        extents = len(array.extents)
        for child in initializers:
            made = child
            while made.kind == K.UNEXPOSED_EXPR and len(made.children) == 1:  # its temporaries end with the statement
                made = made.children[0]
            if made.kind in (K.INIT_LIST, K.CALL) or extents == 0:
                self.value(made)
            else:
                extents -= 1

    def _if(self, node: Node, facts: StmtFacts) -> None:
        header = self.activation.tree.header(node)
        if header.init is not None:
            self.run(header.init)
        if header.declaration is not None:
            self.declare(header.declaration)
        test = self.value(header.condition) if header.condition is not None else Opaque(False)
        condition = self.truth(test)
        self.tested(node, condition)
        known = uniform(test)
        facts.condition, facts.uniform = condition, known
        paths: list[Path] = []
        alive: list[bool] = []
        mark = self.variables.mark()
        before = sum(frame.jumps for frame in self.frames)
        interval = self.interval.copy()
        for branch, guard in ((header.then, condition), (header.otherwise, negation(condition))):
            if branch is not None:
                self._branch(branch, guard, known)
                self.interval.add(interval)
            alive.append(not self.dead and not (branch is None and self._is_ours() and self._is_never(guard)))
            if alive[-1]:
                paths.append(Path(self.variables.changes(mark), True))
            self.variables.rollback(mark)
            self.dead = False
        if not paths:
            self.dead = True
            return
        both = all(alive) and not (self.lessons.every_branch and isinstance(condition, Const))
        self.merge(paths, divergent=not known, condition=condition if both else None, name=f"if{node.start}")
        jumped = sum(frame.jumps for frame in self.frames) - before
        if not alive[0]:
            self.assume(negation(condition))
        elif not alive[1]:
            self.assume(condition)
        elif jumped:
            self.assume(None)

    def _is_ours(self) -> bool:
        """Whether the program's own code is run: constants of libraries may depend on the architecture."""
        return self.activation.place.source.path in self.translation.files

    def _is_never(self, guard: Expr | None) -> bool:
        """Whether a condition never holds in this instantiation."""
        if not isinstance(guard, Const) or guard.value or "goto" in self.facts.special:
            return False
        self.facts.passed_by = True
        return not self.lessons.every_branch

    def _branch(self, branch: Node, guard: Expr | None, known: bool) -> None:  # noqa: FBT001
        frame = self.frames[-1]
        reach, depth = frame.reach, len(self.conditions)
        frame.reach = min(reach, self.together(guard, known))
        self.assume(guard)
        if self._is_never(guard):
            self._leave_out(branch)
            self.dead = True  # never runs in this instantiation
        else:
            self.run(branch)
        del self.conditions[depth:]
        frame.reach = min(reach, frame.staying)

    def _switch(self, node: Node, facts: StmtFacts) -> None:
        header = self.activation.tree.header(node)
        if header.init is not None:
            self.run(header.init)
        if header.declaration is not None:
            self.declare(header.declaration)
        test = self.value(header.condition) if header.condition is not None else Opaque(False)
        known = uniform(test)
        facts.condition, facts.uniform = self.truth(test), known
        mark, depth = self.variables.mark(), len(self.conditions)
        frame = Frame("switch", mark, depth, reach=self.together(facts.condition, known), name=str(node.start))
        before = sum(outer.jumps for outer in self.frames)
        frame.interval.add(self.interval)
        self.frames.append(frame)
        self.assume(None)
        self.dead = True
        if header.then is not None:
            self.run(header.then)
        paths = list(frame.breaks)
        if not self.dead:
            paths.append(Path(self.variables.changes(mark), frame.reach is Convergence.BLOCK))
        if not _has_default(node):
            paths.append(Path({}, True))
        self.variables.rollback(mark)
        self.frames.pop()
        self.interval.add(frame.interval)
        del self.conditions[depth:]
        outer = self.frames[-1]
        outer.reach = min(outer.reach, outer.staying)
        self.dead = not paths
        if paths:
            divergent = not known or not all(path.together for path in paths)
            self.merge(paths, divergent=divergent, name=f"switch{node.start}")
        if sum(outer.jumps for outer in self.frames) != before:
            self.assume(None)

    def _case(self, node: Node) -> None:
        """A label of a switch: control comes from its head, and from the case before."""
        frame = next((frame for frame in reversed(self.frames) if frame.kind == "switch"), None)
        if frame is not None:
            self.conditions[frame.conditions_start :] = [None]
            paths = [Path({}, True)]
            if not self.dead:
                paths.append(Path(self.variables.changes(frame.mark), True))
            self.variables.rollback(frame.mark)
            self.interval.add(frame.interval)
            self.dead = False
            self.merge(paths, divergent=frame.reach is not Convergence.BLOCK, name=f"case{node.start}")
            if frame is not self.frames[-1] or self.activation.tree.is_inside_of_another(node):
                self.facts.special.add("goto")  # control comes into the middle of a statement
                self._forget_everything()
        for child in node.children[-1:] if node.kind == K.DEFAULT or len(node.children) > 1 else []:
            self.run(child)

    def _leave(self, kind: int) -> None:
        wanted = ("loop",) if kind == K.CONTINUE else ("loop", "switch")
        frame = next((frame for frame in reversed(self.frames) if frame.kind in wanted), None)
        if frame is None or "call" in [inner.kind for inner in self.frames[self.frames.index(frame) + 1 :]]:
            self.dead = True
            return
        if kind == K.BREAK and frame.kind == "loop" and self.reached_in(frame) is not Convergence.BLOCK:
            self.lessons.split(frame.name)
        self.jump(frame, frame.continues if kind == K.CONTINUE else frame.breaks)

    def _return(self, node: Node) -> None:
        frame = next(frame for frame in reversed(self.frames) if frame.kind in ("call", "kernel"))
        if frame.kind == "kernel":
            for child in node.children:
                self.value(child)
            for inner in self.frames:
                inner.jumps += 1
                inner.left += 1
            self.dead = True
            return
        self.return_from_call(node, frame)

    def assembly(self, node: Node) -> None:
        """Inline PTX: its outputs are unknown, and its text says whether it synchronises."""
        self.facts.special.add("asm")
        for child in node.children:
            if 100 <= child.kind < 200 and child.kind != K.STRING:
                location = self.location(child)
                if isinstance(location, Target):
                    self.assign(location, self.unknown(child.type, self.label(child, "asm"), uniform=False))
        text = self.activation.place.source.data[node.start : node.end].decode("utf-8", "replace")
        self.classify_assembly(text, node)


def _has_default(node: Node) -> bool:
    """Whether a switch has a default label of its own."""
    stack = list(node.children)
    while stack:
        child = stack.pop()
        if child.kind == K.DEFAULT:
            return True
        if child.kind != K.SWITCH:
            stack.extend(child.children)
    return False
