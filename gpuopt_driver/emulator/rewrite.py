"""Preprocessed CUDA in, preprocessed C++ for the host compiler out; every line keeps its number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from gpuopt_driver.dataclass import dataclass
from gpuopt_driver.emulator import (
    builtin_variables,
    kernels,
    launches,
    lockstep,
    paths,
    ptx,
    qualifiers,
    references,
    shared,
)
from gpuopt_driver.emulator.contraction.callers import copy_for_calls
from gpuopt_driver.emulator.conversions import saturate_conversions
from gpuopt_driver.emulator.device_maths import name_maths
from gpuopt_driver.emulator.fission.split import surroundings
from gpuopt_driver.emulator.flushing import speaks_of_double
from gpuopt_driver.emulator.inlining.callees import template_of
from gpuopt_driver.emulator.inlining.named import Unit
from gpuopt_driver.emulator.lexer import OPENING, Tokens, lex
from gpuopt_driver.emulator.only_read import bases_of
from gpuopt_driver.emulator.plain import has_atomics, lone_kernels
from gpuopt_driver.emulator.pointees import arrays_of
from gpuopt_driver.emulator.products import fuse_products
from gpuopt_driver.emulator.quotients import divide_quickly
from gpuopt_driver.emulator.shared import skip_template
from gpuopt_driver.emulator.shifts import clamp_shifts
from gpuopt_driver.emulator.splitting import Splitting, can_be_surveyed, loops_of, surveys_of
from gpuopt_driver.emulator.statements import functions_reaching
from gpuopt_driver.emulator.steps.hazards import hazards_of
from gpuopt_driver.emulator.steps.write import mark_steps
from gpuopt_driver.emulator.structure import Function, Role, Structure, outline
from gpuopt_driver.emulator.survey import without_surveys
from gpuopt_driver.emulator.survey_text import names_of_numbers
from gpuopt_driver.emulator.unrolling import tell_turns
from gpuopt_driver.emulator.waits import waiting_kernels


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The text for the host compiler, and what could not be translated, as one message line each."""

    text: bytes
    errors: tuple[str, ...] = ()
    split: int = 0  # kernels with barriers that were made loops
    placed: int = 0  # those of them in which calls were written in place
    surveyed: bytes = b""  # the text for check mode, with surveys of kernels; empty where it is the same
    forms: Mapping[int, bytes] = field(default_factory=dict)  # the loops of each, by the kernel's number in the unit


def _device_lambdas(tokens: Tokens, structure: Structure) -> list[tuple[int, int]]:
    """Bodies of device lambdas in host functions, as token ranges."""
    regions: list[tuple[int, int]] = []
    for function in structure.functions:
        if function.role is not Role.HOST:
            continue
        for index in range(function.body, tokens.match[function.body]):
            if tokens.at(index) != b"[" or tokens.at(tokens.match[index] + 1) not in (b"__device__", b"__host__"):
                continue
            body = builtin_variables.lambda_body(tokens, index)
            if body >= 0:
                regions.append((body + 1, tokens.match[body]))
    return regions


def _shared_declarations(tokens: Tokens, structure: Structure, *, relocatable: bool) -> dict[int, bytes]:
    """Rewrite `__shared__`; what each kernel, by its body, has to declare for it.

    What stands for a device function's variables is declared before it, so that it has the same ones where it is
    written in place of a call; with `relocatable`, and of members, in it.
    """
    declared: dict[int, bytes] = {}
    functions = [(f.body, tokens.match[f.body], f) for f in structure.functions]
    done = -1
    repeatable: set[tuple[bytes, ...]] = set()
    at_file: set[bytes] = set()
    for index, text in enumerate(tokens.original):
        if text != b"__shared__" or index <= done:
            continue
        around: Function | None = next((f for opened, close, f in functions if opened < index < close), None)
        if around is None:
            at_file |= shared.rewrite_at_file(tokens, shared.statement_start(tokens, index), index, repeatable)
        else:
            in_kernel = around.role is Role.KERNEL
            start = shared.statement_start(tokens, index)
            # Numbered from the function's start: the same in every unit that includes it, so that they are one.
            template = template_of(tokens, around)
            if in_kernel:
                tags = shared.rewrite_local(tokens, index, kernels.TAG, index - around.body)
                declared[around.body] = declared.get(around.body, b"") + tags
            elif relocatable or around.head in structure.in_class or template is None:
                tags = shared.rewrite_local(tokens, index, b"void", index - around.body)
                tokens.text[start] = tags + tokens.text[start]
            else:
                arguments = b",".join(one.name for one in template)
                head = tokens.one_line(around.head, skip_template(tokens, around.head + 1)) if template else b""
                of = b"<%s>" % arguments if template else b""
                tags = shared.rewrite_local(tokens, index, b"void", index, head=head, arguments=of)
                tokens.gap[around.head] += b"namespace{%s}" % tags
        done = index
    for opened, close, function in functions if at_file else ():
        if function.role is not Role.HOST:
            shared.name_memory(tokens, opened, close, at_file)
    return declared


def _reaching_shared(tokens: Tokens, structure: Structure) -> set[int]:
    """The bodies of kernels that may call, by name and over others, a device function with shared variables."""

    def has_shared(function: Function) -> bool:
        return (
            function.role is Role.DEVICE
            and b"__shared__" in tokens.original[function.body : tokens.match[function.body]]
        )

    reaching, _ = functions_reaching(tokens, structure.functions, has_shared)
    return {f.body for f in structure.functions if f.role is Role.KERNEL and f.body in reaching}


def rewrite(
    source: bytes,
    *,
    relocatable: bool = False,
    epilogue: bytes = b"",
    fission: bool = True,
    calls: bool = True,
    whole: frozenset[int] = frozenset(),
    dialect: kernels.Dialect = kernels.DEFAULT_DIALECT,
) -> Rewritten:
    """Rewrite the output of the host preprocessor; `epilogue` is appended as a line of its own.

    `fission`: kernels may become loops over their threads, but those with the numbers `whole`; `calls`: also those with
    barriers in functions that they call, which are written in place there.
    """
    tokens = lex(source)
    structure = outline(tokens)
    if builtin_variables.drop_global_scope(tokens, structure):
        source = tokens.bytes()
        tokens = lex(source)
        structure = outline(tokens)
    if dialect.fuses and copy_for_calls(tokens, structure.device(), structure.in_class, quick=dialect.quick):
        source = tokens.bytes()
        tokens = lex(source)
        structure = outline(tokens)
    hazards = hazards_of(tokens, structure) if b"__shared__" in source else {}
    while True:
        if hazards:
            mark_steps(tokens, structure, hazards)
            tokens = lex(tokens.bytes())
            structure = outline(tokens)
        form = _Form(relocatable, epilogue, fission, calls, whole, dialect)
        result, split = _rewritten(tokens, structure, form)
        # On fibers steps take their time: there only where it is likely that lanes count on them.
        doubtful = {
            number
            for number, found in hazards.items()
            if structure.functions[number].body not in split and not any(hazard.likely for hazard in found)
        }
        if not doubtful:
            return result
        hazards = {number: found for number, found in hazards.items() if number not in doubtful}
        tokens = lex(source)
        structure = outline(tokens)


@dataclass(frozen=True, slots=True)
class _Form:
    """What `rewrite` is asked for."""

    relocatable: bool
    epilogue: bytes
    fission: bool
    calls: bool
    whole: frozenset[int]
    dialect: kernels.Dialect


def _name_builtins(
    tokens: Tokens, structure: Structure, regions: list[tuple[int, int]], members: builtin_variables.Members
) -> None:
    """Give built-in variables their values, in the device code `regions` outside of kernels and outside of bodies."""
    named = {f.body + 1: builtin_variables.parameter_names(tokens, f) | members.of(f) for f in structure.functions}
    for start, end in regions:
        builtin_variables.name_builtins(tokens, start, end, None, named.get(start, ()))
    builtin_variables.name_builtins_between(tokens, structure)


def _compute_as_devices(
    tokens: Tokens,
    structure: Structure,
    lambdas: list[tuple[int, int]],
    regions: list[tuple[int, int]],
    dialect: kernels.Dialect,
) -> bool:
    """Give arithmetic in the device code `regions` a GPU's results; whether numbers below 2^-126 are 0 in it."""
    flushes = dialect.flushes and not speaks_of_double(tokens, structure, lambdas)
    name_maths(tokens, structure, lambdas, flushes=flushes)
    clamp_shifts(tokens, regions)
    if dialect.fuses:
        both = {f.body + 1 for f in structure.functions if b"__host__" in tokens.original[f.head : f.params]}
        fuse_products(tokens, structure.device(), structure.in_class, regions, both, dialect)
    if dialect.quick:
        divide_quickly(tokens, regions)
    return flushes


def _rewritten(tokens: Tokens, structure: Structure, form_: _Form) -> tuple[Rewritten, set[int]]:
    """The unit rewritten, and the bodies of kernels that are split."""
    relocatable, fission, dialect = form_.relocatable, form_.fission, form_.dialect
    tags = _shared_declarations(tokens, structure, relocatable=relocatable)
    numbers = {f.body: number for number, f in enumerate(structure.functions) if f.role is Role.KERNEL}
    bodies = [structure.functions[number] for number in numbers.values()]
    lambdas = _device_lambdas(tokens, structure)
    regions = [(f.body + 1, tokens.match[f.body]) for f in structure.functions if f.role is Role.DEVICE] + lambdas
    members = builtin_variables.Members(tokens)
    _name_builtins(tokens, structure, regions, members)
    used = {function.body: builtin_variables.builtins_of(tokens, function, members) for function in bodies}
    named = {function.body: kernels.name_itself(tokens, function) for function in bodies}
    errors: list[ptx.Unsupported] = []
    regions += [(f.body + 1, tokens.match[f.body]) for f in bodies]
    tell_turns(tokens, regions)
    paths.trace_unmasked(tokens, structure, regions)
    for start, end in regions:
        errors.extend(ptx.rewrite_asm(tokens, start, end))
        kernels.name_printf(tokens, start, end)
    flushes = _compute_as_devices(tokens, structure, lambdas, regions, dialect)
    lockstep.keep_in_step(tokens, structure, structure.device())
    qualifiers.rewrite_qualifiers(tokens, structure, internal=not relocatable)
    qualifiers.target_device_functions(tokens, structure, dialect.attribute)
    reaching = _reaching_shared(tokens, structure)
    alone = lone_kernels(tokens, structure, lambdas, relocatable=relocatable)
    saturate_conversions(tokens, regions)
    around = surroundings(tokens, structure)
    # What reads the text of kernels takes parameters for values that all threads share, `blockIdx` for the block's.
    own = [f for f in bodies if builtin_variables.hidden_by(tokens, f).isdisjoint(builtin_variables.BUILTINS)]
    with_values = [f for f in own if not kernels.references_of(tokens, f)]
    unit = Unit(tokens, structure, alone.called) if form_.calls else None
    waiting = alone.but(*waiting_kernels(tokens, structure, lambdas, relocatable=relocatable))
    splitting = Splitting(around, alone, unit, waiting)
    plain = [f for f in with_values if f.body in alone.plain]
    may = [f for f in with_values if numbers[f.body] not in form_.whole] if fission else []
    split = splitting.split(tokens, may)
    split = splitting.with_vectors(tokens, structure, plain, split) if dialect.vectors else split
    whole = [f for f in with_values if can_be_surveyed(split.get(f.body))]
    surveys = surveys_of(tokens, structure, around, [*plain, *whole])
    loops, several = loops_of(tokens, around, [f for f in bodies if f.body in alone.plain], {f.body for f in may})
    arrays = arrays_of(tokens, structure, names_of_numbers(tokens), relocatable=relocatable)
    paths.trace_steps(tokens, structure, regions)
    forms: dict[int, bytes] = {}
    for function in bodies:
        general = kernels.GENERAL + (kernels.WAITING if function.body in waiting - split.keys() else 0)
        loop = loops.get(function.body, general)
        form = kernels.Form(
            function.body in reaching, loop, tags.get(function.body, b""),
            split.get(function.body) or several.get(function.body), surveys.get(function.body, b""),
            bases_of(arrays, function), flushes, has_atomics(tokens, function), named[function.body],
        )  # fmt: skip
        forms[numbers[function.body]] = kernels.wrap(tokens, function, used[function.body], form, dialect)
    launches.rewrite_launches(tokens)
    references.rewrite_references(tokens)
    text = tokens.bytes() + (b"\n" + form_.epilogue if form_.epilogue else b"")
    done = Rewritten(
        without_surveys(text), tuple(map(str, errors)), len(split) + len(several),
        sum(one.placed for one in split.values()), text if OPENING in text else b"",
        {number: without_surveys(written) for number, written in forms.items() if written},
    )  # fmt: skip
    return done, set(split)
