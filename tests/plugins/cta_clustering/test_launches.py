"""What versions must survive (streams, graphs, fewer SMs, 1 to 3 dimensions), and L2 reads of the paper's GPUs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from gpuopt_driver.api import agent_guard, block_support
from tests.emulator.support import run
from tests.ours import switched_off

SOURCES = Path(__file__).parent
AGENTS = 'form = "agents", order = "column"'
POLICY = {
    "product": AGENTS,
    "line": AGENTS,
    "deep": 'order = "tile", tile = [3, 2, 2], axes = "zyx yxz"',
    "turned": 'order = "custom", custom = ["(2 * n + 1) % gx", "y", "z"]',
    "wrong": 'order = "custom", custom = ["n / 2", "y", "z"]',
}


def _build(folder: Path, name: str, policy: str, *options: str, **settings: str) -> Path:
    (folder / "toolchain.toml").write_text(switched_off("cta_clustering") + policy)
    driver = [sys.executable, "-m", "gpuopt_driver.nvcc_main", *options, str(SOURCES / name), "-o", "program"]
    environment = {**os.environ, "GPUOPT_BACKEND": "emulator", "GPUOPT_POLICY": str(folder / "toolchain.toml")}
    subprocess.run(driver, cwd=folder, env={**environment, **settings}, check=True, capture_output=True, timeout=300)
    return folder / "program"


def _for_kernels(policy: dict[str, str]) -> str:
    tables = [f'[[kernel]]\nname = "{kernel}"\ncta_clustering = {{ {given} }}\n' for kernel, given in policy.items()]
    return "".join(tables)


def _picks(trace: str) -> dict[str, str]:
    return dict(re.findall(r"^gpuopt: (\w+)<<<.*?>>>: (\w+)", trace, re.MULTILINE))


def test_every_block_runs_once(tmp_path: Path, host_compiler: str) -> None:
    policy = "[learn]\ncaptured = true\n" + _for_kernels(POLICY)
    program = _build(tmp_path, "launches.cu", policy, GPUOPT_GPU="p100", GPUOPT_EMU_MODE="fast")
    for gpu in ("p100", "c2050"):  # 56 SMs as expected, and 14, as in a quarter of them (MIG)
        done = run(program, GPUOPT_EMU_GPU=gpu, GPUOPT_DISPATCH="trace", GPUOPT_EMU_MODE="fast")
        assert done.stdout == "good\n", done.stdout
        assert _picks(done.stderr) == {**dict.fromkeys(POLICY, "cta_clustering"), "wrong": "original"}


@pytest.fixture(scope="module")
def shared_reads(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
    """The program, with -dlcm=ca where L1 needs that.

    `sliding` has an order of the policy's own that gives each of 15 SMs eight blocks beside each other, where blocks
    are dealt out in turns.
    """
    turns = 'order = "custom", custom = ["n % 15 * 8 + n / 15", "y", "z"]'
    eager = 'form = "redirect", margin = 1.0, share = 0.0'
    policy = _for_kernels({"demosaic": 'form = "agents"', "sliding": turns, "product": eager})
    place, options = tmp_path_factory.mktemp("shared_reads"), ("-Xptxas", "-dlcm=ca")
    return _build(place, "shared_reads.cu", policy, *options, GPUOPT_GPU="k40c", GPUOPT_EMU_MODE="")


def test_l2_reads_fall_where_blocks_share_and_nothing_happens_to_streams(shared_reads: Path, tmp_path: Path) -> None:
    """The groups of Li et al., figure 13, on the four GPUs of its table 1."""
    report = tmp_path / "report.json"
    for gpu in ("c2050", "k40c", "titan-x", "p100"):
        settings = {"GPUOPT_EMU_MODE": "model", "GPUOPT_EMU_GPU": gpu, "GPUOPT_EMU_REPORT": str(report)}
        reads: list[dict[str, int]] = []
        printed: set[str] = set()
        for dispatch in ("original", "trace"):
            done = run(shared_reads, GPUOPT_DISPATCH=dispatch, **settings)
            launches = json.loads(report.read_text("utf-8"))["launches"]
            reads.append(
                {one["kernel"].partition("_")[0].partition("(")[0]: one["l2_read_sectors"] for one in launches}
            )
            printed.add(done.stdout)
        assert len(printed) == 1
        assert _picks(done.stderr) == {"demosaic": "cta_clustering", "sliding": "cta_clustering"}
        assert reads[1]["demosaic"] < 0.97 * reads[0]["demosaic"], gpu
        assert reads[1]["stream"] == reads[0]["stream"]
        assert gpu != "k40c" or reads[1]["sliding"] < 0.5 * reads[0]["sliding"]
    # Agents that land anywhere, as beside another program's blocks (MPS): some SMs have more of them, some none.
    assert run(shared_reads, GPUOPT_EMU_DISPATCH="random", **settings).stdout in printed


def test_l1_decides_where_l2_holds_everything(shared_reads: Path, tmp_path: Path) -> None:
    """A product whose matrices fit L2, in blocks of one row: bands are chosen for L1, and L2 is read less."""
    report = tmp_path / "report.json"
    for gpu in ("k40c", "titan-x", "p100"):
        settings = {"GPUOPT_EMU_MODE": "model", "GPUOPT_EMU_GPU": gpu, "GPUOPT_EMU_REPORT": str(report)}
        reads, printed = [], set()
        for dispatch in ("original", "trace"):
            done = run(shared_reads, "product", GPUOPT_DISPATCH=dispatch, **settings)
            reads.append(json.loads(report.read_text("utf-8"))["launches"][0]["l2_read_sectors"])
            printed.add(done.stdout)
        assert len(printed) == 1
        assert _picks(done.stderr) == {"product": "cta_clustering"}, gpu
        assert reads[1] < 0.9 * reads[0], gpu


def test_agents_count_to_2_to_the_31(tmp_path: Path, host_compiler: str) -> None:
    """The guard of agents: grids that are larger keep the original, those that are not get agents for all SMs."""
    sizes = ((65536, 32767, 1), (65536, 32768, 1), (2147483647, 2, 1), (1, 1, 1), (3, 5, 7), (3, 1, 1))
    calls = "".join(f"  ask({x}u, {y}u, {z}u);\n" for x, y, z in sizes)
    (tmp_path / "guard.cpp").write_text(
        "#include <cstddef>\n#include <cstdio>\n"
        "struct dim3 { unsigned x, y, z; dim3(unsigned a, unsigned b, unsigned c) : x(a), y(b), z(c) {} };\n"
        "struct launch { dim3 grid; int sms; unsigned threads; size_t shared; };\n"
        "struct choice { dim3 grid; size_t scratch; unsigned short n[8]; };\n"
        "namespace gpuopt_rt { unsigned residency(const launch &, unsigned, size_t) { return 3; } }\n"
        "bool guard(const launch &gpuopt_l, choice &gpuopt_c) {\n" + agent_guard((1, 1, 1), 0, ()) + "\n}\n"
        "void ask(unsigned x, unsigned y, unsigned z) { launch l = { dim3(x, y, z), 4, 64, 0 };\n"
        "  choice c = { dim3(0, 0, 0), 0, { 0 } };\n"
        '  const bool good = guard(l, c); printf("%d %u\\n", good, c.grid.x); }\n'
        f"int main() {{\n{calls}}}\n"
    )
    command = [host_compiler, "-std=c++11", "-o", "guard", "guard.cpp"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "guard"], check=True, capture_output=True, text=True)
    assert done.stdout.split("\n")[:-1] == ["1 12", "0 0", "0 0", "0 0", "1 12", "1 4"]


def test_versions_call_nothing_that_outlasts_their_launch() -> None:
    """Every call of CUDA in what is pasted: queries, memory in stream order, attributes of versions, their launches."""
    variants = resources.files("gpuopt_driver.variants")
    names = ("launch.h", "asked.h", "runtime.h", "remembered.h", "shim.py", "guards.py", "emit.py")
    texts = [variants.joinpath(name).read_text("utf-8") for name in names]
    texts.append(block_support())
    texts += [path.read_text("utf-8") for path in (SOURCES.parents[2] / "plugins").glob("cta_*/*.py")]
    called = set(re.findall(r"\bcuda[A-Z]\w*(?=\()", "\n".join(texts)))
    asks = {one for one in called if re.match(r"cuda(Func|Device|Driver|Peek)?(Get|AtLast|Occupancy|StreamIs)", one)}
    in_order = {"cudaLaunchKernel", "cudaLaunchKernelExC", "cudaMallocAsync", "cudaMemsetAsync", "cudaFreeAsync"}
    assert called - asks == {"cudaFuncSetAttribute"} | in_order
    attributes = re.findall(r"cudaFuncSetAttribute\((.*?),", "\n".join(texts))
    assert set(attributes) == {"version", "l.version"}
