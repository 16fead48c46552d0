"""Index forms of C++ expressions whose types matter, from source to value, against g++."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gpuopt_driver.frontend.expr import evaluate
from gpuopt_driver.frontend.model import Kernel

POINTS = [(x, y) for x in (0, 1, 5, 31, 700) for y in (0, 1, 3)]
BINARY = ("+", "-", "*", "&", "|", "^", "/", "%", ">>", "<<", "<", "<=", ">", ">=", "==", "!=", "&&", "||")


def expression(pick: random.Random, depth: int) -> str:
    """An expression in which nothing with a sign overflows, and much without one wraps around."""
    if depth == 0 or pick.random() < 0.1:
        return pick.choice(["x", "y", "ux", "uy", "lx", "2u", "7", "2654435761u", f"{pick.randrange(1, 20)}"])
    kind, part = pick.random(), expression(pick, depth - 1)
    if kind < 0.08:
        return f"({part} ? {expression(pick, depth - 1)} : {expression(pick, depth - 1)})"
    if kind < 0.14:
        return f"(!{part})"
    if kind < 0.3:
        return f"({pick.choice(['unsigned', 'unsigned long long', 'unsigned short', 'bool'])})({part})"
    name = pick.choice(BINARY)
    other = expression(pick, depth - 1)
    if name in ("/", "%"):
        other = pick.choice(["3", "7u", "16"])
    elif name in ("<<", ">>"):
        part, other = f"(unsigned)({part})", str(pick.randrange(9))
    elif name in ("*", "-", "+"):
        part, other = f"(unsigned)({part})", f"(unsigned)({other})"
    return f"({part} {name} {other})"


@pytest.mark.usefixtures("host_compiler")
@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_values_are_those_of_cpp(kernel: Callable[..., Kernel], tmp_path: Path) -> None:
    """Every random expression that the model knows has the value that g++ gives it, at every thread."""
    pick = random.Random(5)
    texts = [expression(pick, 3) for _ in range(150)]
    names = "const int x = {0}, y = {1}; const unsigned ux = {0}, uy = {1}; const long long lx = {0};"
    accesses = "\n".join(f"A[({text}) & 1023] = 0;" for text in texts)
    found = kernel(
        f"__global__ void k(char *A) {{ {names.format('threadIdx.x', 'threadIdx.y')}\n{accesses}\n}}"
    ).accesses
    assert len(found) == len(texts)
    shows = "\n".join(f"show(({text}) & 1023);" for text in texts)
    source, program = tmp_path / "all.cpp", tmp_path / "all"
    source.write_text(
        '#include <cstdio>\nstatic void show(long long v) { std::printf("%lld\\n", v); }\n'
        f"static void at(int a, int b) {{ {names.format('a', 'b')}\n{shows}\n}}\n"
        f"int main() {{ {' '.join(f'at({x}, {y});' for x, y in POINTS)} }}\n"
    )
    subprocess.run(["g++", "-w", "-O0", "-o", program, source], check=True)
    said = iter(map(int, subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()))
    known = 0
    for x, y in POINTS:
        for text, access in zip(texts, found, strict=True):
            expected = next(said)
            value = evaluate(access.offset, {"threadIdx.x": x, "threadIdx.y": y}) if access.offset is not None else None
            known += value is not None
            assert value in (None, expected), (text, x, y)
    assert known > 0.8 * len(texts) * len(POINTS)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(threadIdx.x - 1) % 10", 5),  # 4294967295 % 10
        ("(threadIdx.x - 1) < 5 ? 1 : 2", 2),
        ("(threadIdx.x * 2654435761u + 2654435761u * 3u) >> 26", (2654435761 * 3 % (1 << 32)) >> 26),
        ("(int(threadIdx.x) - 1) / 2 + 4", 4),
        ("(threadIdx.x < 3 && 5) + 1", 2),
    ],
)
def test_named_differences(kernel: Callable[..., Kernel], text: str, value: int) -> None:
    (access,) = kernel(f"__global__ void k(char *A) {{ A[{text}] = 0; }}").accesses
    assert access.offset is not None
    assert evaluate(access.offset, {"threadIdx.x": 0}) == value
