"""Numbers that would make an operation undefined as constants."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from gpuopt_plugins.constants.undefined import undefined

from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

PRELUDE = "__device__ int turned(int x, int by) { return x << by | x >> (32 - by); }\n"


@pytest.mark.parametrize(
    ("text", "values", "wrong"),
    [
        ("x[0] = x[1] << n | x[1] >> (32 - n);", {"n": 0}, "n"),
        ("x[0] = x[1] << n | x[1] >> 32 - n;", {"n": 5}, ""),
        ("x[0] = (1u << n) - 1;", {"n": 32}, "n"),
        ("x[0] <<= n; x[1] >>= m;", {"n": 0, "m": -1}, "m"),
        ("x[0] = x[1] >> n & 1;", {"n": 31}, ""),
        ("x[0] = x[1] / n;", {"n": 0}, "n"),
        ("x[0] %= n;", {"n": 0}, "n"),
        ("x[0] = x[1] / n % m;", {"n": 3, "m": 7}, ""),
        ("x[0] = x[1] / (n * m);", {"n": 3, "m": 0}, "nm"),
        ("x[0] = x[1] / (n - m);", {"n": 3, "m": 3}, "nm"),
        ("x[0] = x[1] % (n * x[2]);", {"n": 0}, "n"),
        ("int s = 32 - n; x[0] = x[1] >> s;", {"n": 0}, "n"),
        ("int s = 32 - n; x[0] = x[1] >> s;", {"n": 1}, ""),
        ("int s = n; if (x[0]) s = 4; x[0] = x[1] >> s;", {"n": 1}, "n"),
        ("int h = n / 2; x[0] = x[1] % h;", {"n": 4}, ""),
        ("x[0] = x[1] >> (n + (threadIdx.x & 1));", {"n": 32}, "n"),
        ("x[0] = turned(x[1], n);", {"n": 32}, "n"),
        ("x[0] = turned(x[1], n);", {"n": 31}, ""),
        ("int by = n + 1; x[0] = turned(x[1], by);", {"n": 0}, "n"),
        ("for (int k = 0; k < n; ++k) x[k] = k << 2;", {"n": 0}, ""),
        ("x[0] = n * m + x[1] / 2;", {"n": 0, "m": 64}, ""),
        ("x[0] = x[1] / blockDim.x;", {"blockDim.x": 64}, ""),
        ("x[0] = 1 << blockDim.x;", {"blockDim.x": 64}, "blockDim.x"),
    ],
)
def test_operands_that_are_not_seen_to_be_in_range(
    tmp_path: Path, text: str, values: Mapping[str, int], wrong: str
) -> None:
    source = tmp_path / "a.cu"
    source.write_text(f"{PRELUDE}__global__ void k(int *x, int n, const int m) {{ {text} }}\n")
    unit = parse_unit(source, ParseOptions())
    names = {wrong} if "." in wrong else set(wrong)
    assert undefined(unit.kernels[0], unit.files, values) == names
