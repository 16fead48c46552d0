"""Operators on the PTX: which instructions a marked load is, what nvcc makes of them, what the emulator gets."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import gpuopt_plugins.cache_bypass as cache_bypass
import pytest

from gpuopt_driver.backends import ptx
from gpuopt_driver.source import marks
from gpuopt_driver.source.marks import Mark
from gpuopt_driver.testing import Case
from gpuopt_driver.testing.check import examine_case
from tests.ours import switched_off

SOURCE = """\
#include <cstdio>
__global__ void products(const float *a, const float *__restrict__ b, const int *c, float *y, size_t n) {
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  float t = 0;
  for (int j = 0; j < n; ++j) {
    t += a[i * n + j] * b[j] + b[i * n + j] * a[j * n + i];
    t += a[c[j]];
  }
  y[i] = t;
}
int main() { products<<<1, 32>>>(0, 0, 0, 0, 7); }
"""
LISTED = """\
#ifndef __CUDA_ARCH_LIST__
#define __CUDA_ARCH_LIST__ 800
#endif
#define ADD(a, b, ...) a + b
#define SUM(a) ADD(a, 0, 0)
enum { FACTOR = SUM(__CUDA_ARCH_LIST__) };
"""
POLICY = """
[plugins.cache_bypass]
method = "fixed"
fixed = FIXED
operator = "cs"
realisation = "HOW"
"""
ENTRY = """\
.target sm_90
.visible .entry k(
\t.param .u64 k_param_0
)
{
\tld.param.u64 \t%rd1, [k_param_0];
\tld.param.u64 \t%rd2, [k_param_1];
\tld.param.u64 \t%rd9, [k_param_2];
\tcvta.to.global.u64 \t%rd3, %rd1;
\tcvta.to.global.u64 \t%rd4, %rd2;
\tadd.s64 \t%rd5, %rd4, %rd9;
\t.loc\t1 1000001 3
\tld.global.nc.f32 \t%f1, [%rd3+4];
\t.loc\t1 8 3
\tld.global.f32 \t%f2, [%rd3];
\t.loc\t1 1000003 1
\tld.global.u32 \t%r1, [%rd5+-8];
\tmul.wide.s32 \t%rd6, %r1, 4;
\tadd.s64 \t%rd7, %rd3, %rd6;
\t@%p1 ld.global.v2.f32 \t{%f3, %f4}, [%rd7];
\t.loc\t1 1000004 1
\tld.volatile.global.f32 \t%f5, [%rd3];
\tld.global.cg.f32 \t%f6, [%rd3];
\t.loc\t1 1000005 1
\tld.global.f32 \t%f7, [%rd3];
\tld.global.f32 \t%f8, [%rd5];
\tret;
}
"""


def mark(line: int, param: int, operator: str = "cs", nest: int = 0) -> Mark:
    return Mark(1_000_000 + line, "k", operator, param, str(line), 1_000_000 + (nest or line))


def test_loads_are_told_by_line_and_parameter() -> None:
    (entry,) = ptx.entries(ENTRY)
    nested = (mark(2, 0), mark(3, 1, nest=2))
    placed = ptx.place(entry, (mark(1, 0), *nested, mark(4, 0), mark(5, 0), mark(6, 0)), 0)
    assert placed.changes == {
        0: ("ld.global.nc", "ld.global.cs.nc"),
        2: ("ld.global", "ld.global.cs"),
        3: ("ld.global", "ld.global.cs"),
    }
    assert placed.found == {1_000_001: 1, 1_000_002: 1, 1_000_003: 1}
    assert placed.refused == {
        1_000_004: "its instruction has an operator or an order already",
        1_000_005: "another load stands in the same place of the line table",
    }
    (wrong,) = ptx.place(entry, (mark(1, 1),), 0).refused.values()
    assert wrong == "another load stands in the same place of the line table"
    assert ptx.place(entry, (mark(1, 0, "L1::no_allocate"),), 0).changes[0][1] == "ld.global.nc.L1::no_allocate"
    (lu,) = ptx.place(entry, (mark(1, 0, "lu"),), 0).refused.values()
    (old,) = ptx.place(ptx.entries(ENTRY.replace("sm_90", "sm_60"))[0], (mark(1, 0, "L1::x"),), 0).refused.values()
    assert (lu, old) == ("read-only loads have no .lu", "sm_60 has no .L1::x")


def test_a_digest_is_that_of_the_instructions() -> None:
    (entry,) = ptx.entries(ENTRY)
    assert ptx.entries(ENTRY.replace("\t.loc\t1 8 3\n", ""))[0].digest() == entry.digest()
    assert ptx.entries(ENTRY.replace("+4", "+8"))[0].digest() != entry.digest()


def test_marked_sources() -> None:
    inner = marks.opening("k", marks.STAYS, 1) + "c[j]" + marks.closing()
    outer = marks.opening("n s::k", "cs", 0, "f(&(") + f"a[{inner}]" + marks.closing("))")
    data = f"\n#line 40\n\nx = {outer};\n".encode()
    assert marks.in_source(data) == b"\n#line 40\n\nx = f(&(a[c[j]]));\n"
    twin, found = marks.numbered(data)
    assert [(one.line, one.kernel, one.operator, one.param, one.text, one.nest) for one in found] == [
        (1_000_001, "ns::k", "cs", 0, "a[c[j]]", 1_000_001),
        (1_000_002, "k", "stays", 1, "c[j]", 1_000_001),
    ]
    lines = marks.in_source(twin).decode().split("\n")
    assert [line for line in lines if line] == [
        *("#line 40", "x = f(&(", "#line 1000001", "a[", "#line 1000002", "c[j]", "#line 1000001", "]))"),
        *("#line 41", ";"),
    ]


def build(tmp_path: Path, how: str, fixed: list[int], *more: str) -> list[dict[str, object]]:
    """Build the program; what is said about the kernel's loads in PTX."""
    folder = tmp_path / how
    folder.mkdir(exist_ok=True)
    (folder / "p.cu").write_text(SOURCE)
    policy = switched_off("cache_bypass") + POLICY.replace("FIXED", str(fixed)).replace("HOW", how)
    (folder / "toolchain.toml").write_text(policy)
    command = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "--gpuopt-report=r.json", *more, "p.cu", "-o", "p.o"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    (unit,) = json.loads((folder / "r.json").read_text())["units"]
    (finding,) = [one for one in unit["decisions"] if one["plugin"] == "cache_bypass"]
    assert (finding["decision"], finding["realisation"]) == ("applied", how)
    return finding.get("ptx_loads", [])


def loads(cubin: Path, kernel: str) -> Iterator[bool]:
    """Whether each load from global memory (LDG, of sm_70 and later) is evict-first: bits 84 to 86 of it are 0."""
    data = cubin.read_bytes()
    start, entries, count, names = (*struct.unpack_from("<Q", data, 0x28), *struct.unpack_from("<HHH", data, 0x3A))
    sections = [struct.unpack_from("<IIQQQQ", data, start + at * entries) for at in range(count)]
    for name, _, _, _, offset, size in sections:
        where = sections[names][4] + name
        if data[where : data.index(b"\0", where)].decode() == f".text.{kernel}":
            for at in range(offset, offset + size, 16):
                low, high = struct.unpack_from("<QQ", data, at)
                if low & 0xFFF in (0x381, 0x981):
                    yield (high >> 20) & 7 == 0


@pytest.mark.nvcc
def test_what_nvcc_makes_of_it(tmp_path: Path, real_nvcc: str) -> None:
    """One load gets the operator, in the version alone, and the code is that of the same PTX changed by hand."""
    told = build(tmp_path, "ptx", [2], "-c", "-arch=sm_90", "-keep", "-keep-dir", ".")
    (only,) = told
    assert (only["load"], only["reason"]) == ("b[i * n + j]", "")
    folder = tmp_path / "ptx"
    text = (folder / "p.ptx").read_text()
    version, original = sorted((entry.name for entry in ptx.entries(text)), key=lambda name: "__gpuopt_" not in name)
    assert "__gpuopt_" not in original
    cubin = folder / "p.sm_90.cubin"
    assert sum(loads(cubin, version)) == only["instructions"] > 0
    assert len(list(loads(cubin, version))) > only["instructions"]
    assert not any(loads(cubin, original))
    assert ".cs" not in text
    (digest,) = (entry.digest() for entry in ptx.entries(text) if entry.name == version)
    lists = Path(os.environ["GPUOPT_CACHE_DIR"]).glob("ptx-map/*/*")
    listed = next(file.read_text() for file in lists if file.read_text().startswith(digest))
    changes = dict(item.split(":", 1) for item in listed.split()[2:])
    before, here, after = text.partition(f".entry {version}(")
    lines = after.split("\n")
    places = [at for at, line in enumerate(lines) if "ld.global" in line]
    for number, change in changes.items():
        lines[places[int(number)]] = lines[places[int(number)]].replace(*change.split(">"))
    (folder / "hand.ptx").write_text(before + here + "\n".join(lines))
    ptxas = Path(real_nvcc).with_name("ptxas")
    subprocess.run([ptxas, "-arch=sm_90", "-m64", "hand.ptx", "-o", "hand.cubin"], cwd=folder, check=True)
    assert (folder / "hand.cubin").read_bytes() == cubin.read_bytes()


@pytest.mark.nvcc
def test_other_instructions_stay(tmp_path: Path, real_nvcc: str) -> None:
    """ptxas gets a PTX that another macro has made another one: a warning, and the operator is not put on it."""
    folder = tmp_path / "ptx"
    folder.mkdir()
    (folder / "p.cu").write_text(LISTED + SOURCE.replace("a[c[j]]", "a[c[j]] * FACTOR"))
    policy = switched_off("cache_bypass") + POLICY.replace("FIXED", "[2]").replace("HOW", "ptx")
    (folder / "toolchain.toml").write_text(policy)
    command = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "-c", "p.cu", "-o", "p.o"]
    command += ["-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0
    assert "ptxas got other instructions than expected" in done.stderr


@pytest.mark.nvcc
def test_steps_that_others_run_keep_their_operators(tmp_path: Path, real_nvcc: str) -> None:
    """sccache keeps what ptxas makes by the PTX, which does not show them: one policy's object would do for another."""
    (tmp_path / "p.cu").write_text(SOURCE)
    policy = switched_off("cache_bypass") + POLICY.replace("FIXED", "[2]").replace("HOW", "ptx")
    (tmp_path / "toolchain.toml").write_text(policy)
    command = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "--gpuopt-report=r.json", "--dryrun"]
    command += ["-c", "-arch=sm_90", "p.cu", "-o", "p.o"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0
    assert "GPUOPT_VFS_MAP=" in done.stderr
    assert "GPUOPT_PTX_MAP=" not in done.stderr
    (unit,) = json.loads((tmp_path / "r.json").read_text())["units"]
    (finding,) = [one for one in unit["decisions"] if one["plugin"] == "cache_bypass"]
    assert (finding["decision"], finding["code"]) == ("declined", "GPUOPT009")
    assert "steps that are printed" in finding["message"]


def test_the_emulator_gets_the_source_form(tmp_path: Path) -> None:
    """What is compiled for the CPU is the same text in both realisations."""
    source = tmp_path / "p.cu"
    source.write_text(SOURCE)
    options = {"method": "fixed", "fixed": [2, 4], "rounding": "any"}
    made = [
        examine_case(Case(source, "h200", {**options, "realisation": how}), cache_bypass).patched[str(source)]
        for how in ("source", "ptx")
    ]
    assert [marks.has_marks(data) for data in made] == [False, True]
    one, other = (re.sub(rb"GPUOPT_VARIANTS_\w+|0x[0-9A-F]{16}ULL", b"", marks.in_source(data)) for data in made)
    assert one == other
    assert made[0].count(b"plugin_cache_bypass::cs") == 2
