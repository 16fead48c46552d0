"""Whether a copy of a kernel would do what the kernel does: what no plugin can make a version of."""

from __future__ import annotations

from gpuopt_driver.frontend.model import Kernel


def why_not_copyable(kernel: Kernel) -> str | None:
    """Why a copy of the kernel's text under another name may be another kernel, or None."""
    if kernel.problems:
        return kernel.problems[0]
    if kernel.changed_behind:
        return kernel.changed_behind
    reasons = (
        (kernel.is_member, "the kernel is a class member"),
        (kernel.conditional, "its body depends on __CUDA_ARCH__"),
        (any(variable.is_static for variable in kernel.variables), "it has static local variables"),
        ("func" in kernel.special, "it uses its own name (__func__)"),
        ("counter" in kernel.special, "it uses __COUNTER__"),
        ("known" in kernel.special, "it depends on what the compiler knows (__builtin_constant_p)"),
        ("friend" in kernel.special, "it is a friend of a class, which a copy would not be"),
        ("hides" in kernel.special, "a parameter has the name of a built-in variable"),
        ("copies" in kernel.special, "copying one of its arguments does more than copy"),
        ("cdp" in kernel.special, "it launches kernels itself"),
    )
    return next((reason for holds, reason in reasons if holds), None)
