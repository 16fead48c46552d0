"""The generated command lines: every option in every spelling, phases, inputs, files, environment, random mixtures."""

from __future__ import annotations

import random
from collections.abc import Iterator

from gpuopt_driver.nvcc.options import Arity, Option, known_to
from tests.differential.project import Line
from tests.differential.values import VALUES
from tests.differential.written import hand_lines, simple_lines, stdin_lines

Version = tuple[int, int]

# Each phase as its options, the inputs that suit it, and its name in the line's group.
PHASES: tuple[tuple[str, ...], ...] = (
    ("-c",),
    ("-dc",),
    ("-dw",),
    ("-rdc=true", "-c"),
    ("-ptx",),
    ("-cubin",),
    ("-fatbin",),
    ("-optix-ir",),
    ("-dlto", "-ltoir"),
    ("-cuda",),
    ("-E",),
    ("-M",),
    ("-MM",),
    ("-lib",),
    ("-dlink",),
    ("-link",),
    (),
    ("-fdevice-syntax-only",),
)
INPUTS: tuple[tuple[str, ...], ...] = (
    ("a.cu",),
    ("host.cu",),
    ("plain.cpp",),
    ("p.c",),
    ("bad.cu",),
    ("missing.cu",),
    ("a.cu", "b.cu"),
    ("a.cu", "plain.cpp", "b.o"),
    ("rdc.o", "dev.o"),
    ("k.ptx",),
)
CUDA_INPUTS = ("a.cu", "./a.cu", "sub/../a.cu", "link.cu", "crlf é.cu", "warn.cu", "inc.cu", "host.cu")
UNKNOWN = (
    "-fPIC",
    "-Wall",
    "--no-such-option",
    "-no-such=3",
    "-std=gnu++17",
    "-arch=80",
    "-oX",
    "-pthread",
    "-MQ",
    "--",
)


def value_of(option: Option) -> str:
    """A value that this option takes."""
    return VALUES.get(option.name, "1")


def spellings(option: Option, value: str) -> Iterator[tuple[str, ...]]:
    """The ways to write one option."""
    names = dict.fromkeys((f"--{option.name}", f"-{option.short}"))
    for name in names:
        if option.arity in (Arity.FLAG, Arity.OPTIONAL):
            yield (name,)
        if option.arity is not Arity.FLAG:
            yield name, value
            yield (f"{name}={value}",)
    if option.glued:
        yield (f"-{option.short}{value}",)


def option_lines(version: Version) -> Iterator[Line]:
    """Every option in each of its spellings."""
    for option in known_to(version):
        for words in spellings(option, value_of(option)):
            yield Line("spelling", ("--dryrun", "-c", "a.cu", *words))


def misuse_lines(version: Version) -> Iterator[Line]:
    """Values missing, values where none belong, lists, repetitions, and options that do not exist."""
    for option in known_to(version):
        name, value = f"--{option.name}", value_of(option)
        if option.arity is Arity.FLAG:
            yield Line("misuse", ("--dryrun", "-c", "a.cu", f"{name}=1"))
            yield Line("misuse", ("--dryrun", "-c", "a.cu", name, name))
            continue
        yield Line("misuse", ("--dryrun", "-c", "a.cu", name))
        yield Line("misuse", ("--dryrun", "-c", "a.cu", f"{name}=nonsense"))
        yield Line("misuse", ("--dryrun", "-c", "a.cu", name, value, name, "other"))
        if option.arity is Arity.LIST:
            yield Line("list", ("--dryrun", "-c", "a.cu", name, f'{value},"x,y",z\\,w'))
    for word in UNKNOWN:
        yield Line("unknown", ("--dryrun", "-c", "a.cu", word))
        for forward in (
            "-forward-unknown-to-host-compiler",
            "-forward-unknown-to-host-linker",
            "-forward-unknown-opts",
        ):
            yield Line("unknown", ("--dryrun", forward, word, "a.cu"))


def phase_lines() -> Iterator[Line]:
    """Every phase with every kind of input: default outputs, `-o`, `-odir`, what is printed, and what fails."""
    for phase in PHASES:
        for inputs in INPUTS:
            yield Line("phase", (*phase, *inputs))
        yield Line("output", (*phase, "a.cu", "-o", "out/x y.bin"))
        yield Line("output", (*phase, "../a.cu", "-o", "here"), cwd="out")
        yield Line("output", ("--dryrun", *phase, "a.cu", "b.cu", "-odir", "out"))
        yield Line("output", ("--dryrun", *phase, "a.cu", "-o", "-"))
        yield Line("output", (*phase, "a.cu", "-o", "no/such/dir"))
        yield Line("verbose", ("--dryrun", *phase, "-arch=all-major", "a.cu"))
    for first in PHASES:
        for second in PHASES:
            if first < second:
                yield Line("phases", ("--dryrun", *first, *second, "a.cu"))


def random_lines(version: Version, count: int, seed: int) -> Iterator[Line]:
    """Mixtures: a phase, inputs, and options in any spelling and order; most of them only printed."""
    pick = random.Random(seed)
    options = [option for option in known_to(version) if option.topic.value not in ("info", "phase")]
    for _ in range(count):
        words: list[tuple[str, ...]] = [(word,) for word in pick.choice(PHASES)]
        for option in pick.sample(options, pick.randint(0, 6)):
            value = value_of(option) if pick.random() < 0.9 else pick.choice(("", "?", "a,b", '"', "-c"))
            words.append(pick.choice(list(spellings(option, value))))
        words += [(name,) for name in pick.sample(CUDA_INPUTS, pick.choice((1, 1, 1, 2)))]
        if pick.random() < 0.15:
            words.append((pick.choice(UNKNOWN),))
        if pick.random() < 0.3:
            words.append(("-o", "out/x"))
        pick.shuffle(words)
        dry = pick.random() < 0.85
        argv = [word for group in words for word in group]
        yield Line("random", (*(["--dryrun"] if dry else []), *argv))


def all_lines(version: Version, seed: int = 1, mixtures: int = 300) -> list[Line]:
    """The whole set for one version of nvcc, in a fixed order, each line once."""
    lines = [
        *option_lines(version),
        *misuse_lines(version),
        *phase_lines(),
        *simple_lines(),
        *hand_lines(),
        *stdin_lines(),
        *random_lines(version, mixtures, seed),
    ]
    known: dict[object, Line] = {}
    for line in lines:
        known.setdefault((line.argv, tuple(sorted(line.env.items())), line.stdin, line.cwd), line)
    return list(known.values())
