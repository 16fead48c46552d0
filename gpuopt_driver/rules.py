"""What a proposal must keep to, checked before anybody else's work depends on it.

A plugin that breaks a rule is left out of the source with one warning that names it and the rule; the others go on.
`docs/writing-plugins.md` lists the rules for those who write plugins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import Enum

from gpuopt_driver.analysis.pointers import Aligned, Counted, Disjoint, Extent, Fact
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import EditConflict
from gpuopt_driver.frontend import lexing
from gpuopt_driver.frontend.model import Kernel
from gpuopt_driver.hooks import Context, Proposal
from gpuopt_driver.report.model import Decision, Finding
from gpuopt_driver.source.edits import Edit, merge
from gpuopt_driver.source.text import Span
from gpuopt_driver.variants.model import FunctionCopy, Variant, Watch
from gpuopt_driver.variants.watching import is_watchable

UNDISPATCHABLE = "GPUOPT012"


class Rule(Enum):
    """The rules, each as the warning says it."""

    TYPES = "edits, versions and their parts have the types of the API"
    PLACE = "findings stand at a line that their file has, in one of the unit's own files"
    FILES = "edits are of the unit's own files"
    RANGE = "edits lie inside of their file"
    KERNEL = (
        "edits do not reach into another kernel, and those of a version stay in the kernel or the function it copies"
    )
    MACRO = "edits do not change text that comes out of a macro, nor preprocessor directives"
    OVERLAP = "edits of one proposal do not overlap"
    LINES = "every line keeps its number"
    GUARD = "guards do not look at the values of pointers and floating-point arguments"


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that a proposal breaks, and how."""

    rule: Rule
    how: str


def broken(kernel: Kernel, context: Context, proposal: Proposal) -> Broken | None:
    """The first rule that a proposal breaks, or None."""
    return next(_faults(kernel, context, proposal), None)


def _faults(kernel: Kernel, context: Context, proposal: Proposal) -> Iterator[Broken]:
    typed = _typed(kernel, proposal)
    if typed is not None:
        yield typed
        return
    yield from _watched(kernel, proposal)
    for item in proposal.findings:
        yield from _outside(item, context)
    functions = {function.usr: function for function in kernel.functions}
    for edit in proposal.edits:
        yield from _placed(edit, kernel, context)
    for variant in proposal.variants:
        yield from _version(variant, kernel, context)
        for copy in variant.functions:
            function = functions.get(copy.function.usr)
            if function is None or function.span != copy.function.span:
                yield Broken(
                    Rule.KERNEL, f"a copy of {copy.function.qualified}, which {kernel.qualified} does not call"
                )
            elif not all(_within(edit, function.span) for edit in copy.edits):
                yield Broken(Rule.KERNEL, f"an edit of {function.qualified} outside of it")
    texts = [proposal.edits, *((*variant.edits, *_inner(proposal, kernel)) for variant in proposal.variants)]
    texts += [copy.edits for variant in proposal.variants for copy in variant.functions]
    for edits in texts:
        yield from _overlapping(edits)
        for edit in edits:
            yield from _lines(edit, context)


def _typed(kernel: Kernel, proposal: Proposal) -> Broken | None:
    """What does not even have the right type."""
    for item in proposal.findings:
        texts = (item.plugin, item.kernel, item.code, item.message, item.file)
        if not isinstance(item.decision, Decision) or not all(isinstance(text, str) for text in texts):
            return Broken(Rule.TYPES, "a finding whose parts are no texts")
        if type(item.line) is not int or type(item.column) is not int or min(item.line, item.column) < 0:
            return Broken(Rule.TYPES, "a finding at a place that is none")
    for variant in proposal.variants:
        if not isinstance(variant, Variant) or variant.kernel != kernel.usr or not variant.name.isidentifier():
            return Broken(Rule.TYPES, "a version of another kernel, or one without a proper name")
        if not all(isinstance(text, str) for text in (variant.guard, variant.support, variant.occupancy)):
            return Broken(Rule.TYPES, "a version whose guard is no text")
        if type(variant.repeats) is not int or variant.repeats < 1:
            return Broken(Rule.TYPES, "a version that has its kernel's text less than once")
        if type(variant.longest) is not int or variant.longest < 0:
            return Broken(Rule.TYPES, "a version whose longest text is no number of bytes")
        if not all(
            isinstance(fact, Disjoint | Aligned | Counted) and _is_fact(fact, kernel) for fact in variant.requires
        ):
            return Broken(Rule.TYPES, "a fact of something else than the kernel's parameters")
        if not all(isinstance(copy, FunctionCopy) for copy in variant.functions):
            return Broken(Rule.TYPES, "something else than copies of functions")
    copies = [copy for variant in proposal.variants for copy in variant.functions]
    groups = (proposal.edits, *(one.edits for one in proposal.variants), *(one.edits for one in copies))
    every = [edit for group in groups for edit in group]
    if not all(isinstance(edit, Edit) and _is_edit(edit) for edit in every):
        return Broken(Rule.TYPES, "something else than edits")
    return None


def _watched(kernel: Kernel, proposal: Proposal) -> Iterator[Broken]:
    """What is to be written down of launches, and said to the user, that is something else."""
    watch = proposal.watch
    if watch is not None:
        if not isinstance(watch, Watch) or watch.kernel != kernel.usr or not watch.keyed:
            yield Broken(Rule.TYPES, "a watch of another kernel, or of nothing")
            return
        strange = [name for name in (*watch.keyed, *watch.beside) if not is_watchable(kernel, name)]
        if strange:
            yield Broken(Rule.TYPES, f"a watch of {strange[0]}, which is no number of a launch")
    if not all(isinstance(text, str) for text in proposal.warnings):
        yield Broken(Rule.TYPES, "a warning that is no text")


def _is_fact(fact: Fact, kernel: Kernel) -> bool:
    """Whether a fact is one of pointers that the kernel is given, with numbers and texts in its places."""
    if isinstance(fact, Aligned):
        return _is_given(fact.pointer, kernel) and type(fact.bytes) is int and fact.bytes > 0
    if isinstance(fact, Counted):
        return isinstance(fact.reach, str)
    return all(
        isinstance(one, Extent)
        and _is_given(one.pointer, kernel)
        and isinstance(one.reach, str)
        and type(one.bytes) is int
        for one in (fact.one, fact.other)
    )


def _is_given(pointer: str, kernel: Kernel) -> bool:
    """Whether a text names a pointer parameter, or a member of another parameter."""
    name, *members = pointer.split(".")
    return any(param.name == name and param.is_pointer != bool(members) for param in kernel.params) and all(
        member.isidentifier() for member in members
    )


def _outside(item: Finding, context: Context) -> Iterator[Broken]:
    """A finding that names a line and a file which do not belong together."""
    source = context.unit.files.get(item.file)
    if source is None:
        yield Broken(Rule.PLACE, f"a finding in {item.file or 'no file'}, which is no file of this unit")
    elif not 1 <= item.line <= len(source.line_starts):
        lines = len(source.line_starts)
        yield Broken(Rule.PLACE, f"a finding at line {item.line} of {item.file}, which has {lines}")


def _is_edit(edit: Edit) -> bool:
    places = (edit.start, edit.end)
    return isinstance(edit.file, str) and isinstance(edit.text, bytes) and all(type(place) is int for place in places)


def _version(variant: Variant, kernel: Kernel, context: Context) -> Iterator[Broken]:
    for edit in variant.edits:
        if not _within(edit, kernel.span):
            yield Broken(Rule.KERNEL, f"a version with an edit outside of {kernel.qualified}")
        yield from _placed(edit, kernel, context)
    for param in kernel.params:
        if (param.is_pointer or param.is_float) and _names(variant.guard, param.name):
            what = "pointer" if param.is_pointer else "floating-point number"
            yield Broken(Rule.GUARD, f"the guard of {variant.name} names {param.name}, a {what}")


def _names(text: str, name: str) -> bool:
    """Whether C++ text names a variable: the word, but for members of others."""
    before: tuple[bytes, bytes] = (b"", b"")
    data = text.encode("utf-8", "surrogateescape")
    for kind, token, _at in lexing.tokens(data, 0, len(data)):
        is_member = before[1] == b"." or before in ((b"-", b">"), (b":", b":"))
        if kind == "word" and token.decode("utf-8", "replace") == name and not is_member:
            return True
        before = (before[1], token)
    return False


def _placed(edit: Edit, kernel: Kernel, context: Context) -> Iterator[Broken]:
    """What is wrong with the place of an edit."""
    source = context.unit.files.get(edit.file)
    if source is None:
        yield Broken(Rule.FILES, f"an edit of {edit.file}, which is a system header or no file of this unit")
        return
    if edit.end > len(source.data):
        yield Broken(Rule.RANGE, f"an edit of bytes {edit.start} to {edit.end} of {len(source.data)}")
        return
    for other in context.unit.kernels:
        if other.usr != kernel.usr and other.span != kernel.span and _touches(edit, other.span):
            yield Broken(Rule.KERNEL, f"an edit of {other.qualified}, proposed for {kernel.qualified}")
            return
    line = source.position(edit.start)[0]
    if _is_directive(source.data, edit):
        yield Broken(Rule.MACRO, f"an edit of a preprocessor directive, line {line}")
    elif edit.file == kernel.span.file and _from_macro(edit, kernel):
        yield Broken(Rule.MACRO, f"an edit of what a macro makes, line {line}")


def _is_directive(data: bytes, edit: Edit) -> bool:
    """Whether an edit changes the text of a directive, or stands inside of one."""
    start = data.rfind(b"\n", 0, edit.start) + 1
    while start >= 2 and data[start - 2 : start - 1] == b"\\":  # a continued line
        start = data.rfind(b"\n", 0, start - 1) + 1
    return data[start : edit.start].lstrip().startswith(b"#")


def _from_macro(edit: Edit, kernel: Kernel) -> bool:
    """Whether an edit cuts into text of the kernel that cannot be edited, and does not replace what is around it."""
    stmts = [stmt.span for stmt in kernel.stmts]
    syncs = [sync.span for sync in kernel.syncs if not sync.via]
    accesses = [access.span for access in kernel.accesses if not access.via]
    fixed = [span for span in (*stmts, *syncs, *accesses) if not span.editable and _cuts(edit, span)]
    whole = [span for span in stmts if span.editable and edit.start <= span.start and span.end <= edit.end]
    return any(not any(one.start <= span.start and span.end <= one.end for one in whole) for span in fixed)


def _cuts(edit: Edit, span: Span) -> bool:
    if edit.file != span.file or span.start == span.end:
        return False
    if edit.is_insertion:
        return span.start < edit.start < span.end
    return edit.start < span.end and span.start < edit.end


def _overlapping(edits: Sequence[Edit]) -> Iterator[Broken]:
    try:
        merge(edits)
    except EditConflict as conflict:
        yield Broken(Rule.OVERLAP, f"edits that overlap: {conflict.where}")


def _lines(edit: Edit, context: Context) -> Iterator[Broken]:
    """What would move lines, or change others than the edit's own."""
    source = context.unit.files.get(edit.file)
    if source is None or edit.end > len(source.data):
        return
    line, column = source.position(edit.start)
    replaced = source.data[edit.start : edit.end]
    rest = source.data[edit.end :].split(b"\n", 1)[0]
    for holds, what in (
        (edit.text.count(b"\n") != replaced.count(b"\n"), "more or fewer line breaks than before"),
        (b"\r" in edit.text.replace(b"\r\n", b""), "a carriage return"),
        (_begins_directive(source.data, edit), "a preprocessor directive"),
        (_hides_rest(edit.text) and rest.strip(), "a comment that takes the rest of the line with it"),
        (edit.text.endswith(b"\\") and not rest.strip(), "a backslash at the end of the line"),
    ):
        if holds:
            yield Broken(Rule.LINES, f"an edit at line {line}, column {column} with {what}")


def _begins_directive(data: bytes, edit: Edit) -> bool:
    before = data[data.rfind(b"\n", 0, edit.start) + 1 : edit.start]
    text = before + edit.text
    if re.search(rb"^[ \t]*(#|%:)", edit.text.partition(b"\n")[2], re.MULTILINE):
        return True
    return re.match(rb"[ \t]*(#|%:)", text) is not None and not re.match(rb"[ \t]*(#|%:)", before)


def _hides_rest(text: bytes) -> bool:
    """Whether a text ends in a comment that has no end of its own."""
    last = text.rpartition(b"\n")[2]
    plain = re.sub(rb'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|/\*.*?\*/', b" ", last)
    return b"//" in plain or b"/*" in plain


def _inner(proposal: Proposal, kernel: Kernel) -> tuple[Edit, ...]:
    """The edits in place that versions get, too."""
    return tuple(edit for edit in proposal.edits if _within(edit, kernel.span))


def _within(edit: Edit, span: Span) -> bool:
    return edit.file == span.file and span.start <= edit.start and edit.end <= span.end


def _touches(edit: Edit, span: Span) -> bool:
    if edit.file != span.file:
        return False
    if edit.is_insertion:
        return span.start < edit.start < span.end
    return edit.start < span.end and span.start < edit.end


def launchable(kernel: Kernel, context: Context, proposal: Proposal, told: Callable[[str], Finding]) -> Proposal:
    """The proposal without versions that no launch could get, which would be dead text; `told` makes a finding."""
    reason = context.undispatchable or ("" if context.has_host_code else "no host code is built here")
    held = context.elsewhere and context.has_host_code
    if not reason:
        return proposal
    kept = tuple(variant for variant in proposal.variants if held and variant.anywhere)
    if len(kept) == len(proposal.variants) and proposal.watch is None:
        return proposal
    said = f"no launch can get a version of {kernel.name}: {reason}"
    if kept or proposal.edits:
        return replace(proposal, variants=kept, watch=None, findings=(*proposal.findings, told(said)))
    findings = tuple(
        replace(item, decision=Decision.DECLINED, code=UNDISPATCHABLE, message=said)
        if item.decision is Decision.APPLIED
        else item
        for item in proposal.findings
    )
    return replace(proposal, variants=(), watch=None, findings=findings)
