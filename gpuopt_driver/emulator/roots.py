"""Square roots without `errno`, which a GPU does not know: with it each is a branch and perhaps a call, never a vector.

The host compiler's option holds for a whole source, so it is given where the host's code does not look at `errno`: no
result depends on it then. Floating-point exceptions stay as they are: without them, the compiler computes under no
condition what all threads have in common, and fuses other products with their sums.
"""

from __future__ import annotations

import re

from gpuopt_driver.emulator.regions import user_ranges

WITHOUT_ERRNO = ("-fno-math-errno",)
_ERRNO = re.compile(rb"\b(?:_*errno\w*|math_errhandling)\b")
# Of the functions that may set it, these alone are more than a call. Other sources stay as they are.
_ROOT = re.compile(rb"\b(?:r?sqrtf?|__[fd]r?sqrt_r[nzdu]|r?hypotf?|r?norm(?:3d|4d)?f?)\b")


def root_options(preprocessed: bytes) -> tuple[str, ...]:
    """The options for a preprocessed source whose own text takes roots and does not speak of `errno`; else none."""
    own = user_ranges(preprocessed)
    if any(_ERRNO.search(preprocessed, *part) for part in own):
        return ()
    return WITHOUT_ERRNO if any(_ROOT.search(preprocessed, *part) for part in own) else ()
