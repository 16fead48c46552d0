// Launches kernels that another file defines: by name in a stream and under capture, by address, with a configuration,
// as a node of a graph, and out of a macro.
// The original's attributes stay what they are; a cache preference that is set here counts.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void share(int m, const float *A, float *y);
namespace deep { __global__ void plain(int m, const float *A, float *y); }
extern "C" __global__ void preferred(int m, const float *A, float *y);
#define MACRO_LAUNCH(kernel) kernel<<<132 * 4, 256, 24576>>>(m, A, y)

static void say(const char *what, float *y, int most)
{
    const cudaError_t status = cudaDeviceSynchronize();
    double sum = 0;
    for (int k = 0; k < most; ++k) sum += y[k] * (k % 13);
    std::printf("%s: %.17g %s\n", what, sum, cudaGetErrorString(status));
    cudaMemset(y, 0, sizeof(float) * most);
}

void from_another_file(int m, const float *A, float *y, int most)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t replay;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    share<<<132 * 4, 256, 24576, stream>>>(m, A, y);
    deep::plain<<<132 * 4, dim3(256), 24576, stream>>>(m, A, y);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&replay, graph, 0);
    for (int run = 0; run < 2; ++run) cudaGraphLaunch(replay, stream);
    say("another file's graph", y, most);
    if (m) share<<<132 * 7, 64, 12288>>>(m, A, y);
    say("another file's launch", y, most);
    void *arguments[] = { &m, &A, &y };
    cudaError_t status = ::cudaLaunchKernel((const void *)deep::plain, dim3(132 * 2), dim3(256), arguments, 40960, stream);
    say(cudaGetErrorString(status), y, most);
    cudaLaunchConfig_t with = {};
    cudaLaunchAttribute attribute = {};
    with.gridDim = 132 * 3; with.blockDim = 256; with.dynamicSmemBytes = 24576; with.stream = stream;
    status = cudaLaunchKernelEx(&with, share, m, (const float *)A, y);
    say(cudaGetErrorString(status), y, most);
    status = cudaLaunchKernelExC(&with, (const void *)deep::plain, arguments);
    say(cudaGetErrorString(status), y, most);
    with.attrs = &attribute; with.numAttrs = 1;
    attribute.id = cudaLaunchAttributePriority;
    status = cudaLaunchKernelEx(&with, share, m, (const float *)A, y);  // with attributes: the original
    say(cudaGetErrorString(status), y, most);
    cudaKernelNodeParams node = {};
    node.func = (void *)share; node.gridDim = 132 * 2; node.blockDim = 256; node.sharedMemBytes = 24576;
    node.kernelParams = arguments;
    cudaGraphNode_t first;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &node);
    cudaGraphInstantiate(&replay, graph, 0);
    cudaGraphLaunch(replay, stream);
    say("a node", y, most);
    MACRO_LAUNCH(share);
    say("out of a macro", y, most);
    preferred<<<132 * 3, 256, 24576>>>(m, A, y);
    cudaFuncSetCacheConfig(preferred, cudaFuncCachePreferShared);
    preferred<<<132 * 4, 256, 24576>>>(m, A, y);
    say("preferred", y, most);
    share<<<132 * 4, 2048, 24576>>>(m, A, y);  // too many threads
    std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
