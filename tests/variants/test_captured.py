"""Launches that are captured into a graph: the program may read what its nodes have, and replace it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuopt_driver.frontend.parse import ParseOptions
from gpuopt_driver.learning.runtime import Learning
from gpuopt_driver.phases import Job, process
from gpuopt_driver.policy.schema import Policy
from tests.host.small_plugins import together
from tests.variants.test_emit import run_program
from tests.variants.test_memo import counting

SOURCE = """\
#include <cstdio>
static int asked = 0;
__global__ void step(int *out, int n) { if (n == 3) out[0] += /*step*/1; }
int main()
{
    int *out, *other, n = 3, sums[2];
    cudaMalloc(&out, 4);
    cudaMalloc(&other, 4);
    cudaMemset(out, 0, 4);
    cudaMemset(other, 0, 4);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    cudaGraphNode_t node;
    cudaKernelNodeParams has;
    size_t nodes = 1;
    cudaStreamCreate(&stream);
    step<<<2, 1, 0, stream>>>(out, n);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    step<<<2, 1, 0, stream>>>(out, n);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&replay, graph, 0);
    cudaGraphGetNodes(graph, &node, &nodes);
    cudaGraphKernelNodeGetParams(node, &has);
    void *given[] = {&other, has.kernelParams[1]};
    std::printf("%d %d\\n", has.func == (void *)step, has.gridDim.x);
    has.kernelParams = given;
    std::printf("%s\\n", cudaGetErrorName(cudaGraphExecKernelNodeSetParams(replay, node, &has)));
    cudaGraphLaunch(replay, stream);
    cudaStreamSynchronize(stream);
    cudaMemcpy(sums, out, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(sums + 1, other, 4, cudaMemcpyDeviceToHost);
    std::printf("%d %d\\n", sums[0], sums[1]);
}
"""


@pytest.mark.parametrize("captured", [False, True])
def test_nodes_are_those_of_the_program_unless_the_policy_says_otherwise(
    tmp_path: Path, host_compiler: str, captured: bool
) -> None:
    source = tmp_path / "combined.cu"
    source.write_text(SOURCE)
    policy = Policy(learn=Learning(captured=captured))
    result = process(Job(str(source), ParseOptions(), policy), together(counting("return true;")))
    said = run_program(tmp_path, dict(result.patched)).stdout.splitlines()
    if captured:
        assert said[0] == "0 2"
    else:
        assert said == ["1 2", "cudaSuccess", "200 2"]
