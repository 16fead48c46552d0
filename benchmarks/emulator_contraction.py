"""Random kernels of products and sums: what the emulator computes beside what nvcc's machine code does; needs no GPU.

    python benchmarks/emulator_contraction.py --nvdisasm FILE [--seed 5] [--kernels 60]
        [--signs] [--constants] [--pairs]

nvcc compiles the kernels for sm_90; their SASS (no branches) is read as expressions of FMUL, FADD and FFMA and
evaluated with the numbers that the emulated program is given. Prints the kernels whose results differ in any bit, and
how many.
"""

from __future__ import annotations

import argparse
import ctypes
import random
import re
import struct
import subprocess
import tempfile
from pathlib import Path

INPUTS, ROUNDS = 8, 4
CONSTANTS = ["0.3f", "(-0.3f)", "(-0.7f)", "1.7f", "(-1.3f)", "0.9f", "(-2.5f)"]
RUN = r"""
float *x;
void run(void (*k)(float *, const float *), float *o, const char *name, int s) {
  memset(o, 0, 96);
  k<<<1, 1>>>(o, x);
  cudaDeviceSynchronize();
  printf("%d %s", s, name);
  for (int i = 0; i < 24; ++i) {
    unsigned u;
    memcpy(&u, o + i, 4);
    printf(" %u", u);
  }
  puts("");
}
int main() {
  float *o;
  cudaMallocManaged(&x, 64);
  cudaMallocManaged(&o, 96);
  for (unsigned s = 0; s < sizeof in / sizeof *in; ++s) {
    memcpy(x, in[s], sizeof in[s]);
    CALLS
  }
}
"""
libm = ctypes.CDLL("libm.so.6")
libm.fmaf.restype, libm.fmaf.argtypes = ctypes.c_float, [ctypes.c_float] * 3


def rounded(value: float) -> float:
    return struct.unpack("f", struct.pack("f", value))[0]


def from_bits(bits: int) -> float:
    return struct.unpack("f", struct.pack("I", bits))[0]


class Generator:
    """A kernel without branches: named and repeated products, nested sums."""

    def __init__(self, rng: random.Random, *, signs: bool, constants: bool) -> None:
        self.rng, self.signs, self.constants = rng, signs, constants
        self.names: list[str] = []
        self.products: list[str] = []

    def leaf(self) -> str:
        return f"x{self.rng.randrange(INPUTS)}"

    def atom(self) -> str:
        if self.constants and self.rng.random() < 0.25:
            return self.rng.choice(CONSTANTS)
        return self.rng.choice(self.names) if self.names and self.rng.random() < 0.5 else self.leaf()

    def product(self) -> str:
        if self.products and self.rng.random() < 0.25:
            return self.rng.choice(self.products)
        self.products.append(f"{self.atom()} * {self.atom()}")
        return self.products[-1]

    def expression(self, depth: int) -> str:
        kind = self.rng.random()
        if depth == 0 or kind < 0.25:
            return self.atom() if self.rng.random() < 0.4 else self.product()
        if kind < 0.75:
            return f"{self.expression(depth - 1)} {self.rng.choice('+-')} {self.term(depth - 1)}"
        if kind < 0.85 or not self.signs:
            return f"({self.expression(depth - 1)}) * {self.atom()}" if kind < 0.85 else self.product()
        return f"-{self.atom()} * {self.atom()} {self.rng.choice('+-')} {self.term(depth - 1)}"

    def term(self, depth: int) -> str:
        text = self.expression(depth)
        return f"({text})" if "+" in text or "-" in text else text

    def kernel(self, name: str) -> str:
        rng, lines, results = self.rng, [], 0
        for number in range(rng.randint(2, 7)):
            kind = rng.random()
            if kind < 0.45:
                value = self.product() if rng.random() < 0.6 else self.expression(2)
                lines.append(f"float t{number} = {value};")
                self.names.append(f"t{number}")
            elif kind < 0.6 and self.names:
                lines.append(f"{rng.choice(self.names)} {rng.choice('+-')}= {self.term(1)};")
                self.products.clear()
            else:
                lines.append(f"o[{results}] = {self.expression(rng.randint(1, 3))};")
                results += 1
        for variable in self.names[-2:]:
            lines.append(f"o[{results}] = {variable} + {self.leaf()};")
            results += 1
        loads = ", ".join(f"x{i} = x[{i}]" for i in range(INPUTS))
        body = " ".join(lines)
        return f'extern "C" __global__ void {name}(float *o, const float *x) {{ const float {loads}; {body} }}\n'


PAIRS = """
__device__ inline float2 product(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ float2 turned(float2 a, float2 b) { return make_float2(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y); }
__device__ inline float2 operator*(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ inline float2 operator+(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ inline float2 operator*(float2 a, float b) { return make_float2(b * a.x, b * a.y); }
__device__ float2 mixed(float2 a, float2 b, float t) {
  float2 c;
  c.x = a.x * t + b.x * (1 - t);
  c.y = a.y * t + b.y * (1 - t);
  return c;
}
__device__ inline float inner(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
__device__ inline void both(float &sum, float &rest, float a, float b, float c, float d) {
  float s = a * b;
  sum = s + c * d;
  rest = s * c - d * b;
}
"""


class PairsGenerator:
    """A kernel of complex numbers: functions and operators called with what is loaded, made of numbers or computed."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.pairs: list[str] = []
        self.numbers: list[str] = []

    def number(self) -> str:
        kind = self.rng.random()
        if kind < 0.3 and self.numbers:
            return self.rng.choice(self.numbers)
        if kind < 0.7 and self.pairs:
            return f"{self.rng.choice(self.pairs)}.{self.rng.choice('xy')}"
        return f"x{self.rng.randrange(INPUTS // 2, INPUTS)}"

    def pair(self) -> str:
        kind = self.rng.random()
        if kind < 0.5 and self.pairs:
            return self.rng.choice(self.pairs)
        if kind < 0.75:
            return f"p{self.rng.randrange(INPUTS // 4)}"
        return f"make_float2({self.number()}, {self.number()})"

    def value(self) -> str:
        kind, a, b = self.rng.random(), self.pair(), self.pair()
        if kind < 0.3:
            return f"product({a}, {b})"
        if kind < 0.55:
            return f"{a} * {b}"
        if kind < 0.65:
            return f"{a} * {b} + {self.pair()}"
        if kind < 0.8:
            return f"turned({a}, {b})"
        return f"mixed({a}, {b}, {self.number()})" if kind < 0.9 else f"{a} * {self.number()}"

    def kernel(self, name: str) -> str:
        rng, lines, results = self.rng, [], 0
        for at in range(rng.randint(2, 5)):
            kind = rng.random()
            if kind < 0.2:
                lines.append(f"float2 v{at} = {self.pair()};")
            elif kind < 0.4:
                lines.append(f"float2 v{at} = {self.value()};")
            elif kind < 0.5:
                numbers = ", ".join(self.number() for _ in range(4))
                lines.append(f"float s{at}, r{at}; both(s{at}, r{at}, {numbers});")
                self.numbers += [f"s{at}", f"r{at}"]
                continue
            elif kind < 0.6:
                lines.append(f"float s{at} = inner({self.pair()}, {self.pair()});")
                self.numbers.append(f"s{at}")
                continue
            else:
                lines.append(f"q[{results}] = {self.value()};")
                results += 1
                continue
            self.pairs.append(f"v{at}")
        for value in [self.value(), *self.pairs[-2:], f"make_float2({self.number()}, {self.number()})"]:
            lines.append(f"q[{results}] = {value};")
            results += 1
        named = "const float2 *p = (const float2 *)x; float2 *q = (float2 *)o; const float2 p0 = p[0], p1 = p[1];"
        loads = ", ".join(f"x{i} = x[{i}]" for i in range(INPUTS // 2, INPUTS))
        body = f"{named} const float {loads}; {' '.join(lines)}"
        return f'extern "C" __global__ void {name}(float *o, const float *x) {{ {body} }}\n'


def evaluate(code: list[str], x: list[float]) -> dict[int, float]:
    """What a kernel's SASS stores, by offset."""
    registers: dict[str, float] = {}
    stores: dict[int, float] = {}

    def operand(text: str) -> float:
        text = text.replace(".reuse", "").strip()
        value = 0.0 if text.lstrip("-") in ("RZ", "URZ") else registers.get(text.lstrip("-"))
        value = rounded(float(text.lstrip("-"))) if value is None else value
        return -value if text.startswith("-") else value

    for line in code:
        opcode, _, rest = line.partition(" ")
        fields, base = rest.split(","), opcode.split(".")[0]
        offset = re.search(r"\.64(?:\+0x([0-9a-f]+))?\]", rest)
        at = int(offset.group(1) or "0", 16) // 4 if offset else 0
        if base == "FMUL":
            registers[fields[0]] = rounded(operand(fields[1]) * operand(fields[2]))
        elif base == "FADD":
            registers[fields[0]] = rounded(operand(fields[1]) + operand(fields[2]))
        elif base == "FFMA":
            registers[fields[0]] = libm.fmaf(*(operand(field) for field in fields[1:4]))
        elif base == "LDG":
            first = int(fields[0][1:])
            for i in range(4 if ".128" in opcode else 2 if ".64" in opcode.split(" ")[0] else 1):
                registers[f"R{first + i}"] = x[at + i]
        elif base == "STG":
            first, count = fields[1].strip(), 4 if ".128" in opcode else 2 if ".64" in opcode.split(" ")[0] else 1
            for i in range(count):
                stores[at + i] = operand(first if count == 1 else f"R{int(first[1:]) + i}")
        elif base in ("MOV", "UMOV") or opcode.startswith("IMAD.MOV"):
            text = fields[-1] if base == "IMAD" else fields[1]
            registers[fields[0]] = from_bits(int(text, 16)) if text.strip().startswith("0x") else operand(text)
        elif base == "HFMA2":  # two halves make a constant
            high, low = (struct.unpack("H", struct.pack("e", float(field)))[0] for field in fields[-2:])
            registers[fields[0]] = from_bits(high << 16 | low)
        elif base == "EXIT":
            break
        elif opcode.startswith("@"):
            raise ValueError(f"a branch: {line}")
    return stores


def sass_of(nvdisasm: str, cubin: Path) -> dict[str, list[str]]:
    text = subprocess.run([nvdisasm, "-c", cubin], capture_output=True, text=True, check=True).stdout
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.splitlines():
        if name := re.match(r"\.text\.(\w+):", line):
            current = found.setdefault(name.group(1), [])
        elif code := re.match(r"\s*/\*[0-9a-f]+\*/\s+(.*?)\s*;", line):
            current.append(code.group(1))
    return found


def program(kernels: list[str], inputs: list[list[float]]) -> str:
    bits = ", ".join("{" + ", ".join(f"{struct.unpack('I', struct.pack('f', v))[0]}u" for v in x) + "}" for x in inputs)
    calls = "".join(f'run(k{i}, o, "{i}", s);\n' for i in range(sum("__global__" in kernel for kernel in kernels)))
    data = f"static const unsigned in[][{INPUTS}] = {{{bits}}};\n"
    return "#include <cstdio>\n#include <cstring>\n" + "".join(kernels) + data + RUN.replace("CALLS", calls)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvdisasm", required=True)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--kernels", type=int, default=60)
    parser.add_argument("--signs", action="store_true", help="products with signs, too")
    parser.add_argument("--constants", action="store_true", help="with constants, negative ones among them")
    parser.add_argument("--pairs", action="store_true", help="complex numbers, functions and operators of them")
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    kernels = [
        PairsGenerator(rng).kernel(f"k{i}")
        if arguments.pairs
        else Generator(rng, signs=arguments.signs, constants=arguments.constants).kernel(f"k{i}")
        for i in range(arguments.kernels)
    ]
    inputs = [[rounded(rng.uniform(-2, 2)) for _ in range(INPUTS)] for _ in range(ROUNDS)]
    with tempfile.TemporaryDirectory() as folder:
        source, cubin, binary = (Path(folder) / name for name in ("k.cu", "k.cubin", "k"))
        source.write_text(program([PAIRS * arguments.pairs, *kernels], inputs))
        subprocess.run(["nvcc", "-w", "-arch=sm_90", "-cubin", source, "-o", cubin], check=True)
        sass = sass_of(arguments.nvdisasm, cubin)
        command = ["gpuopt-nvcc", "--gpuopt-backend=emulator", "-O1", source, "-o", binary]
        subprocess.run(command, check=True)
        lines = subprocess.run([binary], capture_output=True, text=True, check=True).stdout.splitlines()
    wrong: set[int] = set()
    for line in lines:
        turn, number, *results = map(int, line.split())
        for offset, value in evaluate(sass[f"k{number}"], inputs[turn]).items():
            if struct.pack("I", results[offset]) != struct.pack("f", value):
                wrong.add(number)
    for number in sorted(wrong)[:5]:
        print(kernels[number].strip())
    print(f"{len(wrong)} of {len(kernels)} kernels differ from nvcc's machine code")


if __name__ == "__main__":
    main()
