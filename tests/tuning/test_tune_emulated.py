"""`gpuopt tune -- PROGRAM` over a real program: its kernels run in the emulator, whose model tells the time."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from gpuopt_driver.cli import main
from tests.needs import SOON

KERNEL = r"""
#include <cstdio>
#include <cstdlib>

__global__ void gesummv(int rows, int columns, const float *A, const float *B, const float *x, float *tmp, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows)
        for (int j = 0; j < columns; ++j) {
            tmp[i] += A[i * columns + j] * x[j];
            y[i] += B[i * columns + j] * x[j];
        }
}

int main(int, char **argv)
{
    const int rows = std::atoi(argv[2]), columns = std::atoi(argv[3]);  // what nobody knows before has versions
    float *A, *B, *x, *tmp, *y;
    cudaMalloc(&A, sizeof(float) * rows * columns);
    cudaMalloc(&B, sizeof(float) * rows * columns);
    cudaMalloc(&x, sizeof(float) * columns);
    cudaMalloc(&tmp, sizeof(float) * rows);
    cudaMalloc(&y, sizeof(float) * rows);
    for (int launch = 0; launch < std::atoi(argv[1]); ++launch) {
        gesummv<<<rows / 256, 256>>>(rows, columns, A, B, x, tmp, y);
        cudaDeviceSynchronize();
    }
    std::puts("done");
}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory, host_compiler):
    """A program for the emulator."""
    place = tmp_path_factory.mktemp("built")
    (place / "gesummv.cu").write_text(KERNEL)
    argv = ["--gpuopt-backend=emulator", "--gpuopt-gpu=h200", "-arch=sm_90", "gesummv.cu", "-o", "gesummv"]
    soon = [f"-Xcompiler={SOON}"]
    env = {**os.environ, "GPUOPT_EMU_MODE": "model", "GPUOPT_EMU_GPU": "h200"}
    subprocess.run([sys.executable, "-m", "gpuopt_driver.nvcc_main", *argv, *soon], cwd=place, env=env, check=True)
    return place / "gesummv"


@pytest.fixture
def program(built, tmp_path, monkeypatch):
    """The same in the working directory, with choices of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GPUOPT_CHOICES", f"{tmp_path}/kept/")
    monkeypatch.setenv("GPUOPT_EMU_MODE", "model")
    monkeypatch.setenv("GPUOPT_EMU_GPU", "h200")
    return shutil.copy(built, tmp_path)


def tuned(capfd, *argv):
    status = main(["tune", "--json", *argv])
    out, err = capfd.readouterr()
    assert out, err
    return status, json.loads(out)


def test_a_program_is_run_until_its_launch_is_settled(program, capfd):
    capfd.readouterr()
    status, document = tuned(capfd, "--", "./gesummv", "8", "4096", "128")
    (launch,) = document["launches"]
    assert status == 0
    assert launch["kernel"].startswith("gesummv")
    assert launch["launch"].startswith("grid 16,1,1 block 256,1,1 shared 0")
    assert launch["state"] != "learning"
    assert len(launch["arms"]) > 2
    assert all(arm["measured"] for arm in launch["arms"])


def test_it_goes_on_from_what_was_learned(program, capfd):
    capfd.readouterr()
    status, first = tuned(capfd, "--most-runs", "1", "--", "./gesummv", "4", "4096", "128")
    assert status == 3
    status, second = tuned(capfd, "--", "./gesummv", "4", "4096", "128")
    assert status == 0
    assert second["launches"][0]["key"] == first["launches"][0]["key"]
    assert second["launches"][0]["launches"] > first["launches"][0]["launches"]
    assert main(["choices", "show", "gesummv"]) == 0
    assert "best" in capfd.readouterr().out
