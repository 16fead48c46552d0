"""The stable message codes of the plugin and what `gpuopt explain CODE` says about each."""

from __future__ import annotations

NAME = "vtb"

NO_SHARED = "VTB001"
APPLIED = "VTB002"
FORCED = "VTB003"
MEASURED = "VTB004"
NO_GAIN = "VTB010"
LOSES_IN_L2 = "VTB011"
TOO_LARGE = "VTB013"
NO_LAUNCH = "VTB020"
NOT_REWRITABLE = "VTB021"
NOT_UNIFORM = "VTB022"
EARLY_RETURN = "VTB023"
UNKNOWN_POINTER = "VTB024"
BARRIER = "VTB025"
WAITS = "VTB026"
ASSEMBLY = "VTB027"
UNKNOWN_CALL = "VTB028"
FUNCTION = "VTB029"
MACRO = "VTB030"
GROUPS = "VTB031"
MEMBER = "VTB032"
NOT_DIVIDED = "VTB033"
RECURSION = "VTB034"
NO_PIPE = "VTB035"
INSTANCES = "VTB036"
IMPLICIT = "VTB037"
KEPT = "VTB038"
LAMBDA = "VTB039"

FIGURES: dict[str, str] = {
    "factor": "blocks that take turns on one allocation of shared memory (1: none)",
    "form": "turns: one after the other; pipe: in a fixed order, by barriers; co: part of the memory is divided",
    "predicted_gain": "speed-up that the model expects",
    "predicted_gain_from_dram": "the same where loads with addresses out of memory come from DRAM",
    "predicted_gain_in_l2": "the same where they are in L2",
}

EXPLANATIONS: dict[str, str] = {
    NO_SHARED: """The kernel does not use shared memory.
There is nothing that blocks could take turns on.
Example: C[i] = A[i] + B[i];""",
    APPLIED: """Applied: a version of the kernel exists in which several blocks take turns on one shared allocation.
One launched block then does the work of `factor` blocks, whose phases without shared memory overlap. The launch
chooses factor and form, or the original kernel, from the true configuration: residency, the L1 that shared memory
leaves, the phases.
Example: gather from a table into registers, exchange through 48 KB of shared memory, 32 threads per block.""",
    FORCED: """Applied: the policy asks for this form and factor.
No model was asked; launches that cannot run so get the original kernel.
Example: [plugins.vtb] factor = 4""",
    MEASURED: """Applied: a version exists whose factor and form are measured in the program's run.
The model alone leaves the kernel alone, for the reason that is told, but it may err: the original runs until a measured
launch shows a gain (docs/learning.md). `versions` in [learn] says of how many kernels of a file.
It may err where at most half of the threads that an SM can hold are resident, and where loads from DRAM would gain.
Example: blocks of 32 threads that gather by data, beside 4 KB of shared memory.""",
    NO_GAIN: """Left alone: at these launches blocks that take turns are not predicted to be faster.
Shared memory neither keeps blocks from being resident nor takes L1 away, or waiting for the turn costs what is won.
`margin` in [plugins.vtb] changes how much must be won.
Example: a tiled matrix product with 2 KB of shared memory and 256 threads per block.""",
    LOSES_IN_L2: """Left alone: blocks that take turns are predicted to lose where the kernel's loads meet in L2.
Loads whose address comes out of memory are taken to come from DRAM, whose latency more threads hide. Whether their data
lie in L2 is not known before the launch, and there waiting for the turn would cost more than is won.
Example: 40 KB of results exchanged through shared memory by 64 threads that followed short chains in a table.""",
    TOO_LARGE: """Not applied: two of these blocks have more threads than a block can have.
Example: kernel<<<grid, 1024>>>(...);""",
    NO_LAUNCH: """Not applied: no launch of this kernel in this file can be sent to a version of it.
Launches by name with <<< >>> in the same unit can; others run the original.
Example: a kernel that another file launches, or a cubin build without host code.""",
    NOT_REWRITABLE: """Not applied: the kernel's definition cannot be copied and changed safely.
Example: it comes out of a macro, is a class member, has static locals, or depends on __CUDA_ARCH__.""",
    NOT_UNIFORM: """Not applied: the threads of a block do not reach shared memory and its barriers together.
Turns are taken by whole blocks, at statements that all threads of a block are proved to reach the same number of times.
Nor may parts of a warp exchange data by a mask that names all of it: they wait until the others have exited, which
would wait for their turn.
Example: if (i < n) { tile[t] = a[i]; __syncthreads(); ... }   if (lane < 16) x = __shfl_down_sync(~0u, x, 1);""",
    EARLY_RETURN: """Not applied: some threads of a block return before others use shared memory or meet at a barrier.
The barriers of virtual blocks count threads; those that have left would be waited for.
Example: if (i >= n) return;   ...   __syncthreads();""",
    UNKNOWN_POINTER: """Not applied: an access may go to shared memory or not.
Example: float *p = select(flag, tile, global);   p[i] = 0;""",
    BARRIER: """Not applied: the kernel uses barriers of its own numbering, or waits for the grid or a cluster.
Example: asm volatile("bar.sync 1, 64;");""",
    WAITS: """Not applied: blocks of this kernel may wait for each other.
A block that waits while it has its turn might wait for one that waits for the turn.
Example: while (flag[blockIdx.x - 1] == 0);   with a volatile flag""",
    ASSEMBLY: """Not applied: inline assembly may name threads, warps, barriers or shared memory.
Example: asm("mov.u32 %0, %warpid;" : "=r"(w));""",
    UNKNOWN_CALL: """Not applied: a function is called whose body is not known here. It may synchronise or name threads.
Example: extern __device__ float next(float);""",
    FUNCTION: """Not applied: a device function names threads or synchronises, and no copy of it can be made.
Example: an operator, a function with static variables, or one that stands in another file.""",
    MEMBER: """Not applied: a member function of a class names threads or synchronises.
Versions have no copies of classes. What it says of threads would be about the launched block, and its barrier
would wait for all virtual blocks.
Example: struct queue { __device__ void flush() { __syncthreads(); ... } };""",
    RECURSION: """Not applied: a function that names threads or synchronises calls itself.
How often its barriers are reached, and whether by all threads together, is not known.
Example: __device__ void merge(int n) { ...; __syncthreads(); if (n > 1) merge(n / 2); }""",
    MACRO: """Not applied: a barrier or a shared-memory access region comes out of a macro.
Example: #define SYNC __syncthreads()""",
    GROUPS: """Not applied: cooperative groups tell the kernel about its block in a way that is not followed.
Its members, `sync` and tiles of at most a warp are; handing it to a function, larger tiles and clusters are not.
Example: reduce(cg::this_thread_block(), values);""",
    NOT_DIVIDED: """Not applied: the policy asks for divided shared memory (CO-VTB), and that would not help.
With `form = "co"` a block hands on, one by one, the parts of shared memory that it is done with. Such parts are whole
arrays that the kernel declares, or an array's rows where every access is by full subscripts that stay in a row; a
seventh of the time in turns has to be saved, which no part of this kernel's is proved to do.
Example: [plugins.vtb] form = "co"   and   const float *p = tile + 100;""",
    NO_PIPE: """Not applied: the policy asks for turns in a fixed order (VTB_pipe), which cannot be had.
With `form = "pipe"` barriers hand the shared memory from one virtual block to the next. A block has few of them; and
where blocks come unequally often, all threads of one must leave the kernel together to say that it comes no more.
Example: [plugins.vtb] form = "pipe", factor = 8""",
    KEPT: """A version is made; one statement in it runs as a whole while its block has the shared memory.
Values are computed before the turn only where that is the same: nothing that they pass, and nothing that is evaluated
again in the turn, may change what they read, nor they what that reads; calls that are not seen through pass nothing.
`gpuopt explain` tells the line and the reason (`kept_in_turn`).
Example: if (left > 0) tile[t] = take(left);   with a reference to left""",
    INSTANCES: """Not applied: a template's instantiations use shared memory in different places.
They share one text, so turns begin and end at the same statements in all of them.
Example: template <int N> with if (N > 32) { tile[t] = x; __syncthreads(); }   in a loop of one instantiation only""",
    IMPLICIT: """Not applied: threads or blocks are named where a version cannot give the names another meaning.
Default arguments, initialisers of members, destructors and `::threadIdx` see the launched block, not the virtual one.
Example: struct Place { int at = threadIdx.x; };   ...   Place place;""",
    LAMBDA: """Not applied: a lambda that cannot capture names threads or blocks, or synchronises.
What a version says of the virtual block is in local variables. `[&]` and `[=]` capture them; `[]`, `[x]` and lambdas
that are constexpr variables do not.
Example: auto mine = [](int i) { return i + threadIdx.x; };""",
}
