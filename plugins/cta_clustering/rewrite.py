"""The rewrites: blocks redirected to others' work, or the body in the hands of agents."""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.api import Edit, Function, FunctionCopy, Kernel, Span

NAME = "cta_clustering"
SCOPE = f"::gpuopt_rt::plugin_{NAME}"


def axis_numbers(axes: str) -> tuple[int, ...] | None:
    """The template arguments for `axes` ("xyz xyz": tiles, then inside them, fastest first); None if malformed."""
    words = axes.split()
    if len(words) != 2 or any(sorted(word) != ["x", "y", "z"] for word in words):
        return None
    outer, inner = (["xyz".index(axis) for axis in word] for word in words)
    return (*outer, *inner[:2])


def _shadowed(body: Span, axes: Sequence[int]) -> tuple[Edit, ...]:
    """A new meaning of blockIdx for a whole body, macros included; on the line of its braces."""
    given = ", ".join(map(str, axes))
    text = f" const uint3 blockIdx = {SCOPE}::redirected<{given}>(gpuopt_plan); (void)blockIdx; {{"
    return (
        Edit(body.file, body.start + 1, body.start + 1, text.encode(), NAME),
        Edit(body.file, body.end - 1, body.end - 1, b"}", NAME),
    )


def redirect(kernel: Kernel, axes: Sequence[int]) -> tuple[Edit, ...]:
    """The kernel with blockIdx redirected."""
    return _shadowed(kernel.body, axes)


def copies(functions: Sequence[Function], axes: Sequence[int]) -> tuple[FunctionCopy, ...]:
    """The functions that name blockIdx, redirected too, and their callers."""
    return tuple(
        FunctionCopy(function, _shadowed(function.body, axes) if "blockIdx" in function.builtins else ())
        for function in functions
    )
