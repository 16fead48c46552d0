"""One kernel definition to its frozen model: signature, statements, and the facts of the symbolic run."""

from __future__ import annotations

import re
from dataclasses import replace

from gpuopt_driver.frontend import lexing, libclang, types
from gpuopt_driver.frontend.blame import Blame, own_words
from gpuopt_driver.frontend.conditionals import Varying, arch_macros, depends_on_arch, varying
from gpuopt_driver.frontend.declarations import MOST_INSTANTIATIONS, Declarations, KernelSource
from gpuopt_driver.frontend.effect_reader import assignments_of, effects_of
from gpuopt_driver.frontend.effects import Body, qualified_name
from gpuopt_driver.frontend.functions import Made, builtins_in, call_sites, functions_of, params_span
from gpuopt_driver.frontend.interpreter import Interpreter
from gpuopt_driver.frontend.kinds import K
from gpuopt_driver.frontend.later import Later
from gpuopt_driver.frontend.lessons import Lessons, Misled, Others
from gpuopt_driver.frontend.libclang import Cursor
from gpuopt_driver.frontend.machine import Facts, StmtFacts
from gpuopt_driver.frontend.markers import markers_of
from gpuopt_driver.frontend.memory import declared_array, may_alias
from gpuopt_driver.frontend.model import (
    LOOP_KINDS,
    Array,
    Call,
    Convergence,
    FunctionProblem,
    Kernel,
    Loop,
    Param,
    Space,
    Stmt,
    Sync,
    SyncKind,
)
from gpuopt_driver.frontend.plain_classes import PlainClasses
from gpuopt_driver.frontend.reach import Hidden, Reach, Reached
from gpuopt_driver.frontend.repeating import Repeating
from gpuopt_driver.frontend.signatures import (
    CLASSES,
    before_attributes,
    declared_of,
    first_token,
    launch_bounds,
    namespaces,
    params_of,
    template_head,
    template_names,
)
from gpuopt_driver.frontend.statements import StatementTree
from gpuopt_driver.frontend.translation import Place, Translation, place_of
from gpuopt_driver.frontend.tree import Node, build
from gpuopt_driver.frontend.usage import variables_of

_MAX_RUNS = 14
_BUDGET = 800_000  # expressions to be visited for all kernels of a unit; more would mean an explosion of inlined calls
_SHARE = 10_000  # of them are every kernel's, whatever the ones before it took
_SPLICED = re.compile(rb"\w\\\r?\n\w")
_LINKAGE_C = re.compile(rb'extern\s*"C"\s*$')


class KernelReader:
    """Reads kernels of one unit; device functions' bodies are shared between them."""

    def __init__(self, translation: Translation, found: Declarations) -> None:
        self.translation = translation
        self.blame = Blame(translation, found)
        self.lib = translation.lib
        self.extents = found.extents
        self.functions = found.functions
        self.arch_macros = arch_macros([source.data for source in translation.files.values()])
        self.varying: Varying | None = None  # not asked for yet
        self.bodies: dict[int, Body | None] = {}
        self.made: Made = {}
        self.plain = PlainClasses(translation)
        self.repeating = Repeating(translation, self.plain)
        self.later = Later(translation, found.functions)
        self.reach = Reach(translation, found.functions)
        self.budget = _BUDGET
        self.learnt: dict[str, Others] = {}  # by kernel, of its instantiations

    def read(self, source: KernelSource) -> Kernel:
        """The model of a kernel."""
        place = place_of(self.translation, source.cursor)
        root = build(source.cursor, place)
        body = next(child for child in root.children if child.kind in (K.COMPOUND, K.TRY))
        tree = StatementTree(body, place.source.data)
        problems: list[str] = []
        if source.passed_over:
            problems.append(f"{source.passed_over + 1} instantiations, more than the {MOST_INSTANTIATIONS} looked into")
        try:
            facts = self._run(source, root, body, place, tree, problems)
        except RecursionError:
            facts = Facts()
            problems.append("nested too deeply to be analysed")
        reached = self._reached(root, body, place, tree, facts)
        return self._assemble(source, root, body, place, tree, facts, reached, problems)

    def named_only(self, source: KernelSource, why: str) -> Kernel:
        """The model of a kernel that can have no version, whose code nobody asked for: its name and place."""
        place = place_of(self.translation, source.cursor)
        start = self._start(source, place)
        _start, end, _macro = place.offsets(self.lib.clang_getCursorExtent(source.cursor))
        body = next(one for one in libclang.children(source.cursor) if one.kind in (K.COMPOUND, K.TRY))
        opened = max(start, place.offsets(self.lib.clang_getCursorExtent(body))[0])
        parameters = [one for one in libclang.children(source.cursor) if one.kind == K.PARM_DECL]
        params = params_of([build(one, place) for one in parameters], source.pattern, place, ())
        named = self._named(source, place, (opened, max(start, end)), params)
        markers = markers_of(place.source, start, max(start, end), self.extents.get(place.source.path, []))
        return replace(named, markers=markers, problems=(why,), idle=why)

    def _named(
        self,
        source: KernelSource,
        place: Place,
        body: tuple[int, int],
        params: tuple[Param, ...],
        *,
        editable: bool = True,
    ) -> Kernel:
        """A kernel's name, place and parameters; `body`: the bytes at its braces."""
        data, name = place.source.data, libclang.spelling(source.cursor)
        start, (opened, end) = self._start(source, place), body
        at = self._name_offset(source.cursor, place)
        behind = at + len(name.encode())
        return Kernel(
            name=name,
            qualified=qualified_name(source.cursor),
            usr=libclang.usr(source.pattern),
            span=place.span(start, end, editable=editable),
            top_start=self._top_start(source, place, start),
            body=place.span(opened, end, editable=editable),
            name_span=place.span(at, behind, editable=editable),
            params_span=params_span(place, behind, opened),
            params=params,
            template_head=template_head(data, start) if source.is_template else "",
            template_params=template_names(source.pattern) if source.is_template else (),
            facts_of=source.instantiation,
            namespace=namespaces(self.lib.clang_getCursorSemanticParent(source.cursor), lexical=False),
            overloaded=len({libclang.usr(one) for one in self.functions.get(name, ())}) > 1,
            is_member=source.cursor.kind == K.CXX_METHOD or any(one.kind in CLASSES for one in source.parents),
            launch_bounds=launch_bounds(data, start, opened),
        )

    def is_damaged(self, source: KernelSource) -> bool:
        """Whether a kernel's own text has errors, which is known before it is run: it may have others where it calls.

        False for one that launches kernels, whose errors are those of every level.
        """
        place = place_of(self.translation, source.cursor)
        start = self._start(source, place)
        _start, end, _macro = place.offsets(self.lib.clang_getCursorExtent(source.cursor))
        if end and not self.blame.problems([(place.source.path, start, end)]):
            return False  # whatever words mean there: its tree need not be built
        root = build(source.cursor, place)
        body = next(child for child in root.children if child.kind in (K.COMPOUND, K.TRY))
        data = place.source.data
        texts = [(place.source.path, start, body.end)]
        return not _launches(data, body) and bool(self.blame.problems(texts, own_words(root, data)))

    def _reached(self, root: Node, body: Node, place: Place, tree: StatementTree, facts: Facts) -> Reached:
        """What runs without a call in the text; effects of such code become calls that are not known."""
        bodies = [one for one in self.bodies.values() if one is not None and one.root.key in facts.used_bodies]
        visible = [(root, place), *((one.root, one.place) for one in bodies)]
        span = place.span(body.start, body.end)
        try:
            found = self.reach.of(visible, facts.used_bodies.values(), facts.visited | facts.skipped, span)
        except RecursionError:
            found = Reached((), (Hidden("code that is nested too deeply", span, "it is not looked into"),))
        if found.hidden:
            # Where in the kernel it runs is not known, so it is everywhere; in front, so that it is the reason given.
            first = found.hidden[0]
            at = [(0, hidden) for hidden in found.hidden] + [(draft.id, first) for draft in tree.drafts[1:]]
            facts.calls[:0] = [Call(stmt, one.name, one.span, False, (one.name,)) for stmt, one in at]
            facts.syncs[:0] = [Sync(stmt, SyncKind.UNKNOWN, one.span, one.name, (one.name,)) for stmt, one in at]
            for statement in facts.statements.values():
                statement.uniform, statement.reached = False, Convergence.DIVERGENT
        return found

    def _run(
        self, source: KernelSource, root: Node, body: Node, place: Place, tree: StatementTree, problems: list[str]
    ) -> Facts:
        """Run until nothing new is learnt, starting with what another instantiation has learnt."""
        others = self.learnt.setdefault(libclang.usr(source.pattern), Others())
        mine = source.instantiation.arguments if source.instantiation is not None else ()
        hints = others.nearest(mine)
        if hints is not None:
            said = len(problems)
            try:
                facts = self._settle(Lessons(hints), root, body, place, tree, problems)
            except Misled:
                others.misled += 1
                del problems[said:]
            else:
                others.fitted += 1
                return facts
        lessons = Lessons()
        facts = self._settle(lessons, root, body, place, tree, problems)
        hints = lessons.for_others(facts.ways, facts.used_bodies.values())
        if hints is not None and source.instantiation is not None:
            others.hints.append((mine, hints))
        return facts

    def _settle(
        self, lessons: Lessons, root: Node, body: Node, place: Place, tree: StatementTree, problems: list[str]
    ) -> Facts:
        """Run until nothing new is learnt."""
        budget = allowed = max(self.budget, _SHARE)
        for attempt in range(2 * _MAX_RUNS):
            lessons.changed = False
            machine = Interpreter(self.translation, lessons, self.bodies)
            machine.budget = given = max(budget, allowed // 10)
            machine.run_kernel(root, body, place, tree)
            new = machine.facts_written - lessons.written
            lessons.written |= new
            if new and any(may_alias(array, other) for array in machine.uniform_loads for other in new):
                lessons.changed = True
            if machine.facts.passed_by and not lessons.every_branch and self._varies(root, place, machine.facts):
                lessons.every_branch = lessons.changed = True
            budget -= given - machine.budget
            self.budget -= given - machine.budget
            if machine.budget < 0 and not lessons.pessimistic:
                problems.append("too large to be analysed completely")
                lessons.pessimistic = lessons.changed = True
            if not lessons.changed:
                lessons.confirm(machine.facts.ways, machine.facts.used_bodies.values())
                return machine.facts
            if attempt >= _MAX_RUNS:
                lessons.pessimistic = True
        problems.append("the analysis did not settle")
        facts = machine.facts
        for statement in facts.statements.values():
            statement.uniform, statement.reached = False, Convergence.DIVERGENT
        return facts

    def _varies(self, root: Node, place: Place, facts: Facts) -> bool:
        """Whether a branch that is never taken here may be in the pass for another architecture."""
        texts = [place.source.data[root.start : root.end]]
        for path, start, end in facts.used_bodies.values():
            source = self.translation.files.get(path)
            texts += [source.data[start:end]] if source is not None else []
        if self.varying is None:
            sources = [source.data for source in self.translation.files.values()]
            self.varying = varying(sources, self.arch_macros)
        return self.varying.in_texts(texts)

    def _assemble(
        self,
        source: KernelSource,
        root: Node,
        body: Node,
        place: Place,
        tree: StatementTree,
        facts: Facts,
        reached: Reached,
        problems: list[str],
    ) -> Kernel:
        data = place.source.data
        start = self._start(source, place)
        if root.macro and (body.macro or _inside_macro(source.cursor, place)):
            problems.append("defined by a macro")
        if source.instantiation is not None and not source.is_template:
            why = "of a template that is declared before it is defined"
            problems.append(why if source.is_declared_before else "an explicit specialisation of a template")
        if _SPLICED.search(data, start, body.start):
            problems.append("its declaration has a line that is spliced within a word")
        name = libclang.spelling(source.cursor)
        earlier = self._earlier(source.pattern)
        given = [child for child in root.children if child.kind == K.PARM_DECL]
        names = template_names(source.pattern) if source.is_template else ()
        special = facts.special | self.repeating.words.in_text(data, body.start, body.end)
        special |= self.repeating.marks(self.functions.get(name, ()), names, given)
        sizes = list(facts.shared.values())
        shared = None if any(size is None for size in sizes) else sum(size or 0 for size in sizes)
        bodies = [one for one in self.bodies.values() if one is not None and one.root.key in facts.used_bodies]
        functions = functions_of(self.translation, bodies, self.made, self.repeating.words, self.later)
        if any(FunctionProblem.KNOWN in one.problems for one in functions):
            special |= {"known"}
        texts = [(place.source.path, start, body.end), *facts.used_bodies.values()]
        errors = self.blame.problems(texts, own_words(root, data))
        problems.extend(errors)
        if source.is_ambiguous:
            problems.append("another template differs from it in nothing but its constraints")
        params = params_of(given, source.pattern, place, earlier)
        named = self._named(source, place, (body.start, body.end), params, editable=not body.macro)
        return replace(
            named,
            declared=declared_of(source.pattern, place, body, earlier),
            extern_c=any(parent.kind == K.LINKAGE_SPEC for parent in source.parents),
            links_c_alone=self._links_c_alone(source, place, body.end),
            stmts=_statements(tree, place, facts),
            loops=_loops(tree, facts),
            arrays=self._arrays(root, facts),
            accesses=tuple(facts.accesses),
            syncs=tuple(facts.syncs),
            calls=tuple(facts.calls),
            builtins=builtins_in(body),
            call_sites=call_sites(self.translation, body, place, {one.usr for one in functions}),
            functions=functions,
            builtin_uses=reached.uses,
            closed=reached.closed,
            variables=variables_of(body, tree, place),
            effects=effects_of(root, body, place, self.plain, self.bodies, facts.accesses),
            assignments=assignments_of(tree, place),
            special=frozenset(special | {"cdp"} if _launches(data, body) else special),
            changed_behind=self.later.change(place, start, body.end, root),
            conditional=depends_on_arch(data, start, body.end, self.arch_macros),
            static_shared_bytes=shared,
            uses_dynamic_shared=facts.dynamic_shared,
            markers=markers_of(place.source, start, body.end, self.extents.get(place.source.path, [])),
            problems=tuple(dict.fromkeys(problems)),
            has_errors=bool(errors),
        )

    def _start(self, source: KernelSource, place: Place) -> int:
        """The offset of the declaration's first token, `template <...>` and `extern "C"` included."""
        start = before_attributes(place.source.data, first_token(place, source.pattern, source.cursor))
        for parent in source.parents:
            if parent.kind == K.LINKAGE_SPEC:
                outer, _outer_end, _in_macro = place.offsets(self.lib.clang_getCursorExtent(parent))
                between = place.source.data[outer:start]
                if outer < start and b"{" not in between and _LINKAGE_C.search(between.rstrip() + b""):
                    return outer
        return start

    def _links_c_alone(self, source: KernelSource, place: Place, end: int) -> bool:
        """Whether an `extern "C"` without braces is part of the definition."""
        return any(
            parent.kind == K.LINKAGE_SPEC and place.offsets(self.lib.clang_getCursorExtent(parent))[1] == end
            for parent in source.parents
        )

    def _earlier(self, pattern: Cursor) -> list[Cursor]:
        """The other declarations of a kernel, template or not."""
        usr = libclang.usr(pattern)
        named = self.functions.get(libclang.spelling(pattern), ())
        return [one for one in named if one.data[0] != pattern.data[0] and libclang.usr(one) == usr]

    def _top_start(self, source: KernelSource, place: Place, start: int) -> int:
        """Where the outermost namespace, class or linkage specification around a kernel begins."""
        for parent in source.parents:
            outer, end, _macro = place.offsets(self.lib.clang_getCursorExtent(parent))
            if outer < start < end:  # in this file
                return outer
        return start

    def _name_offset(self, cursor: Cursor, place: Place) -> int:
        file, offset = libclang.file_location(self.lib.clang_getCursorLocation(cursor))
        return lexing.skip_gap(place.source.data, offset) if file == place.file else 0  # behind a continued line

    def _arrays(self, root: Node, facts: Facts) -> tuple[Array, ...]:
        found: dict[Array, None] = {}
        for node in root.children:
            if node.kind == K.PARM_DECL and types.is_pointer(node.type):
                array = declared_array(node.cursor, node.name, node.type, Space.GLOBAL, is_param=True)
                found.setdefault(array)
        for access in facts.accesses:
            found.setdefault(access.array)
        return tuple(found)


def _launches(data: bytes, body: Node) -> bool:
    """Whether a kernel launches others itself (dynamic parallelism)."""
    return any(kind == "mark3" for kind, _text, _offset in lexing.tokens(data, body.start, body.end))


def _inside_macro(cursor: Cursor, place: Place) -> bool:
    location = libclang.library().clang_getCursorLocation(cursor)
    return bool(location.raw & libclang.MACRO_BIT) and place.file != 0


def _statements(tree: StatementTree, place: Place, facts: Facts) -> tuple[Stmt, ...]:
    found = []
    nothing = StmtFacts()
    for draft in tree.drafts:
        known = facts.statements.get(draft.id, nothing)
        found.append(
            Stmt(
                id=draft.id,
                kind=draft.kind,
                span=place.span(draft.start, draft.end, editable=draft.editable),
                parent=draft.parent,
                children=tuple(draft.children),
                condition=known.condition,
                uniform=known.uniform,
                convergence=known.reached,
                lead=draft.lead,
                role=draft.role,
            )
        )
    return tuple(found)


def _loops(tree: StatementTree, facts: Facts) -> tuple[Loop, ...]:
    found: list[Loop] = []
    for draft in tree.drafts:
        if draft.kind not in LOOP_KINDS:
            continue
        parent = draft.parent
        depth = 0
        outer: int | None = None
        while parent is not None:
            if tree.drafts[parent].kind in LOOP_KINDS:
                depth += 1
                outer = parent if outer is None else outer
            parent = tree.drafts[parent].parent
        known = facts.loops.get(draft.id)
        found.append(
            Loop(
                stmt=draft.id,
                symbol=f"loop{draft.id}",
                variable=known.variable if known else "",
                start=known.start if known else None,
                step=known.step if known else None,
                bound=known.bound if known else None,
                trips=known.trips if known else None,
                depth=depth,
                parent=outer,
                changing=known.changing if known else "",
                following=known.following if known else None,
            )
        )
    return tuple(found)
