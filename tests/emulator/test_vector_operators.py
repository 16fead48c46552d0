"""Which operators of vectors are told to be member by member."""

from __future__ import annotations

import re

import pytest

from gpuopt_driver.emulator.kernels import Dialect
from gpuopt_driver.emulator.rewrite import rewrite

TYPES = "struct float2 { float x, y; }; struct float3 { float x, y, z; };\n"


def told(source: str) -> list[tuple[str, ...]]:
    """The operators and types that the rewritten source tells of."""
    text = rewrite((TYPES + source).encode(), dialect=Dialect(fuses=True)).text.decode()
    found = re.findall(r"struct MemberWise<'(.)', *([:\w]+), *([:\w]+)>", text)
    return [(operator, left.strip(":"), right.strip(":")) for operator, left, right in found]


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        (
            "__device__ float3 operator*(const float3 &a, float s) { return make_float3(a.x * s, s * a.y, a.z * s); }",
            ("*", "float3", "float"),
        ),
        (
            "inline __host__ __device__ float2 operator-(float2 a, float2 b) "
            "{ return make_float2(a.x - b.x, a.y - b.y); }",
            ("-", "float2", "float2"),
        ),
        ("__device__ void operator+=(float2 &a, float2 b) { a.x += b.x; a.y += b.y; }", ("p", "float2", "float2")),
        ("__device__ void operator-=(float2 &a, float b) { a.x -= b; a.y -= b; }", ("m", "float2", "float")),
    ],
)
def test_member_by_member(source: str, wanted: tuple[str, ...]) -> None:
    assert told(source) == [wanted]


@pytest.mark.parametrize(
    "source",
    [
        # complex numbers
        "__device__ float2 operator*(float2 a, float2 b) { return make_float2(a.x*b.x - a.y*b.y, a.x*b.y + a.y*b.x); }",
        "__device__ float2 operator-(float2 a, float2 b) { return make_float2(b.x - a.x, b.y - a.y); }",
        "__device__ float2 operator*(float2 a, float2 b) { return make_float2(a.x * b.x, a.y * b.x); }",
        "__device__ float2 operator*(float2 a, float s) { s += 1; return make_float2(a.x * s, a.y * s); }",
        "__device__ void operator+=(float3 &a, float3 b) { a.x += b.x; a.y += b.y; }",
        "__device__ float operator*(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }",
        "namespace n { __device__ float2 operator*(float2 a, float s) { return make_float2(a.x * s, a.y * s); } }",
        "template <class T> __device__ float2 operator*(float2 a, T s) { return make_float2(a.x * s, a.y * s); }",
        # declared before: it may have been used already
        "__device__ float2 operator*(float2, float);\n"
        "__device__ float2 operator*(float2 a, float s) { return make_float2(a.x * s, a.y * s); }",
        "float2 operator*(float2 a, float s) { return make_float2(a.x * s, a.y * s); }",  # the host's
    ],
)
def test_what_is_not(source: str) -> None:
    assert told(source) == []
