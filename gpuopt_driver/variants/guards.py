"""The functions that choose for a version: its guard at launches, its answer to occupancy queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gpuopt_driver import __version__
from gpuopt_driver.analysis.pointers import Aligned, Counted, Disjoint, Extent, Fact
from gpuopt_driver.frontend.declarators import declare
from gpuopt_driver.frontend.model import Kernel, Param
from gpuopt_driver.variants import declared, lexical

CHOICE = "gpuopt_rt::choice &gpuopt_c"
OFFERS = "gpuopt_rt::offers &gpuopt_o"
_LAUNCH = "const gpuopt_rt::launch &gpuopt_l"


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
    return _functions(
        kernel, function, bodies, (_LAUNCH, filled), with_arguments=with_arguments, readable=_without_values
    )


def testing(kernel: Kernel, function: str, bodies: Sequence[tuple[Kernel, str]]) -> list[str]:
    """A function over configuration and arguments, pointers included: whether what a version requires holds."""
    given = ("const ::gpuopt_rt::config &gpuopt_l",)
    return _functions(kernel, function, bodies, given, with_arguments=True, readable=lambda _param, text: text)


def requirement(facts: Sequence[Fact]) -> str:
    """The body of a C++11 function over `gpuopt_l` and the kernel's parameters: whether all facts hold."""
    extents = dict.fromkeys(extent for fact in facts if isinstance(fact, Disjoint) for extent in (fact.one, fact.other))
    names = {extent: f"gpuopt_e{number}" for number, extent in enumerate(extents)}
    ranges = "".join(f"  const gpuopt_rt::reach {names[extent]} = {extent.reach};\n" for extent in extents)
    tests = " &&\n         ".join(_fact(fact, names) for fact in dict.fromkeys(facts))
    return f"{ranges}  return {tests};"


def _fact(fact: Fact, names: dict[Extent, str]) -> str:
    if isinstance(fact, Aligned):
        return f"gpuopt_rt::aligned({fact.pointer}, {fact.bytes}u)"
    if isinstance(fact, Counted):
        return f"gpuopt_rt::is_index({fact.reach})"
    sides = (f"{one.pointer}, {names[one]}, {one.bytes}" for one in (fact.one, fact.other))
    return f"gpuopt_rt::apart({', '.join(sides)})"


def _functions(
    kernel: Kernel,
    function: str,
    bodies: Sequence[tuple[Kernel, str]],
    first: Sequence[str],
    *,
    with_arguments: bool,
    readable: Callable[[Param, str], str],
) -> list[str]:
    """A function with these parameters in front of the kernel's own (if asked for), which `readable` declares."""
    facts = ", ".join(first)
    called = [one.rpartition("&")[2] for one in first]
    kinds = ", ".join(one.rpartition("&")[0] + "&" for one in first)
    names = arguments(kernel) if with_arguments else ""
    use = "".join(f"(void){name}; " for name in (*called, *names.split(", ")[1:]))
    given = params(kernel) if with_arguments else ""
    if not kernel.template_head:
        asked = "".join(f", {readable(param, lexical.one_line(param.repeated))}" for param in kernel.params)
        asked = asked if with_arguments else ""
        return [f"static bool {function}({facts}{asked}) {{ {use}\n{bodies[0][1]}\n}}\n"]
    head = declared.definition_head(kernel)
    pack = ("class... GpuoptArgs", ", const GpuoptArgs &...") if with_arguments else ("", "")
    made: list[tuple[str, str]] = []  # of each instantiation: its arguments, its function
    for instance, body in bodies:
        if instance.facts_of is None or not instance.facts_of.spellable:
            continue
        written = [(param, declare(param.type, param.called)) for param in instance.params]
        typed = "".join(f", {readable(param, text)}" for param, text in written)
        text = f"pick({facts}{typed if with_arguments else ''}) {{ {use}\n{body}\n}}"
        made.append((", ".join(instance.facts_of.arguments), text))
    # Members are not local to a file: another one of the program may have a kernel of this name, and linkers keep one
    # of what has one name. nvcc's names of unnamed namespaces are those of a file's text, whatever macros it is given.
    told = lexical.digest(__version__, head, *(part for one in made for part in one))
    kind, tag = f"{function}_of_{told}", f"{function}_tag_{told}"
    own = ", ".join(kernel.template_params)
    return [
        f"template <class GpuoptTag> struct {kind};\n",
        f"{head} struct {tag} {{}};\n",
        f"template <class GpuoptTag> struct {kind} {{ {f'template <{pack[0]}> ' if pack[0] else ''}static bool "
        f"pick({kinds}{pack[1]}) {{ return false; }} }};\n",
        *(f"template <> struct {kind}<{tag}<{spelled}> > {{ static bool {text} }};\n" for spelled, text in made),
        f"{head} static bool {function}({facts}{given}) "
        f"{{ return {kind}<{tag}<{own}> >::pick({', '.join(called)}{names}); }}\n",
    ]


def _without_values(param: Param, text: str) -> str:
    """A guard's parameter: launches that differ in pointers and floating-point numbers share its answer, so that it
    cannot read these."""
    return f"const gpuopt_rt::unread &{param.called}" if param.is_pointer or param.is_float else text


def params(kernel: Kernel, first_default: int | None = None) -> str:
    """The kernel's parameters as written, each behind a comma; from the given number on with default arguments."""
    parts: list[str] = []
    for number, param in enumerate(kernel.params):
        text = lexical.one_line(param.repeated)
        if first_default is not None and number >= first_default:
            text += f" = {lexical.one_line(param.default or '')}"
        parts.append(text)
    return "".join(f", {part}" for part in parts)


def arguments(kernel: Kernel) -> str:
    """The names of the kernel's parameters, each behind a comma."""
    return "".join(f", {param.called}" for param in kernel.params)


def address(kernel: Kernel, version: str = "") -> str:
    """The address of the kernel or of a version of it: by the type of the function where a name may be overloaded.

    A kernel's name always may be: the toolkit's headers declare `norm`, `max` and others for the host and the GPU.
    """
    name = f"{kernel.name}__gpuopt_{version}" if version else kernel.name
    given = f"<{', '.join(kernel.template_params)}>" if kernel.template_head else ""
    if version and not kernel.overloaded:
        return f"gpuopt_rt::address({name}{given})"
    types = ", ::gpuopt_rt::plan" * bool(version) + params(kernel)
    return f"gpuopt_rt::address(static_cast<void (*)({types[2:]})>({name}{given}))"
