"""Whether a kernel's floating-point results can depend on how the compiler pairs products with sums.

nvcc fuses a product into the sum that it goes to, and where two products meet in one sum (`a * b + c * d`) it chooses
one by its place among the instructions. A load with a cache operator is another instruction to nvcc than a plain one,
and was seen to change that choice, so such kernels keep their loads unless the policy allows other rounding.
"""

from __future__ import annotations

import re

from gpuopt_driver.api import Context, Kernel, Space

_FLOATING = re.compile(r"\b(float|double|half|__half|bfloat|fp16|complex)", re.IGNORECASE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'", re.DOTALL)
_PRAGMA = re.compile(r"^[ \t]*(?:#|%:)[ \t]*pragma\b[^\n]*|\b_Pragma\s*\([^()]*\)", re.MULTILINE)
_INTEGER = re.compile(
    r"^\s*(?:const\s+|register\s+|volatile\s+)*(?:unsigned|signed|int|long|short|char|bool|size_t|u?int\d+_t|uint|dim3)\b"
    r"[^*&=]*="
)
_PRODUCT = re.compile(r"(?<=[\w)\].])\s*\*\s*(?=[\w(.+\-*&])|\*=")
_ACCUMULATES = re.compile(r"^[^=]*(?<![<>=!*/%&|^])[+-]=(?!=)")


def may_round_differently(kernel: Kernel, context: Context) -> str | None:
    """Why the results of a version might not have the bits of the original's, or None where they must."""
    source = context.unit.files[kernel.span.file]
    text = source.data[kernel.body.start : kernel.body.end].decode("latin-1")
    text = _PRAGMA.sub(" ", _COMMENT.sub(" ", text))
    types = {array.element for array in kernel.arrays} | {variable.type for variable in kernel.variables}
    types |= {param.type for param in kernel.params}
    if not any(_FLOATING.search(one) for one in types) and not _FLOATING.search(text):
        return None
    if any(access.via for access in kernel.accesses if access.array.space is Space.GLOBAL):
        return "functions that it calls compute with what it loads"
    if any(function.split("::")[-1] not in _KNOWN for function in _called(kernel)):
        return "functions that it calls may add products"
    flat = _flattened(text)
    if any(name not in _HARMLESS and not name.startswith("make_") for name in _NAME.findall(flat)):
        return "a macro or function in it may add products"
    statements = [part for part in re.split(r"[;{}]", flat) if _PRODUCT.search(part)]
    statements = [part for part in statements if not _INTEGER.match(part)]
    products = [len(_PRODUCT.findall(part)) for part in statements]
    if sum(products) <= 1:
        return None
    if all(count == 1 and _ACCUMULATES.match(part) for count, part in zip(products, statements, strict=True)):
        return None
    return "it adds products of floating-point numbers, which the compiler may fuse in another order"


_KNOWN = frozenset({"min", "max", "fminf", "fmaxf", "fabsf", "fabs", "sqrtf", "sqrt", "__syncthreads", "abs", "__ldg"})

_HARMLESS = _KNOWN | {"if", "while", "switch", "return", "sizeof", "int", "float", "double", "unsigned", "char", "long"}
_NAME = re.compile(r"\b([A-Za-z_]\w*)\s*\(")


def _called(kernel: Kernel) -> set[str]:
    return {call.name for call in kernel.calls}


def _flattened(text: str) -> str:
    """The text without subscripts and without the heads of loops: what is in there is integer arithmetic."""
    text = re.sub(r"\bfor\s*\(", "\0(", text)
    found: list[str] = []
    depth = 0
    position = 0
    while position < len(text):
        here = text[position]
        if here == "\0":
            position = _behind(text, position + 1)
            found.append(";")
            continue
        if here == "[":
            depth += 1
            found.append("_" if depth == 1 else "")
        elif here == "]":
            depth -= 1
        elif depth == 0:
            found.append(here)
        position += 1
    return "".join(found)


def _behind(text: str, opening: int) -> int:
    """The position behind the parenthesis that closes the one at `opening`."""
    depth = 0
    for position in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return position + 1
    return len(text)
