"""Versions that nvcc's PTX has shown to be wrong are left in the program without a body: no launch may get one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpuopt_driver.frontend.parse import ParseOptions
from gpuopt_driver.hooks import Proposal
from gpuopt_driver.phases import Job, process
from gpuopt_driver.policy.schema import Policy
from gpuopt_driver.report.model import Decision
from gpuopt_driver.source.edits import Edit
from gpuopt_driver.variants.model import Variant
from tests.host.small_plugins import finding, plugin, together
from tests.variants.test_emit import run_program

SOURCE = """\
#include <cstdio>
__global__ void /*bounds*/ k(int *out) { out[0] = /*what*/1; }
int main()
{
    int *out, host = 0;
    cudaMalloc(&out, sizeof host);
    k<<<1, 1>>>(out);
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
    std::printf("%d\\n", host);
}
"""


@pytest.mark.parametrize(("bounds", "printed"), [(b"__launch_bounds__(1)", "1\n"), (b"__launch_bounds__(2)", "2\n")])
@pytest.mark.parametrize("offered", [False, True])
def test_a_version_for_one_thread_is_none(
    tmp_path: Path, host_compiler: str, bounds: bytes, printed: str, offered: bool
) -> None:
    """One thread per block is how `ptx.c` marks what has no body; picked by its guard or as an arm."""

    def propose(kernel: Any, context: Any, _facts: Any) -> Proposal:
        file, data = kernel.span.file, context.unit.files[kernel.span.file].data
        head, body = data.find(b"/*bounds*/"), data.find(b"/*what*/") + 8
        edits = (Edit(file, head, head, bounds), Edit(file, body, body + 1, b"2"))
        offers = "gpuopt_o.add(gpuopt_o.blank(), 1);" if offered else ""
        made = Variant(kernel.usr, "two", edits, "return false;" if offered else "return true;", candidates=offers)
        return Proposal((finding("two", kernel, Decision.APPLIED),), (), (made,))

    source = tmp_path / "combined.cu"
    source.write_text(SOURCE)
    result = process(Job(str(source), ParseOptions(), Policy()), together(plugin("two", propose)))
    env = {"GPUOPT_DISPATCH": "arm:1"} if offered else {}
    assert run_program(tmp_path, dict(result.patched), **env).stdout == printed
