"""Variants to edits: clones at the end of their files, launch sites that go through a host-side shim.

Everything on the user's lines stays on its line: `config` is declared in front of the first kernel, the shim is
declared behind the kernel's closing brace, launch sites change token by token. The rest comes after the last line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import resources

from gpuopt_driver import __version__
from gpuopt_driver.arch.load import arch_for_capability
from gpuopt_driver.arch.spec import Arch
from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.frontend.launch_sites import Query
from gpuopt_driver.frontend.model import Kernel, Unit
from gpuopt_driver.learning.runtime import WHAT_NVCC_ADDS, Learning, cold, hot, launch_side, stubs, system
from gpuopt_driver.source.edits import Edit, apply
from gpuopt_driver.source.text import SourceFile
from gpuopt_driver.variants import copies, declared, defaults, lexical, queries, unseen
from gpuopt_driver.variants.emitted import Emitted
from gpuopt_driver.variants.guards import OFFERS, choosing, params, requirement, testing
from gpuopt_driver.variants.model import Variant, Watch
from gpuopt_driver.variants.names import Renaming
from gpuopt_driver.variants.pasted import AS_TEXT, BEGIN, CONFIG, END, ORDERED
from gpuopt_driver.variants.picks import Clone, Pick, clones_of, picks_of
from gpuopt_driver.variants.shim import asked_of, shims
from gpuopt_driver.variants.sites import AUTHOR, dispatchable, early_place, is_ordered, site_edits
from gpuopt_driver.variants.watching import noting, watching_shim

VERSION = "v" + re.sub(r"\W", "_", __version__)
# A version's warnings are those of its original, and our text must not add any to a build with -Werror.
_COMPILER_WARNINGS = (
    *("-Wshadow", "-Wsign-conversion", "-Wconversion", "-Wold-style-cast", "-Wunused-function", "-Wcast-qual"),
    *("-Wzero-as-null-pointer-constant", "-Weffc++", "-Wpadded", "-Wpedantic"),
    *("-Wfloat-equal", "-Wnull-dereference", "-Wmissing-declarations", "-Wtype-limits"),
    *("-Winline", "-Wattributes", "-Waggregate-return", "-Wdeprecated-declarations"),
)
_NVCC_WARNINGS = (
    "68,69,111,128,161,174,175,177,179,186,187,188,191,221,222,514,546,549,550,607,940,1444,1097,1675,1835,2361,2473,"
    "2803,2811,20050,20199,20208"
)
QUIET = (
    f"#pragma nv_diagnostic push\n#pragma nv_diag_suppress {_NVCC_WARNINGS}\n#pragma GCC diagnostic push\n"
    + "".join(f'#pragma GCC diagnostic ignored "{name}"\n' for name in _COMPILER_WARNINGS)
)
LOUD = "#pragma GCC diagnostic pop\n#pragma nv_diagnostic pop\n"
# nvcc adds functions behind the source that name the types of all parameters, three times for each version.
_UNDEPRECATED = 'GCC diagnostic ignored "-Wdeprecated-declarations"'
ADDED_QUIET = f"#if !__INCLUDE_LEVEL__\n#pragma {_UNDEPRECATED}\n#endif\n"
_DEPRECATED = re.compile(r"\b(?:double4|u?long(?:long)?4)\b")  # by CUDA 13


@dataclass(frozen=True, slots=True)
class KernelVariants:
    """The variants of one kernel definition: one `Variant` per instantiation (key "" for a plain kernel) and name.

    `watch`: what is written down of its launches; there may be no variants then. `always_copied`: see `picks_of`.
    """

    kernel: Kernel
    variants: tuple[tuple[Kernel, Variant], ...]
    without: frozenset[str] = frozenset()  # clones that must not be made
    watch: Watch | None = None
    always_copied: bool = False

    @property
    def picks(self) -> tuple[Pick, ...]:
        """What launches can get."""
        return picks_of(self.variants, self.without, always_copied=self.always_copied)

    def emitted(self) -> Iterator[Emitted]:
        """The versions of the kernel in the patched source: its copies, and those that are the kernel itself."""
        redefined = {variant.name: variant.redefines for _, variant in self.variants}
        constants = {variant.name: variant.constants for _, variant in self.variants}
        followed = {variant.name: variant.follows for _, variant in self.variants}
        for clone in clones_of(self.picks):
            names = frozenset[str]().union(*(redefined[member] for member in clone.members))
            params = tuple(param.name for param in self.kernel.params)
            known = tuple(dict.fromkeys(one for member in clone.members for one in constants[member]))
            kept = frozenset[str]().union(*(followed[member] for member in clone.members))
            yield Emitted(self.kernel.name, clone.name, clone.members, names, params, constants=known, follows=kept)
        for pick in self.picks:
            if pick.members and pick.clone is None:
                yield Emitted(self.kernel.name, pick.members[-1], pick.members, is_copy=False)

    def queries(self, unit: Unit) -> tuple[Query, ...]:
        """The occupancy queries and attribute calls of the unit that must reach the versions."""
        if not self.variants:
            return ()
        return queries.redirected(unit, self.kernel, [variant for _, variant in self.variants])

    @property
    def names(self) -> tuple[str, ...]:
        """The variants' names in the order in which they are tried."""
        return tuple(dict.fromkeys(variant.name for _, variant in self.variants))


def why_not(unit: Unit, kernel: Kernel) -> str | None:
    """Why launches of this kernel cannot be sent through a shim, or None."""
    reason = why_no_version(unit, kernel)
    if reason is None and not dispatchable(unit, kernel):
        reason = unseen.not_rewritten(unit, kernel)
    return reason


def why_no_version(unit: Unit, kernel: Kernel) -> str | None:
    """Why there can be no versions of this kernel, whoever launches it, or None."""
    if kernel.problems:
        return kernel.problems[0]
    if not (kernel.span.editable and kernel.name_span.editable and kernel.params_span.editable):
        return "the kernel's definition comes out of a macro"
    source = unit.files[kernel.span.file]
    earlier = b"namespace gpuopt_rt { inline namespace " in source.data
    if kernel.is_member or earlier:
        earlier_phase = "an earlier phase has made versions of kernels in this file"
        return earlier_phase if earlier else "the kernel is a class member"
    if source.text(kernel.name_span) != kernel.name or not source.text(kernel.params_span).startswith("("):
        return "the kernel's name or parameters are written in an unusual way"
    if not lexical.balanced(source.data[kernel.span.start : kernel.span.end]):
        return "a preprocessor conditional begins or ends inside the kernel"
    twins = {other.usr for other in unit.kernels if other.qualified == kernel.qualified}
    if len(twins) > 1:
        return "the kernel's name is overloaded"
    if any(param.is_pack for param in kernel.params) or "..." in kernel.template_head:
        return "a parameter is a pack"
    return declared.why_not_copied(unit, kernel)


def emit(unit: Unit, wanted: Sequence[KernelVariants], archs: Iterable[Arch], learning: Learning) -> tuple[Edit, ...]:
    """All edits that realise the variants of a unit: declarations, launch sites and end-of-file sections."""
    if not wanted:
        return ()
    order = {kernel.usr: index for index, kernel in reversed(list(enumerate(unit.kernels)))}
    ordered = sorted(wanted, key=lambda item: order[item.kernel.usr])
    first = ordered[0].kernel
    asked = [query for item in ordered for query in item.queries(unit)]
    ordering = ORDERED if any(is_ordered(unit, item.kernel) for item in ordered) else ""
    declared_first = f"{CONFIG}{ordering}{queries.declarations(asked)}"
    opening = f"namespace gpuopt_rt {{ inline namespace {VERSION} {{ {declared_first}}} }} "
    names = Renaming.of(unit, (opening,), _written(ordered, asked))
    opening = names.alone(opening)
    if first.extern_c:
        opening = f'extern "C++" {{ {opening}}} '
    declarations = [_declaration(unit, item) for item in ordered]
    declarations = [_renamed(one, names) for one in declarations if one.text]
    edits = list(_fronts(unit, first, opening, declarations))
    runtime = _runtime(archs, learning) if any(item.variants for item in ordered) else system()
    runtime += cold(_text("queries.h")) if asked else ""
    runtime += cold(_text("numbers.h"), "Og") if any(item.watch for item in ordered) else ""
    declarations = [one for one in declarations if _is_behind(one, ordered)]
    for file in dict.fromkeys(item.kernel.span.file for item in ordered):
        source = unit.files[file]
        mine = [item for item in ordered if item.kernel.span.file == file]
        parts = [*map(names.mixed, _copies(source, mine)), *(_section(unit, source, item, names) for item in mine)]
        shared = lexical.without_macros(names.alone("".join((_once(runtime), *_support(mine)))), unit)
        is_c = any(item.kernel.extern_c for item in mine)
        end = _at_end(source, shared, parts, is_c=is_c, is_main=file == unit.main)
        last = [one for one in declarations if (one.file, one.start) == (end.file, end.start)]
        declarations = [one for one in declarations if one not in last]  # of a kernel whose brace ends the file
        edits.append(replace(end, text=b"".join(one.text for one in (*last, end))))
    edits.extend(declarations)
    for item in ordered:
        sites = [*queries.edits_of(unit, item.kernel, item.queries(unit), AUTHOR)]
        for launch in unit.launches:
            if launch.kernel == item.kernel.usr:
                sites.extend(site_edits(unit, item.kernel, launch))
        edits.extend(_renamed(one, names) for one in sites)
    return tuple(edits)


def _written(items: Iterable[KernelVariants], asked: Iterable[Query]) -> Iterator[str]:
    """All texts of ours among the user's."""
    yield copies.PARAMETER.decode()
    if any(asked):
        yield "gpuopt_rt::all"
    for item in items:
        for _, variant in item.variants:
            for edit in (*variant.edits, *(edit for copy in variant.functions for edit in copy.edits)):
                yield edit.text.decode("utf-8", "surrogateescape")


def _renamed(edit: Edit, names: Renaming) -> Edit:
    text = names.mixed(edit.text.decode("utf-8", "surrogateescape"))
    return replace(edit, text=text.encode("utf-8", "surrogateescape"))


def _is_behind(declaration: Edit, items: Sequence[KernelVariants]) -> bool:
    """Whether a declaration stands behind its kernel, and not in front of a launch."""
    return any((declaration.file, declaration.start) == (item.kernel.span.file, item.kernel.span.end) for item in items)


def _fronts(unit: Unit, first: Kernel, opening: str, declarations: Sequence[Edit]) -> Iterator[Edit]:
    """What stands in front of the first kernel, and in front of launches that come before their kernels."""
    ends = {(kernel.span.file, kernel.span.end) for kernel in unit.kernels}
    early = [one for one in declarations if (one.file, one.start) not in ends]
    place = first.top_start
    if early and first.span.file == unit.main:
        place = min(place, *(one.start for one in early))
    texts = {place: opening.encode()} if first.span.file == unit.main else {}
    for one in early:
        texts[one.start] = texts.get(one.start, b"") + one.text.lstrip() + b" "
    if first.span.file != unit.main:
        yield Edit(first.span.file, place, place, opening.encode(), AUTHOR)
    for at, text in texts.items():
        yield Edit(unit.main, at, at, text, AUTHOR)


def _declaration(unit: Unit, item: KernelVariants) -> Edit:
    """The shim's declaration, on the line of the kernel's closing brace; and that of the list of versions.

    In front of the first launch that comes before the kernel's definition, if there is one.
    """
    kernel = item.kernel
    early = [early_place(unit, kernel, launch) for launch in dispatchable(unit, kernel)]
    places = [place for place in early if place is not None]
    head = f"{declared.declaration_head(kernel)} " if kernel.template_head else ""
    given = params(kernel, defaults.repeated(unit, kernel))
    text = ""
    if dispatchable(unit, kernel):
        head += "__attribute__((noinline)) " * bool(head)  # GCC compiles templates as it would where they are declared
        text = f" {head}static void {kernel.name}__gpuopt_launch(const ::gpuopt_rt::config &{given});"
    if item.queries(unit):
        head = f"{declared.declaration_head(kernel)} " if kernel.template_head else ""
        text += f" {head}static ::gpuopt_rt::versions {kernel.name}__gpuopt_versions();"
    if text and (_DEPRECATED.search(given) or any(b"deprecated" in source.data for source in unit.files.values())):
        ignored = _UNDEPRECATED.replace('"', '\\"')
        text = f' _Pragma("GCC diagnostic push") _Pragma("{ignored}"){text} _Pragma("GCC diagnostic pop")'
    if kernel.extern_c and text:
        text = f' extern "C++" {{{text} }}'
    outside = kernel.declared.outside
    if outside and text:
        text = f" {declared.opened(outside)}{text.strip()}{' }' * len(outside)}"
    if places and text:
        return Edit(unit.main, min(places), min(places), text.encode(), AUTHOR)
    return Edit.insert_after(kernel.span, text, AUTHOR)


def _copies(source: SourceFile, items: Iterable[KernelVariants]) -> list[str]:
    """The copies of device functions that the versions of some kernels call, callees first, each text once."""
    texts: dict[str, None] = {}
    for item in items:
        for name in item.names:
            mine = [variant for _, variant in item.variants if variant.name == name]
            usrs, suffix = copies.usrs_of(mine), _suffix(item, name)
            for variant in mine:
                for copy in variant.functions:
                    texts.setdefault(copies.definition(source, copy, usrs, suffix, AUTHOR))
    return list(texts)


def _suffix(item: KernelVariants, name: str) -> str:
    """What the names of a version's copies end with: the same for the same copies, whatever kernel they are for."""
    edits = {copy.function.usr: copy.edits for _, v in item.variants if v.name == name for copy in v.functions}
    told = [f"{usr}\0{edit.start}\0{edit.end}\0{edit.text!r}" for usr in sorted(edits) for edit in edits[usr]]
    return f"__gpuopt_{name}_{lexical.digest(*sorted(edits), *told)[:6].lower()}"


def _support(items: Iterable[KernelVariants]) -> list[str]:
    """What the guards of each author share, each text once per unit."""
    texts = {(variant.author, variant.support): None for item in items for _, variant in item.variants}
    parts: list[str] = []
    for author, support in texts:
        if support:
            guard = "GPUOPT_SUPPORT_" + lexical.digest(author, support)
            space = f"namespace gpuopt_rt {{ inline namespace {VERSION} {{ namespace plugin_{author} {{"
            parts.append(_guarded(guard, cold(f"{space}\n{support}\n}} }} }}\n", "Og")))
    return parts


def _once(runtime: str) -> str:
    return _guarded("GPUOPT_RT", runtime)


def _guarded(macro: str, text: str) -> str:
    """Text that a unit has once. The macro is used, so that -Wunused-macros has nothing to say."""
    return f"#ifndef {macro}\n#define {macro} 1\n#if {macro}\n{text}#endif\n#endif\n"


def _at_end(source: SourceFile, shared: str, sections: Sequence[str], *, is_c: bool, is_main: bool) -> Edit:
    """The end-of-file section of one file: the runtime (once per unit), then clones, guards and shims.

    `is_c`: what defines kernels as `extern "C"` may hold the whole file. `is_main`: it is the source itself, behind
    which nvcc adds the function of each kernel and version that launches it.
    """
    guard = "GPUOPT_VARIANTS_" + lexical.digest(source.path, *sections)
    text = "" if source.data.endswith(b"\n") or not source.data else "\n"
    section = "".join((shared, *sections))
    section = f'extern "C++" {{\n{section}}}\n' if is_c else section
    added, quiet = (WHAT_NVCC_ADDS, ADDED_QUIET) if is_main else ("", "")
    text += _guarded(guard, f"{QUIET}{section}{added}{LOUD}{quiet}")
    end = len(source.data)
    return Edit(source.path, end, end, text.encode("utf-8", "surrogateescape"), AUTHOR)


def _section(unit: Unit, source: SourceFile, item: KernelVariants, names: Renaming) -> str:
    """Clones, guards and shim of one kernel, inside its namespaces."""
    kernel = item.kernel
    opening = declared.opened(kernel.namespace)
    closing = "} " * len(kernel.namespace)
    parts = [f"{opening}\n"] if opening else []
    noted = noting(kernel, item.watch) if item.watch is not None else ""
    theirs = _head(source, item)

    def ours(text: str) -> str:
        renamed = names.alone(text, frozenset(re.findall(r"\w+", theirs)))
        return lexical.without_macros(renamed, unit, theirs)

    if not item.variants:
        return "".join((*parts, ours(watching_shim(kernel, noted)), f"{closing}\n" if closing else ""))
    answers: dict[str, bool] = {}
    is_queried = bool(item.queries(unit))
    picks = item.picks
    for clone in clones_of(picks):
        answers[clone.name] = False
        parts.append(stubs(names.mixed(_clone(source, item, clone))))
    choosers: list[str] = []
    for name in item.names:
        chosen = [(instance, variant) for instance, variant in item.variants if variant.name == name]
        guards = [(instance, variant.guard) for instance, variant in chosen]
        if name in asked_of(item.variants):
            choosers.extend(choosing(kernel, f"{kernel.name}__gpuopt_{name}_guard", guards, with_arguments=True))
        offering = [(instance, variant.candidates) for instance, variant in chosen if variant.candidates]
        offers = [(instance, f"{body}\n  return true;") for instance, body in offering]
        if offers:
            function = f"{kernel.name}__gpuopt_{name}_offers"
            choosers.extend(choosing(kernel, function, offers, with_arguments=True, filled=OFFERS))
        asked = [(instance, variant.occupancy) for instance, variant in chosen if variant.occupancy]
        answers[name] = is_queried and bool(asked)
        if answers[name]:
            choosers.extend(choosing(kernel, f"{kernel.name}__gpuopt_{name}_asked", asked, with_arguments=False))
    for name in item.names:
        required = [(instance, variant.requires) for instance, variant in item.variants if variant.name == name]
        tests = [(instance, requirement(facts)) for instance, facts in required if facts]
        if tests:
            holds = testing(kernel, f"{kernel.name}__gpuopt_{name}_holds", tests)
            parts.append(ours(cold("".join(holds))))
    parts.append(ours(cold("".join(choosers), "Og")))
    told = lexical.digest(VERSION, source.text(kernel.span), *parts)
    launched = bool(dispatchable(unit, kernel))
    parts.append(ours(shims(kernel, item.variants, picks, launched=launched, digest=told, noted=noted)))
    if is_queried:
        copied = frozenset(clone.name for clone in clones_of(picks))
        parts.append(ours(queries.definition(kernel, answers, copied)))
    if closing:
        parts.append(f"{closing}\n")
    return "".join(parts)


def _head(source: SourceFile, item: KernelVariants) -> str:
    """What guards and launch functions repeat of the source: the kernel's declaration, template arguments."""
    kernel = item.kernel
    texts = [source.data[kernel.span.start : kernel.body.start].decode("utf-8", "surrogateescape"), *kernel.namespace]
    texts += [f"{param.repeated} {param.default or ''}" for param in kernel.params]
    texts += [" ".join(one.facts_of.arguments) for one, _ in item.variants if one.facts_of is not None]
    return " ".join((kernel.template_head, *texts))


def _clone(source: SourceFile, item: KernelVariants, clone: Clone) -> str:
    """A copy of the kernel's definition under its new name, with the edits, on the kernel's own lines."""
    kernel = item.kernel
    chosen = [(instance, variant) for instance, variant in item.variants if variant.name == clone.bringer]
    start, end = kernel.span.start, kernel.span.end
    usrs = copies.usrs_of(variant for _, variant in chosen)
    sites = [site for instance, _ in chosen for site in instance.call_sites]
    made = [*clone.edits, *copies.call_edits(sites, usrs, _suffix(item, clone.bringer), AUTHOR)]
    edits = [Edit(edit.file, edit.start - start, edit.end - start, edit.text, edit.author) for edit in made]
    rename = kernel.name_span.end - start
    edits.append(Edit(source.path, rename, rename, f"__gpuopt_{clone.name}".encode(), AUTHOR))
    opening = kernel.params_span.start + 1 - start
    inner = source.data[kernel.params_span.start + 1 : kernel.params_span.end - 1]
    if kernel.params:
        edits.append(Edit(source.path, opening, opening, copies.PARAMETER + b", ", AUTHOR))
    else:
        edits.append(Edit(source.path, opening, opening + len(inner), copies.PARAMETER, AUTHOR))
    edits.extend(declared.storage_edits(source.data[start:end], kernel, source.path, AUTHOR))
    edits.extend(
        Edit(edit.file, edit.start - start, edit.end - start, edit.text, edit.author)
        for edit in defaults.removed(kernel, source.data, AUTHOR)
    )
    above, inside, behind = declared.around(kernel, source.data)
    if inside:
        body = kernel.body.start - start
        edits.append(Edit(source.path, body, body, inside.encode(), AUTHOR))
    text = apply(source.data[start:end], edits).decode("utf-8", "surrogateescape")
    # Its `extern __shared__` arrays are the original's, whose linkage is C.
    before, after = ('extern "C" {\n', "}\n") if kernel.extern_c else ("", "")
    return f"{before}{above}#line {kernel.span.line}\n{text}\n{behind}{after}"


def _runtime(archs: Iterable[Arch], learning: Learning) -> str:
    """The runtime's text with the table of GPUs that it knows: one row per compute capability."""
    rows: Mapping[int, Arch] = {}
    for arch in archs:
        capability = 10 * arch.compute_capability[0] + arch.compute_capability[1]
        usual = arch_for_capability(capability)
        rows = {**rows, capability: usual or arch}
    table = ", ".join(_gpu_row(capability, arch) for capability, arch in sorted(rows.items()))
    decided = _text("runtime.h").replace("GPUOPT_RT_GPUS", table or "{ 0 }")
    remembered = _text("remembered.h").replace("GPUOPT_RT_CAPTURED", str(learning.captured).lower())
    defined = cold(_text("asked.h") + decided) + hot(remembered)
    defined += launch_side(learning).replace("GPUOPT_RT_VERSION", VERSION)
    declared = system() + hot(_text("launch.h") + _text("reach.h") + _text("facts.h"))
    defined += hot(_text("ranges.h"))
    return f"{AS_TEXT}{declared}{BEGIN}{defined}{END}"


def _text(name: str) -> str:
    """A part of the runtime, in the namespace of this version."""
    text = resources.files("gpuopt_driver.variants").joinpath(name).read_text(encoding="utf-8")
    return text.replace("GPUOPT_RT_VERSION", VERSION)


def _gpu_row(capability: int, arch: Arch) -> str:
    l1 = arch.l1
    splits = list(arch.shared.configurations[:12]) if l1.unified else [0]
    usual = arch.shared.default_configuration if l1.unified else 0
    usable = round(l1.usable_fraction * 1000)
    statics = arch.partition.static_counts if arch.partition is not None else 1
    return (
        f"{{ {capability}, {l1.unified_bytes}u, {l1.capacity}u, {usable}u, {statics}u, "
        f"{arch.shared.reserved_per_block}u, {usual}u, {{ {', '.join(f'{size}u' for size in splits)} }} }}"
    )
