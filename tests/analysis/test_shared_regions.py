"""Shared-memory access regions: first definition to last use over all threads, redefinition opens a region."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.analysis.coalescing import Shape
from gpuopt_driver.analysis.phase_cost import Latencies, split_cost
from gpuopt_driver.analysis.shared_regions import SharedObstacle, SharedProblem, joined, shared_regions
from gpuopt_driver.frontend.expr import evaluate
from gpuopt_driver.frontend.model import Kernel, Unit
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

HEAD = "__global__ void kernel(int n, float *x, float *y) { int t = threadIdx.x;\n"

# name -> (body, block shape, [(first line, last line)] relative to the kernel's first line, or the problem)
CASES: dict[str, tuple[str, Shape | None, list[tuple[int, int]] | str]] = {
    "one exchange": (
        "__shared__ float s[64];\nfloat a = x[t];\ns[t] = a;\n__syncthreads();\n"
        "a += s[63 - t];\n__syncthreads();\ny[t] = a;\n}",
        Shape(64),
        [(4, 6)],
    ),
    "redefinition opens a region": (
        "__shared__ float s[64];\nfloat a = x[0];\ns[t] = a;\n__syncthreads();\na = s[63 - t];\n"
        "__syncthreads();\ns[t] = a * x[1];\n__syncthreads();\ny[t] = s[(t + n) % 64];\n}",
        Shape(64),
        [(4, 6), (8, 10)],
    ),
    "too few threads to redefine all": (
        "__shared__ float s[64];\nfloat a = x[0];\ns[t] = a;\n__syncthreads();\na = s[31 - t];\n"
        "__syncthreads();\ns[t] = a * x[1];\n__syncthreads();\ny[t] = s[(t + n) % 64];\n}",
        Shape(32),
        [(4, 10)],
    ),
    "a shape that is not known": (
        "__shared__ float s[64];\nfloat a = x[0];\ns[t] = a;\n__syncthreads();\na = s[63 - t];\n"
        "__syncthreads();\ns[t] = a * x[1];\n__syncthreads();\ny[t] = s[t];\n}",
        None,
        [(4, 10)],
    ),
    "inside a loop": (
        "__shared__ float s[16][16];\nfloat a = 0;\nfor (int m = 0; m < n; ++m) {\n"
        "s[threadIdx.y][t] = x[m];\n__syncthreads();\nfor (int k = 0; k < 16; ++k) a += s[threadIdx.y][k];\n"
        "__syncthreads();\na += x[m + n];\n}\ny[0] = a;\n}",
        Shape(16, 16),
        [(5, 7)],
    ),
    "carried by a loop": (
        "__shared__ float s[64];\ns[t] = 0;\nfor (int m = 0; m < n; ++m) {\nfloat a = x[m];\n"
        "s[t] += a;\n__syncthreads();\n}\ny[t] = s[63 - t];\n}",
        Shape(64),
        [(3, 9)],
    ),
    "a counted loop defines it": (
        "__shared__ float s[256];\nfor (int m = 0; m < n; ++m) {\nfloat a = x[m];\n"
        "for (int i = t; i < 256; i += 64) s[i] = a;\n__syncthreads();\na = s[(int)a & 255];\n"
        "__syncthreads();\ny[m] = a;\n}\n}",
        Shape(64),
        [(5, 7)],
    ),
    "a step that is a product": (
        "__shared__ float s[64 * 5];\nfor (int d = 1; d < 64; d *= 4) {\nfloat a = x[d];\n"
        "s[t % d + t / d * d] = a;\n__syncthreads();\na = s[63 - t];\n__syncthreads();\ny[d] = a;\n}\n}",
        Shape(64),
        [(5, 7)],
    ),
    "a product that leaves holes": (
        "__shared__ float s[64 * 5];\nfor (int d = 1; d < 64; d *= 4) {\nfloat a = x[d];\n"
        "s[t * d % 64] = a;\n__syncthreads();\na = s[63 - t];\n__syncthreads();\ny[d] = a;\n}\n}",
        Shape(64),
        [(3, 9)],
    ),
    "a tree of halves reads what is there": (
        "__shared__ float s[70];\nfor (int m = 0; m < n; ++m) {\nfloat a = x[m];\ns[t] = a;\n"
        "for (int d = 32; d > 0; d /= 2) {\n__syncthreads();\nif (t < d) s[t] += s[t + d];\n}\n"
        "__syncthreads();\na += s[0];\n__syncthreads();\ny[m] = a;\n}\n}",
        Shape(64),
        [(5, 11)],
    ),
    "some threads define it": (
        "__shared__ float s[64];\nfor (int m = 0; m < n; ++m) {\nfloat a = x[m];\nif (t < 32) s[t] = a;\n"
        "__syncthreads();\na = s[31 - t % 32];\n__syncthreads();\ny[m] = a;\n}\n}",
        Shape(64),
        [(5, 7)],
    ),
    "too few threads define it": (
        "__shared__ float s[64];\nfor (int m = 0; m < n; ++m) {\nfloat a = x[m];\nif (t < 16) s[t] = a;\n"
        "__syncthreads();\na = s[31 - t % 32];\n__syncthreads();\ny[m] = a;\n}\n}",
        Shape(64),
        [(3, 9)],
    ),
    "a break may skip the definition": (
        "__shared__ float s[64];\nfor (int m = 0; m < n; ++m) {\nfloat a = x[m];\n"
        "for (int i = 0; i < 64; ++i) {\nif (a > i) break;\ns[i] = a;\n}\n"
        "__syncthreads();\na = s[31 - t % 32];\n__syncthreads();\ny[m] = a;\n}\n}",
        Shape(64),
        [(3, 12)],
    ),
    "two arrays, two branches": (
        "__shared__ float s[64], u[64];\nfloat a = x[0];\nif (n > 3) {\na += x[7];\ns[t] = a;\n__syncthreads();\n"
        "a = s[63 - t];\n} else {\na += x[8];\nu[t] = a;\n__syncthreads();\na = u[63 - t];\n}\n"
        "y[t] = a;\n}",
        Shape(64),
        [(6, 8), (11, 13)],
    ),
    "dynamic memory in two parts": (
        "extern __shared__ float s[];\nfloat *u = s + 64;\nfloat a = x[0];\ns[t] = a;\n__syncthreads();\n"
        "a = s[63 - t];\n__syncthreads();\nu[t] = a * x[3];\n__syncthreads();\n"
        "y[t] = u[63 - t];\n}",
        Shape(64),
        [(5, 7), (9, 11)],
    ),
    "divergent": (
        "__shared__ float s[64];\nif (t < n) {\ns[t] = x[0];\n__syncthreads();\ny[0] = s[0];\n}\n}",
        Shape(64),
        [(3, 6)],
    ),
    "early return": (
        "__shared__ float s[64];\nif (t >= n) return;\ns[t] = x[0];\n__syncthreads();\ny[0] = s[0];\n}",
        Shape(64),
        SharedObstacle.EARLY_RETURN,
    ),
    "none": ("y[0] = x[0];\n}", Shape(64), SharedObstacle.UNUSED),
}


def parsed(tmp_path: Path, text: str) -> tuple[Unit, Kernel]:
    source = tmp_path / "source.cu"
    source.write_text(text)
    unit = parse_unit(str(source), ParseOptions())
    return unit, unit.kernels[0]


@pytest.mark.parametrize("name", CASES)
def test_regions(name: str, tmp_path: Path) -> None:
    body, shape, wanted = CASES[name]
    _, kernel = parsed(tmp_path, HEAD + body)
    use = shared_regions(kernel, (shape,) if shape else ())
    if isinstance(wanted, SharedObstacle):
        assert use.problem is not None
        assert use.problem.obstacle is wanted
    else:
        assert [region.lines for region in use.regions] == wanted, use.problem


def test_regions_are_joined_where_little_lies_between(tmp_path: Path) -> None:
    _, kernel = parsed(tmp_path, HEAD + CASES["redefinition opens a region"][0])
    use = shared_regions(kernel, (Shape(64),))
    assert [region.lines for region in joined(kernel, use.regions, lambda between: len(between) <= 1)] == [(4, 10)]
    assert joined(kernel, use.regions, lambda between: not between) == use.regions


def test_costs_are_told_apart(tmp_path: Path) -> None:
    """A gather of 8 dependent loads outside, two shared accesses and a barrier inside."""
    body = (
        "__shared__ float s[64];\nint a = t;\nfor (int k = 0; k < n; ++k) a = (int)x[a];\ns[t] = a;\n"
        "__syncthreads();\ny[t] = s[63 - t];\n}"
    )
    unit, kernel = parsed(tmp_path, HEAD + body)
    use = shared_regions(kernel, (Shape(64),))
    waits = Latencies(memory=500, shared=20, barrier=10, operation=0)
    split = split_cost(kernel, unit.files[kernel.span.file], use.regions, waits)
    for trips in (8, 80):
        assert evaluate(split.private.cycles, {"n": trips}) == 10 * 500 * trips
        assert evaluate(split.private.scattered, {"n": trips}) == trips
    assert evaluate(split.shared.cycles, {}) == 10 * (4 + 10 + 20)
    assert evaluate(split.entries, {}) == 1


@pytest.mark.parametrize("obstacle", SharedObstacle)
def test_a_problem_says_what_it_is_about(obstacle: SharedObstacle) -> None:
    said = SharedProblem(obstacle, 3, "p[i]").reason
    assert "{" not in said
    assert ("p[i]" in said) == ("{}" in obstacle.value)
