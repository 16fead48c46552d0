"""The stable message codes of the plugin and what `gpuopt explain CODE` says about each."""

from __future__ import annotations

MEASURED = "SHAPE001"
FORCED = "SHAPE002"
NOT_MEASURED = "SHAPE010"
NO_INDEX = "SHAPE011"
NO_FACTOR = "SHAPE012"
NO_LAUNCH = "SHAPE020"
NOT_REWRITABLE = "SHAPE021"
SHARED = "SHAPE022"
BARRIER = "SHAPE023"
WARP = "SHAPE024"
COMMUNICATES = "SHAPE025"
UNKNOWN_CALL = "SHAPE026"
ASSEMBLY = "SHAPE027"
WHERE_AND_WHEN = "SHAPE028"
OUTPUT = "SHAPE029"
FLOAT_ATOMICS = "SHAPE030"
CLUSTER = "SHAPE031"
FUNCTIONS = "SHAPE032"
LAMBDA = "SHAPE033"
IMPLICIT = "SHAPE034"

EXPLANATIONS: dict[str, str] = {
    MEASURED: """Applied: a version exists whose blocks may be split or joined; the program's run measures which pays.
The original runs until a measured launch shows a gain (docs/learning.md). Every thread sees the threadIdx, blockIdx,
blockDim and gridDim of the program's launch.
Example: y[i] += a * x[i];   in blocks of 1024 threads""",
    FORCED: """Applied: the policy asks for these blocks wherever a launch can have them.
Nothing was measured.
Example: [plugins.launch_shape] form = "split", factor = 2""",
    NOT_MEASURED: """Left alone: no model knows which block size is faster, and programs measure nothing here.
Example: [learn] mode = "off" """.rstrip(),
    NO_INDEX: """The kernel reads neither threadIdx nor blockIdx: all its threads do the same.
Example: __global__ void reset(int *count) { *count = 0; }""",
    NO_FACTOR: """Left alone: no launch here can have blocks of another size.
Blocks are split where whole warps remain together, and joined where the grid has several along x and the limits of a
block allow it.
Example: reset<<<1, 32>>>(x);""",
    NO_LAUNCH: """Not applied: no launch of this kernel in this file can be sent to a version of it.
Example: a kernel that another file launches, or a cubin build without host code.""",
    NOT_REWRITABLE: """Not applied: the kernel's definition cannot be copied and changed safely.
Example: it comes out of a macro, is a class member, has static locals, or depends on __CUDA_ARCH__.""",
    SHARED: """Not applied: the threads of a block share memory.
Example: __shared__ float tile[256];   or extern __shared__""",
    BARRIER: """Not applied: threads wait for each other at a barrier.
Example: __syncthreads();   cooperative_groups::this_grid().sync();""",
    WARP: """Not applied: the threads of a warp exchange data.
Example: sum += __shfl_down_sync(~0u, sum, 16);   __ballot_sync, __syncwarp, __activemask""",
    COMMUNICATES: """Not applied: threads may hand on data or wait for each other.
Fences, volatile accesses, and loops that an atomic may end are taken as such.
Example: while (atomicCAS(lock, 0, 1)) ;""",
    UNKNOWN_CALL: """Not applied: a function is called whose body is not known here.
Example: extern __device__ float next(float);""",
    ASSEMBLY: """Not applied: inline assembly may ask which thread it is, or access memory.
Assembly that computes with its operands alone is no obstacle.
Example: asm("mov.u32 %0, %%laneid;" : "=r"(lane));""",
    WHERE_AND_WHEN: """Not applied: the kernel asks where or when it runs, or for a group of threads.
Example: clock64(), %smid, cooperative_groups::this_thread_block()""",
    OUTPUT: """Not applied: the kernel prints, asserts or allocates memory, by which blocks are told apart.
Example: printf("block %d", blockIdx.x);""",
    FLOAT_ATOMICS: """Not applied: an atomic is not known to be one of integers.
Sums by floating-point atomics are rounded in the order in which blocks run.
Example: atomicAdd(&sum, value);   with float sum""",
    CLUSTER: """Not applied: the size of blocks or clusters is fixed in the kernel's declaration.
Example: __global__ void __cluster_dims__(2, 1, 1) kernel(...)""",
    FUNCTIONS: """Not applied: a called function names a built-in variable and cannot be copied.
Example: a __device__ function of another file, or a member, that uses threadIdx.""",
    LAMBDA: """Not applied: a lambda names a built-in variable, which it could not capture.
`[&]` and `[=]` capture a version's variables; `[]`, `[x]` and lambdas that are constexpr variables do not.
Example: auto at = [] { return threadIdx.x; };""",
    IMPLICIT: """Not applied: a built-in variable is read where a version cannot give it another meaning.
Default arguments, initialisers of members, destructors and `::threadIdx` see the thread that really runs.
Example: struct Row { unsigned y = threadIdx.y; };   ...   Row row;""",
}
