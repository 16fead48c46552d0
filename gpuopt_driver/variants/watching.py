"""What a launch function does where a program writes down what its launches have (`Watch`, docs/constants.md)."""

from __future__ import annotations

import json
from pathlib import PurePath

from gpuopt_driver.frontend.model import Kernel
from gpuopt_driver.learning.runtime import hot
from gpuopt_driver.variants import declared
from gpuopt_driver.variants.guards import params
from gpuopt_driver.variants.model import Watch

MOST_NUMBERS = 60  # of a kernel: each has a bit in `watched.unlike`
FORMAT = 1
_SETS = 16  # MOST_SETS in numbers.h
_DIMENSIONS = {"blockDim": "gpuopt_c.block", "gridDim": "gpuopt_c.grid"}


def is_watchable(kernel: Kernel, name: str) -> bool:
    """Whether a name is a dimension of the launch or a parameter of the kernel."""
    head, _, axis = name.partition(".")
    if head in _DIMENSIONS:
        return axis in ("", "x", "y", "z")
    return any(param.name == name and not param.is_pointer and not param.is_float for param in kernel.params)


def noting(kernel: Kernel, watch: Watch) -> str:
    """Statements that write down a launch: a record of the kernel, and the launch's numbers."""
    keyed = _numbers(watch.keyed)[:MOST_NUMBERS]
    beside = [name for name in _numbers(watch.beside) if name not in keyed]
    names = [*keyed, *beside][:MOST_NUMBERS]
    told = {
        "gpuopt-numbers": FORMAT,
        "kernel": kernel.qualified,
        "file": PurePath(kernel.span.file).name,
        "names": names,
        "keyed": len(keyed),
    }
    # Without braces, as the launch's figures follow; ASCII, so that no encoding matters.
    head = json.dumps(json.dumps(told, separators=(",", ":"))[1:-1])
    seen = ", ".join(f"gpuopt_rt::see({_term(name)})" for name in names)
    counts = f"{len(names)}u, {len(keyed)}u"
    return (
        f"  if (gpuopt_rt::watching()) {{\n"
        f"    static long long gpuopt_v[{len(names) + _SETS * len(keyed)}];\n"
        f"    static gpuopt_rt::watched gpuopt_s = {{ {head}, {counts}, gpuopt_v, 0, 0u, 0, 0, 0, {{ 0 }} }};\n"
        f"    const gpuopt_rt::seen gpuopt_n[] = {{ {seen} }};\n"
        f"    gpuopt_rt::note(gpuopt_s, gpuopt_n);\n  }}\n"
    )


def watching_shim(kernel: Kernel, noted: str) -> str:
    """What launches of a kernel without versions call: they are written down, and made."""
    head = f"{declared.definition_head(kernel)} " if kernel.template_head else ""
    given = f"<{', '.join(kernel.template_params)}>" if kernel.template_head else ""
    args = ", ".join(param.called for param in kernel.params)
    return hot(
        f"{head}static void {kernel.name}__gpuopt_launch(const ::gpuopt_rt::config &gpuopt_c{params(kernel)}) {{\n"
        f"{noted}  {kernel.name}{given}<<<gpuopt_c.grid, gpuopt_c.block, gpuopt_c.shared, gpuopt_c.stream>>>({args});\n"
        f"}}\n"
    )


def _numbers(names: tuple[str, ...]) -> list[str]:
    """The names, each axis of a dimension by itself."""
    found: list[str] = []
    for name in names:
        found += [f"{name}.{axis}" for axis in "xyz"] if name in _DIMENSIONS else [name]
    return list(dict.fromkeys(found))


def _term(name: str) -> str:
    head, _, axis = name.partition(".")
    return f"{_DIMENSIONS[head]}.{axis}" if head in _DIMENSIONS else name
