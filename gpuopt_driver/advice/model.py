"""One piece of advice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.report.model import Json

# What a message code means, for `gpuopt explain CODE`.
CODES: Mapping[str, str] = {
    "ADVISE001": (
        "The threads of a warp read or write addresses that are far apart, so that a request moves more 32-byte "
        "sectors than the data it asks for would fill. Sectors are counted by enumerating the lanes of a warp at "
        "the launch's block size, with arrays that begin at a line, as those of cudaMalloc do. What a loop's next "
        "iterations take from the same sectors is counted for the loop: it is lost only where L1 does not hold "
        "the lines until then. Neighbouring threads should use neighbouring elements: exchange the roles of the "
        "indices, store the array the other way round (an array for each member, in place of an array of "
        "structures), or read tiles through shared memory.\n"
        "Example: `x = a[threadIdx.x * n]` takes 32 sectors for 128 bytes; `x = a[blockIdx.x * n + threadIdx.x]` "
        "takes 4."
    ),
    "ADVISE002": (
        "Every thread of a warp adds to one address by a floating-point atomic; the hardware does them one after "
        "another. Adding up in the warp first (`__shfl_down_sync`, or `cub::WarpReduce`) makes one atomic of 32. "
        "The order of such sums is not defined today, so that the last digits may change from run to run already.\n"
        "Example: `atomicAdd(&sum, x)` by every thread."
    ),
    "ADVISE003": (
        "Each thread loads or stores one byte, so that a request of a warp moves a single sector of 32 bytes: "
        "four times as many instructions as with `uchar4` (four elements for each thread) for the same data.\n"
        "Example: `b[i] = 255 - a[i]` with `unsigned char *a`, i the thread's number."
    ),
    "ADVISE004": (
        "Lanes of a warp use different words of one bank of shared memory (32 banks of 4 bytes), so that the "
        "access is done in several passes. A row that is one element longer (`[32][33]` for `[32][32]`) puts "
        "columns into different banks.\n"
        "Example: `tile[threadIdx.x][k]` of `__shared__ float tile[32][32]` takes 32 passes."
    ),
    "ADVISE005": (
        "The number of threads of a block is no multiple of 32: the last warp of each block has lanes that never "
        "do anything, and take the place of threads that would.\n"
        "Example: `k<<<n, 100>>>(a)`: of four warps, 28 lanes do nothing."
    ),
    "ADVISE006": (
        "The launch has fewer blocks than the GPU has multiprocessors: the others have nothing to do while it "
        "runs.\n"
        "Example: `k<<<16, 1024>>>(a)` on a GPU of 132 multiprocessors."
    ),
    "ADVISE007": (
        "The blocks of a launch run in waves of as many as are resident at once. The last wave is not full, "
        "and takes about as long as a full one. Another block size, or a loop over several elements for each "
        "thread with a grid that fills the GPU once, avoids it.\n"
        "Example: `k<<<265, 1024>>>(a)` where 264 blocks are resident at once: two waves, of which the second has "
        "one block."
    ),
    "ADVISE008": (
        "Fewer than half of the warps that a multiprocessor could hold are resident, and the limit that causes it "
        "is named: threads of a block, registers (nvcc's figure), or shared memory. That matters where a kernel "
        "waits for memory, and not where it has enough independent work in each thread.\n"
        "Example: 256 threads of 168 registers: one block, so that 8 of 64 warps are resident."
    ),
    "ADVISE009": (
        "A loop stores to the same address in every iteration, as in a sum that is kept in memory, and reads "
        "through another pointer to the same type, which may point to the same memory for all the compiler "
        "knows: so it stores, and mostly loads, each time. A local variable that is stored behind the loop needs "
        "no promise; `__restrict__` says that the pointers do not overlap. gpuopt's `accumulators` checks that at "
        "each launch, and keeps such sums in registers where it can.\n"
        "Example: `for (j = 0; j < n; j++) y[i] += a[j * n + i];`"
    ),
    "ADVISE010": (
        "A kernel without data of type double computes in double precision: a literal without f (`0.5` is a "
        "double) or a function that was called for doubles. GPUs without fast double precision (all but the "
        "data-centre ones) have one such unit for 32 or 64 of the others. Without them results differ in the last "
        "digits.\n"
        "Example: `x = x * 0.9 + 0.1` with a float `x`: two conversions and a double's multiplication and "
        "addition; `0.9f` and `0.1f` have none."
    ),
    "ADVISE011": (
        "Registers are spilled: ptxas keeps values in local memory, which is memory of the device behind L1. "
        "Bounds that are less tight (`__launch_bounds__`, -maxrregcount), smaller unrolled loops or fewer values "
        "that live at a time help.\n"
        "Example: `__launch_bounds__(1024)` leaves 64 registers to a thread, and the kernel needs 90."
    ),
    "ADVISE012": (
        "A whole number is divided by one that is not known when the kernel is compiled, inside a loop: a GPU has "
        "no instruction for that, it takes some 20 (32 bits) to 100 (64 bits). A template parameter or constant, "
        "a step that is counted along, or 32 bits in place of 64 avoid it; gpuopt's `constants` compiles in what "
        "launches name.\n"
        "Example: `row = i / columns` in a loop over i."
    ),
    "ADVISE013": (
        "A local array is indexed by what is not known when the kernel is compiled, or is too large for "
        "registers: it lies in local memory, which is memory of the device behind L1. Loops that are unrolled "
        "completely (`#pragma unroll`) make its indices constants; shared memory holds small tables.\n"
        "Example: `float t[8]` with `t[key & 7] += x`."
    ),
    "ADVISE014": (
        "Lanes of a warp read different words of a `__constant__` array. Constant memory gives all lanes one word at a "
        "time: a read of several words is divided into as many (CUDA C++ Programming Guide, constant memory). It is "
        "for what all lanes of a warp read alike; tables that each lane reads elsewhere are better kept in global or "
        "shared memory.\n"
        "Example: `table[threadIdx.x]` of `__constant__ float table[256]`."
    ),
}


@dataclass(frozen=True, slots=True)
class Advice:
    """What was seen in a kernel (`message`), and what the author can do about it (`remedy`).

    `weight` orders: how many times what is needed is done, ten times as much for each loop around it. `line` is
    1-based, `file` absolute; `figures` are the numbers of the message, units in their names.
    """

    code: str
    kernel: str
    file: str
    line: int
    message: str
    remedy: str
    weight: float
    figures: Mapping[str, Json] = field(default_factory=dict)
    instantiations: tuple[str, ...] = ()  # template arguments, where it holds for some of several instantiations

    @property
    def about(self) -> str:
        """The kernel, with the template arguments for which it is said."""
        if not self.instantiations:
            return self.kernel
        more = f" (and {len(self.instantiations) - 1} more)" if len(self.instantiations) > 1 else ""
        return f"{self.kernel}<{self.instantiations[0]}>{more}"


def in_words(lines: Iterable[int]) -> str:
    """`line 3`, `lines 3, 4`; "" for none."""
    told = ", ".join(map(str, sorted(set(lines))))
    return f"line{'s' if ',' in told else ''} {told}" if told else ""
