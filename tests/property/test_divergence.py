"""Kernels in which threads part for reasons that are easy to miss: no barrier is inserted where some do not arrive."""

from __future__ import annotations

import re
from pathlib import Path

from .forced import force
from .programs import HEAD

_LAUNCH = """\
  cudaMemcpy(A, host, sizeof host, cudaMemcpyHostToDevice); cudaMemset(y, 1, 1024);
  NAME<<<2, 64>>>(A, y, 8);
  report("NAME", y);
"""
_MAIN = """\
static void report(const char *name, const u *y) {
  const int error = (int)cudaDeviceSynchronize();
  u host[256], sum = 0;
  cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
  for (u value : host) sum = sum * 31 + value;
  printf("kernel error %d %s %u\\n", error, name, sum);
}
int main() {
  u *A, *y, host[4096];
  for (u k = 0; k < 4096; k++) host[k] = k * 2654435761u >> 9;
  cudaMalloc(&A, sizeof host); cudaMalloc(&y, 1024);
"""


def test_no_barrier_where_threads_have_parted(tmp_path: Path, host_compiler: str) -> None:
    kernels = Path(__file__).with_name("sources").joinpath("divergence.cu").read_text()
    names = re.findall(r"__global__ void (\w+)", kernels)
    launches = "".join(_LAUNCH.replace("NAME", name) for name in names)
    source = f"{HEAD}typedef unsigned u;\n{kernels}{_MAIN}{launches}}}\n"
    outcome = force({"main.cu": source.encode()}, tmp_path)
    assert outcome.wrong() == ""
    assert outcome.original.count("\n") == len(names)
    assert outcome.throttled >= 28
