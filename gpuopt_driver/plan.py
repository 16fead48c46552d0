"""From proposals to one set of edits per phase: templates agree, authors commute, variants are emitted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType

from gpuopt_driver.arch.spec import Arch
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import EditConflict
from gpuopt_driver.frontend.model import Kernel, Space, Unit
from gpuopt_driver.hooks import Context, Proposal
from gpuopt_driver.learning.runtime import DEFAULTS, Learning
from gpuopt_driver.report.model import ONLY_MEASURED, Decision, Finding
from gpuopt_driver.source.edits import Edit, EditSet, merge
from gpuopt_driver.variants import elsewhere
from gpuopt_driver.variants.emit import KernelVariants, emit
from gpuopt_driver.variants.emitted import Emitted, Refused
from gpuopt_driver.variants.model import Variant, Watch
from gpuopt_driver.variants.weight import called, weight

TOO_MANY = "GPUOPT015"
_MOST_TEXT = 12_000  # bytes of kernels that are copied for measurements alone, in a file
_MOST_ALONE = 60_000  # of the one that may have more; for `versions` beyond the default more in proportion
_MOST_COMPILED = 60_000  # of what a compiler makes of all of them, called functions and repeated texts included,
_PART_COMPILED = 2  # and of what it makes of the file's own kernels one part in so many
CONFLICT = "GPUOPT002"
_SETS_UP, _GENERATOR = "curand_init", "curandState"  # of all of cuRAND's generators


@dataclass(frozen=True, slots=True)
class Wish:
    """What one plugin wants for one kernel definition: a proposal per instantiation (one for plain kernels)."""

    plugin: str
    usr: str
    proposals: tuple[tuple[Kernel, Context, Proposal], ...]

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The in-place edits; all instantiations agree on them."""
        return self.proposals[0][2].edits

    @property
    def variants(self) -> tuple[tuple[Kernel, Variant], ...]:
        """The variants with the instantiation that each was made for."""
        return tuple((kernel, variant) for kernel, _, proposal in self.proposals for variant in proposal.variants)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the plugin said; marked where nothing is changed but by versions for measurements alone."""
        said = tuple(item for _, _, proposal in self.proposals for item in proposal.findings)
        if self.edits or not self.variants or not all(variant.only_measured for _, variant in self.variants):
            return said
        return tuple(
            replace(item, figures={**item.figures, ONLY_MEASURED: True}) if item.decision is Decision.APPLIED else item
            for item in said
        )

    @property
    def changes(self) -> bool:
        """Whether anything would be changed."""
        return bool(self.edits or self.variants or self.watch)

    @property
    def watch(self) -> Watch | None:
        """What is to be written down of launches, for all instantiations."""
        found: Watch | None = None
        for _, _, proposal in self.proposals:
            found = proposal.watch.joined(found) if proposal.watch is not None else found
        return found

    def without(self, refused: Refused) -> Wish:
        """The same wish without the versions that are refused; declined where nothing else is left."""
        kernel = self.proposals[0][0].name
        told = {variant.name: refused.get((kernel, variant.name)) for _, variant in self.variants}
        reasons = [reason for reason in told.values() if reason is not None]
        if not reasons:
            return self
        if len(reasons) == len(told) and not self.edits:
            return self.declined(*reasons[0], still_watched=True)
        proposals = tuple(
            (
                instance,
                context,
                replace(proposal, variants=tuple(one for one in proposal.variants if told[one.name] is None)),
            )
            for instance, context, proposal in self.proposals
        )
        return replace(self, proposals=proposals)

    def declined(self, code: str, reason: str, *, still_watched: bool = False) -> Wish:
        """The same wish, not granted: nothing is changed, and what was applied is reported as declined.

        `still_watched`: launches are written down as before.
        """
        proposals = tuple(
            (
                kernel,
                context,
                replace(
                    proposal,
                    edits=(),
                    variants=(),
                    watch=proposal.watch if still_watched else None,
                    findings=_declined(proposal, code, reason),
                ),
            )
            for kernel, context, proposal in self.proposals
        )
        return replace(self, proposals=proposals)


def _declined(proposal: Proposal, code: str, reason: str) -> tuple[Finding, ...]:
    return tuple(
        replace(item, decision=Decision.DECLINED, code=code, message=reason)
        if item.decision is Decision.APPLIED
        else item
        for item in proposal.findings
    )


def gather(proposals: Iterable[tuple[str, Kernel, Context, Proposal]]) -> list[Wish]:
    """One wish per plugin and kernel definition; template instantiations that disagree are declined."""
    groups: dict[tuple[str, str], list[tuple[Kernel, Context, Proposal]]] = {}
    for plugin, kernel, context, proposal in proposals:
        groups.setdefault((plugin, kernel.usr), []).append((kernel, context, proposal))
    wishes: list[Wish] = []
    for (plugin, usr), items in groups.items():
        wish = Wish(plugin, usr, tuple(items))
        if not _agree(items):
            wish = wish.declined("GPUOPT004", "the kernel template's instantiations want different changes")
        wishes.append(wish)
    return wishes


def within(wishes: Sequence[Wish], most: int, unfit: Mapping[str, str] = MappingProxyType({})) -> list[Wish]:
    """The wishes with so many versions at most that are made for measurements alone, and so much text of these.

    Kernels take turns, with one version each; first those of the plugins that want few of a kernel. What counts is what
    a compiler makes of a version: instantiations, and loops that it unrolls. One version may have more of these, within
    limits, too: what nvcc takes for it is what it takes for the kernels of a file once more. What all of them are with
    the functions that they call, as often as a version repeats its kernel, has a bound that grows with the file's own
    kernels.
    """
    refused: dict[int, dict[tuple[str, str], tuple[str, str]]] = {}
    more = max(most, DEFAULTS.versions)  # for which all bounds are larger in proportion
    alone = _MOST_ALONE * more // DEFAULTS.versions
    left = (_MOST_COMPILED + _own(wishes) // _PART_COMPILED) * more // DEFAULTS.versions
    room, is_first, at_most = _MOST_TEXT, True, left
    for number, name in _in_turns(wishes):
        instances = [instance for instance, _, _ in wishes[number].proposals]
        kernel = instances[0]
        if why := unfit.get(wishes[number].usr):
            refused.setdefault(number, {})[kernel.name, name] = (TOO_MANY, f"left alone: {why}")
            continue
        versions = [variant for _, variant in wishes[number].variants if variant.name == name]
        text, made, compiled = 0, 0, 0
        if any(variant.has_text for variant in versions):
            text, made = kernel.span.end - kernel.span.start, weight(instances)
            compiled = (made + called(instances)) * max(variant.repeats for variant in versions)
        longest = min((variant.longest for variant in versions if variant.longest), default=0)
        if longest and compiled > longest * more // DEFAULTS.versions:
            reason = f"{_copy(compiled)}, seldom gains what it takes to compile"
            refused.setdefault(number, {})[kernel.name, name] = (TOO_MANY, f"left alone: {reason}")
            continue
        fits = len(instances) <= most and made <= room
        if compiled <= left and (fits or (most > 0 and text <= room and made <= alone and is_first)):
            is_first &= fits
            most -= len(instances) if fits else 1
            room -= made if fits else text
            left -= compiled
            continue
        reason = "the file has as many versions for measurements alone as `versions` in [learn] allows"
        if most > 0 and (len(instances) <= most or made > alone or compiled > left):
            reason = _takes_long(max(made, compiled))
            if made <= _MOST_TEXT and compiled <= at_most:
                reason = f"{_copy(max(made, compiled))}, is more than others of the file leave"
        refused.setdefault(number, {})[kernel.name, name] = (TOO_MANY, f"left alone: {reason}")
    return [wish.without(refused.get(number, {})) for number, wish in enumerate(wishes)]


def unmeasured(kernels: Sequence[Kernel], most: int) -> dict[str, str]:
    """By USR, why a kernel gets no version for measurements alone, whatever plugins find."""
    once = "it only sets up generators of random numbers, which a program does once"
    return {**_too_long(kernels, most), **{one.usr: once for one in kernels if _sets_up(one)}}


def _sets_up(kernel: Kernel) -> bool:
    """Whether all that a kernel leaves in memory is states that `curand_init` has made."""
    written = [one.array for one in kernel.accesses if one.is_write and one.array.space is not Space.LOCAL]
    is_called = any(call.name == _SETS_UP for call in kernel.calls)
    return is_called and all(array.space is Space.GLOBAL and _GENERATOR in array.element for array in written)


def _too_long(kernels: Sequence[Kernel], most: int) -> dict[str, str]:
    """Those whose copies are too long even for the one that may have more (`within`)."""
    alone = _MOST_ALONE * max(most, DEFAULTS.versions) // DEFAULTS.versions
    instances: dict[str, list[Kernel]] = {}
    for kernel in kernels:
        instances.setdefault(kernel.usr, []).append(kernel)
    made = {usr: weight(some) for usr, some in instances.items()}
    return {usr: _takes_long(size) for usr, size in made.items() if size > alone}


def _takes_long(made: int) -> str:
    return f"{_copy(made)}, takes long to compile"


def _copy(made: int) -> str:
    return f"a copy for measurements alone, of {made} bytes when unrolled"


def _own(wishes: Sequence[Wish]) -> int:
    """What a compiler makes of the kernels that a file has, in bytes of text, called functions included."""
    kernels = {wish.usr: [instance for instance, _, _ in wish.proposals] for wish in wishes}
    return sum(weight(instances) + called(instances) for instances in kernels.values())


def _in_turns(wishes: Sequence[Wish]) -> list[tuple[int, str]]:
    """The versions for measurements alone, by wish and name: the first one of each kernel, then the second ones, ..."""
    by_kernel: dict[str, list[tuple[int, int, str]]] = {}
    for number, wish in enumerate(wishes):
        names = dict.fromkeys(variant.name for _, variant in wish.variants if variant.only_measured)
        by_kernel.setdefault(wish.usr, []).extend((len(names), number, name) for name in names)
    turns = [
        (turn, number, name)
        for versions in by_kernel.values()
        for turn, (_, number, name) in enumerate(sorted(versions, key=lambda one: one[:2]))
    ]
    return [(number, name) for _, number, name in sorted(turns, key=lambda one: one[:2])]


def _agree(items: Sequence[tuple[Kernel, Context, Proposal]]) -> bool:
    """Whether all instantiations want the same text: equal edits, and equal edits under each variant's name."""
    if len({proposal.edits for _, _, proposal in items}) > 1:
        return False
    texts: dict[tuple[str, str], tuple[Edit, ...]] = {}
    for _, _, proposal in items:
        for variant in proposal.variants:
            copies = [(copy.function.usr, copy.edits) for copy in variant.functions]
            for usr, edits in (("", variant.edits), *copies):
                if texts.setdefault((variant.name, usr), edits) != edits:
                    return False
    return True


def settle(
    unit: Unit,
    wishes: Sequence[Wish],
    archs: Iterable[Arch],
    knocks: Sequence[Edit] = (),
    refused: Refused = MappingProxyType({}),
    learning: Learning = DEFAULTS,
    *,
    always_copied: bool = False,
) -> tuple[EditSet, list[Wish]]:
    """The edits of all wishes that commute, and the wishes as granted; on a conflict the later wish is declined.

    `knocks`: the edits of launches whose kernels other files define. `refused`: versions that must not be made.
    `learning`: the policy's `[learn]`. `always_copied`: see `picks_of`.
    """
    archs = tuple(archs)

    def edits_of(some: Sequence[Wish]) -> EditSet:
        in_place = [edit for wish in some for edit in wish.edits]
        versions = _versions(some, refused, always_copied=always_copied)
        return merge(in_place, elsewhere.joined(emit(unit, versions, archs, learning), knocks))

    with suppress(EditConflict):  # the usual case; the loop below is for finding who is in whose way
        return edits_of(wishes), list(wishes)
    granted: list[Wish] = []
    edits = EditSet()
    for wish in wishes:
        if not wish.changes:
            granted.append(wish)
            continue
        try:
            edits = edits_of([*granted, wish])
            granted.append(wish)
        except EditConflict as conflict:
            other = conflict.first if conflict.second == wish.plugin else conflict.second
            reason = f"its edits overlap those of {other}; put the two into different [[phase]] tables"
            granted.append(wish.declined(CONFLICT, reason))
    return edits, granted


def emitted(
    wishes: Sequence[Wish],
    refused: Refused,
    said: Mapping[tuple[str, str], tuple[int, ...]],
    *,
    always_copied: bool = False,
) -> tuple[Emitted, ...]:
    """The copies of kernels that stand in the source once some wishes are granted.

    `said`: where a wish's findings stand, by plugin and kernel.
    """
    places = {
        (wish.usr, variant.name): said[(wish.plugin, wish.usr)]
        for wish in wishes
        for _, variant in wish.variants
        if not wish.edits
    }
    return tuple(
        replace(one, findings=places.get((item.kernel.usr, one.clone), ()))
        for item in _versions(wishes, refused, always_copied=always_copied)
        for one in item.emitted()
    )


def _versions(wishes: Sequence[Wish], refused: Refused, *, always_copied: bool) -> list[KernelVariants]:
    """The versions of every kernel; in-place edits of a kernel are made in its versions too."""
    in_place = [edit for wish in wishes for edit in wish.edits]
    by_kernel: dict[str, list[tuple[Kernel, Variant]]] = {}
    watched: dict[str, tuple[Kernel, Watch]] = {}
    for wish in wishes:
        if wish.watch is not None:
            before = watched.get(wish.usr)
            watched[wish.usr] = (wish.proposals[0][0], wish.watch.joined(before[1] if before else None))
            by_kernel.setdefault(wish.usr, [])
        for kernel, variant in wish.variants:
            is_copy = always_copied or variant.has_text
            inner = [edit for edit in in_place if is_copy and _inside(edit, kernel)]
            text = merge(variant.edits, inner).edits
            by_kernel.setdefault(wish.usr, []).append((kernel, replace(variant, edits=text)))
    made: list[KernelVariants] = []
    for usr, items in by_kernel.items():
        kernel, watch = watched.get(usr) or (items[0][0], None)
        without = frozenset(clone for name, clone in refused if name == kernel.name)
        first = items[0][0] if items else kernel
        made.append(KernelVariants(first, tuple(items), without, watch, always_copied=always_copied))
    return made


def _inside(edit: Edit, kernel: Kernel) -> bool:
    return edit.file == kernel.span.file and kernel.span.start <= edit.start and edit.end <= kernel.span.end
