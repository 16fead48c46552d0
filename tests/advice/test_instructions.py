"""Advice on what nvcc made of a kernel: double precision, divisions, spills, local arrays."""

from __future__ import annotations

import pytest

from gpuopt_driver.advice.instructions import compiled, instructions
from gpuopt_driver.advice.kernel import KernelView
from gpuopt_driver.arch.load import load_arch
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.nvcc.find import RealNvcc
from gpuopt_driver.nvcc.resources import KernelResources, resources_and_ptx

H200 = load_arch("h200")
FACTS = {"kernel": "k", "file": "/x/a.cu", "line": 1, "parameters": ["float *a", "int n"], "accesses": []}
PTX = """
.visible .entry _Z1kPfi(
	.param .u64 _Z1kPfi_param_0
)
{
	.loc	1 2 3
	BEFORE
$L__BB0_1:
	.loc	1 4 3
	INSIDE
	@%p1 bra 	$L__BB0_1;
	ret;
}
	.file	1 "/x/a.cu"
"""


def told(before: str = "", inside: str = "", gpu: str = "h200", resources: tuple[KernelResources, ...] = (), **facts):
    made = compiled(resources, PTX.replace("BEFORE", before).replace("INSIDE", inside))
    return list(instructions(KernelView({**FACTS, **facts}), made, load_arch(gpu)))


DOUBLES = "cvt.f64.f32 \t%fd1, %f1;\n\tfma.rn.f64 \t%fd3, %fd1, 0d4004000000000000, %fd2;"


def test_floats_that_are_computed_as_doubles():
    (one,) = told(DOUBLES)
    assert (one.code, one.file, one.line) == ("ADVISE010", "/x/a.cu", 2)
    assert "1 instruction, at 1/2 of float's rate" in one.message
    (slower,) = told(inside=DOUBLES, gpu="l4")
    assert "some in a loop, at 1/64 of float's rate" in slower.message
    assert slower.weight == one.weight * 32 * 10


@pytest.mark.parametrize(
    "facts",
    [
        {"parameters": ["double *a"]},
        {"accesses": [{"array": "a", "element": "double", "space": "global"}]},
    ],
)
def test_kernels_of_doubles_mean_them(facts):
    assert told(DOUBLES, **facts) == []


def test_a_conversion_alone_computes_nothing():
    assert told("cvt.f64.f32 \t%fd1, %f1;\n\tst.param.f64 \t[param0], %fd1;") == []


@pytest.mark.parametrize(
    ("before", "inside", "message"),
    [
        ("", "div.s32 \t%r3, %r1, %r2;", "whole numbers of 32 bits are divided in a loop"),
        ("", "rem.u64 \t%rd3, %rd1, %rd2;", "whole numbers of 64 bits are divided in a loop"),
        ("", "div.u32 \t%r3, %r1, %r2;\n\trem.u32 \t%r4, %r1, %r2;", "whole numbers of 32 bits are divided"),
        ("div.s32 \t%r3, %r1, %r2;", "", ""),
        ("", "div.s32 \t%r3, %r1, 7;", ""),
        ("", "div.rn.f32 \t%f3, %f1, %f2;", ""),
    ],
)
def test_divisions_in_loops(before, inside, message):
    found = told(before, inside)
    assert [one.message.startswith(message) for one in found] == ([True] if message else [])
    assert all((one.code, one.line) == ("ADVISE012", 4) for one in found)


def test_what_has_no_register():
    spilled = KernelResources("_Z1kPfi", "k", 90, 32, 0, 64, 96)
    (one,) = told(resources=(spilled,))
    assert one.code == "ADVISE011"
    assert "with 32 registers for each thread, 96 B" in one.message


def test_local_arrays():
    taken = KernelResources("_Z1kPfi", "k", 90, 32, 0, 64, 0)
    local = {"array": "t", "space": "local", "line": 3, "element": "float"}
    (one,) = told("ld.local.f32 \t%f1, [%rd1];", resources=(taken,), accesses=[local])
    assert (one.code, one.line) == ("ADVISE013", 3)
    assert told("ld.local.f32 \t%f1, [%rd1];", resources=(taken,)) == []  # the slow path of sinf, or printf's
    assert told(resources=(taken,), accesses=[local]) == []  # unrolled: registers


def test_nvcc_is_asked_once_for_all(real_nvcc, tmp_path):
    source = tmp_path / "a.cu"
    source.write_text(
        "__device__ float half_of(float x) { return x * 0.5; }\n"
        "template <class T> __global__ void k(T *a, int n, int m) {\n"
        "  for (int i = threadIdx.x; i < n; i += 32)\n"
        "    a[i / m] += half_of(a[i]) + a[i] * 2.7;\n}\n"
        "void f(float *a, int n) { k<<<n, 32>>>(a, n, 3); }\n"
    )
    command = parse_command(["-c", str(source), "-O3"], {}, str(tmp_path))
    made = compiled(
        *resources_and_ptx(command, str(source), RealNvcc(real_nvcc, "a test"), 90, {"PATH": "/usr/bin:/bin"})
    )
    found = list(instructions(KernelView({**FACTS, "file": str(source)}), made, H200))
    assert {(one.code, one.file, one.line) for one in found} == {
        ("ADVISE010", str(source), 4),
        ("ADVISE012", str(source), 4),
    }
    assert made.resources["k"].registers > 0
    assert list(tmp_path.iterdir()) == [source]
