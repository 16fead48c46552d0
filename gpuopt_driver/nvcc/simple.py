"""Command lines so simple that it is known, without reading them as nvcc would, which one file they make.

Every word must be one of a list; any other makes a line one that is read properly first. Imports nothing heavy.
"""

# ruff: noqa: PTH112, PTH118, PTH119, PTH120, PTH123

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False  # typing's own costs milliseconds to import
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PHASES = frozenset(
    {
        *("-c", "--compile", "-dc", "--device-c", "-ptx", "--ptx", "-cubin", "--cubin", "-fatbin", "--fatbin"),
    }
)
# Written into a file that is there already.
_IN_PLACE = frozenset({"-ptx", "--ptx", "-cubin", "--cubin", "-fatbin", "--fatbin"})
_FLAGS = frozenset(
    {
        *("-G", "--device-debug", "-g", "--debug", "-lineinfo", "--generate-line-info", "-w", "--disable-warnings"),
        *("-use_fast_math", "--use_fast_math", "-m64", "-MP", "--generate-dependency-targets", "-res-usage"),
        *("--resource-usage", "-expt-relaxed-constexpr", "--expt-relaxed-constexpr", "-expt-extended-lambda"),
        *("--expt-extended-lambda", "-extended-lambda", "--extended-lambda", "-Wno-deprecated-gpu-targets"),
        *("-forward-unknown-to-host-compiler", "--forward-unknown-to-host-compiler", "-Wno-deprecated-declarations"),
        *("-restrict", "--restrict", "-src-in-ptx", "--source-in-ptx", "-Wreorder", "--Wreorder"),
    }
)
_DEPENDENCIES = frozenset(
    {
        *("-MD", "--generate-dependencies-with-compile", "-MMD", "--generate-nonsystem-dependencies-with-compile"),
    }
)
_VALUED = frozenset(
    {
        *("-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code", "-std", "--std"),
        *("-ccbin", "--compiler-bindir", "-I", "--include-path", "-isystem", "--system-include", "-D"),
        *("--define-macro", "-U", "--undefine-macro", "-O", "--optimize", "-m", "--machine", "-maxrregcount"),
        *("--maxrregcount", "-diag-suppress", "--diag-suppress", "-rdc", "--relocatable-device-code", "-cudart"),
        *("--cudart", "-l", "--library", "-L", "--library-path", "-ftz", "--ftz", "-prec-div", "--prec-div"),
        *("-prec-sqrt", "--prec-sqrt", "-fmad", "--fmad"),
    }
)
_OUTPUT = frozenset({"-o", "--output-file"})
_DEPFILE = frozenset({"-MF", "--dependency-output"})
_TARGET = frozenset({"-MT", "--dependency-target-name"})
_LANGUAGE = frozenset({"-x", "--x"})
_TO_HOST = frozenset({"-Xcompiler", "--compiler-options"})
_JOINED = ("-I", "-D", "-U", "-O", "-l", "-L")  # values may follow at once
_OPTIONS_FILES = frozenset({"-optf", "--options-file"})
_HOST = ("-f", "-m", "-W", "-O", "-g", "-pthread", "-D", "-I", "-std=", "-pipe", "-ansi", "-pedantic")
_NOT_HOST = ("-Wa,", "-Wp,", "-Wl,", "-fdevice")
# What options of host compilers are called that write more files, under names made from that of the result.
_MORE_FILES = (
    *("split-dwarf", "save-temps", "coverage", "profile", "dump", "stack-usage", "callgraph", "lto", "opt-info"),
    *("time", "verbose", "-fsave", "plugin", "sarif", "record", "diagnostics", "instrument"),
)
_TO_TOOLS = {
    "-Xptxas": ("-v", "--verbose", "-O", "-dlcm", "--def-load-cache", "-dscm", "--def-store-cache", "-w", "--warn"),
    "-Xcudafe": ("--diag", "--display_error_number", "--promote_warnings"),
}
_TO_TOOLS["--ptxas-options"] = _TO_TOOLS["-Xptxas"]
_NOT_LIBRARIES = frozenset({"ib", "ink", "to", "toir", "dir"})  # -lib, -link, -lto, -ltoir, -ldir
_FORWARDING = frozenset({"-forward-unknown-to-host-compiler", "--forward-unknown-to-host-compiler"})
_TAKE = frozenset({*_VALUED, *_OUTPUT, *_DEPFILE, *_TARGET, *_LANGUAGE, *_TO_HOST, *_TO_TOOLS, *_OPTIONS_FILES})
_OF_A_FILE = frozenset(
    {*_OUTPUT, *_DEPFILE, *_TARGET, "-I", "--include-path", "-isystem", "--system-include", "-D", "-U"}
)
_SOURCES = (".cu",)
_LINKED = (".o", ".a", ".cpp", ".cc", ".cxx", ".c", ".so")
_ODD = frozenset("\"'`$\\,;&|<>()*?[]{}!# \t\n")  # what somebody on the way may not take as it is


class Result:
    """The file that a command line makes, as it stands in `argv[at]` behind `prefix` ("--output-file=" or "")."""

    __slots__ = ("at", "name", "phase", "prefix")

    def __init__(self, at: int, prefix: str, name: str, phase: str) -> None:
        self.at = at
        self.prefix = prefix
        self.name = name
        self.phase = phase

    def elsewhere(self, argv: Sequence[str], directory: str) -> list[str]:
        """The arguments that make it, under the same name, in a directory beside it."""
        words = list(argv)
        words[self.at] = self.prefix + os.path.join(os.path.dirname(self.name), directory, os.path.basename(self.name))
        return words


def _words(argv: Sequence[str]) -> Iterator[tuple[int, str, str, str]]:
    """(place of the value, what stands before it there, option, value); option "" for what is none."""
    at = 0
    while at < len(argv):
        word = argv[at]
        name, equals, value = word.partition("=")
        takes = name in _TAKE
        if not word.startswith("-") or word == "-":
            yield at, "", "", word
        elif takes and equals:
            yield at, name + equals, name, value
        elif takes:
            at += 1
            yield at, "", name, argv[at] if at < len(argv) else ""
        elif word[:2] in _JOINED and word not in _FLAGS:
            yield at, "", word[:2], word[2:]
        else:
            yield at, "", word, ""
        at += 1


def _with_files(argv: Sequence[str]) -> Iterator[tuple[int, str, str, str]]:
    """The words of a command line and of its options files, whose place is -1; option "-" for what cannot be read."""
    for at, prefix, option, value in _words(argv):
        if option not in _OPTIONS_FILES:
            yield at, prefix, option, value
            continue
        try:
            with open(value, encoding="utf-8") as file:
                text = file.read()
        except (OSError, ValueError):
            text = '"'
        if _ODD.intersection(text) - set(" \t\n,"):
            yield at, "", "-", ""
        yield from ((-1, before, name, text) for _, before, name, text in _words(text.split()))


def _for_host(value: str) -> bool:
    """Whether all of what the host compiler gets is harmless."""
    parts = value.replace('"', " ").replace("'", " ").replace(",", " ").split()
    bad = any(word in value for word in _MORE_FILES)
    return not bad and all(part.startswith(_HOST) and not part.startswith(_NOT_HOST) for part in parts)


def _is_harmless(option: str, value: str, forwards: bool) -> bool:  # noqa: FBT001
    """Whether an option has no say in which files are made."""
    if option in _TO_HOST:
        return _for_host(value)
    if option in _TO_TOOLS:
        return all(part.startswith(_TO_TOOLS[option]) for part in value.replace('"', "").split(","))
    if option in _LANGUAGE:
        return value == "cu"
    if option == "-l":
        return value not in _NOT_LIBRARIES and not value.startswith(("ist-", "ib=", "dir="))
    if option in _VALUED:
        return bool(value)
    return option in _FLAGS or (forwards and _for_host(option))


def only_result(argv: Sequence[str]) -> Result | None:
    """The one file that a command line makes; None if it is not that simple."""
    found: list[Result] = []
    seen: set[str] = set()
    sources = others = 0
    forwards = not _FORWARDING.isdisjoint(argv)
    for at, prefix, option, value in _with_files(argv):
        if not option:
            sources += value.endswith(_SOURCES)
            others += value.endswith(_LINKED)
            if not value.endswith((*_SOURCES, *_LINKED)):
                return None
        elif option in _OUTPUT:
            found.append(Result(at, prefix, value, ""))
        elif option in _PHASES or option in _DEPENDENCIES or option in _DEPFILE or option in _TARGET:
            seen.add(option)
        elif not _is_harmless(option, value, forwards):
            return None
    phases = seen & _PHASES
    if len(found) != 1 or found[0].at < 0 or not found[0].name:
        return None
    if not sources or len(phases) > 1 or (phases and sources + others != 1):
        return None
    asked = [not seen.isdisjoint(names) for names in (_DEPENDENCIES, _DEPFILE, _TARGET)]
    if any(asked) and not all(asked):
        return None  # the target in the dependency file is named after the result
    found[0].phase = next(iter(phases), "")
    return found[0]


def manner(argv: Sequence[str]) -> list[str]:
    """The words of a simple command line that may differ between two sources of a project only if all is built so."""
    return [f"{option} {value}" for _, _, option, value in _with_files(argv) if option and option not in _OF_A_FILE]


def writes_dependencies(argv: Sequence[str]) -> bool:
    """Whether a simple command line writes a dependency file too."""
    return not _DEPENDENCIES.isdisjoint(argv)


def may_be_replaced(result: Result, path: str) -> bool:
    """Whether nobody can tell a new file of that name (absolute in `path`) from one that nvcc has written itself."""
    base = os.path.basename(result.name)
    if not base or base in (".", "..") or _ODD.intersection(result.name) or result.name.startswith("-"):
        return False
    if not os.path.isdir(os.path.dirname(path)):
        return False
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    if not stat.S_ISREG(status.st_mode) or not os.access(path, os.W_OK):
        return False
    if result.phase not in _IN_PLACE:
        return True
    umask = os.umask(0o022)
    os.umask(umask)
    is_ours = status.st_nlink == 1 and status.st_uid == os.geteuid()
    return is_ours and stat.S_IMODE(status.st_mode) == 0o666 & ~umask
