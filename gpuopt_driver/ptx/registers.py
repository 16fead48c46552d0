"""Whether a version reads a special register where it gives the built-in variable another meaning.

Such a version reads the real one by `gpuopt_rt::real::...` only, inline assembly with a mark; every other
read in its PTX is a use of the variable that the version did not reach: in a constructor, a default argument, a callee.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

MARK = "// gpuopt"
_SPECIAL = {"threadIdx": "tid", "blockIdx": "ctaid", "blockDim": "ntid", "gridDim": "nctaid"}


def missed(lines: Iterable[str], redefined: Set[str]) -> str:
    """The built-in variable, of those that are redefined, that a function's body reads past its version; "": none."""
    names = {_SPECIAL[name]: name for name in redefined}
    if not names:
        return ""
    read = re.compile(rf"%({'|'.join(sorted(names))})\.[xyz]\b")
    for line in lines:
        found = read.search(line)
        if found is not None and MARK not in line:
            return names[found.group(1)]
    return ""
