"""Versions in which threads and blocks are those of the program's launch, whatever is launched in their place.

The built-in variables are hidden by local ones of the same name at the start of a body, so that macros and lambdas
follow; device functions that name them are copied. Whoever makes such a version says what they mean: `opening` declares
an object with the members `thread`, `block`, `size` and `grid`, in terms of `gpuopt_plan` and `gpuopt_rt::real`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.handed import changed_params, given, taken
from gpuopt_driver.frontend.model import Function, Kernel
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.source.text import Span
from gpuopt_driver.variants.copies import CopyObstacle, can_capture, copied, why_not_copied, why_not_redefined
from gpuopt_driver.variants.model import FunctionCopy

BUILTINS = {
    "threadIdx": "const ::uint3 threadIdx = ::gpuopt_rt::as_launched({}.thread);",
    "blockIdx": "const ::uint3 blockIdx = ::gpuopt_rt::as_launched({}.block);",
    "blockDim": "const ::dim3 blockDim = ::gpuopt_rt::as_launched({}.size);",
    "gridDim": "const ::dim3 gridDim = ::gpuopt_rt::as_launched({}.grid);",
}


class Hidden(Enum):
    """Kinds of reasons why a built-in variable keeps its meaning at some place."""

    FUNCTION = "a function that cannot be copied"
    LAMBDA = "a lambda"
    IMPLICIT = "code that nobody calls by name"


@dataclass(frozen=True, slots=True)
class NotHidden:
    """Why built-in variables cannot be given another meaning."""

    kind: Hidden
    reason: str
    place: Span | None = None


def why_not_virtual(kernel: Kernel, names: Collection[str] = tuple(BUILTINS)) -> NotHidden | None:
    """Why a version cannot give the built-in variables of these names another meaning wherever they are read."""
    return next(_reasons(kernel, names), None)


def _reasons(kernel: Kernel, names: Collection[str]) -> Iterator[NotHidden]:
    not_copied = why_not_copied(kernel, _functions(kernel, names))
    if not_copied is not None:
        kind = Hidden.LAMBDA if not_copied.obstacle is CopyObstacle.LAMBDA else Hidden.FUNCTION
        yield NotHidden(kind, not_copied.reason)
    for use in kernel.builtin_uses:
        if use.name in names and not can_capture(kernel, use.span):
            which = "a lambda without a default capture, or whose size is asked for,"
            text = f"{which} names {use.name} ({kernel.line_of(use.span)})"
            yield NotHidden(Hidden.LAMBDA, text, use.span)
    reason = why_not_redefined(kernel, names)
    if reason is not None:
        yield NotHidden(Hidden.IMPLICIT, reason)


def _functions(kernel: Kernel, names: Collection[str]) -> tuple[Function, ...]:
    return copied(kernel, lambda function: not function.builtins.isdisjoint(names))


def shadows(named: Iterable[str], place: str) -> str:
    """Declarations that hide those of the built-in variables that a body names by the members of `place`."""
    wanted = frozenset(named)
    return "".join(f"{text.format(place)} (void){name}; " for name, text in BUILTINS.items() if name in wanted)


def body_edits(body: Span, opening: str, author: str, closing: str = "") -> tuple[Edit, ...]:
    """A body (`inner`) behind an opening, in braces of its own, on its lines."""
    return (
        Edit(body.file, body.start, body.start, f" {opening}{{".encode(), author),
        Edit(body.file, body.end, body.end, f"}}{closing}".encode(), author),
    )


def virtual_edits(
    kernel: Kernel, kind: str, author: str, leave: str = "", names: Collection[str] = tuple(BUILTINS)
) -> tuple[Edit, ...]:
    """The kernel with variables of these names from a `kind gpuopt_at(gpuopt_plan)`; `leave`: what it does first."""
    return body_edits(kernel.inner, _opening(kernel.builtins, kind, leave, names), author)


def repeated_edits(
    kernel: Kernel,
    kind: str,
    author: str,
    times: int | str,
    leave: str = "",
    names: Collection[str] = tuple(BUILTINS),
    between: str = "",
    leaving: Sequence[Span] = (),
) -> tuple[Edit, ...]:
    """The same, `times` in each thread: `gpuopt_plan.n[0]` says which one; `return` ends that one.

    The body is a closure, and parameters that it may change are handed over anew. `between`: statements that all
    threads run between two of them, which are then not mixed. `leaving`: those `return`s that end the thread.
    """
    opening, call = body_closure(kernel, kind, leave, names)
    apart = f"if (gpuopt_k) {{ {between} }} " if between else ""
    left = "if (gpuopt_gone) return; " if leaving else ""
    closing = (
        f'}}; _Pragma("unroll{" 1" if between else ""}") for (unsigned gpuopt_k = 0; gpuopt_k < {times}; ++gpuopt_k) '
        f"{{ {apart}gpuopt_plan.n[0] = (unsigned short)gpuopt_k; {call} {left}}} "
    )
    gone = "bool gpuopt_gone = false; " if leaving else ""
    ends = (
        edit
        for span in leaving
        for edit in Edit.around(span.file, (span.start, span.end), ("{ gpuopt_gone = true; ", " }"), author)
    )
    return (*body_edits(kernel.inner, gone + opening, author, closing), *ends)


def body_closure(
    kernel: Kernel,
    kind: str,
    leave: str = "",
    names: Collection[str] = tuple(BUILTINS),
    takes: str = "",
    gives: str = "",
) -> tuple[str, str]:
    """What stands in front of a body (up to its own text) that is a closure, and how that is called.

    It takes `gpuopt_plan`, of which `kind` is made, and anew the parameters that it may change; `takes` and `gives` are
    what it takes beside these (`, const bool whole`) and is given.
    """
    own = changed_params(kernel)
    plan = "::gpuopt_rt::plan gpuopt_plan"
    shadowed = _opening(kernel.builtins, kind, leave, names)
    opening = f"auto gpuopt_body = [&](const {plan}{takes}{taken(own)}) -> void {{ {shadowed}"
    return opening, f"gpuopt_body(gpuopt_plan{gives}{given(own)});"


def virtual_copies(
    kernel: Kernel, kind: str, author: str, names: Collection[str] = tuple(BUILTINS)
) -> tuple[FunctionCopy, ...]:
    """The copies of device functions that go with them: those that name a variable, and their callers."""
    return tuple(
        FunctionCopy(
            one,
            ()
            if one.builtins.isdisjoint(names)
            else body_edits(one.inner, _opening(one.builtins, kind, "", names), author),
        )
        for one in _functions(kernel, names)
    )


def _opening(builtins: Collection[str], kind: str, leave: str, names: Collection[str]) -> str:
    hidden = shadows(frozenset(builtins).intersection(names), "gpuopt_at")
    return f"const {kind} gpuopt_at(gpuopt_plan); (void)gpuopt_at; {leave}{hidden}"
