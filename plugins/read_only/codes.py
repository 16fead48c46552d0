"""The stable message codes of the plugin and what `gpuopt explain CODE` says about each."""

from __future__ import annotations

APPLIED = "READONLY001"
NOTHING_IN_THE_WAY = "READONLY002"
KNOWN = "READONLY003"
NOT_REWRITABLE = "READONLY010"
ORDERED = "READONLY011"
ANY_MEMORY = "READONLY012"
NOT_MODELLED = "READONLY013"

EXPLANATIONS: dict[str, str] = {
    APPLIED: """Applied: a version in which some pointers are __restrict__ is measured.
Nothing is stored through these pointers, and each launch that gets the version has shown, by its pointers and scalar
arguments, that no byte that they read is one that the kernel writes.
Example: y[i] = x[i]; z[i] = x[i] * x[i + n]; with x, y and z apart.""",
    NOTHING_IN_THE_WAY: """No load through a pointer that is only read comes behind a store.
Without a store in between the compiler can order and join these loads as it likes already.
Example: y[i] = x[i] + x[i + n];""",
    KNOWN: """Every pointer that is only read is __restrict__ already.
The compiler knows what this plugin could tell it.
Example: void k(const float *__restrict__ x, float *y)""",
    NOT_REWRITABLE: """The kernel cannot be copied with changes, or no launch can get a version.
It is a class member, depends on __CUDA_ARCH__, has static variables, or a pointer's declaration comes out of a macro or
does not end in a * and a name.
Example: void k(POINTER(x), float *y)""",
    ORDERED: """Threads tell each other, or the host, when memory may be read.
A fence, a volatile access, a barrier of the grid or a cluster, inline assembly or a call of something unknown: what is
read may have been written while the kernel ran, by somebody else.
Example: while (*(volatile int *)flag == 0) {}""",
    ANY_MEMORY: """The kernel writes through a pointer that is no argument, or to a __device__ variable.
A launch cannot know where that is.
Example: rows[i][j] = x[j];""",
    NOT_MODELLED: """Where the kernel writes, or what it reads through its pointers, cannot be computed at a launch.
Indices that are loaded from memory can be any number.
Example: y[index[i]] = x[i];""",
}
