"""Of which parameters members may change although they are const."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.frontend.handed import own_params
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit

KERNEL = """
struct Plain {{ int a; const float *p; }};
struct Counter {{ int a; mutable int calls; }};
struct Nested {{ Plain first; Counter all[2][3]; }};
struct Based : Plain, Counter {{}};
template <class T> struct Held {{ T a; }};
template <class T> struct Kept : T {{ int b; }};
template <class T> struct Grown : Plain {{ T b; }};
typedef const Counter Fixed;
__global__ void kernel({param}, int *const y) {{ y[threadIdx.x] = 1; }}
template <class T> T made();
void run(int *y) {{ kernel<<<1, 32>>>({given}, y); }}
"""


@pytest.mark.parametrize(
    ("type_", "changes"),
    [
        ("Plain", False),
        ("Counter", True),
        ("Nested", True),
        ("Based", True),
        ("Held<Plain>", False),
        ("Held<Counter>", True),
        ("Kept<Counter>", True),
        ("Grown<Counter>", True),
        ("Fixed", True),
        ("float4", False),
        ("int", False),
    ],
)
def test_parameters_with_mutable_members(tmp_path: Path, type_: str, changes: bool) -> None:
    source = tmp_path / "a.cu"
    source.write_text(KERNEL.format(param=f"const {type_} f", given=f"made<{type_}>()"))
    unit = parse_unit(str(source), ParseOptions())
    assert not unit.diagnostics
    (kernel,) = unit.kernels
    assert [param.has_mutable for param in kernel.params] == [changes, False]
    assert [param.name for param in own_params(kernel)] == ["f"] * changes
