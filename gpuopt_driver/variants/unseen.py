"""What a finding says of a kernel whose launches are not seen, or are seen and stay as they are."""

from __future__ import annotations

from gpuopt_driver.frontend.launch_sites import LaunchKind
from gpuopt_driver.frontend.model import Kernel, Unit

_FORMS = {
    LaunchKind.POINTER: "through a variable",
    LaunchKind.RUNTIME: "by a function of the runtime",
    LaunchKind.COOPERATIVE: "cooperatively",
}


def no_launch(unit: Unit) -> str:
    """That a kernel has no launch; if something is launched that has no name here, it may be this kernel."""
    lines = sorted({launch.span.line for launch in unit.launches if not launch.kernel})
    text = "no launch of the kernel in this file"
    return f"{text}; which kernel line {lines[0]} launches is not seen" if lines else text


def not_rewritten(unit: Unit, kernel: Kernel) -> str:
    """That all of a kernel's launches keep it, and which is the first that has another form than `k<<<...>>>(...)`."""
    text = "no launch of the kernel in this unit can be rewritten"
    for launch in unit.launches:
        if launch.kernel == kernel.usr and launch.kind in _FORMS:
            return f"{text} (line {launch.span.line} launches it {_FORMS[launch.kind]})"
    return text
