"""A kernel's body becomes a closure that the runtime calls for every thread; see include/gpuopt_emu/launch.h."""

from __future__ import annotations

import re

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator.builtin_variables import BUILTINS
from gpuopt_driver.emulator.fission.parting import CLOSING_OF_REST
from gpuopt_driver.emulator.fission.split import Split
from gpuopt_driver.emulator.lexer import CLOSING, OPENING, Tokens, marker
from gpuopt_driver.emulator.structure import Function
from gpuopt_driver.emulator.survey_text import QUALIFIERS

TAG = b"gpuopt_emu_kernel"
_INLINE = frozenset({b"inline", b"__inline__", b"__inline", b"__forceinline__"})
GENERAL, PLAIN, GUARDED = range(3)
SURVEYED = 4
WAITING = 8
LOOPS_CHECKED = 16
BASED = 32
FLUSHING = 64
UPDATING = 128
# Words of a parameter that are neither its type nor its name; types that are never its name.
_NO_TYPES = frozenset(
    b"const volatile struct class union enum typename __grid_constant__ __restrict__ __restrict restrict".split()
)
_TYPES = _NO_TYPES | frozenset(b"int char short long unsigned signed float double bool void auto wchar_t".split())
FUNCTION_NAMES = {
    b"__PRETTY_FUNCTION__": b"gpuopt_emu_pretty",
    b"__func__": b"gpuopt_emu_func",
    b"__FUNCTION__": b"gpuopt_emu_func",
}


def _signature(tokens: Tokens, opened: int) -> bytes:
    """The parameter list without default arguments and attributes, on one line."""
    close = tokens.match[opened]
    parts: list[bytes] = []
    index = opened + 1
    skipping = False
    while index < close:
        text = tokens.at(index)
        end = tokens.match[index] + 1 if tokens.match[index] > index else index + 1
        if text == b"=":
            skipping = True
        elif text == b",":
            skipping = False
        is_attribute = text == b"[" and tokens.at(index + 1) == b"["  # clang++ takes none in a template's argument
        if not skipping and not is_attribute:
            written = tokens.one_line(index, end)
            parts += [tokens.separator(index), written] if written else []
        index = end
    return b"".join(parts).strip()


def references_of(tokens: Tokens, function: Function) -> list[bytes]:
    """The parameters that are references, which are memory and no values of the launch; `...` behind a pack's name."""
    found: list[bytes] = []
    at = function.params + 1
    while at < tokens.match[function.params]:
        if tokens.at(at) == b"(" and tokens.at(at + 1) == b"&" and tokens.at(at + 3) == b")":  # T (&name)[N]
            found.append(tokens.at(at + 2))
        elif tokens.at(at) in (b"&", b"&&"):
            dots = tokens.at(at + 1) == b"..."
            at += 1 + dots
            while tokens.at(at) in QUALIFIERS:
                at += 1
            if tokens.is_word(at) and tokens.at(at + 1) in (b",", b")", b"="):
                found.append(tokens.at(at) + b"..." * dots)
        at = max(tokens.match[at], at) + 1
    return found


def _parts(tokens: Tokens, function: Function) -> list[list[int]]:
    """The tokens of each parameter, without its default argument; brackets and what is in them are their first."""
    parts: list[list[int]] = [[]]
    angles = 0
    skipping = False
    at = function.params + 1
    while at < tokens.match[function.params]:
        text = tokens.at(at)
        angles += {b"<": 1, b">": -1, b">>": -2}.get(text, 0)
        if text == b"," and angles <= 0:
            parts.append([])
            skipping = False
        elif text == b"=" and angles <= 0:
            skipping = True
        elif not skipping:
            parts[-1].append(at)
        at = max(tokens.match[at], at) + 1
    return [part for part in parts if part]


def told_arguments(tokens: Tokens, function: Function) -> bytes | None:
    """The addresses of a kernel's arguments, with commas; None where one has no name, or is no value."""
    found: list[bytes] = []
    for part in _parts(tokens, function):
        while part and tokens.at(part[-1]) == b"[":
            part.pop()
        words = [tokens.at(at) for at in part]
        if words == [b"void"]:
            continue
        name = words.pop() if words else b""
        is_named = any(tokens.is_word(at) and tokens.at(at) not in _NO_TYPES for at in part[:-1])
        if not is_named or name in _TYPES or not tokens.is_word(part[-1]) or words[-1] == b"::":
            return None
        if {b"&", b"&&", b"alignas", b"__attribute__"}.intersection(words):
            return None
        found.append(b"(const void*)__builtin_addressof(" + name + b")" + b"..." * (words[-1] == b"..."))
    return b",".join(found)


def _arguments(tokens: Tokens, function: Function, attribute: bytes) -> bytes:
    """The arguments of `__launch_bounds__` and the like before a function's body."""
    for index in range(function.head, function.body):
        if tokens.at(index) == attribute and tokens.at(index + 1) == b"(":
            return tokens.written(index + 2, tokens.match[index + 1])
    return b""


def name_printf(tokens: Tokens, start: int, end: int) -> None:
    """Let printf and clock in the device code [start, end) answer as CUDA's do."""
    for index in range(start, end):
        name = tokens.at(index)
        if name in (b"printf", b"clock") and tokens.at(index + 1) == b"(" and tokens.text[index] == name:
            before = tokens.at(index - 1)
            if before == b"::" and tokens.at(index - 2) == b"std":
                tokens.clear(index - 2, index)
            elif before in (b".", b"->", b"::") or (
                tokens.is_word(index - 1) and before not in (b"return", b"else", b"do")
            ):
                continue
            tokens.text[index] = b"::gpuopt_emu::device_" + name


def name_itself(tokens: Tokens, function: Function) -> bytes:
    """Let a kernel's body name the kernel, not a closure; returns the declarations for it."""
    declared: dict[bytes, bytes] = {}
    for index in range(function.body + 1, tokens.match[function.body]):
        text = tokens.at(index)
        if text in FUNCTION_NAMES and tokens.text[index] == text:
            name = tokens.text[index] = FUNCTION_NAMES[text]
            declared.setdefault(name, b"static const auto&" + name + b"=" + text + b";")
    return b"".join(declared.values())


@dataclass(frozen=True, slots=True)
class Form:
    """How a kernel is wrapped. `loop` is GENERAL, PLAIN (its threads never wait) or GUARDED (the same, and it has
    guards that the runtime can ask); WAITING is added where they may wait for what happens outside the grid."""

    common_shared: bool  # device functions that it may call have shared variables
    loop: int  # enum LoopKind of include/gpuopt_emu/launch.h
    tags: bytes  # declarations of the types that stand for its shared variables
    split: Split | None  # the same kernel for whole blocks, or for threads abreast
    survey: bytes = b""  # what check mode asks of it, if it can: survey.py
    bases: bytes = b""  # what tells it which arrays it only reads: only_read.py
    flushes: bool = False  # it takes numbers below 2^-126 for 0: flushing.py
    updates: bool = False  # atomic functions are called in it
    named: bytes = b""  # declarations of its own name

    @property
    def told(self) -> bytes:
        """The code of both for check mode."""
        bases = b"{if(gpuopt_emu_at.survey->bases()){" + self.bases + b"}else{" + self.survey + b"}}"
        return bases if self.bases else self.survey and b"{" + self.survey + b"}"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the host compiler is told to compile device code for an extension of the processor, b"" for none."""

    target: bytes = b""
    clang: bool = False
    fuses: bool = False  # sums of products are rounded once, as nvcc has them done
    bfloats: bool = True  # products of bfloat16 are among them, as for sm_90 and later
    quick: bool = False  # -use_fast_math
    flushes: bool = False  # -ftz=true
    vectors: bool = False  # the compiler makes vectors of calls that have vector forms

    @property
    def attribute(self) -> bytes:
        """What stands among a function's specifiers."""
        return b'__attribute__((target("%s")))' % self.target if self.target else b""

    def closing(self, attributes: bytes = b"") -> bytes:
        """What is behind a lambda's parameters: clang++ wants attributes first, g++ last (10.2: not before `->`)."""
        attributes = self.attribute + attributes
        return attributes + b"mutable->void" if self.clang else b"mutable->void " + attributes


DEFAULT_DIALECT = Dialect()


def wrap(tokens: Tokens, function: Function, used: set[bytes], form: Form, dialect: Dialect) -> bytes:
    """Turn the body of a kernel into a closure in which the built-in variables `used` have names; the text of its
    other form, b"" without one."""
    text = b""
    opened, closed = function.body, tokens.match[function.body]
    values = b"".join(
        b"const " + BUILTINS[name][0] + b" " + name + b"=" + BUILTINS[name][1] + b";" for name in sorted(used)
    )
    signature = b"void(" + _signature(tokens, function.params) + (b"),true>" if form.common_shared else b"),false>")
    described = TAG + b"," + signature + b"(__PRETTY_FUNCTION__,::dim3("
    bounds = _arguments(tokens, function, b"__launch_bounds__")
    described += _arguments(tokens, function, b"__cluster_dims__") + b")" + (b"," + bounds if bounds else b"") + b")"
    captures = b"".join(b",&" + name for name in references_of(tokens, function))
    told = _tell(tokens, function, dialect)
    tags = form.tags + (form.split.aliases if form.split else b"")
    tokens.text[opened] = (
        b"{struct " + TAG + b";" + tags + b"if(::gpuopt_emu::described<" + described + b")return;" + told
        + form.named
        + b"::gpuopt_emu::"
        + _launcher(form)
        + b"([=" + captures + b"](const ::gpuopt_emu::At&gpuopt_emu_at)"
        + dialect.closing(OPENING + b"__attribute__((always_inline))" + CLOSING if form.told else b"")
        + b"{(void)gpuopt_emu_at;"
        + (OPENING + b"if(!gpuopt_emu_at.survey)" + CLOSING if form.told else b"") + b"{" + values + b"{"
    )  # fmt: skip
    # Behind the body: so the closure is the same with it and without.
    tokens.text[closed] = b"}}" + (OPENING + b"else" + form.told + CLOSING if form.told else b"") + b"}"
    if form.split:
        row = b",int gpuopt_z,int gpuopt_y,int gpuopt_x0" if form.loop != GENERAL else b""
        whole = b",[=" + captures + b"](::gpuopt_emu::Block*gpuopt_block" + row + b")" + dialect.closing() + b"{"
        text = form.split.text.replace(CLOSING_OF_REST, dialect.closing())
        if dialect.clang:  # pragmas for g++
            text = re.sub(rb"\n#pragma GCC [^\n]*", b"", text)
        tokens.text[closed] += whole + text + b"}"
        tokens.text[closed] += marker(tokens, closed)
    tokens.text[closed] += b");}"
    return text


def _tell(tokens: Tokens, function: Function, dialect: Dialect) -> bytes:
    """What tells the runtime where the arguments are. It knows the kernel by the call, so kernels are not inlined."""
    head = tokens.original[function.head : function.params]
    arguments = told_arguments(tokens, function)
    if arguments is None or not _INLINE.isdisjoint(head) or b"__global__" not in head:
        return b""
    # Neither compiler may give it other parameters than it is called with by its address.
    attribute = b"__attribute__((noinline,used))" if dialect.clang else b"__attribute__((noinline,noclone))"
    tokens.text[function.head + head.index(b"__global__")] = attribute
    return b"::gpuopt_emu::tell({" + arguments + b"});"


def _launcher(form: Form) -> bytes:
    kind = form.loop + (SURVEYED if form.survey else 0) + (BASED if form.bases else 0)
    kind += LOOPS_CHECKED if form.split and form.split.checkable else 0
    kind += FLUSHING if form.flushes else 0
    kind += UPDATING if form.updates and form.loop in (PLAIN, GUARDED) and not form.split else 0
    if form.split:
        name = b"launch_split<" if form.loop == GENERAL else b"launch_abreast<"
        return name + TAG + b",%d,(" % kind + form.split.condition + b")>"
    return b"launch<" + TAG + b",%d>" % kind
