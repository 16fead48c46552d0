"""The runtime of patched sources as assembly from the cache: the same program as from its text, and text elsewhere."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from gpuopt_driver.backends.host_options import toolchain_for
from gpuopt_driver.backends.launch_side import pasted_in
from gpuopt_driver.backends.launch_side_emulated import with_assembly
from gpuopt_driver.cache import Cache
from gpuopt_driver.nvcc.command import parse_command
from gpuopt_driver.testing.cases import read_case
from gpuopt_driver.testing.check import examine_case
from tests.emulator.support import compile_with, run

pytestmark = pytest.mark.usefixtures("host_compiler")

SOURCE = """\
// gpu: h200; policy: fixed_tlp=[2, 1], minimum_trips=0; learn: on
#include <cstdio>
__global__ void rows(const float *matrix, float *sums, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  for (int column = 0; column < columns; ++column) sums[row] += matrix[row * columns + column];
}
int main() {
  float *matrix, *sums;
  cudaMallocManaged(&matrix, 256 * 8 * sizeof(float)), cudaMallocManaged(&sums, 256 * sizeof(float));
  for (int i = 0; i < 256 * 8; ++i) matrix[i] = float(i % 7);
  rows<<<2, 128>>>(matrix, sums, 8);
  cudaDeviceSynchronize();
  std::printf("%g %g\\n", sums[0], sums[255]);
}
"""


@pytest.fixture(scope="module")
def patched(tmp_path_factory: pytest.TempPathFactory, host_compiler: str) -> dict[str, bytes]:
    """A source with a version of its kernel."""
    source = tmp_path_factory.mktemp("patched") / "rows.cu"
    source.write_text(SOURCE)
    made = dict(examine_case(read_case(source), "catt").patched)
    assert b"gpuopt_rt" in made[str(source)]
    return made


def _shown(patched: dict[str, bytes], *options: str, **env: str) -> bytes:
    known = {**os.environ, "GPUOPT_EMU_MODE": "fast", **env}
    command = parse_command([*options, "-c", "rows.cu"], known, "/")
    return next(iter(with_assembly(command, toolchain_for(command, known, "", ""), patched).values()))


def _text(patched: dict[str, bytes]) -> bytes:
    return next(iter(patched.values()))


def test_it_is_the_program_that_the_text_makes(patched: dict[str, bytes], tmp_path: Path) -> None:
    said = {}
    for name, data in (("text", _text(patched)), ("assembly", _shown(patched))):
        (tmp_path / f"{name}.cu").write_bytes(data)
        assert compile_with(f"{name}.cu", "-o", name, cwd=tmp_path) == 0
        chosen, forced = (run(tmp_path / name, GPUOPT_DISPATCH=how, GPUOPT_LEARN="on") for how in ("trace", "original"))
        assert ": catt n=" in chosen.stderr
        assert "(measured)" not in chosen.stderr, "times that the model does not tell mean nothing"
        said[name] = (chosen.stdout, chosen.stderr, forced.stdout)
    assert said["text"] == said["assembly"]


def test_two_units_of_one_program(patched: dict[str, bytes], tmp_path: Path) -> None:
    """What it defines is each object's own."""
    data = _shown(patched)
    (tmp_path / "one.cu").write_bytes(data)
    (tmp_path / "two.cu").write_bytes(data.replace(b"int main()", b"int other()").replace(b"rows", b"more"))
    assert compile_with("one.cu", "two.cu", "-o", "both", cwd=tmp_path) == 0
    assert run(tmp_path / "both").returncode == 0


@pytest.mark.parametrize(
    ("options", "env"),
    [
        ((), {"GPUOPT_EMU_MODE": ""}),  # code for check mode stands beside it
        ((), {"GPUOPT_EMU_MODE": "check"}),
        ((), {"GPUOPT_EMU_PORTABLE": "1"}),
        (("-Xcompiler", "-mabi=ms"), {}),  # nobody knows what else that changes
        (("--dryrun",), {}),
    ],
)
def test_the_text_stays_where_assembly_might_not_fit(
    patched: dict[str, bytes], options: tuple[str, ...], env: dict[str, str]
) -> None:
    assert _shown(patched, *options, **env) == _text(patched)


def test_what_is_kept_is_made_once_and_anew_where_it_is_damaged(
    patched: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPUOPT_CACHE_DIR", str(tmp_path))
    first = _shown(patched)
    cache = Cache.find(os.environ)
    assert cache is not None
    (kept,) = (path for path in cache.files() if path.suffix == ".s")
    assert b'.include "%s"' % str(kept).encode() in first.replace(b'\\"', b'"')
    made, when = kept.read_bytes(), kept.stat().st_mtime_ns
    assert _shown(patched) == first
    assert kept.stat().st_mtime_ns == when
    kept.write_bytes(b"\tnonsense\n")
    assert _shown(patched) == first
    assert kept.read_bytes() == made


def test_what_the_runtime_asks_its_surroundings(patched: dict[str, bytes]) -> None:
    """It is compiled by itself with the same answers: those that an option gives, and what the headers say."""
    pasted = pasted_in(_text(patched).decode())
    assert pasted is not None
    conditions = re.findall(r"^ *#(?:if|ifdef|ifndef|elif)\b(.*)$", pasted.declared + pasted.defined, re.MULTILINE)
    asked = {word for line in conditions for word in re.findall(r"[A-Za-z_]\w+", line)} - {"defined"}
    compilers = {"__CUDACC_VER_MAJOR__", "__GNUC__", "__aarch64__", "__x86_64__", "__clang__"}
    streams = {"CUDA_API_PER_THREAD_DEFAULT_STREAM", "__CUDA_API_PER_THREAD_DEFAULT_STREAM"}  # by launches alone
    assert asked == {"GPUOPT_EMU_LAUNCH_H", "GPUOPT_RT_ALONE", "CUDART_VERSION", *compilers, *streams}
