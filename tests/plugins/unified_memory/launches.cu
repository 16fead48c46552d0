// Carve-outs wherever launches come from: devices, streams, a graph, another file, and what the program itself wants.
// `plain` and `preferred` are launched by the other file only.
// Prints one line per step; the launches' versions are in the trace of GPUOPT_DISPATCH.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void share(int m, const float *A, float *y)
{
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j)
        y[i] += A[(size_t)i * m + j];
    tile[threadIdx.x] = y[i];
    __syncthreads();
    y[i] += tile[(threadIdx.x + 1) % blockDim.x];
}
__global__ void wished(int m, const float *A, float *y)
{
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j)
        y[i] += A[(size_t)i * m + j];
    tile[threadIdx.x] = y[i];
    __syncthreads();
    y[i] += tile[(threadIdx.x + 1) % blockDim.x];
}
namespace deep {
__global__ void plain(int m, const float *A, float *y)
{
    extern __shared__ float tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j)
        y[i] += A[(size_t)i * m + j];
    tile[threadIdx.x] = y[i];
    __syncthreads();
    y[i] += tile[(threadIdx.x + 1) % blockDim.x];
}
}
extern "C" __global__ void preferred(int m, const float *A, float *y)
{
    extern __shared__ float lines[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < m; ++j)
        y[i] += A[(size_t)i * m + j];
    lines[threadIdx.x] = y[i];
    __syncthreads();
    y[i] += lines[(threadIdx.x + 1) % blockDim.x];
}

void from_another_file(int m, const float *A, float *y, int most);

static const int M = 32, MOST = 132 * 8 * 256;

static void say(const char *what, float *y)
{
    const cudaError_t status = cudaDeviceSynchronize();
    double sum = 0;
    for (int k = 0; k < MOST; ++k) sum += y[k] * (k % 13);
    std::printf("%s: %.17g %s\n", what, sum, cudaGetErrorString(status));
    cudaMemset(y, 0, sizeof(float) * MOST);
}

static int preference()
{
    cudaFuncAttributes found;
    return cudaFuncGetAttributes(&found, share) == cudaSuccess ? found.preferredShmemCarveout : -2;
}

int main()
{
    int devices = 0;
    cudaGetDeviceCount(&devices);
    for (int device = 0; device < devices; ++device) {
        cudaSetDevice(device);
        float *A, *y;
        cudaMallocManaged(&A, sizeof(float) * MOST * M);
        cudaMallocManaged(&y, sizeof(float) * MOST);
        for (int k = 0; k < MOST * M; ++k) A[k] = k % 7;
        cudaMemset(y, 0, sizeof(float) * MOST);
        cudaStream_t streams[2];
        for (cudaStream_t &one : streams) cudaStreamCreate(&one);
        for (int run = 0; run < 2; ++run) {  // two configurations in turns, each with a carve-out of its own
            share<<<132 * 4, 256, 24576, streams[0]>>>(M, A, y);
            cudaStreamSynchronize(streams[0]);
            share<<<132 * 8, 64, 12288, streams[1]>>>(M, A, y);
            cudaStreamSynchronize(streams[1]);
        }
        say("streams", y);
        cudaGraph_t graph;
        cudaGraphExec_t replay;
        cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal);
        share<<<132 * 4, 256, 24576, streams[0]>>>(M, A, y);
        share<<<132 * 2, 256, 40960, streams[0]>>>(M, A, y);
        cudaStreamEndCapture(streams[0], &graph);
        cudaGraphInstantiate(&replay, graph, 0);
        for (int run = 0; run < 2; ++run) cudaGraphLaunch(replay, streams[0]);
        say("graph", y);
        from_another_file(M, A, y, MOST);
        std::printf("the original's preference: %d\n", preference());
        cudaFuncSetAttribute(wished, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
        wished<<<132 * 4, 256, 24576>>>(M, A, y);
        say("wished", y);
        cudaDeviceSetCacheConfig(cudaFuncCachePreferShared);
        share<<<132 * 4, 256, 24580>>>(M, A, y);
        say("device prefers", y);
        cudaDeviceSetCacheConfig(cudaFuncCachePreferNone);
    }
    return 0;
}
