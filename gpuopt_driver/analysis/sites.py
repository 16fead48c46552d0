"""The launches of a kernel as far as their numbers are known: block, grid, what is resident, values of symbols."""

from __future__ import annotations

from collections.abc import Mapping

from gpuopt_driver.analysis.coalescing import Shape
from gpuopt_driver.analysis.occupancy import BlockUse, Occupancy, occupancy
from gpuopt_driver.arch.spec import Arch
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.expr import Expr, evaluate
from gpuopt_driver.frontend.launch_sites import Launch
from gpuopt_driver.frontend.model import Kernel

GUESS = 1 << 20  # stands for a parameter that is not known: large enough to put every thread on its own line
USUAL_BLOCKS = ((256, 1, 1), (32, 8, 1), (16, 16, 1), (1024, 1, 1))


@dataclass(frozen=True, slots=True)
class Site:
    """One launch as far as its numbers are known; guessed parts make a verdict inexact."""

    launch: Launch | None
    shape: Shape
    values: Mapping[str, int]
    occupancy: Occupancy
    shared_bytes: int  # static and dynamic, per block
    known: bool  # grid, block and shared memory are constants of the source


def number(value: Expr | None) -> int | None:
    """The value of an expression without symbols."""
    return None if value is None else evaluate(value, {})


def dimensions(block: tuple[int, int, int], grid: tuple[int, int, int]) -> dict[str, int]:
    """The launch's dimensions, and the first block, by symbol name."""
    found: dict[str, int] = {}
    for position, axis in enumerate("xyz"):
        found[f"blockDim.{axis}"] = block[position]
        found[f"gridDim.{axis}"] = grid[position]
        found[f"blockIdx.{axis}"] = 0
    return found


def _refused(arch: Arch, use: BlockUse, shape: Shape, grid: tuple[int, int, int]) -> bool:
    """Whether the launch fails: an empty grid or block, more threads or shared memory than a block may have."""
    shared = use.static_shared + use.dynamic_shared
    empty = min(shape.x, shape.y, shape.z, *grid) < 1
    return empty or shape.threads > arch.limits.threads_per_block or shared > arch.shared.per_block_optin


def sites(
    kernel: Kernel,
    launches: tuple[Launch, ...],
    arch: Arch,
    *,
    registers: int | None = None,
    static_shared_bytes: int | None = None,
    largest_l1: bool = False,
) -> list[Site]:
    """One site per launch that the GPU can run; where its block is not known, one per usual block shape; unknown grids
    fill the device.

    `registers` and `static_shared_bytes` are the compiler's figures, None where it was not asked.
    """
    found: list[Site] = []
    static = kernel.static_shared_bytes if static_shared_bytes is None else static_shared_bytes
    for launch in launches:
        block = tuple(number(part) for part in (launch.block.x, launch.block.y, launch.block.z))
        grid = tuple(number(part) for part in (launch.grid.x, launch.grid.y, launch.grid.z))
        dynamic = number(launch.shared) if launch.shared is not None else 0
        for x, y, z in [block] if None not in block else USUAL_BLOCKS:
            shape = Shape(1 if x is None else x, 1 if y is None else y, 1 if z is None else z)
            gx, gy, gz = (GUESS if part is None else part for part in grid)
            use = BlockUse(
                threads=shape.threads,
                registers=registers,
                static_shared=static or 0,
                dynamic_shared=dynamic or 0,
                grid_blocks=None if None in grid else gx * gy * gz,
            )
            if _refused(arch, use, shape, (gx, gy, gz)):
                continue
            found.append(
                Site(
                    launch=launch,
                    shape=shape,
                    values=dimensions((shape.x, shape.y, shape.z), (gx, gy, gz)),
                    occupancy=occupancy(arch, use, largest_l1=largest_l1),
                    shared_bytes=use.static_shared + use.dynamic_shared,
                    known=None not in grid and None not in block and dynamic is not None and static is not None,
                )
            )
    return found
