"""Orders in which the blocks of a grid are run: tiles, balanced clusters and their inversion, whole rows per SM.

Li et al. (ASPLOS 2017), section 4.2, and Liu et al., algorithm 3. `docs/cta.md` says which kernel gets which order; the
C++ that versions of kernels run is in `plugins/`, and tests hold the two against each other.
"""

from __future__ import annotations

from gpuopt_driver.dataclass import dataclass

Index = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Order:
    """Tiles of `tile` blocks (0: the whole extent) in turn; axes of tiles and inside them, fastest first."""

    tile: Index
    outer: Index = (0, 1, 2)
    inner: Index = (0, 1, 2)


ROW_MAJOR = Order((0, 1, 1))
COLUMN_MAJOR = Order((1, 0, 1))


def place(order: Order, grid: Index, number: int) -> Index:
    """The block that comes as `number`-th; a bijection of the grid for every order, remainders of tiles included."""
    extent = list(grid)  # of the tile that the number falls into, as far as it is known
    start = [0, 0, 0]
    for axis in reversed(order.outer):
        tile = min(order.tile[axis] or grid[axis], grid[axis])
        layer = extent[0] * extent[1] * extent[2] // extent[axis]
        start[axis] = number // (layer * tile) * tile
        number -= start[axis] * layer
        extent[axis] = min(tile, grid[axis] - start[axis])
    for axis in order.inner:
        start[axis] += number % extent[axis]
        number //= extent[axis]
    return start[0], start[1], start[2]


def partition(blocks: int, clusters: int, number: int) -> tuple[int, int]:
    """(w, i): block `number` is the w-th of cluster i, where clusters are balanced (Li et al., eq. 2-5 put right).

    The first `blocks % clusters` clusters have one block more.
    """
    size, longer = divmod(blocks, clusters)
    if number < longer * (size + 1):
        return number % (size + 1), number // (size + 1)
    rest = number - longer * (size + 1)
    return rest % size, longer + rest // size


def invert(blocks: int, clusters: int, w: int, i: int) -> int:
    """The block that is the w-th of cluster i (Li et al., eq. 8): v = i * (|V|/M + 1) + w + min(|V| mod M - i, 0)."""
    return i * (blocks // clusters + 1) + w + min(blocks % clusters - i, 0)


def cluster_size(blocks: int, clusters: int, i: int) -> int:
    """Blocks of cluster i."""
    return blocks // clusters + (i < blocks % clusters)


def round_robin(number: int, clusters: int) -> tuple[int, int]:
    """(w, i) of block `number` of the new kernel, where blocks go to SMs in turn (Li et al., eq. 9)."""
    return number // clusters, number % clusters


def mapped(grid: tuple[int, int], sms: int, direction: str) -> dict[tuple[int, int], int]:
    """Algorithm 3 of Liu et al. as figure 3 means it: the SM of every block (x, y).

    Whole rows (direction x) or columns (y) first, as many per SM as all can get; what is left is split evenly along the
    same direction. The printed text takes b in blocks where lines 7 and 20 compare it with rows, forgets to start the
    rest at 0 (line 10), and lacks the `else` in front of it.
    """
    width, height = grid if direction == "x" else grid[::-1]
    whole = height // sms  # rows per SM (a)
    rows = whole * sms  # rows that are given away whole
    rest = (height - rows) * width  # blocks that are left (c)
    share = -(-rest // sms)  # of them per SM (d)
    found: dict[tuple[int, int], int] = {}
    for y in range(height):
        for x in range(width):
            sm = y // whole if y < rows else ((y - rows) * width + x) // share
            found[(x, y) if direction == "x" else (y, x)] = sm
    return found
