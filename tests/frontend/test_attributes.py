"""Attributes that libclang does not know how to place and nvcc takes."""

from __future__ import annotations

import pytest

from gpuopt_driver.frontend.expr import to_text

from .conftest import access

_ATTRIBUTED = """\
#define HD __host__ __device__
#define SEEN [[ /* not to be lost */ nodiscard("x]]"), maybe_unused ]]
#define OLD HD SEEN
namespace o { struct size { int v; }; HD [[nodiscard]] inline int same(int x) { return x; } }
struct S {
  int v;
  __device__ [[nodiscard]] explicit S(int a) : v(a) {}
  HD [[nodiscard]] [[maybe_unused]] int member() const { return v; }
  HD SEEN int by_macro() const { return v; }
  OLD int by_two() const { return v; }
  __device__ [[deprecated]] o::size qualified() const { return {v}; }
  template <class T> __device__ [[nodiscard]] T of(T a) const { return a + v; }
  __device__ MORE int late() const { return v; }
};
__global__ void k(int *p)
{
  const S s(1);
  p[threadIdx.x] = s.member() + s.by_macro() + s.by_two() + s.qualified().v + s.of(2) + s.late() + o::same(3);
}
"""


@pytest.mark.parametrize(
    ("more", "left"),
    [
        ("[[nodiscard]]", 0),
        ("", 0),
        ("[[gnu::packed]]", 1),
        ("[[nodiscard, gnu::aligned(32)]]", 1),
        ("[[nodiscard]] [[gnu::noinline]]", 1),
    ],
)
def test_attributes_that_only_warn(parse, more, left):
    """nvcc takes attributes behind `__device__` everywhere; libclang 18 has an error in classes and leaves them out."""
    unit = parse(f"#define MORE {more}\n{_ATTRIBUTED}")
    (kernel,) = unit.kernels
    assert kernel.has_errors == bool(left)
    assert len(unit.diagnostics) >= left
    if not left:
        assert unit.diagnostics == ()
        assert to_text(access(kernel, "p[threadIdx.x]").offset) == "4*threadIdx.x"
