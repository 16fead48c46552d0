"""Kernels that take numbers below 2^-126 for 0 (-ftz=true, and so -use_fast_math), as a GPU then does in `float` alone.

The processor does so in `double`, too (include/gpuopt_emu/flushing.h), so it is left as it is where the user's device
code speaks of `double`.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuopt_driver.emulator.lexer import Tokens
from gpuopt_driver.emulator.structure import Role, Structure


def speaks_of_double(tokens: Tokens, structure: Structure, lambdas: Iterable[tuple[int, int]]) -> bool:
    """Whether `double`, or one of its vectors, stands in the user's own files where the device may read it.

    That is in `lambdas` for the device and outside of functions for the host alone.
    """
    hosts = {
        index
        for function in structure.functions
        if function.role is Role.HOST
        for index in range(function.head, tokens.match[function.body] + 1)
    }
    for start, end in lambdas:
        head = start  # from the `[` on
        while head > 0 and tokens.at(head) != b"[":
            head -= 1
        hosts.difference_update(range(head, end))
    users = {file for _, _, file in tokens.user_markers()}
    return any(
        text.startswith(b"double") and index not in hosts and tokens.where(index)[0] in users
        for index, text in enumerate(tokens.original)
    )
