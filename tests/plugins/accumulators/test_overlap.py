"""When the models alone choose sums in registers: at every launch that was measured, where they were faster."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import gpuopt_plugins.accumulators.overlap as overlap
import pytest

from gpuopt_driver.arch.load import load_all, load_arch

# nvcc's time over that of the models' choice on an H200 (benchmarks/on_gpu.py, `walks KERNEL BLOCKS 512`), for 8, 6, 4
# and 1 blocks of 256 threads per multiprocessor.
MEASURED = {
    "stream4": (1.548, 1.113, 0.953, 0.882),
    "broad": (1.555, 1.538, 1.094, 0.931),
    "vector4": (2.483, 1.223, 1.118, 1.571),
    "two": (2.630, 2.538, 1.524, 1.185),
    "products": (1.897, 1.147, 1.074, 1.286),
    "fits": (1.379, 1.344, 1.206, 1.290),
    "stream1": (1.532, 1.255, 1.134, 1.808),
}
BLOCKS = (8, 6, 4, 1)
SOURCE = Path(__file__).parents[3] / "benchmarks" / "bypass" / "walks.cu"
OTHERS = (
    *("read_only", "catt", "cta_clustering", "cta_mapping", "cache_bypass", "unified_memory", "launch_shape"),
    *("coarsening", "constants", "vtb"),
)


@pytest.fixture(scope="module")
def walks(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> Path:
    """The measured kernels with no other plugin, for the emulator as an H200."""
    root = tmp_path_factory.mktemp("walks")
    policy = root / "alone.toml"
    policy.write_text("".join(f"[plugins.{name}]\nenabled = false\n" for name in OTHERS))
    settings = {"GPUOPT_BACKEND": "emulator", "GPUOPT_GPU": "h200", "GPUOPT_POLICY": str(policy)}
    driver = [sys.executable, "-m", "gpuopt_driver.nvcc_main", str(SOURCE), "-o", "walks"]
    subprocess.run(driver, cwd=root, env={**os.environ, **settings}, check=True, capture_output=True, timeout=300)
    return root / "walks"


def picked(program: Path, kernel: str, blocks: int, dispatch: str) -> str:
    """The version that the kernel's launches get with so many blocks on each multiprocessor."""
    settings = {"GPUOPT_DISPATCH": dispatch, "GPUOPT_LEARN": "off", "GPUOPT_EMU_GPU": "h200", "GPUOPT_EMU_MODE": "fast"}
    command = [str(program), kernel, str(blocks), "1", "1", "--no-check"]
    done = subprocess.run(command, env={**os.environ, **settings}, check=True, capture_output=True, text=True)
    (found,) = set(re.findall(rf"^gpuopt: {kernel}<<<.*?>>>: (\w+)", done.stderr, re.MULTILINE))
    return str(found)


def test_chosen_where_it_was_faster(walks: Path) -> None:
    wanted = {
        (kernel, blocks): "accumulators" if gain > 1 else "original"
        for kernel, gains in MEASURED.items()
        for blocks, gain in zip(BLOCKS, gains, strict=True)
    }
    assert {(kernel, blocks): picked(walks, kernel, blocks, "trace") for kernel, blocks in wanted} == wanted


def test_what_is_not_chosen_can_be_measured(walks: Path) -> None:
    assert picked(walks, "stream4", 1, "arm:1") == "accumulators"


def test_room_follows_the_registers_of_a_full_multiprocessor() -> None:
    """Turing has 64 registers for each of its 1,024 threads: four iterations' loads are under way there."""
    made = [overlap.Iteration(registers=25, streamed=16, scattered=4, walks=1)]
    crowded = {name: overlap.crowded(made, load_arch(name)) for name in ("h200", "v100", "rtx-3090", "t4")}
    assert crowded == {"h200": True, "v100": True, "rtx-3090": False, "t4": False}


def test_one_loop_with_room_is_enough() -> None:
    full = overlap.Iteration(registers=29, streamed=32, scattered=4, walks=1)
    small = overlap.Iteration(registers=9, streamed=0, scattered=4, walks=1)
    assert not overlap.crowded([full, small], load_arch("h200"))
    assert overlap.crowded([full], load_arch("h200"))


def test_a_gpu_without_figures_is_never_busy() -> None:
    """A guess about its memory would choose versions that nobody has seen gain."""
    known = load_arch("h200")
    assert "case 90: return 24665;" in overlap.support([known])
    assert "case" not in overlap.support([replace(known, timing=None, assumed=frozenset({"device.clock_mhz"}))])
    assert "case 90" in overlap.support(load_all())
