"""What is said of kernels whose launches are not seen or stay: lines name the file that they are in."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.frontend.parse import ParseOptions, parse_unit
from gpuopt_driver.variants.unseen import no_launch, not_rewritten

RUN = """

template <class K, class... A> void run(K k, A... a) {
    void *v[] = {&a...};
    cudaLaunchKernel(k, 1, 1, v, 0, 0);
}
inline void any(void (*k)(float *), float *x) { k<<<1, 1>>>(x); }
"""
KERNEL = "__global__ void k(float *x) { x[threadIdx.x] = 1; }\n"


@pytest.mark.parametrize("where", ["", " of run.h"])
def test_lines_name_their_file(tmp_path: Path, where: str) -> None:
    (tmp_path / "run.h").write_text(RUN)
    source = tmp_path / "main.cu"
    head = '#include "run.h"\n' if where else RUN
    source.write_text(f"{head}{KERNEL}void f(float *x) {{ run(k, x); }}\n")
    unit = parse_unit(str(source), ParseOptions())
    (kernel,) = unit.kernels
    words = f"(line 5{where} launches it by a function of the runtime)"
    assert not_rewritten(unit, kernel) == f"no launch of the kernel in this unit can be rewritten {words}"
    source.write_text(f"{head}{KERNEL}")
    unit = parse_unit(str(source), ParseOptions())
    (kernel,) = unit.kernels
    words = f"which kernel line 7{where} launches is not seen"
    assert no_launch(unit, kernel) == not_rewritten(unit, kernel) == f"no launch of the kernel in this file; {words}"
