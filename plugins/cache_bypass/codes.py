"""The stable message codes of the plugin and what `gpuopt explain CODE` says about each."""

from __future__ import annotations

CHOSEN = "BYP001"
FROM_PROFILE = "BYP002"
AS_ASKED = "BYP003"
NO_LOADS = "BYP010"
ALL_FIT = "BYP011"
NO_GAIN = "BYP012"
NO_CANDIDATE = "BYP013"
NOT_MODELLED = "BYP014"
NOT_CACHED = "BYP015"
NO_OPERATOR = "BYP016"
NO_LAUNCH = "BYP020"
NOT_REWRITABLE = "BYP021"
ROUNDING = "BYP022"
STALE = "BYP030"
NO_PROFILE = "BYP031"

FIGURES: dict[str, str] = {
    "held_bytes": "lines that the resident warps' loads would keep in L1",
    "kept_bytes": "of these, what stays there when the chosen loads go past it",
    "saved_bytes": "traffic from L2 that the choice saves, as the model counts it",
    "traffic_factor": "traffic from L2 as it is, divided by that with the chosen loads past L1",
}

EXPLANATIONS: dict[str, str] = {
    CHOSEN: """Applied: some loads go past L1 where the launch leaves too little of it for all.
A model of the traffic between L1 and L2 chose these loads from what the source says. Each launch computes with its
true numbers how much of L1 all loads would need, and launches the original kernel where L2 traffic would not fall.
Example: s += A[i * n + j] * u[j * m + i];   A lives off L1, u is read once""",
    FROM_PROFILE: """Applied: the loads that a profile says are better off past L1.
The version is used on the GPU that was profiled, with as many resident warps as there were then.
Example: [plugins.cache_bypass] profile = "spmv.profile.json" """,
    AS_ASKED: """Applied: the policy names the loads (method = "fixed" or "bypass-all").
Used for baselines and exhaustive searches; no model was asked.
Example: [plugins.cache_bypass] method = "bypass-all" """,
    NO_LOADS: """The kernel makes no loads through L1 in loops of its own.
Loops of functions that it calls are not looked into; without a loop nothing is read again that could be protected.
Example: C[i] = A[i] + B[i];""",
    ALL_FIT: """Left alone: what the resident warps read between two iterations fits into L1.
The same operators that help where L1 overflows cost up to a factor of two where it does not.
Example: 8 resident warps whose loads touch 34 lines each.""",
    NO_GAIN: """Left alone: no choice of loads lets L2 traffic fall by the factor that the policy asks for.
`minimum_gain` in [plugins.cache_bypass] changes it.
Example: two matrices that are walked row by row, each larger than L1 alone.""",
    NO_CANDIDATE: """Left alone: each load finds its cache lines in L1 again, so none may go past it.
A load that goes past L1 (as by ld.global.cg) leaves room for others, and costs a read from L2 each time. That pays for
data that nobody reads again. Here every load is read again: by all blocks, by several warps, through another index, or
in an outer loop; or it must stay as it is: updated in place, volatile, atomic, in a called function or out of a macro.
`loads` in --json has the reason for each. Where L1 overflows all the same, fewer warps at a time may help (catt).
Example: s += A[i * n + k] * B[k * n + j];   both matrices are shared by threads of the block""",
    NOT_MODELLED: """Left alone: addresses depend on data or are not affine: what L1 serves is not known.
A profile does: `gpuopt profile` makes one, `profile` in [plugins.cache_bypass] names it.
Example: for (e = row[i]; e < row[i + 1]; ++e) s += v[e] * x[col[e]];""",
    NOT_CACHED: """Left alone: this GPU does not keep global loads in L1.
Example: Kepler and most Maxwell GPUs with default compiler flags.""",
    NO_OPERATOR: """Left alone: which cache operator protects L1 on this GPU has not been measured.
`gpuopt calibrate -o mine.toml` measures it; `operator` in [plugins.cache_bypass] names one.
Example: on an H200 .cg throws lines out of L1, .cs does not.""",
    NO_LAUNCH: """Not applied: no launch of this kernel in this file can be sent to a version of it.
Example: a kernel that another file launches, or a cubin build without host code.""",
    NOT_REWRITABLE: """Not applied: the kernel's definition cannot be copied and changed safely.
Example: it comes out of a macro, is a class member, has static locals, or depends on __CUDA_ARCH__.""",
    ROUNDING: """Not applied: results might be rounded in another order.
nvcc makes one product of a sum of products an FMA, which rounds once. Which one can change with how a load is written.
`rounding = "any"` in [plugins.cache_bypass] allows it; with -fmad=false nothing is fused.
Example: s += A[i * n + j] * x[j] + u[j * n + i] * v[j * n + i];""",
    STALE: """Left alone: the profile was made of another source, for another GPU or with other options.
Profile again, or take the profile out of the policy.
Example: the kernel was edited after `gpuopt profile` ran.""",
    NO_PROFILE: """Left alone: the profile that the policy names has nothing about this kernel, or cannot be read.
Example: the profiled run did not launch it.""",
}
