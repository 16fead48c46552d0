"""Programs that write down the numbers of their launches, and builds that take these from the policy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

DRIVER = [sys.executable, "-m", "gpuopt_driver.nvcc_main", "--gpuopt-backend=emulator", "--gpuopt-gpu=h200"]
SOURCE = Path(__file__).with_name("watched.cu")
WATCH = "[plugins.constants]\nwatch = true\n"


def built(source: Path, policy: str, program: Path, *options: str) -> Path:
    """A program for the emulator that was built with a policy, without a word."""
    program.with_suffix(".toml").write_text(policy)
    line = [*DRIVER, f"--gpuopt-policy={program.with_suffix('.toml')}", "-arch=sm_90", *options, str(source)]
    done = subprocess.run([*line, "-o", str(program)], capture_output=True, text=True, check=False, timeout=240)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    return program


def ran(program: Path, *arguments: object, **variables: object) -> subprocess.CompletedProcess[str]:
    """A run that ends well."""
    env = {**os.environ, **{name: str(value) for name, value in variables.items()}}
    line = [str(program), *map(str, arguments)]
    return subprocess.run(line, env=env, capture_output=True, text=True, check=True, timeout=120)


def seen(program: Path, *arguments: object) -> dict[str, list[dict]]:
    """The records of a run, by kernel."""
    file = program.with_suffix(".numbers")
    file.unlink(missing_ok=True)
    assert ran(program, *arguments, GPUOPT_NUMBERS=file).stderr == ""
    found: dict[str, list[dict]] = {}
    for line in file.read_text().splitlines() if file.exists() else []:
        one = json.loads(line)
        found.setdefault(one["kernel"], []).append(one)
    return found


@pytest.fixture(scope="module")
def program(host_compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("watched")
    return built(SOURCE, WATCH, directory / "watched", "-Xcompiler=-Wall,-Wextra,-Wshadow,-Werror")


def test_kinds_of_parameters_and_instantiations(program: Path) -> None:
    found = seen(program, "kinds", 4)
    (kinds,) = found["outer::kinds"]
    alike = dict(zip(kinds["names"], kinds["alike"], strict=True))
    assert alike == {
        "blockDim.x": 8,
        "blockDim.y": 2,
        "blockDim.z": 1,
        "mode": 9,
        "flag": 1,
        "far": None,
        "below": -4,
        "letter": 97,
    }
    typed = [dict(zip(one["names"], one["alike"], strict=True)) for one in found["typed"]]
    assert sorted((str(one.get("number")), one["stride"]) for one in typed) == [("4", 12), ("None", 12)]
    assert "nothing" not in found


def test_beyond_sixteen_sets_only_what_is_alike_is_told(program: Path) -> None:
    (many,) = seen(program, "many", 20)["many"]
    assert many["names"] == ["n", "always", "blockDim.x", "blockDim.y", "blockDim.z", "offset"]
    assert many["keyed"] == 2
    assert many["alike"] == [None, 20, 32, 1, 1, 19]
    assert many["sets"] == [[1, n, 20] for n in range(1, 17)]
    assert (many["launches"], many["others"]) == (20, 4)


def test_threads_are_counted_together(program: Path) -> None:
    (many,) = seen(program, "threads", 7)["many"]
    assert sorted(many["sets"]) == [[1000, n, 7] for n in (1, 2)]
    assert many["alike"] == [None, 7, 32, 1, 1, 1]


def test_a_child_leaves_the_records_to_its_parent(program: Path) -> None:
    (strided,) = seen(program, "fork", 5)["strided"]
    names = ["blockDim.x", "blockDim.y", "blockDim.z", "gridDim.x", "gridDim.y", "gridDim.z", "n"]
    assert (strided["names"], strided["alike"]) == (names, [32, 1, 1, 5, 1, 1, 99])


def test_nothing_is_kept_where_no_file_is_named_or_nothing_is_launched(program: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    assert ran(program, "many", 3, GPUOPT_NUMBERS="").stderr == ""
    assert sorted(tmp_path.iterdir()) == before
    assert seen(program, "none") == {}


def test_a_file_that_cannot_be_written_costs_one_line(program: Path, tmp_path: Path) -> None:
    done = ran(program, "many", 3, GPUOPT_NUMBERS=tmp_path / "no" / "file")
    assert done.stderr == f"gpuopt: warning: GPUOPT_NUMBERS={tmp_path}/no/file: cannot be written; nothing is kept\n"


def test_records_are_appended_run_by_run(program: Path, tmp_path: Path) -> None:
    file = tmp_path / "numbers"
    for size in (3, 5):
        ran(program, "many", size, GPUOPT_NUMBERS=file)
    assert [json.loads(line)["launches"] for line in file.read_text().splitlines()] == [3, 5]


LIBRARY = """\
__global__ void k(int *x, int n) { x[threadIdx.x] = threadIdx.x / n; }
extern "C" void run(int n) { int *x; cudaMalloc(&x, 4096); k<<<1, n>>>(x, n); cudaDeviceSynchronize(); }
"""
LOADING = """\
import _ctypes, ctypes, sys
library = ctypes.CDLL(sys.argv[1])
library.run(7)
_ctypes.dlclose(library._handle)
"""


def test_a_library_writes_once_when_it_is_closed_or_at_the_end(host_compiler: str, tmp_path: Path) -> None:
    (tmp_path / "library.cu").write_text(LIBRARY)
    library = built(tmp_path / "library.cu", WATCH, tmp_path / "library.so", "-shared", "-Xcompiler=-fPIC")
    env = {**os.environ, "GPUOPT_NUMBERS": str(tmp_path / "numbers")}
    line = [sys.executable, "-c", LOADING, str(library)]
    subprocess.run(line, env=env, capture_output=True, check=True, timeout=60)
    assert json.loads((tmp_path / "numbers").read_text())["alike"] == [7, 7, 1, 1]


BLUR = """\
#include <cstdio>
#include <cstdlib>
__global__ void blur(const float *in, float *out, int width, int height, int radius)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= width * height) return;
    const int x = i % width, y = i / width;
    float sum = 0;
    for (int k = -radius; k <= radius; ++k)
        if (x + k >= 0 && x + k < width) sum += in[y * width + x + k];
    out[i] = sum;
}
int main(int, char **argv)
{
    const int w = atoi(argv[1]), h = atoi(argv[2]), radius = atoi(argv[3]), t = atoi(argv[4]);
    float *in, *out;
    cudaMallocManaged(&in, w * h * 4);
    cudaMallocManaged(&out, w * h * 4);
    for (int i = 0; i < w * h; ++i) in[i] = (float)(i * 7 % 31) / 3;
    blur<<<(w * h + t - 1) / t, t>>>(in, out, w, h, radius);
    cudaDeviceSynchronize();
    for (int i = 0; i < w * h; ++i) std::printf("%a\\n", out[i]);
}
"""


def test_recorded_numbers_are_built_in(host_compiler: str, tmp_path: Path) -> None:
    """Record, ask for the policy, build again: the same bits, and another size gets the original."""
    source = tmp_path / "blur.cu"
    source.write_text(BLUR)
    watching = built(source, WATCH, tmp_path / "watching")
    numbers = tmp_path / "numbers"
    first = ran(watching, 17, 9, 3, 64, GPUOPT_NUMBERS=numbers).stdout
    other = ran(watching, 18, 9, 3, 64).stdout
    line = [sys.executable, "-m", "gpuopt_driver", "numbers", str(numbers)]
    policy = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    assert 'constants.known = ["blockDim = 64x1x1, width = 17, radius = 3"]\n' in policy
    always = '[plugins.constants]\npick = "always"\n'
    known = built(source, always + policy, tmp_path / "known")
    same, another = (ran(known, width, 9, 3, 64, GPUOPT_DISPATCH="trace") for width in (17, 18))
    assert (same.stdout, another.stdout) == (first, other)
    assert ": constants_b64_width17_radius3 " in same.stderr
    assert ": original " in another.stderr
