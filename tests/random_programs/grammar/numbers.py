"""Whole numbers and conditions. Unsigned arithmetic wraps; ints stay small; no index leaves its array.

Arrays have 131072 elements, me < 2048, n <= 18, m <= 9, counters < 18, small ints < 64.
"""

from __future__ import annotations

from ..tree import Node
from .writer import Scope, Writer

_READS = (
    "A[me * n + @j]", "A[me * n + @j]", "A[@j * 256 + me]", "A[me * m + @j]", "A[@j]", "A[me]", "A[(me + @j) & 1023]", "A[A[me * m + @j] & 255u]",
    "*(A + me * n + @j)", "__ldg(&A[me * n + @j])", "A[(int)blockIdx.x * 64 + @j]", "A[(int)(blockIdx.y * 128 + threadIdx.x) + @j * n]", "A[@l & 4095u]",
    "A[max(0, min(me + @j - 9, total - 1)) * n + @j]", "A[(me > 9 ? me - 9 : 0) * m + @j]", "A[me % (n + 1) * 64 + me / (n + 1)]", "A[(me >> 3) * 16 + (me & 7) + @j]",
    "A[me / 7 * n + (@j) % 5]",
)  # fmt: skip
_LEAVES = ("3u", "(unsigned)me", "(unsigned)t", "blockIdx.x", "threadIdx.x", "(unsigned)n", "17u")
_VALUES = (
    "(@u + @u)", "(@u ^ @u)", "(@u * 5u + @u)", "(@u - @u)", "(@u >> (@u & 7u))", "(@u << (@u & 3u))", "(@u % (@u | 1u))", "(@c ? @u : @u)",
    "MIX(@u, @u)", "PICK(@c, @u, @u)", "by_value(@u, @i)", "max(@u, @u)", "generic<3>(@u)", "generic<5>(@u)", "Box<unsigned>(@u).twice()",
    "at_or(@u)", "at_or()", "(unsigned)Here()", "Place().flat()", "Derived().sum()", "Member().t", "(::blockIdx.x * 7u + ::threadIdx.x)", "((void)@u, @u)",
    "GLOBAL", "(~@u)", "(unsigned)__popc(@u)", "(@u / (@u | 3u))", "(unsigned)@i", "folded<unsigned>(@u, @u)",
)  # fmt: skip
# Shifts and divisions by constants and by numbers of a launch, also where some number would make them undefined; bits.
_BITS = (
    "(@u / 7u)", "(@u % 10u)", "(@u / 16u * 16u + @u % 16u)", "(unsigned)((int)@u / 3)", "(unsigned)((int)@u % 5)", "(unsigned)((int)@u >> 4)",
    "(@u << 5 | @u >> 27)", "(@u >> n)", "((@u & 255u) << m)", "(m > 0 ? @u << m | @u >> (32 - m) : @u)", "(n > 3 ? @u / (unsigned)(n - 3) : @u)",
    "(unsigned)((int)@u / (m + 1) - (me - 40) / 8)", "(unsigned)((@u * 0xCCCCCCCDull) >> 35)", "(unsigned)(((unsigned long long)@u << 32 | @u) / (unsigned)(m * m + 1))",
    "(unsigned)((me * 37ll - (long long)@u) % (n + 2))", "(unsigned)(unsigned char)(@u >> 3)", "(unsigned)(short)@u", "(unsigned)(@u > @u ? -1 : (signed char)@u)",
    "(first_from(A, me, n, @u & 63u))", "fields(@u, @u)", "digits(@u)", "__funnelshift_l(@u, @u, m)", "(unsigned)__clz((int)@u)", "__umulhi(@u, @u)",
)  # fmt: skip
_SMALL = ("@j", "@j", "(int)(@l & 63u)", "(int)(@l & 15u)", "(int)(@u & 3u)")
_CONDITIONS = (
    "(me & 3) == 1", "threadIdx.x % 5 < 2", "(@l & 1u) != 0", "t < 7", "me < n * 9", "t == 0", "blockIdx.x > 0", "n > 5", "@l > @l", "!(t % 3)",
    "threadIdx.x + threadIdx.y * 3 > 20u && n > 2", "A[me] > 77u || t > 40", "(m & 1) != 0",
)  # fmt: skip
_UNIFORM = (
    "n > 5",
    "(m & 1) != 0",
    "(blockIdx.x & 1u) != 0",
    "(A[blockIdx.x] & 1u) != 0",
    "n + (int)blockIdx.x > 7",
    "true",
)


def read(w: Writer, scope: Scope) -> Node:
    """An element of the input of whole numbers."""
    return w.fill("u", w.pick(*_READS), scope, 0)


def unsigned(w: Writer, scope: Scope, depth: int) -> Node:
    """An unsigned value; it may have a side effect on nothing but what it declares itself."""
    if depth <= 0 or w.chance(0.2):
        return w.fill("u", w.pick(*scope.u) if w.chance(0.4) else w.pick(*_LEAVES), scope, 0)
    if w.chance(0.35):
        return read(w, scope)
    return w.fill("u", w.pick(*(_BITS if w.chance(0.2) else _VALUES)), scope, depth - 1)


def small(w: Writer, scope: Scope) -> Node:
    """An int in [0, 64)."""
    return w.fill("i", w.pick(*_SMALL), scope, 0)


def condition(w: Writer, scope: Scope) -> Node:
    """A condition of the thread, the data, or the block."""
    return w.fill("c", w.pick(*_CONDITIONS), scope, 0)


def uniform(w: Writer, scope: Scope) -> Node:
    """A condition that all threads of a block agree on."""
    return w.fill("c", w.pick(*_UNIFORM), scope, 0)
