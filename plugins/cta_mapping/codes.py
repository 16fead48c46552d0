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

EXPLANATIONS: dict[str, str] = {
    REGISTER: """Applied: the emulated GPU maps blocks along the direction of reuse.
Whole rows (x) or columns (y) of blocks go to one SM, as many as all SMs can have; the rest is split evenly. The
register is part of the emulator's model of a GPU; it decides where blocks run, not what they compute.
Example: GPUOPT_EMU_MODE=model ./program   with a matrix product: every SM keeps its rows of A""",
    AGENTS: """Applied: persistent blocks bound to their SMs run whole rows or columns of blocks.
Example: [plugins.cta_mapping] form = "agents" """.rstrip(),
    NO_REUSE: """Left alone: blocks do not reuse each other's lines along x or y, or do not ask which they are.
They go round robin.
Example: c[i] = a[i] + b[i];""",
    NO_REGISTER: """Left alone: GPUs have no register for the mapping of blocks.
The direction is reported; `form = "agents"` maps by persistent blocks, `form = "register"` is for emulated GPUs;
`cta_clustering` reorders where that pays.
Example: every build under the default policy""",
    SWITCHED_OFF: """Left alone: the policy asks for no mapping.
Example: [plugins.cta_mapping] direction = "none" """.rstrip(),
    IRREGULAR: """Left alone: what blocks read depends on data or is not affine.
Example: s += x[column[e]];""",
    NO_LAUNCH: """Not applied: no launch of this kernel in this file can be sent to a version of it.
Example: a kernel that another file launches, or a cubin build without host code.""",
    UNSAFE: """Not applied: blocks may communicate, or the kernel's definition cannot be copied.
Example: if (atomicAdd(&done, 1) == gridDim.x - 1) total = sum(partials);""",
    RETURNS: """Not applied: threads return before others of their block reach a barrier, and agents go on.
Example: if (i >= n) return;   ...   __syncthreads();""",
    FUNCTIONS: """Not applied: a called function names blockIdx or gridDim, which agents give another meaning.
Example: __device__ int row() { return blockIdx.x; }""",
    IMPLICIT: """Not applied: blockIdx or gridDim is read where an agent cannot give it another meaning.
Default arguments, initialisers of members, destructors and `::blockIdx` see the agent's own block, and a lambda
without `[&]` or `[=]` could not capture another one.
Example: __device__ int row(int y = blockIdx.y);   ...   row();""",
}
