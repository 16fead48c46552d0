"""The rewrites: blocks redirected to others' work, or the body in the hands of agents."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpuopt_driver.api import Edit, Function, FunctionCopy, Kernel, Span, body_edits

NAME = "cta_clustering"
SCOPE = f"::gpuopt_rt::plugin_{NAME}"
_NAME = re.compile(r"\bg?[xyz]\b|\bn\b")
_ALLOWED = re.compile(r"(?:\s|\b(?:g?[xyz]|n|\d{1,9})\b|[-+*/%()?:<>=!&|^~])+")
_UNSAFE = re.compile(r"[/%](?!\s*(?:g[xyz]\b|[1-9]\d{0,8}\b))|//|/\*|<<|>>|(?<![<>=!])=(?!=)|--|\+\+")


def axis_numbers(axes: str) -> tuple[int, ...] | None:
    """The template arguments for `axes` ("xyz xyz": tiles, then inside them, fastest first); None if malformed."""
    words = axes.split()
    if len(words) != 2 or any(sorted(word) != ["x", "y", "z"] for word in words):
        return None
    outer, inner = (["xyz".index(axis) for axis in word] for word in words)
    return (*outer, *inner[:2])


def tiled(axes: Sequence[int]) -> str:
    """The declaration that sends a block to the tiles of the plan."""
    return f"const ::uint3 blockIdx = {SCOPE}::redirected<{', '.join(map(str, axes))}>(gpuopt_plan);"


def customised(expressions: Sequence[str]) -> str:
    """The declaration that sends a block where the policy's expressions say."""
    x, y, z = (f"(unsigned)({one})" for one in expressions)
    return (
        f"const {SCOPE}::numbered gpuopt_o = {SCOPE}::usual(); (void)gpuopt_o; "
        f"const ::uint3 blockIdx = ::make_uint3({x}, {y}, {z});"
    )


def expressions_of(parts: Sequence[str]) -> tuple[str, ...] | None:
    """Three expressions in C++ over `gpuopt_o`; None where they are malformed or may divide by zero."""
    if len(parts) != 3 or any(_ALLOWED.fullmatch(part) is None or _UNSAFE.search(part) for part in parts):
        return None
    return tuple(_NAME.sub(lambda found: f"gpuopt_o.{found[0]}", part.strip()) for part in parts)


def _shadowed(body: Span, meaning: str) -> tuple[Edit, ...]:
    """A new meaning of blockIdx for all that is in a body's braces, macros included; on their lines."""
    return body_edits(body, f"{meaning} (void)blockIdx; ", NAME)


def redirect(kernel: Kernel, meaning: str) -> tuple[Edit, ...]:
    """The kernel with blockIdx redirected."""
    return _shadowed(kernel.inner, meaning)


def copies(functions: Sequence[Function], meaning: str) -> tuple[FunctionCopy, ...]:
    """The functions that name blockIdx, redirected too, and their callers."""
    return tuple(
        FunctionCopy(function, _shadowed(function.inner, meaning) if "blockIdx" in function.builtins else ())
        for function in functions
    )
