"""What the shape of a launch leaves idle on a GPU: lanes, multiprocessors, the last wave, room for warps."""

from __future__ import annotations

from collections.abc import Iterator

from gpuopt_driver.advice.kernel import KernelView, Launch
from gpuopt_driver.advice.model import Advice
from gpuopt_driver.analysis.coalescing import WARP
from gpuopt_driver.analysis.occupancy import BlockUse, Occupancy, occupancy
from gpuopt_driver.arch.spec import Arch
from gpuopt_driver.report.model import counted

_IDLE_LANES = 0.1  # of a block's warps, from which on it is worth a word
_TAIL = 0.2  # of the time, if all waves take equally long
_FEW_WAVES = 6  # more blocks level out by themselves
_FULL = 0.5  # of an SM's warps
_LAUNCH = 5.0  # what a loss of the whole launch weighs


def launches(
    kernel: KernelView, arch: Arch, registers: int | None = None, static_shared: int | None = None
) -> Iterator[Advice]:
    """What is lost by the launches of a kernel. `registers` of a thread, and bytes of static shared memory, by nvcc.

    nvcc's figure of shared memory is the most of a template's instantiations; the source has that of each.
    """
    known = kernel.facts.get("static_shared_bytes")
    static = known if type(known) is int else static_shared
    seen: set[Launch] = set()
    for launch in kernel.launches():
        if launch in seen or launch.block.threads > arch.limits.threads_per_block:
            continue
        seen.add(launch)
        yield from _lanes(kernel, launch)
        if not isinstance(static, int) or (launch.dynamic_shared is None and kernel.facts.get("dynamic_shared")):
            continue
        use = BlockUse(launch.block.threads, registers, static, launch.dynamic_shared or 0)
        resident = occupancy(arch, use)
        if not resident.resident_blocks:
            continue
        yield from _waves(kernel, launch, arch, resident, registers)
        yield from _room(kernel, launch, arch, resident, registers)


def _lanes(kernel: KernelView, launch: Launch) -> Iterator[Advice]:
    threads = launch.block.threads
    idle = launch.block.warps * WARP - threads
    share = idle / (launch.block.warps * WARP)
    if share >= _IDLE_LANES:
        warps = counted(launch.block.warps, "warp")
        yield Advice(
            "ADVISE005",
            kernel.name,
            launch.file,
            launch.line,
            f"blocks of {counted(threads, 'thread')} have {warps}, in which {idle} of {launch.block.warps * WARP} "
            "lanes never do anything",
            f"make the number of threads of a block a multiple of {WARP}",
            _LAUNCH * share,
            {"threads": threads, "idle_lanes": idle},
        )


def _waves(
    kernel: KernelView, launch: Launch, arch: Arch, resident: Occupancy, registers: int | None
) -> Iterator[Advice]:
    if launch.blocks is None:
        return
    if launch.blocks < arch.sms:
        yield Advice(
            "ADVISE006",
            kernel.name,
            launch.file,
            launch.line,
            f"the launch has {counted(launch.blocks, 'block')} for the {arch.sms} multiprocessors of {arch.title}",
            "use smaller blocks, or divide the work of a block (a part of each sum, a part of each row) among several",
            _LAUNCH * (1 - launch.blocks / arch.sms),
            {"blocks": launch.blocks, "multiprocessors": arch.sms},
        )
        return
    if registers is None:  # fewer blocks may be resident than shared memory allows, and more waves run
        return
    at_once = resident.resident_blocks * arch.sms
    waves = -(-launch.blocks // at_once)
    lost = 1 - launch.blocks / (waves * at_once)
    if 1 < waves <= _FEW_WAVES and lost >= _TAIL:
        last = launch.blocks - (waves - 1) * at_once
        yield Advice(
            "ADVISE007",
            kernel.name,
            launch.file,
            launch.line,
            f"{launch.blocks} blocks run in {waves} waves, {at_once} at once on {arch.title}: the last one has {last}",
            "choose the block size or the work of a thread so that the blocks fill the GPU a whole number of times",
            _LAUNCH * lost,
            {"blocks": launch.blocks, "waves": waves, "blocks_at_once": at_once},
        )


def _room(
    kernel: KernelView, launch: Launch, arch: Arch, resident: Occupancy, registers: int | None
) -> Iterator[Advice]:
    most = arch.limits.warps_per_sm
    warps = resident.resident_blocks * resident.warps_per_block
    if warps >= _FULL * most:
        return
    limiters = {name for name, value in resident.limits.items() if value == resident.resident_blocks and name != "grid"}
    threads = launch.block.threads
    why = f"{counted(resident.resident_blocks, 'block')} of {threads} threads is the most"
    step = resident.next_step
    if "blocks" in limiters:
        remedy = f"use blocks of {arch.limits.threads_per_sm // arch.limits.blocks_per_sm} threads at least"
    elif "registers" in limiters and registers:
        why = (
            f"its {registers} registers for each thread allow {counted(resident.resident_blocks, 'block')} of {threads}"
        )
        fewer = f"{step.registers} registers allow one block more" if step and step.registers else "fewer registers"
        remedy = f"{fewer} (__launch_bounds__, -maxrregcount), or use smaller blocks"
    elif "shared" in limiters:
        why = f"its shared memory allows {counted(resident.resident_blocks, 'block')} of {threads} threads"
        fewer = f"{step.shared_bytes} B for each block allow one more" if step and step.shared_bytes else "use less"
        remedy = f"{fewer}, or give each block more threads"
    else:
        remedy = "use smaller blocks, of which more fit"
    yield Advice(
        "ADVISE008",
        kernel.name,
        launch.file,
        launch.line,
        f"{warps} of {most} warps are resident on a multiprocessor of {arch.title}: {why}",
        remedy,
        _LAUNCH * (1 - warps / most) / 2,
        {"warps": warps, "most_warps": most, "limits": sorted(limiters)},
    )
