"""Host code's part of the model: launches of kernels, and calls that name one."""

from __future__ import annotations

from enum import Enum

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.expr import Expr
from gpuopt_driver.source.text import Span


@dataclass(frozen=True, slots=True)
class Dim3:
    """A launch dimension; None components are unknown."""

    x: Expr | None
    y: Expr | None
    z: Expr | None


class LaunchKind(Enum):
    """How a kernel is launched."""

    CHEVRON = "chevron"
    RUNTIME = "cudaLaunchKernel"
    COOPERATIVE = "cooperative"
    POINTER = "pointer"  # chevrons through a function pointer


_FORMS = {
    LaunchKind.POINTER: "through a variable",
    LaunchKind.RUNTIME: "by a function of the runtime",
    LaunchKind.COOPERATIVE: "cooperatively",
}


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch site.

    `kernel` is the USR of the launched kernel (the template's for an instantiation, whose arguments are in
    `instantiation`), "" when it is not known. Spans: `span` the whole launch expression, `callee` the name with
    its template arguments, `config` from `<<<` to `>>>` inclusive, `args` the parenthesised arguments. Only CHEVRON
    launches have editable spans; in macros those that are written in an argument that is passed on as it is written.
    `arguments` are those written; None: no integer arithmetic. `acts`:
    evaluating the configuration or the arguments may do more than compute, so that it shows which comes first.
    `means_several`: its text launches several kernels, in instantiations of a template or expansions of a macro.
    `declared_inside`: a function around it declares the kernel once more, which may have other default arguments there.
    """

    kernel: str
    callee_name: str
    kind: LaunchKind
    span: Span
    callee: Span
    config: Span
    args: Span
    grid: Dim3
    block: Dim3
    shared: Expr | None
    config_texts: tuple[str, ...]  # grid, block, shared, stream as written (those present)
    instantiation: tuple[str, ...] | None = None
    in_template: bool = False
    in_device_code: bool = False
    arguments: tuple[Expr | None, ...] = ()
    acts: bool = False
    means_several: bool = False
    declared_inside: bool = False

    @property
    def is_by_runtime(self) -> bool:
        """Whether a function of the runtime makes it: it stays, and no other headers would show anything else."""
        return self.kind in (LaunchKind.RUNTIME, LaunchKind.COOPERATIVE)

    @property
    def stays(self) -> str:
        """How it launches a kernel so that it stays as it is, whatever the kernel is; "" where it may be rewritten."""
        if self.kind in _FORMS:
            return _FORMS[self.kind]
        if self.in_device_code:
            return "in device code"
        if self.declared_inside:
            return "where a function declares it once more"
        if self.means_several:
            return "with words that mean several kernels"
        return "" if self.callee.editable and self.config.editable and self.args.editable else "in a macro"


@dataclass(frozen=True, slots=True)
class Query:
    """A call in host code that asks for a kernel's occupancy, sets an attribute of it, or gives its address to the API.

    `kernel` is the USR of the kernel (the template's for an instantiation), `api` the runtime function's name; `name`
    and `reference` are the words that name the two. They are editable in macro arguments, not in macro bodies.
    """

    kernel: str
    api: str
    name: Span
    reference: Span
