"""The functions that choose for a version: its guard at launches, its answer to occupancy queries."""

from __future__ import annotations

from collections.abc import Sequence

from gpuopt_driver.frontend.declarators import declare
from gpuopt_driver.frontend.model import Kernel, Param
from gpuopt_driver.variants import declared, lexical

CHOICE = "gpuopt_rt::choice &gpuopt_c"
OFFERS = "gpuopt_rt::offers &gpuopt_o"


def choosing(
    kernel: Kernel,
    function: str,
    bodies: Sequence[tuple[Kernel, str]],
    *,
    with_arguments: bool,
    filled: str = CHOICE,
) -> list[str]:
    """A function over launch, what it fills in and (if asked for) the kernel's arguments; a template for a template.

    The instantiations have explicit specialisations with their bodies; others get the original.
    """
    facts = f"const gpuopt_rt::launch &gpuopt_l, {filled}"
    kind, name = filled.split(" &")
    names = arguments(kernel) if with_arguments else ""
    use = f"(void)gpuopt_l; (void){name}; " + "".join(f"(void){name}; " for name in names.split(", ")[1:])
    given = params(kernel) if with_arguments else ""
    if not kernel.template_head:
        readable = "".join(f", {_readable(param, lexical.one_line(param.repeated))}" for param in kernel.params)
        asked = readable if with_arguments else ""
        return [f"static bool {function}({facts}{asked}) {{ {use}\n{bodies[0][1]}\n}}\n"]
    head = declared.definition_head(kernel)
    pack = ("class... GpuoptArgs", ", const GpuoptArgs &...") if with_arguments else ("", "")
    texts = [
        f"template <class GpuoptTag> struct {function}_of;\n",
        f"{head} struct {function}_tag {{}};\n",
        f"template <class GpuoptTag> struct {function}_of {{ {f'template <{pack[0]}> ' if pack[0] else ''}static bool "
        f"pick(const gpuopt_rt::launch &, {kind} &{pack[1]}) {{ return false; }} }};\n",
    ]
    for instance, body in bodies:
        if instance.facts_of is None or not instance.facts_of.spellable:
            continue
        spelled = ", ".join(instance.facts_of.arguments)
        written = [(param, declare(param.type, param.called)) for param in instance.params]
        typed = "".join(f", {_readable(param, text)}" for param, text in written)
        texts.append(
            f"template <> struct {function}_of<{function}_tag<{spelled}> > {{ static bool "
            f"pick({facts}{typed if with_arguments else ''}) {{ {use}\n{body}\n}} }};\n"
        )
    own = ", ".join(kernel.template_params)
    texts.append(
        f"{head} static bool {function}({facts}{given}) "
        f"{{ return {function}_of<{function}_tag<{own}> >::pick(gpuopt_l, {name}{names}); }}\n"
    )
    return texts


def _readable(param: Param, text: str) -> str:
    """A guard's parameter: launches that differ in pointers and floating-point numbers share its answer, so that it
    cannot read these."""
    return f"const gpuopt_rt::unread &{param.called}" if param.is_pointer or param.is_float else text


def params(kernel: Kernel, *, defaults: bool = False) -> str:
    """The kernel's parameters as written, each behind a comma."""
    parts: list[str] = []
    for param in kernel.params:
        text = lexical.one_line(param.repeated)
        if defaults and param.default:
            text += f" = {lexical.one_line(param.default)}"
        parts.append(text)
    return "".join(f", {part}" for part in parts)


def arguments(kernel: Kernel) -> str:
    """The names of the kernel's parameters, each behind a comma."""
    return "".join(f", {param.called}" for param in kernel.params)


def address(kernel: Kernel, version: str = "") -> str:
    """The address of the kernel or of a version of it: of an overloaded name by the type of the function."""
    name = f"{kernel.name}__gpuopt_{version}" if version else kernel.name
    given = f"<{', '.join(kernel.template_params)}>" if kernel.template_head else ""
    if not kernel.overloaded:
        return f"gpuopt_rt::address({name}{given})"
    types = ", ::gpuopt_rt::plan" * bool(version) + params(kernel)
    return f"gpuopt_rt::address(static_cast<void (*)({types[2:]})>({name}{given}))"
