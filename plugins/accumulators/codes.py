"""The stable message codes of the plugin and what `gpuopt explain CODE` says about each."""

from __future__ import annotations

APPLIED = "ACCUMULATORS001"
NO_LOOP = "ACCUMULATORS002"
NO_ELEMENT = "ACCUMULATORS003"
KNOWN = "ACCUMULATORS004"
NOT_REWRITABLE = "ACCUMULATORS010"
SYNCHRONISES = "ACCUMULATORS011"
LEAVES = "ACCUMULATORS012"
NOT_CERTAIN = "ACCUMULATORS013"
NOT_MODELLED = "ACCUMULATORS014"
SAME_ARRAY = "ACCUMULATORS015"
OTHER_MEMORY = "ACCUMULATORS016"
TEXT = "ACCUMULATORS017"
HEADER = "ACCUMULATORS018"
TYPE = "ACCUMULATORS019"

EXPLANATIONS: dict[str, str] = {
    APPLIED: """Applied: elements that a loop reads and writes in every iteration are kept in registers meanwhile.
Launches for which no other access of the loop can reach these bytes get the version; the launch computes that from its
pointers and scalar arguments. Each element is loaded before the loop and stored behind it, if the loop runs at all.
Example: y[i] += A[i * n + j] * x[j]; in a loop over j, y being neither A nor x.""",
    NO_LOOP: """The kernel has no loop of its own.
Only what is updated again and again gains from a register.
Example: y[i] += x[i];""",
    NO_ELEMENT: """No loop updates one element of a global array again and again.
The index of what is written changes with the loop, or the sum is in a local variable already.
Example: for (int j = 0; j < n; ++j) y[j] += x[j];""",
    KNOWN: """The compiler does this by itself: it sees that nothing else in the loop can be the element.
The pointer is __restrict__, or the loop has no other access to global memory.
Example: float *__restrict__ y, and y[i] += x[j]; in a loop over j.""",
    NOT_REWRITABLE: """The kernel cannot be copied with changes.
It is a class member, depends on __CUDA_ARCH__, has static variables, uses goto or inline assembly, or no launch can get
a version.
Example: if (...) goto done;""",
    SYNCHRONISES: """Others may see the element, or change it, while the loop runs.
A barrier, a fence, an atomic or volatile access, a warp operation or a call of something unknown stands in the loop:
what is in memory there matters.
Example: y[i] += x[j]; __syncthreads();""",
    LEAVES: """The loop is left in the middle by return, or a switch around it leads into its middle.
The element would have to be stored at each of these places.
Example: if (x[j] < 0) return;""",
    NOT_CERTAIN: """The element is not written in every iteration.
A loop that writes nothing must not store anything: another thread may own the element.
Example: if (x[j] > 0) y[i] += x[j];""",
    NOT_MODELLED: """Where an access of the loop goes cannot be computed when the kernel is launched.
The bytes of each array that the loop uses must be known: indices must be made of thread and block indices, arguments
and loop counters. Indices that are loaded from memory are not.
Example: y[i] += x[column[j]];""",
    SAME_ARRAY: """The loop uses other elements of the same array.
They may be the same element for some thread or iteration.
Example: y[i] += y[j];""",
    OTHER_MEMORY: """The loop uses memory that no argument of the kernel points to.
A pointer that was loaded from memory, or a __device__ variable: a launch does not know where that is.
Example: y[i] += rows[i][j];""",
    TEXT: """The element's text cannot be evaluated in front of the loop.
It stands in a macro or in a called function, calls something, has side effects, is named in several ways or by a cast,
or uses a variable that the loop declares or changes.
Example: for (...) { int k = i * n; y[k] += x[j]; }""",
    HEADER: """Whether the loop runs at all cannot be asked in front of it.
The header has side effects, comes out of a macro or is one of a loop over a range; or that of an inner loop uses what
the outer one changes.
Example: while (n--) y[i] += x[n];""",
    TYPE: """The element is not a number of a built-in type.
What += means for a class is the class's own business.
Example: y[i] += x[j]; with float2 *y.""",
}
