"""The stable message codes of the plugin and what `gpuopt explain CODE` says about each."""

from __future__ import annotations

NO_LOOP = "CATT001"
WARPS = "CATT002"
BLOCKS = "CATT003"
AT_LAUNCH = "CATT004"
FIXED = "CATT005"
MEASURED = "CATT006"
FITS = "CATT010"
MARGIN = "CATT011"
NO_LOCALITY = "CATT012"
NEVER_FITS = "CATT013"
FEW_TRIPS = "CATT014"
NOT_MODELLED = "CATT015"
NO_LOADS = "CATT016"
NEVER_EXCEEDS = "CATT017"
NOT_CACHED = "CATT018"
OUTER = "CATT019"
NO_LAUNCH = "CATT020"
NOT_REWRITABLE = "CATT021"
BARRIER = "CATT022"
LEAVES = "CATT023"
UNKNOWN_CALL = "CATT024"
WAITS = "CATT025"
ASSEMBLY = "CATT026"
NOT_UNIFORM = "CATT027"
MACRO = "CATT028"
OLD_GPU = "CATT029"
SHARED_STATEMENT = "CATT030"
NO_SLOT = "CATT031"
RACES = "CATT032"

FIGURES: dict[str, str] = {
    "limiter": "what keeps more warps from being resident",
    "m": "resident blocks taken away (unknown: chosen at launch)",
    "model": "sectored: L1 is filled by sectors of 32 B, paper: by lines, as in the CATT paper",
    "n": "groups that the warps of a block run in, one after the other (1: all at once; unknown: chosen at launch)",
    "registers_assumed": "no: nvcc said how many a thread has",
    "requests_per_warp": "cache lines that a warp asks for in one iteration",
    "shared_configuration_bytes": "what the driver sets aside of L1 as shared memory for these blocks",
}

EXPLANATIONS: dict[str, str] = {
    NO_LOOP: """The kernel has no loop of its own.
Thread throttling (CATT) runs fewer warps at a time, so that cache lines which a later iteration of a loop reads again
are still in L1. Without a loop there is nothing to protect.
Example: C[i] = A[i] + B[i];""",
    WARPS: """Applied: the warps of a block run the loop in groups, one group after the other.
All resident warps together touch more lines between two iterations than L1 holds, so lines are evicted before they are
used up. With `n` groups only 1/n of a block's warps runs at a time and their lines stay.
Example: for (j = 0; j < n; ++j) s += A[i * n + j] * x[j];   one line per thread, 32 per warp""",
    BLOCKS: """Applied: warp groups alone do not suffice, so fewer blocks are resident as well.
The launch asks for more dynamic shared memory than the kernel needs, in the smallest shared-memory configuration in
which exactly the wanted number of blocks fits. `m` is the number of blocks taken away.
Example: blocks of 64 threads that each walk rows of four matrices.""",
    AT_LAUNCH: """Applied: the number of groups is chosen when the kernel is launched.
Block size, grid, a stride or a trip count is not a constant of the source. The launch computes with its
true numbers, on the GPU that runs it, how much of L1 the cache lines need that warps come back to (the footprint), and
launches the original kernel where they fit.
Example: gesummv<<<(n + 255) / 256, 256>>>(n, A, B, x, y);""",
    FIXED: """Applied: the policy's `fixed_tlp` asks for this number of warps and blocks.
Used for baselines (best fixed throttling); no model was asked.
Example: [plugins.catt] fixed_tlp = [4, 2]""",
    MEASURED: """Applied: groups of warps and resident blocks are measured in the program's run.
The model alone leaves the loop alone, for the reason that is told, but it may err: the original runs until a measured
launch shows a gain (docs/learning.md). `versions` in [learn] says of how many kernels of a file. Where addresses depend
on data, fewer resident blocks alone are measured, of the kernel as it is.
Example: resident warps come back to cache lines of a little more than L1 holds, or an index has a remainder.""",
    FITS: """Left alone: what the resident warps touch between two iterations fits into L1.
Example: 8 warps per SM that touch 34 lines each need 34 KB.""",
    MARGIN: """Left alone: the footprint is larger than L1, but not by so much that throttling is known to pay.
The footprint is the cache lines that resident warps come back to. Where a little more than L1 holds is touched, a few
lines are lost, which costs less than running fewer warps; loads of several iterations that are issued together bear
more of it. `margin` in [plugins.catt] is the factor up to which loops are left alone.
Example: 1.01 times the L1 capacity with a margin of 1.05.""",
    NO_LOCALITY: """Left alone: no iteration finds the lines (or sectors) of the one before.
The distance between two iterations is a cache line or more, or most lines are touched once only.
Example: for (i = 0; i < n; ++i) s += A[i * n + j];   coalesced, but each iteration reads new lines""",
    NEVER_FITS: """Left alone: even with the fewest warps and blocks the cache lines that they come back to exceed L1.
Throttling would cost parallelism and win nothing. The loop needs tiling.
Example: an outer loop around an inner one that walks a whole column.""",
    FEW_TRIPS: """Left alone: the loop makes too few iterations to win back the barriers between groups.
`minimum_trips` in [plugins.catt] changes the number.
Example: for (k = 0; k < 8; ++k) s += A[i * 8 + k];""",
    NOT_MODELLED: """Left alone: the trip count or the distance between iterations depends on data, or is not affine.
Example: for (e = row[i]; e < row[i + 1]; ++e) s += v[e] * x[col[e]];""",
    NO_LOADS: """The loop reads nothing through L1: registers, shared memory, atomics or stores only.
Example: for (s = 128; s > 0; s /= 2) tile[t] += tile[t + s];""",
    NEVER_EXCEEDS: """Left alone: with as many warps as an SM can hold, the lines still fit into L1.
Launch configuration or strides are not known here, and need not be.
Example: C[i * n + j] += A[i * n + k] * B[k * n + j];   three lines per warp""",
    NOT_CACHED: """Left alone: this GPU does not keep global loads in L1.
Nothing can be evicted that was never kept. `gpuopt gpus` shows which GPUs do.
Example: Kepler and most Maxwell GPUs with default compiler flags.""",
    OUTER: """Left alone: what this outer loop reads again lies a whole inner loop back.
Losing it costs one miss per walk of the inner loop, which throttling does not win back; inner loops are decided on
their own. With `model = "paper"` the whole nest is left alone where such a loop fits L1 with no number of warps.
Example: for (c = 0; c < m; ++c) for (f = 0; f < n; ++f) d += point[i * n + f] - centre[c * n + f];""",
    NO_LAUNCH: """Not applied: no launch of this kernel in this file can be sent to a version of it.
Launches by name with <<< >>> in the same unit can; others run the original.
Example: a kernel that another file launches, or a cubin build without host code.""",
    NOT_REWRITABLE: """Not applied: the kernel's definition cannot be copied and changed safely.
Example: it comes out of a macro, is a class member, has static locals, or depends on __CUDA_ARCH__.""",
    BARRIER: """Not applied: the statement to run in groups contains a barrier.
Warps of another group would not reach it: the kernel would hang.
Example: for (...) { tile[t] = A[...]; __syncthreads(); s += tile[...]; }""",
    LEAVES: """Not applied: control leaves the statement, or enters it, other than at its ends.
Example: for (...) { if (done) goto out; }""",
    UNKNOWN_CALL: """Not applied: a function is called whose body is not known here. It may synchronise.
Example: extern __device__ float next(float);   ...   for (...) s = next(s);""",
    WAITS: """Not applied: the loop may wait for other warps, which would wait for this group to end.
Fences, volatile accesses, and loops that end by an atomic's result are taken as waiting.
Example: while (atomicCAS(&lock, 0, 1) != 0);""",
    ASSEMBLY: """Not applied: inline assembly may synchronise or name warps.
Example: asm volatile("bar.sync 1, 64;");""",
    NOT_UNIFORM: """Not applied: there is no statement around the loop that all threads of a block reach together.
The groups need a barrier behind the loop, and a barrier that some threads do not reach is an error.
Nor may parts of a warp exchange data by a mask that names all of it: they wait until the others have exited.
Example: for (i = threadIdx.x; i < n; i += 32) for (k = 0; k < n; ++k) ... with a barrier between the two""",
    MACRO: """Not applied: the loop comes out of a macro, or a preprocessor line stands in the way of the edit.
Example: REPEAT(n, s += A[i * n + j])""",
    OLD_GPU: """Not applied for this GPU: threads return before or inside the loop.
Before Volta (compute capability 7.0), a barrier after some threads of a warp have returned is not defined.
Example: if (i >= n) return;""",
    SHARED_STATEMENT: """Not applied: the smallest statement that can be run in groups also holds longer loops that fit.
They would lose parallelism for nothing.
Example: if (i < n) { for (k = 0; k < 64; ++k) a += A[i * n + k]; for (k = 0; k < n; ++k) b += B[k * n + i]; }""",
    NO_SLOT: """Not applied: more loops need groups of warps than a version has room for, which is eight.
Example: a kernel with more than eight independent loops that exceed L1.""",
    RACES: """Not applied: threads of different warps update the same location, without a barrier or an atomic.
All of them happen to read the old value today; run in groups, one group would see what the other wrote.
Example: x[i] += A[i * n + j];   with i from threadIdx.x alone, launched with blocks of (32, 8)""",
}
