"""The rewrite: `const float *x` becomes `const float *__restrict__ x` in the version's parameters."""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.api import Edit, Kernel, Param, SourceFile, why_not_copyable

from .find import Pointer

NAME = "read_only"


def why_not(kernel: Kernel, source: SourceFile, pointers: Sequence[Pointer]) -> str:
    """Why the parameters cannot be changed, "" where they can."""
    reason = why_not_copyable(kernel)
    if reason:
        return reason
    for param in _params(kernel, pointers):
        before = source.data[param.span.start : _name(source, param)].rstrip()
        if not param.span.editable or not before.endswith(b"*"):
            return f"the declaration of {param.name} does not end in a * and a name"
    return ""


def edits(kernel: Kernel, source: SourceFile, pointers: Sequence[Pointer]) -> tuple[Edit, ...]:
    """`__restrict__` in front of the names."""
    places = [_name(source, param) for param in _params(kernel, pointers)]
    return tuple(Edit(kernel.span.file, at, at, b"__restrict__ ", NAME) for at in places)


def _params(kernel: Kernel, pointers: Sequence[Pointer]) -> list[Param]:
    names = {pointer.name for pointer in pointers}
    return [param for param in kernel.params if param.name in names]


def _name(source: SourceFile, param: Param) -> int:
    """Where a parameter's name begins, at the end of its declaration."""
    text = source.text(param.span).encode("utf-8", "surrogateescape").rstrip()
    declared = text.partition(b"=")[0].rstrip()
    name = param.name.encode()
    return param.span.start + len(declared) - len(name) if declared.endswith(name) else param.span.start
