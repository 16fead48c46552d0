"""What a patch does to kernels, for people: a hunk for each version against the kernel's own lines.

The patched text has each version as a whole definition behind the file, beside what chooses among them at launches.
Here a version is shown as what differs from its kernel; what launches need is counted. Where anything is not as
expected, it is shown as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gpuopt_driver.learning.runtime import STUBS, stubs_in
from gpuopt_driver.source.diff import heading, hunks, lines_of, unified_diff
from gpuopt_driver.variants.abridge import shortened

_SECTION = re.compile(rb"^#ifndef GPUOPT_VARIANTS_[0-9A-F]{16}\n", re.MULTILINE)
_OPENING = rb"namespace gpuopt_rt \{ inline namespace \w+ \{ struct config \{.*?\} \} (?![};])"
_HEAD = rb"(?:template ?<[^;{}]*> )?(?:__attribute__\(\(noinline\)\) )?static "
_FUNCTION = _HEAD + rb"(?:void \w+__gpuopt_launch\(const ::gpuopt_rt::config &[^;{}]*|::gpuopt_rt::versions \w+\()\);"
_LINKED = rb'extern "C\+\+" \{ '  # around what stands beside kernels with C linkage
_DECLARED = re.compile(
    rb"|".join(
        (
            _LINKED + _OPENING.replace(rb" (?", rb" \} (?"),
            _OPENING,
            rb" " + _LINKED + _FUNCTION + rb" \}",
            rb" " + _FUNCTION,
            _FUNCTION + rb" ",  # in front of a launch that comes before its kernel
        )
    )
)
_QUERY = re.compile(rb"\bgpuopt_rt::all::(\w+)|(?<=\w)__gpuopt_versions\b")  # of attributes and occupancy
_LAUNCH = re.compile(rb"__gpuopt_launch(?P<given>(?:\s*<[^;(){}]*>)?\s*)\(::gpuopt_rt::config\(")
_ORDERED = re.compile(rb"\(::gpuopt_rt::first\((?P<gap>\s*)::gpuopt_rt::ordered\(")
_TAKEN = re.compile(
    rb"\)\), (?P<callee>[^;(){}]*?)__gpuopt_launch(?P<given>(?:\s*<[^;(){}]*>)?\s*)\(::gpuopt_rt::taken\(\)(?:, | )"
)
_DEFINED = re.compile(r"#line (\d+)[^\n]*\n")
_NAME = re.compile(r"\b(\w+?)__gpuopt_(\w+?)(\s*\(\s*)::gpuopt_rt::plan gpuopt_plan(?:, )?")
_GUARD = re.compile(r"\bbool (\w+?)__gpuopt_(\w+)_guard\b")
_OF_A_CALLEE = re.compile(r"_[0-9a-f]{6}$")  # behind the version's name where a function is copied
_PARENTHESES = re.compile(rb'[()]|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')
_LONGEST = 2000  # bytes of a launch's configuration
# What stands around a definition: of namespaces and linkage, and what puts macros out of the way of attributes.
_AROUND = re.compile(r"[}\s]*|(?:namespace|extern|inline namespace) [^;]*|template <[^;]*|#.*\s*")
_INSIDE = re.compile(r"\n(?:#ifdef \w+\n#undef \w+\n#endif\n)+#line \d+\n")


def changes(path: str, before: bytes, after: bytes) -> str:
    """A file's patch by version, "" where the file is as it was; without versions the patch itself."""
    section = _SECTION.search(after)
    if section is None:
        return unified_diff(path, before, after)
    head, launches = _as_launched(after[: section.start()])
    if not before.endswith(b"\n"):
        head = head.removesuffix(b"\n")
    tail = after[section.start() :]
    old = lines_of(before)
    shown = [*hunks(old, lines_of(head)), *_versions(old, tail.decode("utf-8", "surrogateescape"))]
    counted = f"{launches} launch{'es' * (launches != 1)} that may get a version, " if launches else ""
    rest = shortened(tail).count(b"\n")
    note = f"# not shown: {counted}{rest} lines of whole versions and what chooses among them; --full does\n"
    return "".join((*heading(path), *shown, note))


def _as_launched(head: bytes) -> tuple[bytes, int]:
    """The user's own text without our declarations, and with launches as they were; how many these are."""
    text, at, count = _QUERY.sub(rb"\1", _DECLARED.sub(b"", head)), 0, 0
    while (found := _LAUNCH.search(text, at)) is not None:
        at, end = found.end(), _closing(text, found.end())
        gap = re.compile(rb"\s*(, | )").match(text, end + 1) if end else None  # in place of `(`
        if gap is not None:
            made = found["given"] + b"<<<" + text[at:end] + b">>>" + text[end + 1 : gap.start(1)] + b"("
            text = text[: found.start()] + made + text[gap.end() :]
            at, count = found.start() + len(made), count + 1
    text, more = _as_ordered(text)
    return text, count + more


def _as_ordered(text: bytes) -> tuple[bytes, int]:
    """The same of launches whose configuration is evaluated first; from the last one, as they may be in each other."""
    count = 0
    for found in reversed(list(_ORDERED.finditer(text))):
        configured = _closing(text, found.end())
        taken = _TAKEN.match(text, configured) if configured else None
        end = _closing(text, taken.end()) if taken else 0
        if taken and end and text[end : end + 2] == b"))":
            config = b"<<<" + text[found.end() : configured] + b">>>"
            made = taken["callee"] + taken["given"].rstrip() + found["gap"] + config
            made += taken["given"][len(taken["given"].rstrip()) :] + b"(" + text[taken.end() : end + 1]
            text, count = text[: found.start()] + made + text[end + 2 :], count + 1
    return text, count


def _closing(text: bytes, start: int) -> int:
    """Where the parenthesis closes that was opened in front of `start`; 0 where that is not seen."""
    depth = 1
    for found in _PARENTHESES.finditer(text, start, start + _LONGEST):
        depth += {b"(": 1, b")": -1}.get(found[0], 0)
        if not depth:
            return found.start()
    return 0


def _versions(old: Sequence[str], tail: str) -> Iterator[str]:
    """A hunk for each changed place of each version, then of each function that one has a copy of."""
    told: dict[str, set[str]] = {}
    for text in stubs_in(tail):
        kernel, version, hunk = _version(old, text)
        names = told.setdefault(kernel, set())
        parts = _joined(version, names)
        if parts:
            yield f"# {kernel} as {version}: the changes of {' and '.join(parts)} together\n"
        elif hunk:
            yield from hunk
        else:
            yield _as_it_is(kernel, version)
        names.add(version)
    for kernel, version in dict.fromkeys(_GUARD.findall(tail)):
        if version not in told.get(kernel, ()):
            yield _as_it_is(kernel, version)
    before, stubs, _ = tail.partition(STUBS)
    for found in re.finditer(r"^#line \d+\n(?:(?!#line ).*\n)*", before if stubs else "", re.MULTILINE):
        yield from _version(old, found[0])[2]


def _as_it_is(kernel: str, version: str) -> str:
    return f"# {kernel} as {version}: the kernel as it is, launched in another way\n"


def _version(old: Sequence[str], text: str) -> tuple[str, str, list[str]]:
    """Kernel, version, and the hunks of its definition."""
    start, name = _DEFINED.search(text), _NAME.search(text)
    if start is None or name is None:
        return "", "", list(hunks([], lines_of(text.encode("utf-8", "surrogateescape"))))
    first = int(start[1]) - 1
    plain = _NAME.sub(lambda found: f"{found[1]}{found[3]}", text[start.end() :], count=1)
    made = _INSIDE.sub("", plain).splitlines(keepends=True)
    while made and _AROUND.fullmatch(made[-1]) and not _closes(old, first + len(made) - 1):
        made.pop()
    mine = old[first : first + len(made)]
    if made and len(made) == len(mine):
        made[0], made[-1] = _as_first(made[0], mine[0], name[1]), _as_last(made[-1], mine[-1])
    title = f"{name[1]} as {_OF_A_CALLEE.sub('', name[2])}"
    return name[1], name[2], list(hunks(mine, made, context=1, offset=first, title=title))


def _closes(lines: Sequence[str], at: int) -> bool:
    return at < len(lines) and lines[at].lstrip().startswith("}")


def _as_first(line: str, was: str, name: str) -> str:
    """A version's first line, or its kernel's where all that differs stands in front of the name, as `static` does."""
    at, found = line.find(f"{name}("), was.find(f"{name}(")
    return was if min(at, found) >= 0 and line[at:].rstrip() == was[found:].rstrip() else line


def _as_last(line: str, was: str) -> str:
    """A version's last line, or its kernel's where one of them only goes on behind the definition."""
    own = line.strip()
    while own.endswith(" }") and own != was.strip():
        own = own.removesuffix(" }")  # of a namespace
    return was if own and was.strip().startswith(own) else line


def _joined(version: str, names: set[str]) -> list[str]:
    """The names of other versions that a name is made of, [] where it is one of its own."""
    for name in sorted(names, key=len, reverse=True):
        if version.startswith(f"{name}_"):
            rest = version[len(name) + 1 :]
            behind = [rest] if rest in names else _joined(rest, names)
            if behind:
                return [name, *behind]
    return []
