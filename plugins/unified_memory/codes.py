"""The stable message codes of the plugin and what `gpuopt explain CODE` says about each."""

from __future__ import annotations

CHOSEN = "UNI001"
AS_ASKED = "UNI002"
ELSEWHERE = "UNI003"
FREE = "UNI004"
NO_SHARED = "UNI010"
NO_LOADS = "UNI011"
NO_GAIN = "UNI012"
NOT_MODELLED = "UNI013"
NOT_UNIFIED = "UNI014"
NOT_TRAINED = "UNI015"
PREFERENCE = "UNI016"
OTHER_FILES = "UNI017"
NO_LAUNCH = "UNI020"
NOT_REWRITABLE = "UNI021"

FIGURES: dict[str, str] = {
    "default_hit_rate": "loads that hit L1, as predicted, where the driver divides it; likewise the other defaults",
    "hit_rate": "loads that hit L1 with the division that was found",
    "occupancy": "resident warps as part of what an SM can have",
    "performance_factor": "speed-up that the GPU's regression predicts",
    "shared_bytes": "what the division leaves as shared memory",
}

EXPLANATIONS: dict[str, str] = {
    CHOSEN: """Applied: at some launches the kernel runs with another carve-out (how much of L1 is shared memory).
The driver makes room for as many blocks as an SM could ever hold; the launch computes what its own blocks need and what
L1 is left beside each division. Where hits are lost, the largest L1 that costs no wave of blocks is taken; more waves
must be worth it by the GPU's regression (on GPUs where waves were not fitted, resident blocks take their place).
Example: 4 blocks per SM that use 24 KB each and walk rows: 228 KB of shared memory by default, 102 KB needed.""",
    AS_ASKED: """Applied: the policy names the percentage for every launch.
Used for baselines and exhaustive searches; no model was asked.
Example: [plugins.unified_memory] carveout = 50""",
    ELSEWHERE: """Applied: only other files can launch the kernel, and their launches choose (`other_files = true`).
They decide with true numbers, as launches here would; gpuopt must have built the launching file, too (GPUOPT010).
Example: __global__ void kernel(...); void run() { kernel<<<grid, block, bytes>>>(...); }   in another file""",
    FREE: """Applied: what L1 has to hold is not known, but a larger one costs no resident block.
The driver makes room for as many blocks as an SM could ever hold (before Volta: for all shared memory that there is,
whether it is used or not); the launch takes the largest L1 beside its own blocks, if it is larger by half.
Example: for (e = row[i]; e < row[i + 1]; ++e) s += v[e] * x[col[e]];   in 4 blocks per SM with 24 KB each.""",
    NO_SHARED: """The kernel uses no shared memory: the driver leaves L1 as large as it can be (from Volta on).
Example: C[i] = A[i] + B[i];""",
    NO_LOADS: """The kernel makes no loads through L1 in loops of its own, so its size is not known to matter.
Example: a reduction in shared memory.""",
    NO_GAIN: """Left alone: a larger L1 is not predicted to have more hits, or not to be worth the blocks that it costs.
`minimum_gain` in [plugins.unified_memory] changes it.
Example: a tiled matrix product, which reads each line once per block.""",
    NOT_MODELLED: """Left alone: addresses depend on data or are not affine, so it is not known what L1 has to hold.
And more L1 would cost resident blocks: where it does not, a launch takes it (UNI004).
Example: for (e = row[i]; e < row[i + 1]; ++e) s += v[e] * x[col[e]];   with all the blocks that fit.""",
    NOT_UNIFIED: """Left alone: this GPU's L1 and shared memory are separate, or it does not keep global loads in L1.
Example: Maxwell and Pascal GPUs.""",
    NOT_TRAINED: """Left alone: what hits in L1 are worth against occupancy has not been fitted for this GPU.
`gpuopt profile --fit RECORDS` computes them for the [partition] table of a GPU file.
Example: performance = b0 + b1 * occupancy + b2 * hit rate + b3 * occupancy * hit rate""",
    PREFERENCE: """Left alone: the program sets a preference of its own for this kernel.
Example: cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1);""",
    OTHER_FILES: """Left alone: only other files can launch the kernel, and `other_files` is false.
A version is compiled beside its kernel, which doubles the compilation of a file of such kernels, used or not.
Example: [plugins.unified_memory] other_files = true   where the kernel is defined, and where it is launched.""",
    NO_LAUNCH: """Not applied: no launch of this kernel can be sent to a version of it, from here or from another file.
Example: a static kernel that is launched out of a macro only.""",
    NOT_REWRITABLE: """Not applied: the kernel's definition cannot be copied safely.
Example: it is a class member, has static locals, or depends on __CUDA_ARCH__.""",
}
