"""Two assembly texts of one source become one object: the fast code, and beside it the code for check mode.

The second text was compiled with `-fsanitize=thread`, so it calls a function before each access to memory. It shares
the variables of the first, its functions get names of their own, and every such call is given the address of a record
of its source position. A table leads from the fast functions whose address is taken to their twins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import field
from pathlib import Path

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.listing import Frames, Line, Listing, read_listing
from gpuopt_driver.emulator.operators import operator_of
from gpuopt_driver.emulator.places import Places, table_row
from gpuopt_driver.emulator.source_lines import pointer_name, source_line
from gpuopt_driver.emulator.work import Work

# What g++ is asked for besides the user's options, for both texts and for the second one.
LISTING_FLAGS = ("-gdwarf-5", "-g1", "-dA", "-S")
CHECK_FLAGS = (
    "-O2", "-w", "-fsanitize=thread", "--param", "tsan-instrument-func-entry-exit=0", "--param",
    "tsan-distinguish-volatile=1", "-fno-tree-sra", "-fno-jump-tables", "-fno-optimize-sibling-calls",
    "-fno-builtin-memcpy", "-fno-builtin-memset", "-fno-builtin-memmove", "-fno-partial-inlining",
    "-fno-tree-cselim",  # of the two stores of an if and its else it makes one, which has no line
)  # fmt: skip

_SUFFIX = ".gpuopt_check"
_OURS = "gpuopt_emu/"
_CUDA_ATOMICS = "/gpuopt_emu/atomics.h"
_OF_BLOCK = re.compile(r"\batomic\w+_block\b")
IN_OUR_HEADERS, WITHOUT_ORDER, BLOCK_SCOPE, NOT_THE_USERS = 1, 2, 4, 8  # enum SpotFlags of runtime/events.h
OPERATOR_SHIFT = 8
# Headers of ours that work on the runtime's own memory only: their accesses are nobody's business.
_INTERNAL = tuple(
    f"/{_OURS}{name}.h"
    for name in (
        "block",
        "described",
        "fiber",
        "launch",
        "shared",
        "survey",
        "survey_branches",
        "switch",
        "sync",
        "warp",
    )
)
_BARRIERS = f"/{_OURS}sync.h"
_STORES = f"/{_OURS}stores.h"
_CONVERSIONS = f"/{_OURS}conversions.h"
_HOOK = re.compile(r"\t(call|jmp|bl|b)\t__tsan_(\w+)(?:@PLT)?$")
_HOST_CALL = re.compile(r"\t(?:call|bl)\t(cu(?:da)?[A-Z]\w*|_ZN10gpuopt_emu11launch_gridE\w*)(?:@PLT)?$")
_BARRIER = re.compile(r"\tcall\t_ZN10gpuopt_emu(?:13named|15managed|18named)_barrier\w*(?:@PLT)?$")
_INDIRECT = re.compile(r"\t(?:call\t\*(.+)|blr\t(x\d+))$")
_REPLACED = re.compile(r"\t(call|bl)\t(malloc|free|memcpy|memmove|memset|_Znwm|_Znam|_ZdlPvm?|_ZdaPvm?)(?:@PLT)?$")
_LOCAL = re.compile(r"(?<![\w.])\.L(?!GP)(?=\w)")
_SYMBOL = re.compile(r"(?<![\w.$%])[A-Za-z_][\w.$]*")
_OPCODE = re.compile(r"\t\S+\s*")
_ADDRESS = re.compile(r"\t(?:\.quad|\.xword|lea\w?|adrp|movq)\t.*?([A-Za-z_][\w.$]*)")
_DEFINITION = re.compile(r"([A-Za-z_][\w.$]*):")
_ABOUT = re.compile(r"\t\.(?:globl|weak|local|hidden|internal|size|type|comm|set)\t([^,\s]+)")
_DATA = re.compile(r"\t\.(?:byte|value|short|hword|long|word|quad|xword|zero|string|ascii|[24]byte|8byte)\b|\t\.octa")
_LENGTH = re.compile(r"(?<!\d)\d+")
_NUMBERED = re.compile(r"\.\d+$")
_IN_GROUP = re.compile(r"\t\.section\t([^,\s]+)(,.*,)([^,\s]+)(,comdat)$")
# Arguments of the functions that the compiler calls, before the position is added.
_ARGUMENTS = {"compare": 5, "exchange": 3, "store": 3, "load": 2, "fence": 1, "range": 2, "vptr": 2}
_SITE_ARGUMENTS = {"memcpy": 3, "memmove": 3, "memset": 3, "_ZdlPvm": 2, "_ZdaPvm": 2}  # of the others: 1
_REGISTERS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")


def _users(frames: Frames, ours: str, system: frozenset[str]) -> Frames:
    """The frames from the innermost one in the user's own files on."""
    for index, (file, _) in enumerate(frames):
        if file not in system and not file.startswith(ours):
            return tuple(item for item in frames[index:] if item[0] not in system and not item[0].startswith(ours))
    return frames[:1]


def _load(register: int, label: str, *, x86: bool) -> list[str]:
    """Put a record's address, or 0, into the register of an argument."""
    if x86:
        name = _REGISTERS[register]
        return [
            f"\tleaq\t{label}(%rip), %{name}" if label != "0" else f"\txorl\t%{name}, %{name}".replace("xorl", "xorq")
        ]
    if label == "0":
        return [f"\tmov\tx{register}, 0"]
    return [f"\tadrp\tx{register}, {label}", f"\tadd\tx{register}, x{register}, :lo12:{label}"]


def _argument_count(hook: str) -> int:
    for part, count in _ARGUMENTS.items():
        if part in hook:
            return count
    return 3 if hook.startswith("atomic") else 1


@dataclass(slots=True)
class _Joined:
    """The state of one join."""

    fast: Listing
    check: Listing
    ours: str
    root: Path
    system: frozenset[str]
    x86: bool
    taken: set[str] = field(default_factory=set)
    places: Places = field(default_factory=lambda: Places(".LGP"))
    groups: dict[str, str] = field(default_factory=dict)  # of sections, by fast function
    shared: set[str] = field(default_factory=set)  # objects that the check code has from the fast code
    renamed: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        both = self.check.objects & self.fast.objects
        private = {name for name in both if self._private(name)}
        self.shared = both - private
        self.renamed = {name: name + _SUFFIX for name in self.check.functions | private}

    def _private(self, name: str) -> bool:
        """Whether the compiler made up the name of a constant: equal names need not mean equal contents."""
        return name.startswith(("CSWTCH.", "C.")) and bool(_NUMBERED.search(name))

    def hook(self, line: Line, mnemonic: str, name: str) -> list[str]:
        """A call that the sanitizer put in."""
        inner = line.file
        if name in ("init", "func_entry", "func_exit"):
            return []
        internal = inner.startswith(self.ours) and inner.endswith(_INTERNAL)
        plain = not name.startswith("atomic")
        if (internal and plain) or (name == "atomic_signal_fence" and not internal):
            return []
        frames = _users(self.check.frames(line), self.ours, self.system)
        flags = self._flags(inner, frames) | operator_of(inner, line.number) << OPERATOR_SHIFT
        place = "0" if internal and name != "atomic_signal_fence" else self.places.label(frames, flags=flags)
        load = _load(_argument_count(name), place, x86=self.x86)
        return [*load, f"\t{mnemonic}\tgpuopt_emu_{name}" + ("@PLT" if self.x86 else "")]

    def _no_work(self, line: Line) -> bool:
        """Whether the emulator does this at a barrier, at a store or around a conversion, and a GPU does not."""
        if line.file.endswith(_CONVERSIONS):
            return "cvt" not in line.text
        return line.file.startswith(self.ours) and any(
            file.startswith(self.ours) and file.endswith((_BARRIERS, _STORES)) for file, _ in self.check.frames(line)
        )

    def _flags(self, inner: str, frames: Frames) -> int:
        """Of struct Spot in runtime/events.h, for an access whose own line is in the file `inner`."""
        if not inner.startswith(self.ours):
            return 0
        flags = IN_OUR_HEADERS | (NOT_THE_USERS if frames[0][0].startswith(self.ours) else 0)
        if inner.endswith(_CUDA_ATOMICS):
            flags |= WITHOUT_ORDER
            if _OF_BLOCK.search(source_line(self.root, *frames[0])):
                flags |= BLOCK_SCOPE
        return flags

    def instruction(self, line: Line) -> list[str]:
        """What stands for an instruction of the check code."""
        text = line.text
        if found := _HOOK.match(text):
            return self.hook(line, found[1], found[2])
        if found := _INDIRECT.match(text):
            if self.x86:
                return [f"\tmovq\t{found[1]}, %r11", "\tcall\tgpuopt_emu_indirect@PLT"]
            return [f"\tmov\tx16, {found[2]}", "\tbl\tgpuopt_emu_indirect"]
        if not line.file.startswith(self.ours) and (found := _REPLACED.match(text)):
            frames = _users(self.check.frames(line), self.ours, self.system)
            name = found[2]
            load = _load(_SITE_ARGUMENTS.get(name, 1), self.places.label(frames), x86=self.x86)
            return [*load, f"\t{found[1]}\tgpuopt_emu_call_{name}" + ("@PLT" if self.x86 else "")]
        return [text]

    def check_text(self) -> Iterable[str]:
        """The check code as it stands behind the fast code."""
        dropping = inline_assembly = False
        work = Work(".LGC", frozenset(self.check.functions))
        for line in self.check.walk():
            text = line.text
            if text[:5] in ("#APP", "#NO_A"):
                inline_assembly = text == "#APP"
            starts_up = line.section == ".ctors" or line.section.startswith(".init_array")
            if starts_up and not text.startswith("\t.set\t.L"):  # names of constants may stand anywhere
                continue
            if text.startswith(("\t.loc ", "\t.file", "\t.ident", "\t.cfi_sections")):
                continue
            about = _ABOUT.match(text)
            if about and about[1] in self.shared:
                continue
            defined = _DEFINITION.match(text)
            if defined:
                dropping = defined[1] in self.shared
                if dropping:
                    continue
            elif text.startswith((".L", "\t.section")):
                dropping = False
            if dropping and _DATA.match(text):
                continue
            if text.startswith(("\t.string", "\t.ascii")):
                yield text
                continue
            lines = [text] if inline_assembly else self.instruction(line)
            if self.x86:
                no_work = self._no_work(line)
                work.see(text, counts=not no_work)
                if not no_work:
                    yield from map(self._rename, work.jump(self._group(line.group), text))
            yield from map(self._rename, lines)
            if self.x86 and ((len(lines) > 1 and _HOOK.match(text)) or _BARRIER.match(text)):
                yield from map(self._rename, work.access(self._group(line.group)))
            if defined and defined[1] in self.taken:
                yield from self._twin(defined[1], line.group)

    def _twin(self, function: str, group: str) -> Iterable[str]:
        """The row that leads to the twin of a fast function, which is in the group `group` of the check code."""
        others = self.groups.get(function, "")
        if (
            group and others and function not in self.fast.external
        ):  # of a group's own: it can be named from another one
            yield from (f"\t.weak\t{function}", f"\t.hidden\t{function}")
        yield from table_row("gpuopt_emu_twins", self._group(group) or others, function, self.renamed[function])

    def _group(self, name: str) -> str:
        """The group that check code in the group `name` is in: one of its own, or it would be lost where the linker
        takes the group of another object, of a host source, that has no such code."""
        return name if not name or name in self.check.objects else name + _SUFFIX

    def _rename(self, text: str) -> str:
        def new(found: re.Match[str]) -> str:
            return self.renamed.get(found[0], found[0])

        opcode = _OPCODE.match(text)
        head, rest = (opcode[0], text[opcode.end() :]) if opcode else ("", text)
        if head.startswith("\t.section"):
            found = _IN_GROUP.match(text)
            group = self._group(found[3]) if found else ""
            own = found and group != found[3]
            return f"\t.section\t{found[1]}{_SUFFIX}{found[2]}{group}{found[4]}" if found and own else text
        return head + _LOCAL.sub(".LGC", _SYMBOL.sub(new, rest))

    def fast_text(self, *, debug: bool) -> Iterable[str]:
        """The fast code; `debug`: with the debug information that the user asked for. Notes whose address is taken."""
        inline_assembly = False
        count = 0
        for line in self.fast.walk(debug=debug):
            text = line.text
            if text[:4] in ("#APP", "#NO_"):
                inline_assembly = text == "#APP"
            if defined := _DEFINITION.match(text):
                self.groups[defined[1]] = line.group
            if not inline_assembly and (taken := _ADDRESS.match(text)):
                self.taken.add(taken[1])
            if not debug and text.startswith(("\t.loc ", "\t.file ")) and "\t.file\t" not in text:
                continue
            yield text
            if not inline_assembly and (call := _HOST_CALL.match(text)):
                frames = _users(self.fast.frames(line), self.ours, self.system)
                name = pointer_name(self.root, *frames[0]) if "alloc" in call[1].lower() else ""
                yield f".LGR{count}:"
                yield from table_row("gpuopt_emu_calls", line.group, f".LGR{count}", self.places.label(frames, name))
                count += 1
        self.taken &= self.fast.functions & self.check.functions

    def variables(self, named: dict[str, str]) -> Iterable[str]:
        """A table of the unit's variables; `named` gives the memory spaces of the device's.

        All of them may be accessed: the host's own cannot be named in device code, or the source would not compile.
        What nobody writes is a constant in the fast code, where the check code may still have the variable.
        """
        alone = {name for name in self.check.sizes if name not in self.fast.objects and name not in self.renamed}
        own = {name: (self.check.sizes[name][0], self._group(self.check.sizes[name][1])) for name in alone}
        for name, (size, group) in (*self.fast.sizes.items(), *sorted(own.items())):
            if "gpuopt_emu" in name or name.startswith(("_ZGV", "DW.ref.")):
                continue
            plain = _plain_name(name, named)
            kind = {"constant": 1, "managed": 2}.get(named.get(plain, ""), 0)
            text = self.places.string(plain or name)
            yield from table_row("gpuopt_emu_variables", group, name, str(size), text, str(kind))


def _plain_name(symbol: str, named: dict[str, str]) -> str:
    """The variable among `named` that a symbol stands for, "" if none."""
    if symbol in named:
        return symbol
    for found in _LENGTH.finditer(symbol):
        name = symbol[found.end() : found.end() + int(found[0])]
        if name in named:
            return name
    return ""


# thrust's vectors lie in the program's own memory here: kernels may use it.
_HOST_VECTORS = (
    "\t.weak\tgpuopt_emu_host_vectors",
    '\t.section\t.rodata.gpuopt_emu_host_vectors,"a"',
    "gpuopt_emu_host_vectors:",
    "\t.4byte 1",
)


def join(
    fast: str, check: str, *, ours: str, root: Path, system: frozenset[str], named: dict[str, str], debug: bool
) -> str:
    """One assembly text from both. `ours`: the directory of our headers, `root`: what file names are relative to,
    `system`: headers that are not the user's, `named`: the device's variables, `debug`: keep the fast code's own
    debug information."""
    joined = _Joined(read_listing(fast), read_listing(check), ours, root, system, "(%rip)" in check)
    lines = list(joined.fast_text(debug=debug))
    lines += joined.check_text()
    lines += joined.variables(named)
    if "thrust" in fast:
        lines += _HOST_VECTORS
    lines += joined.places.emit()
    return "\n".join(lines) + "\n"
