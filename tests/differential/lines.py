"""The generated command lines: every option in every spelling, phases, inputs, files, environment, random mixtures."""

from __future__ import annotations

import random
from collections.abc import Iterator

from gpuopt_driver.nvcc.options import Arity, Option, known_to
from tests.differential.project import KERNEL, MAIN, Line

Version = tuple[int, int]

# A value that nvcc takes, where "1" is none.
VALUES = {
    "Ofast-compile": "max",
    "Werror": "reorder",
    "apply-controls": "args.rsp",
    "archiver-binary": "/usr/bin/ar",
    "archive-options": "-v",
    "brief-diagnostics": "true",
    "compiler-bindir": "g++",
    "compiler-options": "-Wall",
    "compress-mode": "size",
    "cpp-prefix": "env",
    "cuda-api-version": "13.0",
    "cudadevrt": "none",
    "cudafe-options": "--diag_suppress=177",
    "cudart": "shared",
    "default-stream": "per-thread",
    "define-macro": "FACTOR=4.0f",
    "dependency-output": "out/f.d",
    "dependency-target-name": "goal",
    "device-compilation": "c++",
    "device-entity-has-hidden-visibility": "false",
    "device-stack-protector": "true",
    "dopt": "on",
    "entries": "scale",
    "extern-mode": "none",
    "fatbin-options": "-c",
    "fdevice-sanitize": "memcheck",
    "fdevice-time-trace": "trace",
    "fmad": "false",
    "frandom-seed": "7",
    "ftz": "true",
    "generate-code": "arch=compute_80,code=[sm_80,compute_80]",
    "gpu-architecture": "sm_90",
    "gpu-code": "sm_75",
    "host-linker-script": "use-lcs",
    "include-path": "inc",
    "intern-mode": "none",
    "keep-dir": "out",
    "libdevice-directory": "out",
    "library": "m",
    "library-path": "out",
    "linker-options": "-s",
    "machine": "64",
    "maxrregcount": "32",
    "no-libdevice": "false",
    "nvlink-options": "-v",
    "nvvm-version": "nvvm-latest",
    "optimization-info": "inline",
    "optimize": "2",
    "options-file": "args.rsp",
    "output-directory": "out",
    "output-file": "out/o.bin",
    "pre-include": "stdio.h",
    "prec-div": "false",
    "prec-sqrt": "false",
    "ptxas-options": "-v",
    "relocatable-device-code": "true",
    "sanitize": "memcheck",
    "split-compile": "2",
    "split-compile-extended": "2",
    "static-global-template-stub": "false",
    "std": "c++14",
    "system-include": "inc",
    "target-directory": "x86_64-linux",
    "threads": "2",
    "tile-preview": "simt",
    "time": "times.csv",
    "tool-name": "tool",
    "undefine-macro": "FACTOR",
    "use-cubin": "keyword=value",
    "version-ident": "false",
    "x": "cu",
}

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


_HAND = """
--version
-V
--help
-h
--version -c a.cu
--list-gpu-arch
-code-ls
-arch-ls -c a.cu

-v __cmake_determine_cuda
-v -c a.cu
-v -E a.cu
-dryrun a.cu
--dryrun -run a.cu
-run a.cu
-run exit3.cu
-run exit3.cu -run-args 5
-run exit3.cu --run-args=9 -DX
-run environ.cu
-optf run.rsp environ.cu
-optf run.rsp exit3.cu
-run bad.cu
-run bad_link.cu
-run a.cu b.cu -DSTATUS=4
-run -c a.cu
-c bad_host.cu
-cubin bad.ptx
-cubin k.ptx
-fatbin k.ptx k.cubin
-dlink k.cubin
rdc.o dev.o -o app
rdc.o -L. -ldev -o app
rdc.o libdev.a plain.o
-lib a.cu plain.cpp -o lib.a
-lib b.o dev.o -o lib.a
-shared -Xcompiler=-fPIC b.cu -o lib.so
-dlink rdc.o dev.o -o link.o
-c a.cu -keep -keep-dir out
-c a.cu --keep
-c a.cu --save-temps -odir out
-c a.cu -objtemp
-c a.cu --keep --keep-dir missing
-clean -c a.cu
--clean-targets -c b.cu -o b.o
-c a.cu -MD
-c a.cu -MMD -MF out/d.d -MT goal
-c a.cu -MD -MP -o out/x.o
-c a.cu b.cu -MD
-c inc.cu -Iinc -MD
-M inc.cu -I inc
-MM inc.cu -I inc -MT x
-M inc.cu -Iinc -o deps
-M inc.cu -Iinc -MF deps
-M missing.cu
-E -MD a.cu
-MF x.d -c a.cu
a.cu -MD -o app
-ptx -MD a.cu
-time - -ptx a.cu
--time=out/t.csv -c a.cu
-t 2 -c a.cu b.cu
--threads=2 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -c b.cu
-t0 -fatbin -arch=all-major b.cu
--split-compile=2 -c a.cu
-arch=native -c a.cu
-arch=native --dryrun -c a.cu
-arch=all -ptx a.cu
-arch=all-major -cubin a.cu
-arch=sm_90a -ptx a.cu
-arch=sm_1 -c a.cu
-arch=compute_80 -code=sm_80,compute_80 -fatbin a.cu
-gencode arch=compute_75,code=\\"sm_75,compute_75\\" -fatbin a.cu
--generate-code=arch=compute_75,code=[compute_75,sm_75] -c b.cu
-gencode arch=compute_90,code=sm_80 -c a.cu
-arch=sm_80 -gencode arch=compute_90,code=sm_90 -cubin a.cu
-Xptxas -v -cubin a.cu
-res-usage -c b.cu
-lineinfo -ptx a.cu
-G -g -ptx a.cu
-src-in-ptx -lineinfo -ptx a.cu
-Werror all-warnings -c warn.cu
-diag-suppress 177 -c warn.cu
-w -c warn.cu
-Xcudafe --display_error_number -c warn.cu
-Xcompiler -Wall,-Wextra -c warn.cu
-Xcompiler ,"-fPIC","-O2" -c a.cu
-x cu h.cpp -c
-x=cu -ptx h.cpp
h.cpp -x cu -E
-x c++ a.cu -c
-x c p.c -c
-x cu tail.txt -E
-x cu b.o -c
-x ada a.cu
tail.txt
x.cuh -c
-c s.s
-c
a.cu -o a.cu
-c a.cu -o /dev/null
-ptx a.cu -o -
-ptx a.cu -o /dev/stdout
-E a.cu -o out/a.ii
-c a.cu b.cu -o x.o
-o x -o y -c a.cu
-o x -o x -c a.cu
-std=c++14 -std=c++17 -E a.cu
-ccbin gcc -c a.cu
-ccbin /usr/bin -c a.cu
-ccbin /nowhere/g++ -c a.cu
-ccbin missing-compiler -c a.cu
-fdevice-time-trace trace -c a.cu
-DFACTOR=1.0f -DA=$HOME -E a.cu
-optf args.rsp -ptx a.cu
-optf outer.rsp -E a.cu
--options-file phase.rsp a.cu
--options-file=phase.rsp,args.rsp a.cu
-optf phase.rsp,missing.rsp a.cu
-optf input.rsp
-optf broken.rsp -c a.cu
-optf quoted.rsp --dryrun -c a.cu
-optf tail.txt a.cu
@args.rsp a.cu
-noprof -c a.cu
--dont-use-profile --dryrun -c a.cu
-ldir out -c a.cu
-target-dir x86_64-linux -c a.cu
-target-dir sbsa-linux --dryrun -c a.cu
-forward-unknown-to-host-compiler -fopenmp -c a.cu
-forward-unknown-to-host-compiler -march=native -Wextra -c warn.cu
-forward-unknown-to-host-linker -rpath=. a.cu
-forward-unknown-opts -fPIC -Wl,-s a.cu -o app
-c nothing-here/a.cu
-c .
-c sub
-c "q.cu
-c a,b.cu
-c $x.cu
-optix-ir a.cu -o out/a.ir
-dlto -dc dev.cu rdc.cu
-dlto rdc.cu dev.cu -o app
-gen-opt-lto -dc dev.cu
-maxrregcount 16 -use_fast_math -cubin a.cu
-e scale -cubin a.cu
-no-compress -fatbin a.cu
-compress-mode=size -c a.cu
-ewp -c a.cu
-rdc maybe -c a.cu
-jobserver -c a.cu
-Ofc -c a.cu
-hls -E a.cu
"""


def hand_lines() -> Iterator[Line]:
    """What build systems and people write, and what goes wrong for them."""
    for text in _HAND.strip("\n").splitlines():
        yield Line("hand", tuple(text.split()))
    yield Line("hand", ('-DMSG="hello, world"', "-DF(x)=7", "-DQ='x'", "-I", "sub dir", "-E", "a.cu"))
    yield Line("hand", ("-c", "crlf é.cu", "-o", "out/é.o", "-MD"))
    yield Line("hand", ("--dryrun", "-c", "a \udcff.cu", "-DX=\udcfe"))
    yield Line("hand", ("--dryrun", "-c", ""))
    yield Line("hand", ("--dryrun", "-c", "a.cu", *(f"-DM{number}={'x' * 90}" for number in range(1000))))
    for prepend, append in (
        ("-c", ""),
        ("-DA=1 -E", "a.cu"),
        ("", "-o out/late -c"),
        ('-DA="x y" -E', ""),
        ("-optf args.rsp", "-ptx"),
        ("-run", ""),
        ("--version", ""),
        ("-no-such-option", ""),
        ("-x c++ -c", "-DLATE"),
        ("'", "-c"),
    ):
        env = {"NVCC_PREPEND_FLAGS": prepend, "NVCC_APPEND_FLAGS": append}
        yield Line("environment", ("a.cu",), {name: value for name, value in env.items() if value})
    yield Line("environment", ("environ.cu",), {"NVCC_APPEND_FLAGS": "-run"})
    yield Line("environment", ("-x", "c++", "environ.cu"), {"NVCC_APPEND_FLAGS": "-run"})
    for compiler in ("g++", "/usr/bin", "missing-compiler"):
        yield Line("environment", ("-c", "a.cu"), {"NVCC_CCBIN": compiler})
    yield Line("environment", ("-c", "a.cu", "-ccbin", "gcc"), {"NVCC_CCBIN": "missing-compiler"})
    for variables in (
        {"TMPDIR": "/nowhere"},
        {"LC_ALL": "C"},
        {"LC_ALL": "C.UTF-8"},
        {"HOME": "/nowhere"},
        {"PATH": ""},
    ):
        yield Line("environment", ("-c", "warn.cu"), variables)
    yield Line("place", ("-c", "../../a.cu", "-I../../inc", "-MD"), cwd="deep/er")


def stdin_lines() -> Iterator[Line]:
    """Sources from standard input."""
    source = (KERNEL.replace("FACTOR", "2") + MAIN.replace("STATUS", "0")).encode()
    for words in (
        "-x cu -c -",
        "-x cu -ptx -",
        "-x cu -E -",
        "-x cu -E -DQ=1 - -o out/i",
        "-x cu -c - -o s.o",
        "-x cu - -o app",
        "-x cu -run -",
        "-x cu -M -",
        "-x cu -MD -c - -o s.o",
        "-x cu -c - b.cu",
        "-x cu -cubin - -Xptxas -v",
        "-x c++ -c -",
        "-c -",
        "--dryrun -x cu -c -",
    ):
        yield Line("stdin", tuple(words.split()), stdin=source)
    yield Line("stdin", ("-x", "cu", "-c", "-"), stdin=b"__global__ void k( {\n")
    yield Line("stdin", ("-x", "cu", "-c", "-"), stdin=b"")
    yield Line("stdin", ("-x", "cu", "-c", "-Iinc", "-"), stdin=b'#include <where.h>\n#include "a.cu"\n')


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
        *hand_lines(),
        *stdin_lines(),
        *random_lines(version, mixtures, seed),
    ]
    known: dict[object, Line] = {}
    for line in lines:
        known.setdefault((line.argv, tuple(sorted(line.env.items())), line.stdin, line.cwd), line)
    return list(known.values())
