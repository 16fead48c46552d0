"""The stable message codes of the plugin and what `gpuopt explain CODE` says about each."""

from __future__ import annotations

REGISTER = "MAP001"
AGENTS = "MAP002"
NO_REUSE = "MAP010"
NO_REGISTER = "MAP011"
SWITCHED_OFF = "MAP012"
IRREGULAR = "MAP013"
NO_LAUNCH = "MAP020"
UNSAFE = "MAP021"
RETURNS = "MAP022"
FUNCTIONS = "MAP023"
IMPLICIT = "MAP024"

FIGURES: dict[str, str] = {
    "class": "why blocks share lines: algorithm-related (the same data), cache-line-related (data beside it), "
    "data-related (indices from memory), write-related, streaming (not at all)",
    "reuse_distance_blocks": "how many blocks away, along x, y and z, another block reads the same lines",
}

EXPLANATIONS: dict[str, str] = {
    REGISTER: """Applied: the emulated GPU maps blocks along the direction of reuse.
Whole rows (x) or columns (y) of blocks go to one SM, as many as all SMs can have; the rest is split evenly. The
mapping is part of the emulator's model of a GPU; it decides where blocks run, not what they compute.
Example: GPUOPT_EMU_MODE=model ./program   with a matrix product: every SM keeps its rows of A""",
    AGENTS: """Applied: persistent blocks bound to their SMs run whole rows or columns of blocks.
Example: [plugins.cta_mapping] form = "agents" """.rstrip(),
    NO_REUSE: """Left alone: blocks do not reuse each other's lines along x or y, or do not ask which they are.
They go round robin.
Example: c[i] = a[i] + b[i];""",
    NO_REGISTER: """Left alone: which SM runs which block is up to the GPU; a program cannot ask for it.
The direction along which blocks reuse data is reported, for information. On a GPU that lets software map rows or
columns of blocks to SMs (a proposal; the emulator has it, `form = "register"`) such blocks would share an L1. On a
real GPU, `form = "agents"` in [plugins.cta_mapping] does it with persistent blocks, which seldom pays, and
cta_clustering, on by default, runs blocks that share data at the same time where that pays. Nothing is to be done.
Example: every build under the default policy""",
    SWITCHED_OFF: """Left alone: the policy asks for no mapping.
Example: [plugins.cta_mapping] direction = "none" """.rstrip(),
    IRREGULAR: """Left alone: what blocks read depends on data or is not affine.
Example: s += x[column[e]];""",
    NO_LAUNCH: """Not applied: no launch of this kernel in this file can be sent to a version of it.
Example: a kernel that another file launches, or a cubin build without host code.""",
    UNSAFE: """Not applied: blocks may communicate, or the kernel's definition cannot be copied.
Example: if (atomicAdd(&done, 1) == gridDim.x - 1) total = sum(partials);""",
    RETURNS: """Not applied: threads return or are elsewhere where others meet at a barrier or exchange data.
A persistent block goes on with the next block of its list, so they would arrive in between, or never.
Example: if (i >= n) return;   ...   __syncthreads();""",
    FUNCTIONS: """Not applied: a called function names blockIdx or gridDim, which mean another block here.
Example: __device__ int row() { return blockIdx.x; }""",
    IMPLICIT: """Not applied: blockIdx or gridDim is read where a persistent block cannot give it another meaning.
Default arguments, initialisers of members, destructors and `::blockIdx` see the persistent block itself, and a lambda
without `[&]` or `[=]` could not capture another one.
Example: __device__ int row(int y = blockIdx.y);   ...   row();""",
}
