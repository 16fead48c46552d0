"""Versions of kernels in the source: where they may stand, what stays where it was, what runs when."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gpuopt_driver.backends.emulator import build
from gpuopt_driver.frontend.parse import ParseOptions, parse_unit
from gpuopt_driver.hooks import Proposal
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.phases import Examination, Job, process
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.model import Decision
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants.emit import why_not
from gpuopt_driver.variants.model import Variant
from tests.host.small_plugins import finding, plugin, together

SOURCES = Path(__file__).with_name("sources")
STEP = b"/*step*/1"

# What the program prints where versions add 100 instead of 1, for every launch with more than one block.
OUTPUT = """\
included 100
nested 100
nested grid 1 1
nested by using 100
hidden 100
plain_c 100
block_c 100
generic<int> 100
generic<int, 3> 300
generic deduced 100
generic from a template 200
local 100
with_default 100
with_default 3 300
no_parameters 100
pointers 100
over 1
made 1
early, before its definition 100
early 100
in_macro by macro 1
in_macro 100
plain_c by pointer 1
plain_c by cudaLaunchKernel 1
too much shared memory 1
dynamic refused 0
dynamic 100
three times 300
"""
PLAIN = OUTPUT.replace("100\n", "1\n").replace("200\n", "2\n").replace("300\n", "3\n")


def versions(guard: str = "return gpuopt_l.grid.x > 1;") -> ModuleType:
    """A plugin whose versions add 100 where the originals add 1, so that one sees which of them ran."""

    def propose(kernel: Any, context: Any, _facts: Any) -> Proposal:
        data = context.unit.files[kernel.span.file].data
        at = data.find(STEP, kernel.span.start, kernel.span.end)
        if context.undispatchable or at < 0:
            return Proposal((finding("ver", kernel, Decision.DECLINED, context.undispatchable),))
        edit = Edit(kernel.span.file, at + 8, at + 9, b"100")
        return Proposal((finding("ver", kernel, Decision.APPLIED),), (), (Variant(kernel.usr, "ver", (edit,), guard),))

    return plugin("ver", propose)


def examine(source: Path, module: ModuleType | None = None) -> Examination:
    return process(Job(str(source), ParseOptions(), Policy()), together(module or versions()))


def build_fast(directory: Path, *argv: str) -> None:
    """Build for the emulator, without the code for other modes: in half the time."""
    env = {**os.environ, "GPUOPT_EMU_MODE": "fast"}
    assert build(parse_command(list(argv), env, str(directory)), {}, env) == 0


def run_program(
    directory: Path, files: dict[str, bytes], parts: Sequence[str] = ("combined.cu",), **env: str
) -> subprocess.CompletedProcess[str]:
    """Build the files for the emulator, from these parts of the program, and run it."""
    for name, data in files.items():
        (directory / Path(name).name).write_bytes(data)
    program = directory / "program"
    if not program.exists():
        build_fast(directory, *(str(directory / part) for part in parts), "-o", str(program))
    return subprocess.run(
        [str(program)],
        env={**os.environ, "GPUOPT_EMU_GPU": "titan-v", **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )


@pytest.fixture(scope="module")
def combined() -> Examination:
    return examine(SOURCES / "combined.cu")


def sources(result: Examination) -> dict[str, bytes]:
    files = {str(path): path.read_bytes() for path in SOURCES.iterdir()}
    return {**files, **result.patched}


def test_which_kernels_can_have_versions(combined: Examination) -> None:
    declined = {item.kernel: item.message for item in combined.report.findings if item.decision is Decision.DECLINED}
    assert declined == {
        "over": "the kernel's name is overloaded",
        "made": "defined by a macro",
    }
    assert sorted(Path(name).name for name in combined.patched) == ["combined.cu", "included.cuh"]


def test_what_runs_is_what_the_guard_picks(combined: Examination, tmp_path: Path, host_compiler: str) -> None:
    done = run_program(tmp_path, sources(combined), GPUOPT_DISPATCH="trace")
    assert [line.rstrip() for line in done.stdout.splitlines()] == OUTPUT.splitlines()
    traced = done.stderr.splitlines()
    assert "gpuopt: a::b::nested<<<(2,1,1),(1,1,1),0>>>: ver n=1,1,1,1 shared=0" in traced
    assert "gpuopt: a::b::nested<<<(1,1,1),(1,1,1),0>>>: original n=1,1,1,1 shared=0" in traced
    assert sum(line.startswith("gpuopt: plain_c<<<") for line in traced) == 1  # decided once, launched four times
    forced = run_program(tmp_path, {}, GPUOPT_DISPATCH="original")
    assert [line.rstrip() for line in forced.stdout.splitlines()] == PLAIN.splitlines()
    assert forced.stderr == ""
    for which, expected in (("only:ver", OUTPUT), ("only:another", PLAIN)):
        chosen = run_program(tmp_path, {}, GPUOPT_DISPATCH=which)
        assert [line.rstrip() for line in chosen.stdout.splitlines()] == expected.splitlines()


EARLY = """\
#include <cstdio>
typedef int number;
__global__ void scale(number *x, number f = 2);
extern "C" __global__ void other(number *x);
static void run(number *x) { scale<<<2, 1>>>(x); other<<<2, 1>>>(x); }
int main()
{
    number *x, h = 0;
    cudaMalloc(&x, sizeof h);
    cudaMemset(x, 0, sizeof h);
    run(x);
    scale<<<2, 1>>>(x, 3);
    cudaMemcpy(&h, x, sizeof h, cudaMemcpyDeviceToHost);
    std::printf("%d\\n", h);
}
__global__ void scale(number *x, number f) { if (blockIdx.x == 0) *x += f * /*step*/1; }
extern "C" __global__ void other(number *x) { if (blockIdx.x == 0) *x += 7 * /*step*/1; }
void again(number *x) { scale<<<2, 1>>>(x); }
"""


def test_launches_in_front_of_the_definition(tmp_path: Path, host_compiler: str) -> None:
    """Behind prototypes: one with a default argument, one with C linkage."""
    (tmp_path / "combined.cu").write_text(EARLY)
    text = examine(tmp_path / "combined.cu").patched[str(tmp_path / "combined.cu")]
    assert (text.count(b"scale__gpuopt_launch(::"), text.count(b"other__gpuopt_launch(::")) == (3, 1)
    assert next(at for at, line in enumerate(text.splitlines()) if b"other__gpuopt_launch(const" in line) == 4
    assert run_program(tmp_path, {"combined.cu": text}).stdout == "1200\n"
    assert run_program(tmp_path, {}, GPUOPT_DISPATCH="original").stdout == "12\n"


def test_the_original_says_what_the_patched_program_says_with_original_kernels(
    tmp_path: Path, host_compiler: str
) -> None:
    done = run_program(tmp_path, {str(path): path.read_bytes() for path in SOURCES.iterdir()})
    assert [line.rstrip() for line in done.stdout.splitlines()] == PLAIN.splitlines()


@pytest.mark.nvcc
def test_nvcc_compiles_it_without_a_word(combined: Examination, tmp_path: Path, real_nvcc: str) -> None:
    for name, data in sources(combined).items():
        (tmp_path / Path(name).name).write_bytes(data)
    words = [real_nvcc, "-arch=sm_90", "-Wno-deprecated-gpu-targets", "-c", "combined.cu", "-o", "combined.o"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=280, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.nvcc
def test_nvcc_warns_as_often_as_about_the_original(tmp_path: Path, real_nvcc: str) -> None:
    kernel = (
        "int *x;\n__global__ void k(int *y)\n{\n    int unused; unsigned u = 3;\n    if (u < 0) y[0] += /*step*/1;\n}\n"
    )
    source = tmp_path / "a.cu"
    source.write_text(kernel + "void all(int *x) { int y; k<<<1, 1>>>(x); }\n")
    said = []
    for data in (source.read_bytes(), examine(source).patched[str(source)]):
        source.write_bytes(data)
        words = [
            real_nvcc,
            "-arch=sm_90",
            "-Xcompiler=-Wall,-Wextra,-Wshadow,-Wsign-conversion",
            "-c",
            "a.cu",
            "-o",
            "a.o",
        ]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=280, check=True)
        said.append(sorted(line.split("warning")[1] for line in done.stderr.splitlines() if "warning" in line))
    assert said[0] == said[1]
    assert len(said[0]) > 3


def test_every_line_of_the_user_keeps_its_number(combined: Examination) -> None:
    for name, data in combined.patched.items():
        before = combined.original[name].decode().splitlines()
        after = data.decode().splitlines()
        assert after[len(before)].startswith("#ifndef GPUOPT_VARIANTS_")
        for number, (old, new) in enumerate(zip(before, after, strict=False), 1):
            if "<<<" in old:
                assert "__gpuopt_launch" in new or old == new, number
            elif "cudaFuncSetAttribute(" in old:
                assert new == old.replace("cudaFunc", "gpuopt_rt::all::cudaFunc", 1).replace(
                    "dynamic", "dynamic__gpuopt_versions"
                )
            elif old != new:  # text was put in front of a kernel or behind its closing brace
                assert old.strip() in new, number
                assert new.startswith(("namespace gpuopt_rt { ", old)) or "__gpuopt_launch(" in new, number


def test_a_version_says_its_lines_are_the_originals(combined: Examination) -> None:
    text = combined.patched[str(SOURCES / "combined.cu")].decode().splitlines()
    original = (SOURCES / "combined.cu").read_text().splitlines()
    for number, line in enumerate(text):
        if line.startswith("#line "):
            at = int(line.split()[1])
            opening = original[at - 1].strip().split("(")[0].replace('extern "C" ', "").split(" void")[0]
            assert opening.split()[-1] in text[number + 1], line


def test_patching_is_deterministic(combined: Examination) -> None:
    assert examine(SOURCES / "combined.cu").patched == combined.patched


def test_carriage_returns_stay(tmp_path: Path, host_compiler: str) -> None:
    for path in SOURCES.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    result = examine(tmp_path / "combined.cu")
    after = result.patched[str(tmp_path / "combined.cu")]
    before = (tmp_path / "combined.cu").read_bytes()
    lines = after.split(b"\n")[: before.count(b"\n")]
    assert all(line.endswith(b"\r") for line in lines)
    made = tmp_path / "made"
    made.mkdir()
    done = run_program(made, {**{str(path): path.read_bytes() for path in tmp_path.glob("*.cu*")}, **result.patched})
    assert [line.rstrip() for line in done.stdout.splitlines()] == OUTPUT.splitlines()


def test_guards_are_compiled_as_code_that_rarely_runs(tmp_path: Path) -> None:
    """They are most of what a host compiler would have to optimise, and what they decide is remembered."""
    source = tmp_path / "k.cu"
    source.write_text("__global__ void k(int *a) { a[0] += /*step*/1; }\nvoid run(int *a) { k<<<2, 1>>>(a); }\n")
    ((_, data),) = examine(source, versions("return true;")).patched.items()

    def level(name: bytes) -> bytes:
        """What is said around a definition of how it is to be compiled."""
        found = re.search(rb"\n[^\n;]*" + name + rb" ?\([^;]*?\{", data)
        assert found is not None, name
        before = data[: found.start()]
        assert before.rfind(b"#pragma GCC optimize") > before.rfind(b"#pragma GCC pop_options")
        return re.findall(rb'#pragma GCC optimize\("(\w+)", "toplevel-reorder"\)', before)[-1]

    assert level(b"k__gpuopt_decide_launch") == b"O0"
    assert level(b"k__gpuopt_ver") == b"O0"  # what launches it: the driver does
    assert level(b"k__gpuopt_ver_guard") == b"Og"
    assert level(b"void k__gpuopt_launch") == b"Og"


def test_what_is_only_measured_has_no_guard(tmp_path: Path) -> None:
    """Nothing asks for it: its candidates alone count."""
    source = tmp_path / "k.cu"
    source.write_text("__global__ void k(int *a) { a[0] += /*step*/1; }\nvoid run(int *a) { k<<<2, 1>>>(a); }\n")
    for guard, is_asked in (("return true;", True), ("\n  return false;", False)):
        ((_, data),) = examine(source, versions(guard)).patched.items()
        assert (b"k__gpuopt_ver_guard" in data) == is_asked
        assert (b", gpuopt_to0, 0, 0u, 0, 0 }," in data) == is_asked
        assert b"k__gpuopt_ver(" in data or b"k__gpuopt_ver (" in data


def test_a_later_phase_steps_back(tmp_path):
    """Where an earlier phase has made versions in a file, no kernel of that file gets others."""
    text = "__global__ void k(int *a) { a[0] = 1; }\nvoid run(int *a) { k<<<1, 1>>>(a); }\n"
    path = tmp_path / "k.cu"
    for opening, reason in (
        ("", None),
        ("namespace gpuopt_rt { inline namespace v1 { struct config {}; } } ", "earlier"),
    ):
        path.write_text(opening + text)
        unit = parse_unit(path, ParseOptions())
        found = why_not(unit, unit.kernels[0])
        assert found is None if reason is None else reason in str(found)


def test_macros_and_linkage_of_the_user_do_not_reach_our_text(
    tmp_path: Path, host_compiler: str, real_nvcc: str
) -> None:
    """`#define T 7` in front of templates of ours; a file of kernels that is included inside of `extern "C" {`."""
    (tmp_path / "held.cuh").write_text("#pragma once\n__global__ void held(int *x) { x[blockIdx.x] += /*step*/1; }")
    (tmp_path / "combined.cu").write_text(
        "#include <cstdio>\n#define T 7\n#define F 3\n#define C 2\n#define lines 5\n"
        'extern "C" {\n#include "held.cuh"\n}\n'
        "int main() {\n  int *x, y[2] = {0, 0};\n  cudaMalloc(&x, sizeof y);\n"
        "  cudaMemcpy(x, y, sizeof y, cudaMemcpyHostToDevice);\n  held<<<2, 1>>>(x);\n"
        '  cudaMemcpy(y, x, sizeof y, cudaMemcpyDeviceToHost);\n  printf("held %d %d\\n", y[0] + T, y[1] + lines);\n}\n'
    )
    result = examine(tmp_path / "combined.cu")
    made = tmp_path / "made"
    made.mkdir()
    done = run_program(made, {**{str(path): path.read_bytes() for path in tmp_path.glob("*.cu*")}, **result.patched})
    assert done.stdout == "held 107 105\n"
    line = [real_nvcc, "-arch=sm_90", "-Xcompiler=-Wall", "-c", "combined.cu", "-o", "x.o"]
    compiled = subprocess.run(line, cwd=made, capture_output=True, text=True, check=False)
    assert (compiled.returncode, compiled.stderr) == (0, "")
