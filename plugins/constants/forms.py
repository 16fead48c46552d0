"""The forms of a version: plain, with fewer registers for one more resident block, with spills in shared memory."""

from __future__ import annotations

from gpuopt_driver.api import BlockUse, Context, Kernel, occupancy

from .known import Known
from .options import Options
from .rewrite import Form
from .useful import private_bytes

_THREADS, _BLOCKS = 1024, 16  # that an SM of every GPU holds, in whole warps: ptxas warns of bounds that it cannot hold
_WARP = 32
_MANY = 128  # bytes of a thread's own arrays from which on many registers are likely
_FEWEST = 32  # registers per thread below which spills cost more than blocks bring
_OTHER_BOUNDS = (b"__maxnreg__", b"__block_size__")  # which nvcc does not take beside launch bounds


def forms(kernel: Kernel, context: Context, options: Options, values: Known) -> tuple[Form, ...]:
    """The forms of a version with these numbers, as the policy asks and as far as they can be made."""
    threads = values.threads if _may_bound(kernel, context) else 0
    plain = Form("plain", threads)
    if options.form == "plain" or (options.form == "auto" and options.pick == "always"):
        return (plain,)
    blocks = _blocks(kernel, context, values, forced=options.form != "auto") if threads else 0
    capped = (Form("capped", threads, blocks),) if blocks else ()
    spilling = (
        (Form("spilling", threads, blocks, spills=True),) if blocks and _may_spill(kernel, context, threads) else ()
    )
    return {"capped": capped, "spilling": spilling}.get(options.form, (plain, *capped, *spilling))


def _may_bound(kernel: Kernel, context: Context) -> bool:
    """Whether the kernel has no bounds of its own, which an attribute of ours would meet."""
    if kernel.launch_bounds or "launch_bounds" in kernel.declared.attributes:
        return False
    return not any(word in source.data for source in context.unit.files.values() for word in _OTHER_BOUNDS)


def _blocks(kernel: Kernel, context: Context, values: Known, *, forced: bool) -> int:
    """How many resident blocks to ask for; 0 where no more of them are likely.

    Builds do not ask nvcc for a kernel's registers: there, 64 of them are asked for where many are likely, and the
    launch finds out whether more blocks are resident.
    """
    most = min(_THREADS // (-(-values.threads // _WARP) * _WARP), _BLOCKS)
    registers = context.resources.registers
    if registers is None or forced:
        return most if most > 1 and (forced or private_bytes(kernel) >= _MANY) else 0
    use = BlockUse(values.threads, registers, context.resources.static_shared_bytes or kernel.static_shared_bytes or 0)
    step = occupancy(context.arch, use).next_step
    if step is None or not step.registers or step.shared_bytes is not None:
        return 0
    return step.blocks if step.registers >= _FEWEST and 1 < step.blocks <= most else 0


def _may_spill(kernel: Kernel, context: Context, threads: int) -> bool:
    """Whether blocks are whole warps, no dynamic shared memory is used, and the program sets no limit of it.

    ptxas (13.0 to 13.5) reserves shared memory for a block's threads and addresses it by warps: the last warp of a
    block of 33 threads writes behind what the block has. A limit would hold for the version, too.
    """
    if threads % _WARP:
        return False
    sets = any(one.kernel == kernel.usr and one.api.startswith("cudaFuncSet") for one in context.unit.queries)
    return not kernel.uses_dynamic_shared and not sets
