"""The stable message codes of the plugin and what `gpuopt explain CODE` says about each."""

from __future__ import annotations

ORDER = "CLUSTER001"
AT_LAUNCH = "CLUSTER002"
AGENTS = "CLUSTER003"
FORCED = "CLUSTER004"
MEASURED = "CLUSTER005"
STREAMING = "CLUSTER010"
DATA = "CLUSTER011"
WRITE = "CLUSTER012"
LINE = "CLUSTER013"
NOT_MODELLED = "CLUSTER014"
NO_GAIN = "CLUSTER015"
SWITCHED_OFF = "CLUSTER016"
NO_BLOCKS = "CLUSTER017"
NO_LAUNCH = "CLUSTER020"
NOT_REWRITABLE = "CLUSTER021"
BARRIER = "CLUSTER022"
UNKNOWN_CALL = "CLUSTER023"
COMMUNICATES = "CLUSTER024"
ASSEMBLY = "CLUSTER025"
WHERE_AND_WHEN = "CLUSTER026"
RACES = "CLUSTER027"
FLOAT_ATOMICS = "CLUSTER028"
OUTPUT = "CLUSTER029"
CLUSTER = "CLUSTER030"
RETURNS = "CLUSTER031"
FUNCTIONS = "CLUSTER032"
LAMBDA = "CLUSTER033"
IMPLICIT = "CLUSTER034"

FIGURES: dict[str, str] = {
    "class": "why blocks share lines: algorithm-related (the same data), cache-line-related (data beside it), "
    "data-related (indices from memory), write-related, streaming (not at all)",
    "reuse_distance_blocks": "how many blocks away, along x, y and z, another block reads the same lines",
    "shared_with_neighbour_bytes": "what a block reads that its neighbour along x, y and z reads, too",
}

EXPLANATIONS: dict[str, str] = {
    ORDER: """Applied: blocks run tile by tile instead of row by row.
The blocks that are resident together share more of what they read, so less comes from beyond L2. The grid stays as it
is; each block computes which block's work it does.
Example: C[i * n + j] += A[i * n + k] * B[k * n + j];   with a B that exceeds L2""",
    AT_LAUNCH: """Applied: whether blocks run in tiles, and in which, is chosen when the kernel is launched.
The launch computes, from the true grid and the GPU that runs it, how long the usual order and tiles wait for memory and
for what L1 asks L2 for, and keeps the original where too little is saved.
Example: sgemm<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(n, A, B, C);""",
    AGENTS: """Applied: persistent blocks (agents) on every SM run the blocks of their SM's cluster one after the other.
Neighbouring blocks meet in one L1 cache. What other SMs leave undone is done too, so the result does not depend on
which SMs the agents get.
Example: [plugins.cta_clustering] form = "agents" """.rstrip(),
    FORCED: """Applied: the policy asks for this order of blocks.
No model was asked.
Example: [plugins.cta_clustering] order = "tile", tile = [1, 16, 1]""",
    MEASURED: """Applied: a version exists whose order of blocks is measured in the program's run.
The model alone leaves the kernel alone, for the reason that is told, but it may err: the original runs until a measured
launch shows a gain (docs/learning.md). `versions` in [learn] says of how many kernels of a file.
Example: a product whose inner index has a remainder.""",
    STREAMING: """Left alone: blocks share nothing.
Every block reads lines of its own, so no order brings reuse.
Example: c[i] = a[i] + b[i];""",
    DATA: """Left alone: what blocks share depends on data.
Example: s += x[column[e]];""",
    WRITE: """Left alone: blocks share lines that are written as well.
What one block has read into L1 is stale when another one has written it, so there is nothing to be kept.
Example: a[i] = a[i - 1] + a[i];   with the neighbour in another block""",
    LINE: """Left alone: blocks share cache lines, but no data.
Example: out[i * n + j] = in[j * n + i];   a line of 128 bytes spans two blocks of 16 columns""",
    NOT_MODELLED: """Left alone: strides or trip counts are not known when the kernel is launched.
Quotients and remainders of a flat number have no strides.
Example: for (e = row[i]; e < row[i + 1]; ++e) s += v[e];""",
    NO_GAIN: """Left alone: no other order of the blocks saves enough traffic to memory and L2.
A GPU starts blocks row by row. Another order, tile by tile, gains where blocks of different rows read the same data and
the usual order has thrown it out of L2 by then. So there is nothing to gain where only neighbours in a row (or along
the grid's only axis) share, where the grid is one row, where what the resident blocks read fits L2, or where all blocks
are resident at once.
Nothing is to be done; `margin` and `share` in [plugins.cta_clustering] say how much must be saved.
Example: a matrix product whose second matrix fits L2.""",
    SWITCHED_OFF: """Left alone: the policy asks for no other order.
Example: [plugins.cta_clustering] order = "none" """.rstrip(),
    NO_BLOCKS: """The kernel reads no memory that blocks could share, or all its blocks do the same.
Example: out[threadIdx.x] = threadIdx.x;""",
    NO_LAUNCH: """Not applied: no launch of this kernel in this file can be sent to a version of it.
Launches by name with <<< >>> in the same unit can; others run the original.
Example: a kernel that another file launches, or a cubin build without host code.""",
    NOT_REWRITABLE: """Not applied: the kernel's definition cannot be copied and changed safely.
Example: it comes out of a macro, is a class member, has static locals, or depends on __CUDA_ARCH__.""",
    BARRIER: """Not applied: blocks wait for each other, or parts of a block do.
Example: cooperative_groups::this_grid().sync();""",
    UNKNOWN_CALL: """Not applied: a function is called whose body is not known here.
Example: extern __device__ float next(float);""",
    COMMUNICATES: """Not applied: blocks may hand on data or wait for each other.
Fences, volatile accesses, and atomics whose result is used are taken as such.
Example: if (atomicAdd(&done, 1) == gridDim.x - 1) total = sum(partials);""",
    ASSEMBLY: """Not applied: inline assembly may ask which block it is, or synchronise.
Example: asm("mov.u32 %0, %%ctaid.x;" : "=r"(block));""",
    WHERE_AND_WHEN: """Not applied: the kernel asks where or when it runs, or for ranks of blocks in a group.
Example: clock64(), %smid, cooperative_groups::this_grid().thread_rank()""",
    RACES: """Not applied: a block may read or write what another block writes.
Whoever comes last wins; another order could let another block win.
Example: a[i] = a[i + blockDim.x];""",
    FLOAT_ATOMICS: """Not applied: sums by floating-point atomics are rounded in the order of blocks.
`float_atomics = true` in [plugins.cta_clustering] allows another order; results may then differ in their last digits,
as they do from run to run.
Example: atomicAdd(&sum, value);   with float sum""",
    OUTPUT: """Not applied: the kernel prints or allocates memory, visibly in the order of blocks.
Example: printf("block %d", blockIdx.x);""",
    CLUSTER: """Not applied: blocks form clusters, whose members must stay together.
Example: __global__ void __cluster_dims__(2, 1, 1) kernel(...)""",
    RETURNS: """Not applied: threads return or are elsewhere where others meet at a barrier or exchange data.
A persistent block (agent) goes on with the next block of its list, so they would
arrive at the barrier in between, or never where others wait.
Example: if (i >= n) return;   ...   __syncthreads();""",
    FUNCTIONS: """Not applied: a called function names blockIdx or gridDim, and no copy of it would do.
Example: a __device__ function of another file that uses blockIdx.""",
    LAMBDA: """Not applied: a lambda names blockIdx or gridDim, which it could not capture.
`[&]` and `[=]` capture a version's blockIdx; `[]`, `[x]` and lambdas that are constexpr variables do not.
Example: auto at = [] { return blockIdx.x; };""",
    IMPLICIT: """Not applied: blockIdx or gridDim is read where a version cannot give it another meaning.
Default arguments, initialisers of members, destructors and `::blockIdx` see the block that really runs.
Example: struct Row { unsigned y = blockIdx.y; };   ...   Row row;""",
}
