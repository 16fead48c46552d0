"""The stable message codes of the plugin and what `gpuopt explain CODE` says about each."""

from __future__ import annotations

MEASURED = "COARSE001"
FORCED = "COARSE002"
NOT_MEASURED = "COARSE010"
NO_INDEX = "COARSE011"
NO_FACTOR = "COARSE012"
NO_VECTORS = "COARSE013"
NO_LAUNCH = "COARSE020"
NOT_REWRITABLE = "COARSE021"
TOGETHER = "COARSE022"
UNKNOWN_CALL = "COARSE023"
ASSEMBLY = "COARSE024"
OUTPUT = "COARSE025"
FLOAT_ATOMICS = "COARSE026"
FUNCTIONS = "COARSE027"
LAMBDA = "COARSE028"
IMPLICIT = "COARSE029"
LEAVES = "COARSE030"

EXPLANATIONS: dict[str, str] = {
    MEASURED: """Applied: versions exist whose threads do the work of several; the program's run measures which pays.
The original runs until a measured launch shows a gain (docs/learning.md). Blocks that are neighbours along x of the
grid become one of the same size.
Example: y[i] += a * x[i];   with a thread for every i""",
    FORCED: """Applied: the policy asks for this factor wherever a launch can have it.
Nothing was measured.
Example: [plugins.coarsening] factors = [4], forced = true""",
    NOT_MEASURED: """Left alone: no model knows which factor is faster, and programs measure nothing here.
Example: [learn] mode = "off" """.rstrip(),
    NO_INDEX: """The kernel does not read blockIdx: all its blocks do the same.
Example: x[threadIdx.x] += 1;""",
    NO_FACTOR: """Left alone: no launch here has as many blocks along x of its grid, or leaves each multiprocessor one.
Example: reset<<<1, 256>>>(x);""",
    NO_VECTORS: """Left alone: the policy asks for neighbours, and these load and store nothing at once.
They do where each of them accesses the element of its own index, under limits of that index alone.
Example: [plugins.coarsening] form = "neighbours"   for   y[i] = x[index[i]];   under   if (flags[i])""",
    NO_LAUNCH: """Not applied: no launch of this kernel in this file can be sent to a version of it.
Launches by name with <<< >>> in the same unit can; others run the original.
Example: a kernel that another file launches, or a cubin build without host code.""",
    NOT_REWRITABLE: """Not applied: the kernel's definition cannot be copied and changed safely.
Example: it comes out of a macro, is a class member, has static locals, or depends on __CUDA_ARCH__.""",
    TOGETHER: """Not applied: threads may wait for others than those of their block, or ask where and when they run.
Fences, volatile accesses, waiting for atomics, clusters, coalesced threads, named barriers, clocks. Shared memory,
barriers and groups of the block and operations of a warp with a mask are no obstacle: a block takes several in turns.
Example: __threadfence();   __activemask()   clock64()""",
    UNKNOWN_CALL: """Not applied: a function is called whose body is not known here.
Example: extern __device__ float next(float);""",
    ASSEMBLY: """Not applied: inline assembly may ask which block it is in, access memory, or end the thread.
Assembly that computes with its operands alone is no obstacle.
Example: asm("mov.u32 %0, %%ctaid.x;" : "=r"(block));""",
    OUTPUT: """Not applied: the kernel prints, asserts or allocates memory, by which blocks are told apart.
Example: printf("block %d", blockIdx.x);""",
    FLOAT_ATOMICS: """Not applied: an atomic is not known to be one of integers.
Sums by floating-point atomics are rounded in the order in which threads come.
Example: atomicAdd(&sum, value);   with float sum""",
    FUNCTIONS: """Not applied: a called function names blockIdx or gridDim and cannot be copied.
Example: a __device__ function of another file, or a member, that uses blockIdx.""",
    LAMBDA: """Not applied: a lambda names blockIdx or gridDim, which it could not capture.
`[&]` and `[=]` capture a version's variables; `[]`, `[x]` and lambdas that are constexpr variables do not.
Example: auto at = [] { return blockIdx.x; };""",
    IMPLICIT: """Not applied: blockIdx or gridDim is read where a version cannot give it another meaning.
Default arguments, initialisers of members, destructors and `::blockIdx` see the block that really runs.
Example: struct Row { unsigned y = blockIdx.y; };   ...   Row row;""",
    LEAVES: """Not applied: some threads return or are elsewhere where others meet at a barrier or exchange data.
They would go on to the next block, where the others are not yet. A test that is the same for a whole block is no
obstacle, nor a limit of the thread's index in front of all else: they would return from all later blocks, too.
Example: if (x[i] == 0) return;   __syncthreads();""",
}
