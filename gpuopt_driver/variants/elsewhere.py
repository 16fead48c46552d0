"""Launches of kernels that another file defines: the defining file opens a door, the launching file knocks.

A door is a weak function with a name made from the kernel's: it launches a version of the kernel, or says that the
original is to run. A file that launches a kernel it only declares has a weak declaration of it. Where the defining
file was built without versions the name has no address, and the launch is what it was.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from gpuopt_driver import __version__
from gpuopt_driver.frontend.launch_sites import Launch, LaunchKind, Query
from gpuopt_driver.frontend.lexing import configuration_marks
from gpuopt_driver.frontend.model import Kernel, Unit
from gpuopt_driver.frontend.queries import GRAPH_NODES
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.source.text import Span
from gpuopt_driver.variants import lexical
from gpuopt_driver.variants.guards import arguments, params

AUTHOR = "variants"
_PREFER = "cudaFuncSetCacheConfig"
_LAUNCHES = {"cudaLaunchKernel": "run", "cudaLaunchKernelExC": "run", "cudaLaunchKernelEx": "with"}  # by API: of a door
_QUALIFIER = re.compile(rb"(?:::\s*)?(?:\w+\s*::\s*)*\Z")
# Launches with attributes (clusters, programmatic dependence, ...) are left to the original.
# `gpuopt_to(kernel, door)(grid, block)(arguments)` is `kernel<<<grid, block>>>(arguments)` where the door stays shut.
# STREAM: the null stream of this file (cudaStreamLegacy, cudaStreamPerThread); it may be another behind the door.
# Volatile: the compiler must not conclude from the declaration that the door takes no arguments.
CALLER = """\
namespace gpuopt_out { inline namespace gpuopt_VERSION {
template <class... GpuoptP> struct gpuopt_types {};
template <class... GpuoptP> struct gpuopt_launch {
typedef bool (*gpuopt_opened)(dim3, dim3, size_t, cudaStream_t, GpuoptP...);
void (*gpuopt_k)(GpuoptP...); gpuopt_opened gpuopt_d; dim3 gpuopt_g, gpuopt_b; size_t gpuopt_s; cudaStream_t gpuopt_t;
bool gpuopt_taken(GpuoptP... gpuopt_a) const { return gpuopt_d && gpuopt_d(gpuopt_g, gpuopt_b, gpuopt_s,
gpuopt_t ? gpuopt_t : STREAM, gpuopt_a...); }
void operator()(GpuoptP... gpuopt_a) const { if (!gpuopt_taken(gpuopt_a...))
gpuopt_k<<<gpuopt_g, gpuopt_b, gpuopt_s, gpuopt_t>>>(gpuopt_a...); }
template <class... GpuoptA> bool gpuopt_taken(gpuopt_types<>, void **, const GpuoptA &...gpuopt_a) const {
return gpuopt_taken(gpuopt_a...); }
template <class GpuoptT, class... GpuoptR, class... GpuoptA>
bool gpuopt_taken(gpuopt_types<GpuoptT, GpuoptR...>, void **gpuopt_v, const GpuoptA &...gpuopt_a) const {
return gpuopt_taken(gpuopt_types<GpuoptR...>(), gpuopt_v + 1, gpuopt_a..., *static_cast<const GpuoptT
*>(gpuopt_v[0])); } };
template <class... GpuoptP> struct gpuopt_door { void (*gpuopt_k)(GpuoptP...); void (*gpuopt_d)();
gpuopt_launch<GpuoptP...> operator()(dim3 gpuopt_g, dim3 gpuopt_b, size_t gpuopt_s = 0, cudaStream_t gpuopt_t = 0)
const {
return gpuopt_launch<GpuoptP...>{ gpuopt_k, reinterpret_cast<typename
gpuopt_launch<GpuoptP...>::gpuopt_opened>(gpuopt_d), gpuopt_g,
gpuopt_b, gpuopt_s, gpuopt_t }; }
template <class GpuoptF> cudaError_t gpuopt_run(GpuoptF gpuopt_f, dim3 gpuopt_g, dim3 gpuopt_b, void **gpuopt_v,
size_t gpuopt_s = 0, cudaStream_t gpuopt_t = 0) const {
return (*this)(gpuopt_g, gpuopt_b, gpuopt_s, gpuopt_t).gpuopt_taken(gpuopt_types<GpuoptP...>(), gpuopt_v) ?
cudaPeekAtLastError()
: cudaLaunchKernel(gpuopt_f, gpuopt_g, gpuopt_b, gpuopt_v, gpuopt_s, gpuopt_t); }
CONFIGURED};
template <class... GpuoptP> static inline gpuopt_door<GpuoptP...> gpuopt_to(void (*gpuopt_k)(GpuoptP...), void
(*gpuopt_d)()) {
void (*volatile gpuopt_o)() = gpuopt_d; return gpuopt_door<GpuoptP...>{ gpuopt_k, gpuopt_o }; }
template <class GpuoptF> static inline GpuoptF *gpuopt_own(GpuoptF *gpuopt_k, void (*gpuopt_d)()) {
if (gpuopt_d) gpuopt_d(); return gpuopt_k; }
} }
"""
# For the launches by a `cudaLaunchConfig_t`, whose members a program may have as macros that makes none.
CONFIGURED = """\
template <class GpuoptC> gpuopt_launch<GpuoptP...> gpuopt_as(const GpuoptC *gpuopt_c) const {
return (*this)(gpuopt_c->gridDim, gpuopt_c->blockDim, gpuopt_c->dynamicSmemBytes, gpuopt_c->stream); }
template <class GpuoptC, class GpuoptF>
cudaError_t gpuopt_run(const GpuoptC *gpuopt_c, GpuoptF gpuopt_f, void **gpuopt_v) const {
return gpuopt_c && !gpuopt_c->numAttrs && gpuopt_as(gpuopt_c).gpuopt_taken(gpuopt_types<GpuoptP...>(), gpuopt_v) ?
cudaPeekAtLastError()
: cudaLaunchKernelExC(gpuopt_c, gpuopt_f, gpuopt_v); }
template <class GpuoptC, class GpuoptF, class... GpuoptA>
cudaError_t gpuopt_with(const GpuoptC *gpuopt_c, GpuoptF gpuopt_f, const GpuoptA &...gpuopt_a) const {
return gpuopt_c && !gpuopt_c->numAttrs && gpuopt_as(gpuopt_c).gpuopt_taken(gpuopt_a...) ? cudaPeekAtLastError()
: cudaLaunchKernelEx(gpuopt_c, gpuopt_f, gpuopt_a...); }
"""


def reachable(kernel: Kernel) -> bool:
    """Whether another file can launch the kernel by its name."""
    local = kernel.is_static or kernel.is_member or "" in kernel.namespace
    return not local and not kernel.template_head and kernel.facts_of is None


def names_of(usr: str) -> tuple[str, str]:
    """The door of a kernel (USR), and the function that says that the program set a cache preference for it."""
    told = lexical.digest(usr, __version__)
    return f"gpuopt_door_{told}", f"gpuopt_own_{told}"


def flag(kernel: Kernel) -> str:
    """The name of the variable that says that the program set a cache preference elsewhere."""
    return f"{kernel.name}__gpuopt_own"


def opened(kernel: Kernel) -> str:
    """The door: `K__gpuopt_elsewhere` (a shim that leaves the original to its caller) under its weak name."""
    door, own = names_of(kernel.usr)
    given = "::dim3 gpuopt_g, ::dim3 gpuopt_b, ::size_t gpuopt_s, ::cudaStream_t gpuopt_t"
    return (
        f'extern "C" {{ __attribute__((weak)) bool {door}({given}{params(kernel)}) {{\n'
        f"  return {kernel.name}__gpuopt_elsewhere(::gpuopt_rt::config(gpuopt_g, gpuopt_b, gpuopt_s, gpuopt_t)"
        f"{arguments(kernel)});\n}}\n"
        f"__attribute__((weak)) void {own}() {{ {flag(kernel)} = true; }} }}\n"
    )


def edits(unit: Unit, *, per_thread: bool, shut: Collection[str] = ()) -> tuple[Edit, ...]:
    """What the main file's launches of kernels that it only declares become; nothing where there are none.

    `per_thread`: the file's null stream is that of the thread; `shut`: kernels (USRs) that are left alone.
    """
    defined = {kernel.usr for kernel in unit.kernels} | set(shut)
    asked = [query for query in unit.queries if query.kernel not in defined and query.name.file == unit.main]
    data = unit.files[unit.main].data
    found: dict[str, list[Edit]] = {}
    for launch in unit.launches:
        if launch.kernel and launch.kernel not in defined and _is_plain(unit, launch):
            found.setdefault(launch.kernel, []).extend(_site(data, launch))
    for query in asked:
        if not _is_template(query.kernel):
            found.setdefault(query.kernel, []).extend(_worded(data, query))
    changed = {usr: mine for usr, mine in found.items() if mine}
    places = [_outermost(unit, edit.start) for mine in changed.values() for edit in mine]
    quiet = _quiet(unit, data, defined)
    if quiet and not places:
        places = [start for start, _ in unit.outermost[:1]]
    if not places or None in places:
        return ()
    at = min(place for place in places if place is not None)
    configured = any(query.api.startswith("cudaLaunchKernelEx") for query in asked)
    caller = CALLER.replace("CONFIGURED", f"{CONFIGURED} " if configured else "").replace(
        "VERSION", _version(per_thread=per_thread)
    )
    text = " ".join(caller.split())
    text = text.replace("STREAM", f"reinterpret_cast<cudaStream_t>(static_cast<size_t>({1 + per_thread}))")
    doors = "".join(
        f"void {name}() __attribute__((weak)); "
        for usr, mine in sorted(changed.items())
        for name in names_of(usr)
        if any(name.encode() in edit.text for edit in mine)
    )
    doors += "".join(
        f"void {own}() __attribute__((weak)); static const bool {own}_told __attribute__((unused)) = "
        f"{own} ? ({own}(), true) : false; "
        for own in (names_of(usr)[1] for usr in quiet)
    )
    opening = f'extern "C++" {{ {text} }} extern "C" {{ {doors}}} '
    return (Edit(unit.main, at, at, opening.encode(), AUTHOR), *(edit for mine in changed.values() for edit in mine))


def _quiet(unit: Unit, data: bytes, defined: Collection[str]) -> list[str]:
    """Kernels whose cache preference is set where the call cannot be changed; their doors are shut from the start."""
    found = set()
    for query in unit.queries:
        mine = query.api == _PREFER and query.kernel not in defined and not _is_template(query.kernel)
        if mine and not (query.name.file == unit.main and _worded(data, query)):
            found.add(query.kernel)
    return sorted(found)


def joined(made: Sequence[Edit], more: Sequence[Edit]) -> tuple[Edit, ...]:
    """Both lists of edits; where both insert at one place, the first list's text comes first."""
    if not more:
        return tuple(made)
    places = {(edit.file, edit.start): edit for edit in more if edit.is_insertion}
    texts = [
        replace(edit, text=edit.text + places.pop((edit.file, edit.start)).text)
        if edit.is_insertion and (edit.file, edit.start) in places
        else edit
        for edit in made
    ]
    return (*texts, *(edit for edit in more if not edit.is_insertion), *places.values())


def knocking(unit: Unit, made: Iterable[Edit]) -> tuple[tuple[Span, str], ...]:
    """The launches that go to doors with these edits: where they are, and the kernel's name there."""
    starts = {(edit.file, edit.start) for edit in made}
    ends = {(edit.file, edit.end) for edit in made}
    sites = [(one.callee, one.callee_name) for one in unit.launches if (one.callee.file, one.callee.start) in starts]
    words = [query for query in unit.queries if (query.name.file, query.name.end) in ends and query.api in _LAUNCHES]
    return (*sites, *((one.name, unit.files[one.reference.file].text(one.reference)) for one in words))


def left(unit: Unit, made: Iterable[Edit]) -> tuple[tuple[Span, str, str], ...]:
    """The launches of kernels that this file only declares which keep the original: where, of what, and why."""
    edits = tuple(made)
    starts = {(edit.file, edit.start) for edit in edits}
    ends = {(edit.file, edit.end) for edit in edits}
    defined = {kernel.usr for kernel in unit.kernels}
    found: dict[tuple[str, int], tuple[Span, str, str]] = {}
    for one in unit.launches:
        written = one.kind in (LaunchKind.CHEVRON, LaunchKind.COOPERATIVE) and not one.in_device_code
        if written and one.kernel and one.kernel not in defined and (one.callee.file, one.callee.start) not in starts:
            why = _COOPERATIVE if one.kind is LaunchKind.COOPERATIVE else _why(unit, one.kernel, one.callee)
            found.setdefault((one.span.file, one.span.start), (one.span, one.callee_name, why))
    for query in unit.queries:
        launches = query.api in _LAUNCHES or query.api in GRAPH_NODES
        if launches and query.kernel not in defined and (query.name.file, query.name.end) not in ends:
            why = _NODE if query.api in GRAPH_NODES else _why(unit, query.kernel, query.name)
            name = unit.files[query.reference.file].text(query.reference)
            found.setdefault((query.name.file, query.name.start), (query.name, name, why))
    return tuple(found.values())


_COOPERATIVE = "a cooperative launch counts on the original's blocks being resident"
_NODE = "a node of a graph keeps the kernel that it is made of (a captured launch takes versions)"


def _why(unit: Unit, usr: str, place: Span) -> str:
    if _is_template(usr):
        return (
            "a kernel template's instantiations belong to the file that launches them, and its definition is not here"
        )
    if not place.editable:
        return "it is written in a macro"
    if place.file != unit.main:
        return "it stands in a header, which other files may include with other kernels in sight"
    return "the launch would not compile with an entry (an overloaded kernel, default arguments, another linkage)"


def _is_template(usr: str) -> bool:
    return "@FT@" in usr


def named_at(unit: Unit, line: int) -> frozenset[str]:
    """The kernels (USRs) that the main file launches or asks about on a line."""
    places = [*((one.callee, one.kernel) for one in unit.launches), *((one.name, one.kernel) for one in unit.queries)]
    return frozenset(usr for span, usr in places if span.file == unit.main and span.line == line and usr)


def _version(*, per_thread: bool) -> str:
    """The inline namespace: linkers keep one of what two files define, which must be of one default stream."""
    return "v" + re.sub(r"\W", "_", __version__) + ("_per_thread" if per_thread else "")


def _outermost(unit: Unit, at: int) -> int | None:
    """Where the outermost declaration around a place of the main file begins."""
    return next((start for start, end in unit.outermost if start <= at < end), None)


def _is_plain(unit: Unit, launch: Launch) -> bool:
    spans = (launch.callee, launch.config, launch.args)
    return (
        not launch.stays
        and launch.instantiation is None
        and all(span.editable and span.file == unit.main for span in spans)
    )


def _site(data: bytes, launch: Launch) -> Sequence[Edit]:
    """`K<<<grid, block>>>(a)` becomes `to(K, door)(grid, block)(a)`."""
    callee, config = launch.callee, launch.config
    marks = configuration_marks(data[config.start : config.end])
    if marks is None:
        return ()
    if not re.fullmatch(rb"(?:::\s*)?(?:\w+\s*::\s*)*\w+", data[callee.start : callee.end]):
        return ()
    door, _ = names_of(launch.kernel)
    return (
        Edit(callee.file, callee.start, callee.start, b"::gpuopt_out::gpuopt_to(", AUTHOR),
        Edit(callee.file, callee.end, callee.end, f", {door})".encode(), AUTHOR),
        Edit(callee.file, config.start, config.start + marks[0], b"(", AUTHOR),
        Edit(callee.file, config.end - marks[1], config.end, b")", AUTHOR),
    )


def _worded(data: bytes, query: Query) -> Sequence[Edit]:
    """A launch by address goes to the door; a cache preference is made known behind it."""
    if not (query.name.editable and query.reference.editable and query.reference.file == query.name.file):
        return ()
    door, own = names_of(query.kernel)
    first = _path_start(data, query.reference.start)
    kernel = data[first : query.reference.end]
    file, api = query.name.file, query.api
    if api in _LAUNCHES:
        text = b"::gpuopt_out::gpuopt_to(" + kernel + f", {door}).gpuopt_{_LAUNCHES[api]}".encode()
        return (Edit(file, _path_start(data, query.name.start), query.name.end, text, AUTHOR),)
    if api == _PREFER:
        before = data[:first].rstrip()
        if before.endswith(b"&"):
            first = len(before) - 1
        text = b"::gpuopt_out::gpuopt_own(" + kernel + f", {own})".encode()
        return (Edit(file, first, query.reference.end, text, AUTHOR),)
    return ()


def _path_start(data: bytes, at: int) -> int:
    """Where the `a::b::` in front of a name begins."""
    match = _QUALIFIER.search(data, max(0, at - 200), at)
    return match.start() if match else at
