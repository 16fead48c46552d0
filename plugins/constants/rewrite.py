"""The rewrite: numbers of the launch as variables of that value around a body, which compilers see through.

A parameter gets a variable of its own type, which may be changed and referred to as the parameter might. blockDim and
gridDim keep their values, so that what reads the launch's own (a function that is no copy) is right, too.
"""

from __future__ import annotations

import re

from gpuopt_driver.api import Construct, Edit, Function, FunctionCopy, Kernel, Span, copied, dataclass, why_not_copied

from .known import Known, Triple

NAME = "constants"
SCOPE = f"::gpuopt_rt::plugin_{NAME}"

# nvcc 13 spills registers to shared memory where a kernel asks for it; ptxas takes that in whole programs alone, and
# not for debugging. The emulator has no registers to spill.
# What initialises a `const` parameter's stand-in (`number`) must be no constant expression: front ends would warn of
# what they compute with it, and a kernel could use it where it could not use its parameter.
SUPPORT = """\
template <class T> __device__ __forceinline__ T number(T value) { return value; }
#if defined(GPUOPT_EMU_LAUNCH_H)
inline bool spills_to_shared() { return true; }
__device__ __forceinline__ void spill_to_shared() {}
#elif __CUDACC_VER_MAJOR__ >= 13 && !defined(__CUDACC_RDC__) && !defined(__CUDACC_DEBUG__)
inline bool spills_to_shared() { return true; }
__device__ __forceinline__ void spill_to_shared() { asm volatile(".pragma \\"enable_smem_spilling\\";"); }
#else
inline bool spills_to_shared() { return false; }
__device__ __forceinline__ void spill_to_shared() {}
#endif
"""


@dataclass(frozen=True, slots=True)
class Form:
    """How a version is compiled: with `__launch_bounds__(threads, blocks)` (0: without), spills in shared memory."""

    name: str = "plain"
    threads: int = 0
    blocks: int = 0
    spills: bool = False


def edits(kernel: Kernel, values: Known, form: Form) -> tuple[Edit, ...]:
    """The version's text: launch bounds in front of the name, constants around the body."""
    opening = [f"{SCOPE}::spill_to_shared();"] if form.spills else []
    opening += _dimensions(values, _reached(kernel, kernel.qualified, kernel.body))
    fixed = constant_parameters(kernel)
    for name, value in values.arguments:
        number = f"{SCOPE}::number({literal(value)})" if name in fixed else literal(value)
        opening.append(f"decltype({name}) {name} = static_cast<decltype({name})>({number}); (void){name};")
    made = list(_around(kernel.inner, opening))
    if form.threads:
        least = f", {form.blocks}" if form.blocks else ""
        made.append(Edit.insert_before(kernel.name_span, f"__launch_bounds__({form.threads}{least}) ", NAME))
    return tuple(made)


def constant_parameters(kernel: Kernel) -> frozenset[str]:
    """The numbers among a kernel's parameters that it declares `const`."""
    return frozenset(param.name for param in kernel.params if re.search(r"\bconst\b", param.type))


def copies(kernel: Kernel, values: Known) -> tuple[FunctionCopy, ...]:
    """Copies of the functions that name blockDim or gridDim; none where one cannot be made."""
    # What stays as it is reads the launch's own, which has the same value.
    names = {name for name, sizes in (("blockDim", values.block), ("gridDim", values.grid)) if sizes}
    functions = copied(kernel, lambda one: bool(names & one.builtins))
    if why_not_copied(kernel, functions) is not None:
        return ()
    return tuple(FunctionCopy(one, _of_function(kernel, one, values)) for one in functions)


def _of_function(kernel: Kernel, function: Function, values: Known) -> tuple[Edit, ...]:
    names = _reached(kernel, function.qualified, function.body) & function.builtins
    opening = _dimensions(values, names)
    return _around(function.inner, opening) if opening else ()


def _reached(kernel: Kernel, owner: str, body: Span) -> frozenset[str]:
    """Which of blockDim and gridDim a local variable may stand in for: no lambda or local class needs to capture it."""
    missed = set[str]()
    for use in kernel.builtin_uses:
        inside = use.span.file == body.file and body.start <= use.span.start < body.end
        of_class = inside and use.owner not in (owner, "")  # a local class; what has no name is a lambda
        lambda_use = use.construct is Construct.LAMBDA and (inside or use.owner == owner)
        if of_class or lambda_use:
            missed.add(use.name)
    return frozenset({"blockDim", "gridDim"} - missed)


def _dimensions(values: Known, names: frozenset[str]) -> list[str]:
    pairs = (("blockDim", values.block), ("gridDim", values.grid))
    return [_dimension(name, sizes) for name, sizes in pairs if sizes is not None and name in names]


def _dimension(name: str, sizes: Triple) -> str:
    return f"const ::dim3 {name}({', '.join(f'{size}u' for size in sizes)}); (void){name};"


def _around(body: Span, opening: list[str]) -> tuple[Edit, ...]:
    """Declarations around what is in a body's braces, in a block of their own, where they may hide parameters."""
    if not opening:
        return ()
    text = f" {{ {' '.join(opening)} {{"
    return (
        Edit(body.file, body.start, body.start, text.encode(), NAME),
        Edit(body.file, body.end, body.end, b"}}", NAME),
    )


def literal(value: int) -> str:
    """An integer as C++ writes it."""
    return f"{value}ULL" if value >= 1 << 63 else f"{value}LL"
