"""Whether a version pays: how many loads are under way, with an element in memory and with it in a register.

With the element in memory, the loads of an iteration are under way together, and those of the next one wait for its
store. With it in a register, loads of several iterations can be under way, as far as registers go: ptxas spends as many
as let an SM hold all its threads. Where those of two iterations do not fit, it issues the later ones between the
additions, each of which waits for loads before it: more waits in an iteration than the original has. Only where the
launch has so many threads that memory is busy all the time, this costs nothing, and the stores are saved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpuopt_driver.api import Access, Arch, Const, Kernel, Space, SymKind, dataclass, expr, normal

from .judge import Promotion
from .rewrite import SCOPE

_OTHERS = 8  # registers for counters, bounds, and what is being added
_LINE, _SECTOR = 128, 32  # bytes of an L1 line on all GPUs, and of what a miss brings at least
_QUEUED = 2  # times what the latency of one load asks for must be under way before memory is busy: loads queue


@dataclass(frozen=True, slots=True)
class Iteration:
    """What one iteration of a loop loads. Bytes are of one thread.

    `registers`: for the loads of two iterations, their addresses, and the elements. `streamed`: loads that
    neighbouring threads make of neighbouring bytes; `scattered`: the others, `walks` of them.
    """

    registers: int
    streamed: int
    scattered: int
    walks: int


def iterations(kernel: Kernel, found: Sequence[Promotion]) -> list[Iteration]:
    """The innermost loops that update elements, each once."""
    kept = {access for one in found for access in one.cell.accesses}
    sums: dict[int, int] = {}
    for one in found:
        loop = next(access.loops[-1] for access in one.cell.accesses if access.is_write)
        sums[loop] = sums.get(loop, 0) + _words(one.cell.bytes)
    return [_iteration(kernel, loop, words, kept) for loop, words in sums.items()]


def crowded(made: Sequence[Iteration], arch: Arch) -> bool:
    """Whether no loop has room for the loads of two iterations in the registers of a thread of a full SM."""
    room = arch.limits.registers_per_sm // arch.limits.threads_per_sm - _OTHERS
    return all(one.registers > room for one in made)


def condition(made: Sequence[Iteration]) -> str:
    """C++: whether a launch keeps memory busy with some of the loops."""
    calls = dict.fromkeys(f"{SCOPE}::busy(gpuopt_l, {one.streamed}, {one.scattered}, {one.walks})" for one in made)
    return " || ".join(calls)


def support(archs: Iterable[Arch]) -> str:
    """What `condition` calls, with what must be under way for memory to be busy on every GPU."""
    least = {_capability(arch): _under_way(arch) for arch in sorted(archs, key=lambda arch: arch.stands)}
    cases = " ".join(f"case {capability}: return {value};" for capability, value in sorted(least.items()) if value)
    return (
        "// Bytes of loads of an SM that keep memory busy, by compute capability; 0: not known.\n"
        f"inline double full(int gpuopt_c) {{ switch (gpuopt_c) {{ {cases} default: return 0; }} }}\n"
        f"{_BUSY}"
    )


_BUSY = f"""\
// Whether loads of so many bytes of each thread keep memory busy. L1 may lose the lines of scattered ones meanwhile.
inline bool busy(const launch &gpuopt_l, unsigned gpuopt_a, unsigned gpuopt_b, unsigned gpuopt_n) {{
  const double gpuopt_t = (double)gpuopt_l.threads * gpuopt_l.blocks_per_sm, gpuopt_f = full(gpuopt_l.capability);
  const bool gpuopt_x = gpuopt_t * (gpuopt_a + {_LINE}.0 * gpuopt_n) > (double)gpuopt_l.l1_bytes && gpuopt_l.l1_bytes;
  return gpuopt_f > 0 && gpuopt_t * (gpuopt_a + (gpuopt_x ? {_SECTOR}.0 * gpuopt_n : gpuopt_b)) > gpuopt_f;
}}
"""


def _iteration(kernel: Kernel, loop: int, sums: int, kept: set[Access]) -> Iteration:
    """The loads that the loop makes itself, each address once."""
    found = kernel.loop_of(loop)
    counter = found.symbol if found is not None else ""
    loads: dict[tuple[str, object], Access] = {}
    for access in kernel.accesses:
        mine = access.loops[-1:] == (loop,) and access not in kept
        if mine and access.is_read and access.array.space is Space.GLOBAL:
            offset = access.offset if access.offset is None else normal(access.offset)
            loads.setdefault((access.array.name, offset), access)
    moving = [one for one in loads.values() if _moves(one, counter)]
    streamed = [one for one in moving if _is_streamed(one)]
    scattered = [one for one in moving if one not in streamed and not _is_of_warp(one)]
    return Iteration(
        registers=sums
        + sum(_words(one.bytes) * (2 if one in moving else 1) for one in loads.values())
        + 2 * len({one.array.name for one in moving}),
        streamed=sum(one.bytes for one in streamed),
        scattered=sum(one.bytes for one in scattered),
        walks=len(scattered),
    )


def _words(size: int) -> int:
    return -(-size // 4)


def _moves(access: Access, counter: str) -> bool:
    """Whether a load has another address in the next iteration."""
    if access.offset is None or not counter:
        return True
    return any(one.name == counter or one.kind is SymKind.UNKNOWN for one in expr.symbols(access.offset))


def _step(access: Access) -> int | None:
    """Bytes from one thread's address to its neighbour's; None where that is no constant."""
    if access.offset is None:
        return None
    step = expr.coefficient(normal(access.offset), "threadIdx.x")
    return step.value if isinstance(step, Const) else None


def _is_of_warp(access: Access) -> bool:
    """Whether the threads of a warp load the same bytes."""
    return _step(access) == 0


def _is_streamed(access: Access) -> bool:
    step = _step(access)
    return step is not None and 0 < abs(step) < _SECTOR


def _capability(arch: Arch) -> int:
    return 10 * arch.compute_capability[0] + arch.compute_capability[1]


def _under_way(arch: Arch) -> int:
    """Bytes of loads that an SM must have under way for memory to be busy; 0: nobody knows."""
    known = arch.timing or arch.execution
    if known is None or (arch.timing is None and "device.clock_mhz" in arch.assumed):
        return 0
    rate = arch.timing.dram_bytes_per_cycle if arch.timing else arch.dram_bytes_per_second / (arch.clock_mhz * 1e6)
    return round(_QUEUED * known.dram_latency * rate / arch.sms)
