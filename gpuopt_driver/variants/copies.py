"""Copies of the device functions that a version calls: which are needed, why one cannot be made, their text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from enum import Enum

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.model import CallSite, Function, FunctionProblem, Kernel
from gpuopt_driver.frontend.uses import Construct
from gpuopt_driver.source.edits import Edit, apply
from gpuopt_driver.source.text import SourceFile, Span
from gpuopt_driver.variants import declared, lexical
from gpuopt_driver.variants.model import FunctionCopy, Variant

PARAMETER = b"::gpuopt_rt::plan gpuopt_plan"


def copied(kernel: Kernel, wanted: Callable[[Function], bool]) -> tuple[Function, ...]:
    """The functions that a version needs copies of: those that are wanted, and whatever calls one of these."""
    needed: dict[str, Function] = {}
    pending = True
    while pending:  # callers of callers; a cycle of calls ends it, too
        pending = False
        for function in kernel.functions:
            if function.usr in needed:
                continue
            if wanted(function) or any(site.usr in needed for site in function.call_sites):
                needed[function.usr] = function
                pending = True
    return tuple(function for function in kernel.functions if function.usr in needed)


class CopyObstacle(Enum):
    """Kinds of reasons against copies of functions."""

    MEMBER = "a member of a class"
    DEFINITION = "how it is defined"
    OTHER_FILE = "where it stands"
    RECURSION = "it calls itself"
    NAMED = "how it is named"
    LAMBDA = "where it is called"


@dataclass(frozen=True, slots=True)
class NotCopied:
    """Why copies of functions cannot stand in for them."""

    obstacle: CopyObstacle
    reason: str


def why_not_copied(kernel: Kernel, functions: Sequence[Function]) -> NotCopied | None:
    """Why copies of these functions cannot stand in for them, or None."""
    usrs = {function.usr for function in functions}
    for function in functions:
        where = f"{function.qualified} ({kernel.line_of(function.span)})"
        if function.problems:
            first = function.problems[0]
            kind = CopyObstacle.MEMBER if first is FunctionProblem.MEMBER else CopyObstacle.DEFINITION
            return NotCopied(kind, f"{where} cannot be copied: {first.value}")
        if function.span.file != kernel.span.file:
            return NotCopied(CopyObstacle.OTHER_FILE, f"{where} stands in another file")
        spans = (function.span, function.name_span, function.params_span)
        if not all(span.editable for span in spans):
            return NotCopied(CopyObstacle.DEFINITION, f"{where} comes out of a macro")
        if _reaches(kernel, function, function.usr):
            return NotCopied(CopyObstacle.RECURSION, f"{where} calls itself")
    for sites in (kernel.call_sites, *(function.call_sites for function in functions)):
        for site in sites:
            if site.usr in usrs and not (site.name.editable and site.opening.editable):
                text = f"{kernel.line_of(site.name)} names a function other than in a call as written"
                return NotCopied(CopyObstacle.NAMED, text)
            if site.usr in usrs and not can_capture(kernel, site.name):
                text = f"{kernel.line_of(site.name)} calls a function in {Construct.LAMBDA.value}, which has no plan"
                return NotCopied(CopyObstacle.LAMBDA, text)
    return None


def why_not_redefined(kernel: Kernel, names: Collection[str], *, groups: bool = True) -> str | None:
    """Why a version cannot give these built-in variables another meaning, or None.

    A local variable of their name reaches what the kernel's text names, and the text of copied functions
    (`why_not_copied` says which can be). It reaches neither `::blockIdx` nor what runs without a call that could be
    sent to a copy: default arguments, initialisers of members, destructors, members of cooperative groups and the
    like. `groups` False: the caller sees to what groups tell itself.
    """
    for use in kernel.builtin_uses:
        if use.construct is Construct.GROUP and not groups:
            continue
        if use.name in names and not use.shadowed:
            where = f"{kernel.line_of(use.span)}: {use.construct.value}"
            owner = "" if use.owner == kernel.qualified else f" ({use.owner})"
            return f"{where}{owner} reads {use.name}, which a version cannot give another meaning there"
    return None


def can_capture(kernel: Kernel, span: Span) -> bool:
    """Whether a local variable that a version adds to the function around a place can be named there."""
    return not any(one.file == span.file and one.start <= span.start and span.end <= one.end for one in kernel.closed)


def _reaches(kernel: Kernel, start: Function, usr: str) -> bool:
    """Whether a function calls another one, directly or not."""
    by_usr = {function.usr: function for function in kernel.functions}
    seen: set[str] = set()
    stack = [site.usr for site in start.call_sites]
    while stack:
        one = stack.pop()
        if one == usr:
            return True
        if one not in seen and one in by_usr:
            seen.add(one)
            stack.extend(site.usr for site in by_usr[one].call_sites)
    return False


def call_edits(sites: Iterable[CallSite], usrs: frozenset[str], suffix: str, author: str) -> list[Edit]:
    """The edits that send calls to the copies."""
    edits: dict[int, list[Edit]] = {}
    for site in sites:
        if site.usr in usrs:
            given = b"gpuopt_plan, " if site.has_arguments else b"gpuopt_plan"
            edits[site.name.start] = [
                Edit(site.name.file, site.name.end, site.name.end, suffix.encode(), author),
                Edit(site.opening.file, site.opening.end, site.opening.end, given, author),
            ]
    return [edit for pair in edits.values() for edit in pair]


def usrs_of(variants: Iterable[Variant]) -> frozenset[str]:
    """The functions that some variants bring copies of."""
    return frozenset(copy.function.usr for variant in variants for copy in variant.functions)


def definition(source: SourceFile, copy: FunctionCopy, usrs: frozenset[str], suffix: str, author: str) -> str:
    """A copy's text in its namespaces, on the function's own lines."""
    function = copy.function
    start, end = function.span.start, function.span.end
    edits = [*copy.edits, *call_edits(function.call_sites, usrs, suffix, author)]
    edits = [Edit(edit.file, edit.start - start, edit.end - start, edit.text, edit.author) for edit in edits]
    rename = function.name_span.end - start
    edits.append(Edit(source.path, rename, rename, suffix.encode(), author))
    opening = function.params_span.start + 1 - start
    inner = source.data[function.params_span.start + 1 : function.params_span.end - 1]
    if lexical.strip_comments(inner).strip() in (b"", b"void"):
        edits.append(Edit(source.path, opening, opening + len(inner), PARAMETER, author))
    else:
        edits.append(Edit(source.path, opening, opening, PARAMETER + b", ", author))
    edits.extend(declared.storage_edits(source.data[start:end], function, source.path, author))
    before, inside, behind = declared.around(function, source.data)
    if inside:
        body = function.body.start - start
        edits.append(Edit(source.path, body, body, inside.encode(), author))
    text = apply(source.data[start:end], edits).decode("utf-8", "surrogateescape")
    spaces = declared.opened(function.namespace)
    after = " }" * len(function.namespace)
    line = f"{spaces}\n" if spaces else ""
    behind = f"\n{behind}" if behind else "\n"
    return f"{line}{before}#line {function.span.line}\n{text}{after}{behind}"
