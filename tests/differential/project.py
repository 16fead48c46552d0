"""The files that the generated command lines work on, and command lines as values."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

KERNEL = """\
__global__ void scale(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= FACTOR;
}
"""
HEAD = "#ifndef FACTOR\n#define FACTOR 2.0f\n#endif\n"
MAIN = "int main() { scale<<<1, 32>>>(0, 0); return STATUS; }\n"

_TEXTS = {
    "a.cu": HEAD + KERNEL + "#ifndef STATUS\n#define STATUS 0\n#endif\n" + MAIN,
    "b.cu": HEAD + KERNEL.replace("scale", "other") + "void call_other() { other<<<1, 32>>>(0, 0); }\n",
    "dev.cu": "__device__ float twice(float x) { return 2 * x; }\n",
    "rdc.cu": "extern __device__ float twice(float);\n__global__ void k(float *a) { *a = twice(*a); }\nint main() {}\n",
    "inc.cu": '#include "sub/part.cuh"\n#include <where.h>\nvoid g() { part<<<1, 1>>>(0); }\n',
    "sub/part.cuh": "#pragma once\n__global__ void part(int *p) { *p = WHERE; }\n",
    "inc/where.h": "#define WHERE 7\n",
    "host.cu": "int plain() { return 1; }\n",
    "warn.cu": "__global__ void w(int *p) { int unused; *p = 1; }\nstatic int never() { return 1; }\n",
    "bad.cu": "__global__ void k(float *a) { a[0] = ; }\n",
    "bad_host.cu": KERNEL.replace("FACTOR", "2") + 'void f() {\n#ifndef __CUDA_ARCH__\n  asm("what");\n#endif\n}\n',
    "bad_link.cu": "void missing();\nint main() { missing(); }\n",
    "exit3.cu": "int main(int n, char **v) { return n > 1 ? v[1][0] - '0' : 3; }\n",
    "environ.cu": "#include <cstdio>\nextern char **environ;\nint main() { while (*environ) puts(*environ++); }\n",
    "crlf é.cu": (HEAD + KERNEL).replace("\n", "\r\n"),
    "h.cpp": HEAD + KERNEL,
    "plain.cpp": "int f() { return 1; }\n",
    "p.c": "int c(void) { return 1; }\n",
    "s.s": ".text\n",
    "x.cuh": KERNEL,
    "k.ptx": ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry e() { ret; }\n",
    "bad.ptx": ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry e() { nonsense; ret; }\n",
    "args.rsp": '-DFACTOR=3.0f "-DQ=x y"\n-I inc\r\n',
    "phase.rsp": "-c -O2",
    "outer.rsp": "-optf args.rsp\n-DOUTER",
    "input.rsp": "-c a.cu",
    "run.rsp": "-run",
    "quoted.rsp": '-I"sub dir" -DV=\\"s\\" -DW=1\\\\,2',
    "broken.rsp": '-DA="x',
    "tail.txt": "not a source\n",
    "huge.rsp": "".join(f"-DHUGE{number}={'x' * 90}\n" for number in range(1000)),
}
# Names of sources that a shell, make or a parser could trip over; nvcc does over some.
STRANGE = (
    *("sp  ace.cu", 'quo"te.cu', "apo'strophe.cu", "amp&semi;.cu", "par(en).cu", "com,ma.cu", "dol$lar.cu"),
    *("back\\slash.cu", "per%cent.cu", "ha#sh.cu", "eq=ual.cu", "not utf8 \udcff.cu", "linked/part.cu", "x.cu.cu"),
)
DEEP = "/".join(["a long name of a directory"] * 8)


@dataclass(frozen=True)
class Line:
    """One command line (without argv[0]), what is special around it, and what it is an example of."""

    group: str
    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes | None = None
    cwd: str = "."

    @property
    def text(self) -> str:
        """The line for people."""
        settings = [f"{name}={value!r}" for name, value in self.env.items()]
        place = [] if self.cwd == "." else [f"cd {self.cwd};"]
        return ascii(" ".join([*place, *settings, *self.argv, *(["<stdin"] if self.stdin is not None else [])]))

    @property
    def dry(self) -> bool:
        """Whether nothing is compiled."""
        return bool({"--dryrun", "-dryrun"}.intersection(self.argv))


def write_sources(root: Path) -> None:
    """The project without what must be compiled."""
    for name, text in _TEXTS.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    for name in ("out", "sub dir", "deep/er", DEEP):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "link.cu").symlink_to("a.cu")
    (root / "linked").symlink_to("sub")
    (root / DEEP / "a.cu").write_text(HEAD + KERNEL)
    for name in STRANGE:
        (root / name).write_text(HEAD + KERNEL)


def write_project(root: Path, nvcc: str) -> None:
    """The whole project; objects are made with the real nvcc, once."""
    write_sources(root)
    commands = [
        ["-c", "b.cu", "-o", "b.o"],
        ["-dc", "dev.cu", "-o", "dev.o"],
        ["-dc", "rdc.cu", "-o", "rdc.o"],
        ["-lib", "dev.o", "-o", "libdev.a"],
        ["-c", "plain.cpp", "-o", "plain.o"],
        ["-cubin", "-arch=sm_80", "b.cu", "-o", "k.cubin"],
        ["-fatbin", "b.cu", "-o", "k.fatbin"],
    ]
    for command in commands:
        subprocess.run([nvcc, *command], cwd=root, check=True, capture_output=True, timeout=120)
