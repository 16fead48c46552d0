"""Command lines written by hand: what build systems and people write, and what goes wrong for them."""

from __future__ import annotations

from collections.abc import Iterator

from tests.differential.project import DEEP, KERNEL, MAIN, STRANGE, Line

# So simple that nvcc starts before the analysis (nvcc/simple.py); some fail, some find files where they write.
_BESIDE = """
-c a.cu -o x.o
-c a.cu -o b.o
-c bad.cu -o b.o
-c bad_host.cu -o b.o
-c bad_host.cu -o x.o
-c warn.cu -o out/w.o
-c a.cu -o missing/x.o
-c nosuch.cu -o x.o
-c a.cu -o a.cu
-c -x cu plain.cpp -o x.o
-c a.cu -std=c++99 -o x.o
-dc rdc.cu -g -G -o rdc.o
-ptx a.cu -o x.ptx
-ptx b.cu -o k.ptx
-ptx bad.cu -o k.ptx
-cubin b.cu -arch=sm_90 --output-file=k.cubin
-fatbin b.cu -gencode arch=compute_90,code=sm_90 -gencode arch=compute_80,code=[compute_80,sm_80] -o k.fatbin
a.cu -o app
a.cu b.cu -O3 -lm -L. -o app
bad_link.cu -o app
inc.cu -Iinc -rdc=true -dc -MD -MF out/d.d -MT goal -o out/x.o
-forward-unknown-to-host-compiler -DX -O2 -Xcompiler=-fPIC -Wall -MD -MT x.o -MF x.d -x cu -c a.cu -o x.o
-c a.cu -Xptxas -v -Xcompiler -Wall,-Wextra -lineinfo -use_fast_math -o x.o
-c a.cu -Xptxas --what -o x.o
"""

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


def simple_lines() -> Iterator[Line]:
    """What nvcc may start with before anything is analysed."""
    for text in _BESIDE.strip("\n").splitlines():
        yield Line("beside", tuple(text.split()))


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
    yield Line("place", ("-c", "a.cu", "-o", "x.o"), cwd=DEEP)
    yield Line("hand", ("-optf", "huge.rsp", "-E", "a.cu"))
    yield Line("hand", ("-c", "bad.cu", "-o", "b.o"))
    for name in STRANGE:
        yield Line("names", ("-ptx", name))
        yield Line("names", ("--dryrun", "-c", f"./{name}", "-MD"))
        yield Line("names", ("-M", name, "-o", "out/deps"))


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
