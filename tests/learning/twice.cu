// Rows of two matrices, sums in memory: warps in groups are several times as fast. twice LAUNCHES [captured | beside]
#include <cstdio>
#include <cstdlib>

__global__ void rows(const float *a, const float *b, float *y, int length, int stride)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < length; ++j) {
        y[i] += a[i * stride + j] * 0.5f;
        y[i] += b[i * stride + j] * 1.5f;
    }
}

static void wait_for(void *flag)
{
    while (!__atomic_load_n((int *)flag, __ATOMIC_ACQUIRE)) {}
}

int main(int argc, char **argv)
{
    const int launches = argc > 1 ? std::atoi(argv[1]) : 1, blocks = 32, threads = 768;
    const int length = 8, stride = 32;  // a line of L1 for each row, of which a sector is read: eight times
    const size_t size = sizeof(float) * blocks * threads;
    float *a, *b, *y, *sums = (float *)std::malloc(size);
    cudaMalloc(&a, size * stride);
    cudaMalloc(&b, size * stride);
    cudaMalloc(&y, size);
    cudaMemset(a, 1, size * stride);
    cudaMemset(b, 2, size * stride);
    cudaMemset(y, 0, size);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    if (argc > 2 && argv[2][0] == 'b') {  // a launch of another stream comes while the first one still waits
        cudaStream_t other;
        cudaStreamCreate(&other);
        for (int run = 0; run < launches; ++run) {
            int flag = 0;
            cudaLaunchHostFunc(stream, wait_for, &flag);
            rows<<<blocks, threads, 0, stream>>>(a, b, y, length, stride);
            rows<<<blocks, threads, 0, other>>>(a, b, y, length, stride);
            cudaStreamSynchronize(other);
            __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
            cudaStreamSynchronize(stream);
        }
    } else if (argc > 2) {
        cudaGraph_t graph;
        cudaGraphExec_t executable;
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        rows<<<blocks, threads, 0, stream>>>(a, b, y, length, stride);
        cudaStreamEndCapture(stream, &graph);
        cudaGraphInstantiate(&executable, graph, 0);
        for (int run = 0; run < launches; ++run)
            cudaGraphLaunch(executable, stream);
    } else {
        for (int run = 0; run < launches; ++run)
            rows<<<blocks, threads, 0, stream>>>(a, b, y, length, stride);
    }
    cudaStreamSynchronize(stream);
    cudaMemcpy(sums, y, size, cudaMemcpyDeviceToHost);
    unsigned long long bits = 0;
    for (int i = 0; i < blocks * threads; ++i)
        bits = (bits ^ ((unsigned *)sums)[i]) * 1099511628211ull;
    std::printf("%016llx %s\n", bits, cudaGetErrorString(cudaGetLastError()));
    return 0;
}
