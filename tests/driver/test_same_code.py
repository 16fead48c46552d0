"""What ptxas makes of a kernel is what has the kernel's machine code, side by side in one module."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gpuopt_driver.backends.device_ptx import same_code
from gpuopt_driver.backends.machine_code import code_of_kernels
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.ptx.copies import copy_name, with_copies
from gpuopt_driver.ptx.guess import choices
from gpuopt_driver.ptx.read import function, texts

HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"
LOADS = (
    "ld.param.u64 %rd1, [{name}_param_0];\ncvta.to.global.u64 %rd2, %rd1;\nld.global.u16 %rs1, [%rd2];\n"
    "ld.global.u16 %rs2, [%rd2+2];\nld.global.u32 %r1, [%rd2+4];\nsetp.ne.s32 %p1, %r1, 0;"
)
BESIDE = "{mul.f16 %rs3,%rs1,%rs2;\n}\n{add.f16 %rs4,%rs3,%rs1;\n}\nst.global.u16 [%rd2], %rs4;"
BEFORE = (
    "{mul.f16 %rs3,%rs1,%rs2;\n}\n@%p1 bra $L1;\nst.global.u16 [%rd2+8], %rs1;\n$L1:\n" + BESIDE.partition("\n}\n")[2]
)


def kernel(name: str, body: str) -> str:
    declared = ".reg .pred %p<2>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;"
    lines = [f".visible .entry {name}(", f".param .u64 {name}_param_0", ")", "{", declared, LOADS.format(name=name)]
    return "\n".join([*lines, body, "ret;", "}", ""])


def ways(module: str, name: str) -> list[str]:
    (lines,) = (lines for one, _, lines in texts(module) if one == name)
    return ["\n".join(one.lines) for one in choices(function(name, lines, is_entry=True), 0).alone().values()]


def test_a_module_has_copies_of_its_kernels_and_nothing_else() -> None:
    module = HEADER + ".global .u32 x;\n" + kernel("k", BESIDE) + kernel("kk", BESIDE)
    made = with_copies(module, {"k": ["ret;", "exit;"]})
    found = {name: "\n".join(lines) for name, is_entry, lines in texts(made) if is_entry}
    assert list(found) == ["k", copy_name("k", 0), copy_name("k", 1), "kk"]
    assert [text.strip() for text in list(found.values())[1:]] == ["ret;", "exit;", "ret;"]
    assert "k_param_0" in found["k"]
    assert ".global .u32 x;" in made
    assert with_copies(module, {"k": ["ld.param.u64 %rd1, [k_param_0];\nret;"]}).count("[k__like0_param_0]") == 1


def test_tables_that_nothing_names_are_left_out() -> None:
    tables = ".global .align 4 .b8 used[4] = {1, 2, 3, 4};\n.global .align 4 .b8 lost[4] = {1, 2, 3, 4};\n"
    others = ".global .align 8 .u64 names[1] = {generic(meant)};\n.global .align 4 .b8 meant[4] = {1, 2, 3, 4};\n"
    made = with_copies(
        HEADER + tables + others + kernel("k", BESIDE) + kernel("kk", BESIDE), {"k": ["mov.u64 %rd3, used;"]}
    )
    assert [name for name in ("used", "lost", "names", "meant") if f" {name}[" in made] == ["used", "meant"]


@pytest.mark.nvcc
@pytest.mark.parametrize("arguments", [["-arch=sm_80"], ["-gencode=arch=compute_80,code=[sm_86,compute_80]"]])
def test_what_ptxas_does_is_found_among_what_it_may_do(real_nvcc: str, arguments: list[str]) -> None:
    module = HEADER + kernel("beside", BESIDE) + kernel("before", BEFORE)
    command = parse_command([*arguments, "-c", "a.cu"], {}, "/")

    copies: list[int] = []

    def run(words: list[str]) -> bool:
        copies.append(Path(words[-1]).read_text().count(".entry") - 2)
        return subprocess.run([real_nvcc, *words], check=False, capture_output=True).returncode == 0

    asked = {name: ways(module, name) for name in ("beside", "before")}
    found = same_code(command, module, asked, run)
    forms = {name: ["fma.rn.f16" in asked[name][number] for number in numbers] for name, numbers in found.items()}
    assert forms == {"beside": [True], "before": [False]}, "in one block they are fused; other ways have other code"
    every = sum(map(len, asked.values()))
    assert copies[0] == every
    assert set(copies[1:]) == {2}, "what differs on one GPU is not assembled for the next"


def test_where_nvcc_does_not_say_it_is_not_asked_again() -> None:
    module = HEADER + kernel("beside", BESIDE) + kernel("before", BEFORE)
    command = parse_command(["-gencode=arch=compute_80,code=[sm_86,compute_80]", "-c", "a.cu"], {}, "/")
    runs: list[list[str]] = []

    def refuses(words: list[str]) -> bool:
        runs.append(words)
        return False

    asked = {name: ways(module, name) for name in ("beside", "before")}
    assert same_code(command, module, asked, refuses) == {"beside": [], "before": []}
    assert len(runs) == 1


def test_what_is_no_cubin_has_no_machine_code() -> None:
    for text in (b"", b"\x7fELF", b"\x7fELF\x02\x01" + b"\xff" * 80, b"\x7fELF\x01\x01" + b"\0" * 80):
        assert code_of_kernels(text) == {}
