"""Programs that once broke a promise: each is patched, run both ways, and has to say the same."""

from __future__ import annotations

from pathlib import Path

from gpuopt_driver.report.model import Decision

from .forced import Outcome, force

_SOURCE = """\
#include <cstdio>
__device__ void meet_at(unsigned) { __syncthreads(); }
%s
int main() {
  unsigned *A, *y, host[64], sum = 0;
  cudaMalloc(&A, 64 * 16 * sizeof(unsigned)); cudaMalloc(&y, sizeof host);
  cudaMemset(A, 3, 64 * 16 * sizeof(unsigned)); cudaMemset(y, 0, sizeof host);
  %s
  int error = (int)cudaDeviceSynchronize();
  cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
  for (unsigned value : host) sum = sum * 31u + value;
  printf("kernel error %%d sum %%u\\n", error, sum);
}
"""
_LOOP = "for (int j = 0; j < n; j++) y[t] += A[t * n + j];"


def _program(kernel: str, launch: str = "k<<<1, 64>>>(A, y, 16);") -> dict[str, bytes]:
    return {"main.cu": (_SOURCE % (kernel, launch)).encode()}


def test_a_lambda_hides_no_barrier(tmp_path: Path, host_compiler: str) -> None:
    """Implicit captures made the parser lose what follows, so that a loop with a barrier looked free of one."""
    body = f"auto f = [=](int q) {{ return q + t; }}; {_LOOP} y[t] += f(1); __syncthreads();"
    kernel = f"""__global__ void k(const unsigned *A, unsigned *y, int n) {{
  int t = threadIdx.x;
  for (int r = 0; r < 3; r++) {{ {body} }}
}}"""
    outcome = force(_program(kernel), tmp_path)
    assert outcome.wrong() == ""
    assert outcome.throttled == 1


def test_restricted_and_volatile_arguments_of_a_template(tmp_path: Path, host_compiler: str) -> None:
    kernel = f"""template <class T> __global__ void k(const T *__restrict__ A, T *__restrict__ y, volatile int n) {{
  int t = threadIdx.x; {_LOOP}
}}"""
    outcome = force(_program(kernel), tmp_path)
    assert outcome.wrong() == ""
    assert outcome.throttled == 1


def test_a_kernel_cut_by_a_conditional_stays(tmp_path: Path, host_compiler: str) -> None:
    """Its text alone would begin inside of an #if."""
    kernel = f"""#if 1
__global__ void k(const unsigned *A, unsigned *y, int n) {{
#else
__global__ void k(const unsigned *A, unsigned *y, long n) {{
#endif
  int t = threadIdx.x; {_LOOP}
}}"""
    _declined(force(_program(kernel), tmp_path), "preprocessor conditional")


def test_a_name_behind_a_continued_line_stays(tmp_path: Path, host_compiler: str) -> None:
    kernel = f"""__global__ void \\
k(const unsigned *A, unsigned *y, int n) {{
  int t = threadIdx.x; {_LOOP}
}}"""
    outcome = force(_program(kernel), tmp_path)
    assert outcome.wrong() == ""


def _declined(outcome: Outcome, reason: str) -> None:
    assert outcome.wrong() == ""
    (finding,) = [one for one in outcome.findings if one.plugin == "catt"]
    assert finding.decision is Decision.DECLINED
    assert reason in finding.message
