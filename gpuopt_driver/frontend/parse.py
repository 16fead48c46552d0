"""Source file in, frozen `Unit` out."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.errors import ParseError
from gpuopt_driver.frontend import libclang
from gpuopt_driver.frontend.damage import damage_of, damaged, lost_launches
from gpuopt_driver.frontend.declarations import Finder, HostFunction, KernelSource
from gpuopt_driver.frontend.kernels import KernelReader
from gpuopt_driver.frontend.launch_sites import Launch
from gpuopt_driver.frontend.launches import LaunchReader
from gpuopt_driver.frontend.model import DECLARED_BEFORE, SPECIALISED, UNSPELLABLE, Kernel, ParseLevel, Unit
from gpuopt_driver.frontend.options import ParseOptions, levels
from gpuopt_driver.frontend.queries import queries
from gpuopt_driver.frontend.toolkit_headers import lacks_library, may_find_more
from gpuopt_driver.frontend.translation import Translation, main_path, place_of
from gpuopt_driver.paths import absolute

__all__ = ["ParseOptions", "has_device_code", "parse_unit"]

_RECURSION = 12_000 if sys.version_info >= (3, 11) else 5_000  # earlier Pythons use the C stack for each call
_HOPELESS = 250  # errors where headers of the toolkit are missing
_TAKEN_FOR = 2  # kernels and launches with errors there, which nobody has counted
_LACKING = ("'cuda/std' file not found",)  # what is said of a source that has not been parsed with so little
_DEFAULTS = ParseOptions()
_TOOLKIT_HEADER = re.compile(r"'(thrust|cub|cuda|nv|mma\.h|cu[a-z]+(_v2)?\.h)\b[^']*' file not found")
_DEVICE_CODE = re.compile(rb"\b__global__\b|<<[ \t]*<|\bcudaLaunch\w*Kernel")


def has_device_code(data: bytes) -> bool:
    """Whether a file may define or launch kernels; says so in microseconds, before libclang is loaded."""
    return _DEVICE_CODE.search(data) is not None


def parse_unit(
    main: str | Path,
    options: ParseOptions = _DEFAULTS,
    overlay: Mapping[str, bytes] | None = None,
    only: Container[str] | None = None,
) -> Unit:
    """The model of the translation unit of a source file.

    `overlay` holds contents that replace files (by absolute path) without being written to disk; `only` the USRs of the
    kernels that are wanted (None: all), without their launches: what is not asked for costs no time and memory.
    ParseError says in one line what could not be read.
    """
    contents = {absolute(options.absolute(path)): data for path, data in (overlay or {}).items()}
    path = main_path(main, options, contents)
    tried = _Tried(levels(options))

    def parse(level: ParseLevel) -> None:
        tried.note(level, _parse(path, options, level, contents, only, tried, settle))

    def settle(damage: int) -> None:
        for level in tried.left(damage):
            parse(level)

    with _deep_recursion():
        for level in levels(options):
            wanted = level is not ParseLevel.HOST or not _wants_toolkit(tried.said, options)
            if wanted and level in tried.levels:
                parse(level)
            if tried.damage == 0:
                break
        settle(sys.maxsize)
    assert tried.best is not None, "there is always a level"
    return tried.best


@dataclass(slots=True)
class _Tried:
    """The unit with the least damage so far, among levels with as much the first; `said`: the first one's diagnostics.

    `waiting` has the least damage of levels whose kernels have not been read yet: reading them is what costs most, and
    another level has probably less. `levels` are those that differ, as far as that is known.
    """

    levels: Sequence[ParseLevel]
    best: Unit | None = None
    damage: int = -1
    said: Sequence[str] | None = None
    waiting: dict[ParseLevel, int] = field(default_factory=dict)
    is_over: bool = False  # what is read now does not wait

    def note(self, level: ParseLevel, parsed: _Parsed) -> None:
        """What a level has shown."""
        self.said = parsed.said if self.said is None else self.said
        if parsed.unit is None and self.best is None:
            self.waiting[level] = parsed.damage
        elif parsed.unit is not None and not self.is_too_much(level, parsed.damage):
            self.best, self.damage = parsed.unit, parsed.damage

    def is_too_much(self, level: ParseLevel, damage: int) -> bool:
        """Whether a level with so much damage at least is not to be taken."""
        if self.best is None:
            return False
        is_first = self.levels.index(level) < self.levels.index(self.best.level)
        return damage > self.damage if is_first else damage >= self.damage

    @property
    def may_wait(self) -> bool:
        """Whether what is looked at need not be what is taken."""
        return not self.is_over and len(self.levels) > 1

    def waits(self, level: ParseLevel, damage: int) -> bool:
        """Whether kernels are not to be read now where some have errors for certain."""
        if self.best is not None or self.is_over or not damage or level is self.levels[-1]:
            return False
        return damage < min(self.waiting.values(), default=damage + 1)

    def hopeless(self, translation: Translation, options: ParseOptions) -> bool:
        """Whether so much of the toolkit is missed that kernels and launches need not be looked for: some have errors.

        Of 99 files of public projects the three with more than 182 errors of their own (CUTLASS, Thrust) had.
        """
        if not self.may_wait or len(translation.errors) <= _HOPELESS:
            return False
        return _wants_toolkit([error.message for error in translation.errors], options)

    def ends(self, level: ParseLevel, damage: int) -> bool:
        """Whether no more kernels are to be read once so much damage is known: they are not wanted, or can wait."""
        return self.is_too_much(level, damage) or self.waits(level, damage)

    def left(self, damage: int) -> Iterator[ParseLevel]:
        """The levels to be read after all: those that may have no more damage than this, nor than the best."""
        while not self.is_over and (found := min(self.waiting, key=self.waiting.__getitem__, default=None)):
            least = self.waiting[found]
            if least > damage or (self.best is not None and least >= self.damage):
                return
            del self.waiting[found]
            if not self.is_too_much(found, least):
                self.is_over = True
                yield found
                self.is_over = False


def parse_errors(main: str | Path, options: ParseOptions, overlay: Mapping[str, bytes]) -> tuple[str, ...]:
    """The diagnostics of `parse_unit` at the level that the options name, without the model: far cheaper."""
    contents = {absolute(options.absolute(path)): data for path, data in overlay.items()}
    assert options.level is not None, "the errors of different levels are not to be compared"
    translation = Translation(main_path(main, options, contents), options, options.level, contents)
    try:
        return _diagnostics(translation)
    finally:
        translation.close()


def errors_at_every_level(unit: Unit, options: ParseOptions) -> tuple[str, ...]:
    """What is wrong with a unit whatever headers are taken: its level may lack some that its kernels do not need."""
    said = unit.diagnostics
    for level in levels(options):
        if said and level is not unit.level:
            elsewhere = set(parse_errors(unit.main, replace(options, level=level), {}))
            said = tuple(text for text in said if text in elsewhere)
    return said


@contextlib.contextmanager
def _deep_recursion() -> Iterator[None]:
    """Room for deeply nested sources; what is nested deeper still is a ParseError."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    try:
        yield
    except RecursionError as error:
        raise ParseError("source is nested too deeply to be analysed") from error
    finally:
        sys.setrecursionlimit(limit)


def _wants_toolkit(said: Sequence[str] | None, options: ParseOptions) -> bool:
    """Whether headers are missing that only the toolkit has, so that the host's alone would not do."""
    has_toolkit = options.level is None and ParseLevel.TOOLKIT in levels(options)
    return has_toolkit and any(_TOOLKIT_HEADER.search(line) for line in said or ())


@dataclass(frozen=True, slots=True)
class _Parsed:
    """What parsing at one level came to. Without a unit it has `damage` at least, and its kernels were not all read."""

    unit: Unit | None
    damage: int
    said: Sequence[str] = ()


def _parse(
    path: str,
    options: ParseOptions,
    level: ParseLevel,
    contents: Mapping[str, bytes],
    only: Container[str] | None,
    tried: _Tried,
    settle: Callable[[int], None],
) -> _Parsed:
    """What one level shows: no unit where that can wait, or once another level is known to be less damaged.

    `settle` reads levels that wait and may have no more damage than this: more headers are not likely to help then.
    """
    if level is ParseLevel.BUNDLED and tried.may_wait and lacks_library(path, options, contents):
        return _Parsed(None, _TAKEN_FOR, _LACKING)
    translation = Translation(path, options, level, contents)
    try:
        if translation.has_many_files:  # with the C++ library's they take much longer, for hardly a version more
            tried.levels = [level]
        elif level is ParseLevel.BUNDLED and tried.hopeless(translation, options):
            return _Parsed(None, _TAKEN_FOR, _diagnostics(translation))
        launched_only = options.launched_only and only is None
        found = Finder(translation, with_hosts=only is None, launched_only=launched_only).run()
        reader = KernelReader(translation, found)
        wanted = [one for one in found.kernels if only is None or libclang.usr(one.pattern) in only]
        launches = _launches(translation, found.hosts)
        idle = _idle(wanted, launches, translation) if launched_only else {}
        wanted = [one for one in wanted if id(one) not in idle]
        is_asked = len(tried.levels) > 1 and not (tried.is_over and tried.best is None)
        broken = [is_asked and reader.is_damaged(source) for source in wanted]
        lost = 0
        if any(one.is_named for one in found.kernels) or not found.kernels:  # else no launch could be of one
            lost = lost_launches(launches, translation, found.hosts, launched_only=launched_only)
            lost += _not_made(wanted, launches, translation, found.unmade)
        certain = sum(broken) + lost
        if certain and level is ParseLevel.HOST and not may_find_more(translation):
            tried.levels = [one for one in tried.levels if one is not ParseLevel.TOOLKIT]
        kernels = None
        if not tried.waits(level, certain):
            settle(certain)
            kernels, found_broken = _kernels(reader, wanted, broken, lambda damage: tried.ends(level, damage + lost))
            certain = found_broken + lost
        if kernels is None:
            return _Parsed(None, certain, _diagnostics(translation))
        read = {id(source): kernel for source, kernel in zip(wanted, kernels, strict=True)}
        read.update({id(one): reader.named_only(one, idle[id(one)]) for one in _first_of_each(found.kernels, idle)})
        kernels = [read[id(source)] for source in found.kernels if id(source) in read]
        unit = Unit(
            main=translation.main,
            files=dict(translation.files),
            kernels=tuple(_mark_not_made(_mark_repeated(kernels), found.unmade if only is None else ())),
            launches=tuple(launches),
            level=level,
            diagnostics=_diagnostics(translation),
            queries=queries(translation, found.hosts),
            outermost=tuple(sorted(found.extents.get(translation.main, ()))),
            macros=frozenset(re.split(r"[=(]", define)[0] for define in options.defines),
        )
        return _Parsed(unit, damage_of(unit.kernels, lost, translation), unit.diagnostics)
    finally:
        translation.close()


def _kernels(
    reader: KernelReader,
    wanted: Sequence[KernelSource],
    broken: Sequence[bool],
    stops: Callable[[int], bool],
) -> tuple[list[Kernel] | None, int]:
    """The models of kernels, and how many are damaged for certain; None where there is an end before the last one."""
    kernels: list[Kernel] = []
    certain = sum(broken)
    for at, source in enumerate(wanted):
        if stops(certain):
            return None, certain
        kernels.append(reader.read(source))
        certain = damaged(kernels) + sum(broken[at + 1 :])
    return kernels, certain


def _idle(sources: Sequence[KernelSource], launches: Sequence[Launch], translation: Translation) -> dict[int, str]:
    """By identity, the kernels that can have no version that is launched, and why, as far as that is known at once."""
    staying: dict[str, Launch | None] = {}  # by kernel: its first launch, None where one may be rewritten
    for launch in launches:
        staying[launch.kernel] = staying.get(launch.kernel, launch) if launch.stays else None
    usrs = {id(source): libclang.usr(source.pattern) for source in sources}
    written = {usrs[id(source)] for source in sources if source.instantiation is None or source.instantiation.spellable}
    idle = {number: UNSPELLABLE for number, usr in usrs.items() if usr not in written}
    unseen = next((launch for launch in launches if launch.is_by_runtime and not launch.kernel), None)
    for source in sources:
        usr = usrs[id(source)]
        first = staying.get(usr)
        if not source.is_named:
            idle[id(source)] = "no launch in this file names it"
        elif source.instantiation is not None and not source.is_template:
            idle[id(source)] = DECLARED_BEFORE if source.is_declared_before else SPECIALISED
        elif usr not in staying:
            idle[id(source)] = "nothing in this file launches it"
            if unseen:
                file = place_of(translation, source.cursor).source.path
                idle[id(source)] += f"; which kernel {unseen.span.line_in(file)} launches {unseen.stays} is not seen"
        elif first is not None and id(source) not in idle:
            file = place_of(translation, source.cursor).source.path
            idle[id(source)] = f"{first.span.line_in(file)} launches it {first.stays}"
    return idle


def _not_made(
    sources: Sequence[KernelSource],
    launches: Sequence[Launch],
    translation: Translation,
    unmade: Container[str],
) -> int:
    """The kernel templates that nothing instantiates though launches name them: errors may be why."""
    if all(error.is_missing_file for error in translation.errors):
        return 0
    launched = {launch.kernel for launch in launches if launch.instantiation is None}
    patterns = (source for source in sources if source.is_template and source.instantiation is None)
    return sum((usr := libclang.usr(source.pattern)) in launched and usr not in unmade for source in patterns)


def _first_of_each(sources: Sequence[KernelSource], wanted: Container[int]) -> list[KernelSource]:
    """One instantiation of each kernel among those that are wanted, by identity."""
    found = (source for source in sources if id(source) in wanted)
    first: dict[str, KernelSource] = {}
    for source in found:
        first.setdefault(libclang.usr(source.pattern), source)
    return list(first.values())


def _launches(translation: Translation, hosts: list[HostFunction]) -> list[Launch]:
    reader = LaunchReader(translation, hosts)
    found: dict[tuple[str, int, str, tuple[str, ...] | None], Launch] = {}
    for function in hosts:
        for launch in reader.read(function):
            key = (launch.span.file, launch.span.start, launch.kernel, launch.instantiation)
            found.setdefault(key, launch)
    named = {(file, start, kernel) for file, start, kernel, arguments in found if kernel and arguments}
    places = {(file, start) for file, start, kernel, _arguments in found if kernel}
    launches = [
        launch
        for (file, start, kernel, arguments), launch in found.items()
        if arguments or ((file, start, kernel) not in named and (kernel or (file, start) not in places))
    ]
    meant: dict[tuple[str, int], set[str]] = {}
    for launch in launches:
        meant.setdefault((launch.span.file, launch.span.start), set()).add(launch.kernel)
    launches = [replace(one, means_several=len(meant[one.span.file, one.span.start]) > 1) for one in launches]
    return sorted(launches, key=lambda launch: (launch.span.file, launch.span.start))


def _mark_repeated(kernels: list[Kernel]) -> list[Kernel]:
    """A kernel of one byte range that the unit sees twice must not be transformed."""
    count: dict[tuple[str, int, str, tuple[str, ...] | None], int] = {}
    for kernel in kernels:
        arguments = kernel.facts_of.arguments if kernel.facts_of else None
        key = (kernel.span.file, kernel.span.start, kernel.usr, arguments)
        count[key] = count.get(key, 0) + 1
    places: dict[tuple[str, int], set[str]] = {}
    for kernel in kernels:
        places.setdefault((kernel.span.file, kernel.span.start), set()).add(kernel.usr)
    result = []
    for kernel in kernels:
        if len(places[kernel.span.file, kernel.span.start]) > 1 and kernel.idle not in (DECLARED_BEFORE, SPECIALISED):
            kernel = replace(kernel, problems=(*kernel.problems, "seen more than once in this unit"))  # noqa: PLW2901
        result.append(kernel)
    return result


def _mark_not_made(kernels: list[Kernel], unmade: Container[str]) -> list[Kernel]:
    """A template that the unit makes no kernel of has nothing to be transformed; errors may hide who makes one."""
    problem = "nothing in this file instantiates the template"
    return [
        replace(kernel, problems=(*kernel.problems, problem))
        if kernel.template_head and not kernel.facts_of and kernel.usr in unmade
        else kernel
        for kernel in kernels
    ]


def _diagnostics(translation: Translation) -> tuple[str, ...]:
    found = []
    for error in translation.errors:
        source = translation.files.get(error.file)
        where = f"{error.file}:{source.position(error.offset)[0]}: " if source else ""
        found.append(f"{where}{error.message}")
    return tuple(found)
