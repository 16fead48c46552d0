"""A kernel's body as a closure that is called several times: which parameters each call needs a copy of its own of."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpuopt_driver.frontend.model import Kernel, Param


def own_params(kernel: Kernel) -> tuple[Param, ...]:
    """The parameters that have a name and are not constant themselves, or have members that change all the same."""
    return tuple(param for param in kernel.params if param.name and not _is_constant(param))


def changed_params(kernel: Kernel) -> tuple[Param, ...]:
    """Those that the body may change, by their name or through their address; all, where that is not seen."""
    own = own_params(kernel)
    if any(effect.place is None for effect in kernel.effects):
        return own
    changed = {
        effect.place.name
        for effect in kernel.effects
        if effect.place is not None and (effect.is_write or effect.place.exposed)
    }
    return tuple(param for param in own if param.name in changed)


def taken(params: Iterable[Param]) -> str:
    """Their declarations behind others of a closure."""
    return "".join(f", {' '.join(param.repeated.split())}" for param in params)


def given(params: Iterable[Param]) -> str:
    """Their names behind other arguments of a call."""
    return "".join(f", {param.name}{'...' if param.is_pack else ''}" for param in params)


def _is_constant(param: Param) -> bool:
    if param.has_mutable:
        return False
    return re.search(r"\bconst\b[^*&]*$" if "*" in param.type else r"\bconst\b", param.type) is not None
