"""The stable message codes of the plugin and what `gpuopt explain CODE` says about each."""

from __future__ import annotations

MEASURED = "CONST001"
ALWAYS = "CONST002"
WATCHED = "CONST003"
NOTHING_KNOWN = "CONST010"
NO_GAIN = "CONST011"
NOT_MEASURED = "CONST012"
NOT_LAUNCHED = "CONST013"
FORM = "CONST014"
NO_LAUNCH = "CONST020"
NOT_REWRITABLE = "CONST021"
ROUNDING = "CONST022"
UNDEFINED = "CONST023"

FIGURES: dict[str, str] = {
    "spared": "what the compiler needs not compute where these numbers are constants",
    "unknown": "numbers that no launch in this file gives and that would spare something as constants",
    "weight": "how much that is: 2 for a division, 2 and more for a loop, the deeper the more",
}

EXPLANATIONS: dict[str, str] = {
    MEASURED: """Applied: versions in which numbers of the launch are constants are measured in the program's own run.
A launch gets one only where block, grid and arguments have exactly the version's values.
Example: blur<<<grid, 256>>>(in, out, 1920, 1080, 3);   with loops up to 3 and divisions by 1920""",
    ALWAYS: """Applied: launches with the values of a version get it, as the policy asks.
Example: [plugins.constants] pick = "always" """.rstrip(),
    WATCHED: """Applied: the program writes down which numbers the launches have, as the policy asks (`watch`).
There is no version: the file that GPUOPT_NUMBERS names holds, behind a run, what `gpuopt numbers` makes `known` of.
Example: [plugins.constants] watch = true   and   scale<<<(n + 255) / 256, threads>>>(x, n, stride);""",
    NOTHING_KNOWN: """Left alone: no launch in this file has a constant for a number that the kernel uses.
Numbers that are read, computed from input or changed in a loop are known only when the program runs. `unknown` names
those that would spare something, `weight` says how much. With `watch = true` in [plugins.constants] the program writes
down what they are (GPUOPT_NUMBERS=FILE ./program), `gpuopt numbers FILE` makes lines of policy of that (`known`), and
the next build has versions for them (docs/constants.md).
Example: scale<<<(n + 255) / 256, threads>>>(x, n);""",
    NO_GAIN: """Left alone: the launches' constants are neither divisors nor bounds of short loops here.
Knowing a number spares work where the kernel divides by it, or where it ends a loop of few iterations (`trips` at
most), which is unrolled then. An index that adds and multiplies takes the same time with a constant. `unknown` names
numbers that would spare something, but that no launch in this file gives: `watch = true` in [plugins.constants] has
the program write them down, `gpuopt numbers` makes lines of policy of that for the next build (docs/constants.md).
Example: scale<<<4096, 256>>>(x, 1 << 20);   with   if (i < n) x[i] *= 2;""",
    NOT_MEASURED: """Left alone: no model says whether constants gain, and this program does not measure its launches.
Example: [learn] mode = "off", and builds for the emulator""",
    NOT_LAUNCHED: """Not applicable: no launch of the kernel stands in this file, so that no number is known.
Example: a kernel that another file launches.""",
    FORM: """Left alone: the form that the policy asks for cannot be made of this kernel.
`capped` and `spilling` need a block of known size of at most 512 threads and no launch bound of the kernel's own;
`spilling` whole warps and no dynamic shared memory, too.
Example: [plugins.constants] form = "capped"   and   k<<<grid, 1024>>>(x);""",
    NO_LAUNCH: """Not applied: no launch of this kernel in this file can be sent to a version of it.
Example: a launch out of a macro, or a cubin build without host code.""",
    NOT_REWRITABLE: """Not applied: a version of the kernel would not do what the kernel does.
Example: a static local variable, whose value the original and its version would not share""",
    ROUNDING: """Not applied: the kernel calls a function that nvcc computes itself where its argument is a constant.
nvcc then rounds better than the GPU's own function, so that the last digits would be others.
Example: for (int k = 0; k < taps; ++k) sum += x[i + k] * expf(-k * k * scale);""",
    UNDEFINED: """Not applied: as a constant, a number of the launches may make an operation undefined.
A GPU divides by 0 and shifts by 32 and more, with results that programs use or throw away; where nvcc sees such a
constant it leaves out what the operation is part of. Numbers that may be a divisor of 0, or a shift by 32 or more or by
less than 0, stay numbers.
Example: rotate<<<grid, 256>>>(x, n, 0);   with   x[i] << bits | x[i] >> (32 - bits)""",
}
