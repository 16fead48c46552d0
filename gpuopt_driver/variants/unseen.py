"""What a finding says of a kernel whose launches are not seen, or are seen and stay as they are."""

from __future__ import annotations

from gpuopt_driver.frontend.launch_sites import Launch
from gpuopt_driver.frontend.model import Kernel, Unit


def no_launch(unit: Unit, kernel: Kernel) -> str:
    """That a kernel has no launch; if something is launched that has no name here, it may be this kernel."""
    spans = [launch.span for launch in unit.launches if not launch.kernel]
    text = "no launch of the kernel in this file"
    if not spans:
        return text
    first = min(spans, key=lambda span: (span.file != unit.main, span.file, span.line))
    return f"{text}; which kernel {kernel.line_of(first)} launches is not seen"


def not_rewritten(unit: Unit, kernel: Kernel) -> str:
    """That no launch of a kernel can be changed: there is none, or the first one keeps it, and why."""
    launch = next((launch for launch in unit.launches if launch.kernel == kernel.usr), None)
    if launch is None:
        return no_launch(unit, kernel)
    return (
        f"no launch of the kernel in this unit can be rewritten ({kernel.line_of(launch.span)} {_how(kernel, launch)})"
    )


def _how(kernel: Kernel, launch: Launch) -> str:
    """Why a launch keeps its kernel, behind the words for its line."""
    if launch.stays:
        return f"launches it {launch.stays}"
    if launch.callee.file == kernel.span.file and launch.span.start < kernel.span.start:
        return "launches it in front of its definition"
    return "launches it in an unusual way"
