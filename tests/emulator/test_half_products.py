"""Products of halves and bfloat16 that are fused with sums, as in nvcc 13.0's SASS (HFMA2, HMUL2, HADD2)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from gpuopt_driver.emulator import unit
from gpuopt_driver.emulator.kernels import Dialect
from gpuopt_driver.emulator.rewrite import rewrite
from tests.emulator.support import compile_with, run

PARAMETERS = "half *o, const half *__restrict__ x, half a, half b, half c, half d, half e, half f, int n"
AB = "again(p,(a)*H(b))"
NAMED = "again(p,__hmul(a, b,H))"


def written(body: str, parameters: str = PARAMETERS, before: str = "__device__", *, bfloats: bool = True) -> str:
    """The body as the emulator has it: `H` before the second factor of a fused product, `again` for a variable."""
    source = f"{before} void g({parameters}) {{ {body} }}".encode()
    text = rewrite(source, dialect=Dialect(fuses=True, bfloats=bfloats)).text.decode().replace("::gpuopt_emu::", "")
    text = re.sub(r"\* fuse_sixteen \* *", "*H", text).replace(", fuse_sixteen )", ",H)").replace(" fuse *", "")
    return re.sub(r"\s+", " ", text[text.index("{") + 1 : text.rindex("}")]).strip()


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("o[0] = a * b + c;", "o[0] = a *Hb + c;"),
        ("o[0] = c - a * b;", "o[0] = c - a *Hb;"),
        ("o[0] = a * b + c * d;", "o[0] = a *Hb + c * d;"),  # the first, whatever the factors are
        ("o[0] = c * d - a * b;", "o[0] = c *Hd - a * b;"),
        ("o[0] = a * b + c * d + e * f;", "o[0] = a *Hb + c * d + e *Hf;"),
        ("o[0] = -(a * b) + c * d;", "o[0] = -(a *Hb) + c * d;"),
        ("o[0] = a * b + c; o[1] = a * b;", "o[0] = a *Hb + c; o[1] = a * b;"),  # each product is one of its own
        ("half s = c; s += a * b; o[0] = s;", "half s = c; s += a *Hb; o[0] = s;"),
        ("o[0] = a / b + c;", "o[0] = a / b + c;"),
        ("o[0] = __hadd(__hmul(a, b), c);", "o[0] = __hadd(__hmul(a, b,H), c);"),
        ("o[0] = __hsub(c, __hmul(a, b));", "o[0] = __hsub(c, __hmul(a, b,H));"),
        ("o[0] = __hadd_rn(__hmul(a, b), c);", "o[0] = __hadd_rn(__hmul(a, b), c);"),
        ("o[0] = __hadd(__hmul_rn(a, b), c);", "o[0] = __hadd(__hmul_rn(a, b), c);"),
        ("o[0] = __hneg(__hmul(a, b)) + c;", "o[0] = __hneg(__hmul(a, b,H)) + c;"),
        ("o[0] = __hfma(a * b, c, d); o[1] = __hfma(a, b, c * d);",) * 2,
        ("o[0] = __habs(a * b) + c;",) * 2,
        ("o[0] = __float2half(__half2float(a * b) + 1.0f);",) * 2,
    ],
)
def test_products_in_sums(body: str, wanted: str) -> None:
    assert written(body) == wanted


@pytest.mark.parametrize(
    ("uses", "wanted"),
    [
        ("o[0] = p + c; o[1] = p - d;", f"o[0] = {AB} + c; o[1] = {AB} - d;"),  # by sums alone
        ("p += c; o[0] = p;", f"p ={AB}+( c); o[0] = p;"),
        ("o[0] = p; o[1] = p + c;",) * 2,
        ("o[0] = p * d; o[1] = p + c;",) * 2,
        ("o[0] = p + p;",) * 2,
        ("o[0] = p - p; o[1] = p + c;",) * 2,
        ("half2 v(p, c); o[0] = p + c; o[1] = v.y;",) * 2,
        ("half v = __hmax(p, c); o[0] = p + v;",) * 2,
        ("half q = c * d; o[0] = p + q; o[1] = p + e;", "half q = c * d; o[0] = p + again(q,(c)*H(d)); o[1] = p + e;"),
        ("if (n > 3) o[0] = p + c;",) * 2,  # another block
        ("o[0] = n > 3 ? p + c : d;",) * 2,
        ("half q = c; if (n > 3) q = d; o[0] = p + q;", f"half q = c; if (n > 3) q = d; o[0] = {AB} + q;"),
        ("if (n > 3) return; o[0] = p + c;",) * 2,
        ("if (n > 3) o[5] = c; o[0] = p + c;",) * 2,
        ("for (int k = 0; k < n; ++k) o[k] = p + x[k];",) * 2,
        ("for (int k = 0; k < 4; ++k) o[k] = p + x[k];", f"for (int k = 0; k < 4; ++k) o[k] = {AB} + x[k];"),
        ("for (int k = 0; k < 4000; ++k) o[k] = p + x[k];",) * 2,
        ("__syncthreads(); o[0] = p + c;", f"__syncthreads(); o[0] = {AB} + c;"),
        ("a = c; o[0] = p + c;",) * 2,  # cannot be written any more
        ("auto g = [&](half v) { return p * v; }; o[0] = p + g(c);",) * 2,
    ],
)
def test_variables_that_hold_products(uses: str, wanted: str) -> None:
    assert written(f"half p = a * b; {uses}") == f"half p = a * b; {wanted}"


def test_products_by_name_in_variables() -> None:
    wanted = f"half p = __hmul(a, b); o[0] = __hadd({NAMED}, c); o[1] = __hsub(d, {NAMED});"
    assert written("half p = __hmul(a, b); o[0] = __hadd(p, c); o[1] = __hsub(d, p);") == wanted


def test_loops_compute_what_they_do_not_change_before_them() -> None:
    body = "half s = c; for (int k = 0; k < n; ++k) s = s * x[k] + a * b; o[0] = s;"
    assert written(body) == body.replace("s * x", "s *Hx")
    assert (
        written("for (int k = 0; k < n; ++k) o[k] = a * b + x[k];", before="__global__").count("*H") == 1
    )  # parameters


def test_parameters_of_kernels_are_factors_in_any_block() -> None:
    body = "half p = a * x[0]; if (n > 3) o[0] = p + c;"
    assert written(body) == body
    assert "again(p,(a)*H(x[0])) + c" in written(body, before="__global__")


@pytest.mark.parametrize("kind", ["half2", "__nv_bfloat16", "__nv_bfloat162"])
def test_other_types(kind: str) -> None:
    name = "2" if kind[-1] == "2" else ""
    body = f"o[0] = a * b + c; o[1] = __hadd{name}(__hmul{name}(a, b), c);"
    wanted = f"o[0] = a *Hb + c; o[1] = __hadd{name}(__hmul{name}(a, b,H), c);"
    assert written(body, PARAMETERS.replace("half", kind)) == wanted
    assert "fuse_half" in written(body, PARAMETERS.replace("half", kind), bfloats=False)


def test_types_that_are_not_known() -> None:
    body = "T p = a * b; o[0] = p + c; o[1] = c * d - e;"
    text = written("half h; " + body, PARAMETERS.replace("half", "T"), before="template <class T> __device__")
    assert text.count("fuse_all_sixteen") == 2


def test_functions_that_are_not_followed() -> None:
    body = "switch (n) { case 1: o[0] = a * b + c; break; default: half p = a * b; o[0] = p + c * d; o[1] = p; }"
    assert written(body) == body.replace("a * b + c", "a *Hb + c").replace("c * d", "c *Hd")


def test_lambdas() -> None:
    body = "auto put = [&](int i, half v) { half w = v * v + v; o[i] = w; }; put(0, a * b + c);"
    assert written(body) == body.replace("v * v", "v *Hv").replace("a * b", "a *Hb")


def test_functions_of_the_program_by_the_same_names() -> None:
    text = rewrite(
        b"struct half; __device__ int __hmul(int a, int b) { return a; }"
        b"__device__ void g(int *o, int a, int b) { o[0] = __hadd(__hmul(a, b), 3); }",
        dialect=Dialect(fuses=True),
    ).text
    assert b"fuse" not in text


def test_real_numbers_stay_as_they_are() -> None:
    body = "float t = u * v; o[0] = a; y[0] = t + u; y[1] = t; y[2] = u * v + u;"
    assert "*H" not in written(body, PARAMETERS + ", float *y, float u, float v")


HELD = """#include <cuda_fp16.h>
__global__ void k(half *o, const half *x) {
  int i = threadIdx.x;
  half a = x[i], b = x[i + 1], p = a * b, s = x[i + 2];
  for (int k = 0; k < 4; ++k) s += p;
  o[i] = s;
}
"""


def test_factors_are_there_for_threads_abreast(
    tmp_path: Path, host_compiler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The product stands in the loop again: its factors are kept for each thread, and all is compiled once."""
    compiled: list[int] = []
    real = unit.compile_rewritten

    def noted(*args: Any) -> int:
        compiled.append(real(*args))
        return compiled[-1]

    monkeypatch.setattr(unit, "compile_rewritten", noted)
    (tmp_path / "held.cu").write_text(HELD)
    assert compile_with("-c", "held.cu", cwd=tmp_path) == 0
    assert compiled == [0]


BFLOAT = """#include <cstdio>
#include <cuda_bf16.h>
__global__ void k(float *o, __nv_bfloat16 a) { o[0] = __bfloat162float(a * a - __nv_bfloat16(1.0f)); }
int main() {
  float *o;
  cudaMallocManaged(&o, sizeof(float));
  k<<<1, 1>>>(o, __nv_bfloat16(1.0234375f));
  cudaDeviceSynchronize();
  printf("%a", *o);
}
"""


@pytest.mark.usefixtures("host_compiler")
@pytest.mark.parametrize(("arch", "wanted"), [("sm_80", "0x1.8p-5"), ("sm_90", "0x1.84p-5")])
def test_bfloat16_is_fused_from_sm_90_on(arch: str, wanted: str, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(BFLOAT)
    assert (
        compile_with(tmp_path / "a.cu", f"-arch={arch}", "-o", tmp_path / "a", cwd=tmp_path, gpu="h200", soon=False)
        == 0
    )
    assert run(tmp_path / "a").stdout == wanted
