"""What a plugin asks for when it wants a version of a kernel beside the original."""

from __future__ import annotations

from gpuopt_driver.analysis.pointers import Fact
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.model import Function
from gpuopt_driver.source.edits import Edit

PLAN_SLOTS = 8  # numbers that a guard can hand to its version: `gpuopt_plan.n[0..7]` in the version's body


@dataclass(frozen=True, slots=True)
class FunctionCopy:
    """A copy of a `__device__` function for one version; `edits` are byte ranges of the function's definition.

    The copy's first parameter is the version's `gpuopt_plan`. Calls by name of a copied function, in the version and in
    the other copies, go to the copy with the plan handed on; `copies.copied` says which functions have to be copied.
    """

    function: Function
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Watch:
    """What the program is to write down of a kernel's (USR) launches where `GPUOPT_NUMBERS` names a file.

    Names are `blockDim`, `gridDim` (with an axis: `blockDim.x`) and integer parameters. `keyed` tell launches apart:
    each of the first 16 combinations is counted. `beside` are told of where all launches have them alike. Of a kernel
    60 at most are written down, the first ones.
    """

    kernel: str
    keyed: tuple[str, ...]
    beside: tuple[str, ...] = ()

    def joined(self, other: Watch | None) -> Watch:
        """What both ask for."""
        keyed = tuple(dict.fromkeys((*self.keyed, *(other.keyed if other else ()))))
        beside = dict.fromkeys((*self.beside, *(other.beside if other else ())))
        return Watch(self.kernel, keyed, tuple(name for name in beside if name not in keyed))


@dataclass(frozen=True, slots=True)
class Variant:
    """A version of `kernel` (USR): a copy of its definition with `edits` applied, launched where `guard` says so.

    `edits` are byte ranges of the original definition; without edits and functions the kernel itself is launched as the
    guard chooses. The version's first parameter is `gpuopt_plan` with slots
    `n[0..7]` (unsigned short). `guard` is the body of a C++11 function
    `static bool guard(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c, <the kernel's parameters>)`
    that runs on the host at every launch whose configuration it has not seen; it fills `gpuopt_c` and returns true to
    pick the version. `support` holds definitions that the guards of one author share: it is emitted once per unit,
    inside `namespace gpuopt_rt::plugin_AUTHOR`. `occupancy` is the body of
    `static bool asked(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::choice &gpuopt_c)`: what the guard would do for a
    grid that fills the device, whatever the kernel's arguments are; it answers the program's occupancy queries. Empty
    for versions that keep block and shared memory: their occupancy is never below the original's. `functions` are
    copies of device functions that the version calls instead of the originals. `joins` names the versions of plugins
    earlier in the policy that this one may be put on top of: its guard is asked for the launch as they leave it.
    `past_l1` are the offsets in the source of loads that the version sends past L1, for the guards of those that join.
    `anywhere`: nothing that was learned from the launches in this file is needed for it to be right, and launches of
    other files may get it too.
    `redefines` names the built-in variables (`blockIdx`) to which the version gives another meaning: it may read the
    launch's own by `gpuopt_rt::real` only.
    `constants` are numbers of the launch, by the names of index forms (`width`, `blockDim.x`), that the version's text
    has as constants and its guard compares: where one may make a shift or division undefined, the version is left out.
    `follows` names pointer parameters (SHARED_MEMORY: shared arrays) whose elements the version's compiler can follow
    from one access to the next, as the kernel's cannot: what it knows of such a number may change what it makes of
    signed ones that wrap; then the version is left out.
    `candidates` is the body of
    `static void offers(const gpuopt_rt::launch &gpuopt_l, gpuopt_rt::offers &gpuopt_o, <the kernel's parameters>)`:
    it offers all ways in which the version may legally run the launch, the likeliest first, of which measurements in
    the program's own run accept one or none (docs/learning.md). Empty: what the guard picks is the only one.
    `only_measured`: the model expects nothing of the version, and nothing against it; a file has `[learn] versions` of
    these at most.
    `requires`: facts of pointers that must hold at a launch for the version to be legal there. Each launch looks; where
    one does not hold, the version is not asked.
    `repeats`: how often the kernel's text stands in what is compiled of the version, loops over it unrolled; that and
    the length of the text say what a compiler takes for it.
    `longest`: bytes of that text, with the device functions that it calls, beyond which the version is not made for
    measurements alone; 0: what a file has room for.
    docs/variants.md has what all may use.
    """

    kernel: str
    name: str  # a C identifier, unique per kernel, usually the plugin's name
    edits: tuple[Edit, ...]
    guard: str
    author: str = ""
    support: str = ""
    occupancy: str = ""
    functions: tuple[FunctionCopy, ...] = ()
    joins: tuple[str, ...] = ()
    past_l1: tuple[int, ...] = ()
    anywhere: bool = False
    redefines: frozenset[str] = frozenset()
    candidates: str = ""
    only_measured: bool = False
    requires: tuple[Fact, ...] = ()
    constants: tuple[tuple[str, int], ...] = ()
    repeats: int = 1
    longest: int = 0
    follows: frozenset[str] = frozenset()

    @property
    def has_text(self) -> bool:
        """Whether it is a text of its own, and not its kernel launched in another way."""
        return bool(self.edits or self.functions)
