// What calls of the runtime and of the driver cost the host, and a launch by `<<<>>>` beside one by cuLaunchKernel.
//
//     nvcc -O3 -arch=native launch_cost.cu -o launch_cost && ./launch_cost
//
// Prints nanoseconds a call (median of nine loops), and microseconds of a launch of an empty kernel between two events.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>
#define CHECK(x) do { const cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e_)); std::exit(1); } } while (0)
struct Data { int n; const void *p[7]; };
__global__ void empty(Data data) { if (data.n == 12345) ((int *)data.p[0])[0] = 1; }

typedef std::chrono::steady_clock Clock;
static double median(std::vector<double> all) { std::sort(all.begin(), all.end()); return all[all.size() / 2]; }

template <class Call> static void host(const char *name, Call call, int count = 20000, int rounds = 9) {
    std::vector<double> all;
    for (int i = 0; i < 100; ++i) call();
    for (int round = 0; round < rounds; ++round) {
        CHECK(cudaDeviceSynchronize());
        const auto begin = Clock::now();
        for (int i = 0; i < count; ++i) call();
        all.push_back(std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / count);
    }
    std::printf("%-32s %8.1f ns\n", name, median(all));
}
template <class Call> static void between_events(const char *name, int row, Call call) {
    cudaEvent_t begin, end;
    std::vector<double> all;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int i = 0; i < 2000; ++i) {
        float milliseconds;
        CHECK(cudaEventRecord(begin));
        for (int k = 0; k < row; ++k) call();
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
        all.push_back(milliseconds * 1000 / row);
    }
    std::printf("%-24s %3d a row %8.3f us\n", name, row, median(all));
}
template <class F> static F driver(const char *name) {
    void *found = nullptr;
    CHECK(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault));
    return (F)found;
}

int main() {
    static volatile int sink;
    Data data = {};
    void *arguments[] = {&data};
    const void *symbol = (const void *)empty;
    cudaFunction_t function;
    cudaFuncAttributes attributes;
    int value, device;
    unsigned long long id;
    const auto get_id = driver<int (*)(void *, unsigned long long *)>("cuCtxGetId");
    const auto attribute = driver<int (*)(int *, int, cudaFunction_t)>("cuFuncGetAttribute");
    const auto launch = driver<int (*)(cudaFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                       cudaStream_t, void **, void **)>("cuLaunchKernel");
    empty<<<1, 32>>>(data);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGetFuncBySymbol(&function, symbol));
    for (int pass = 0; pass < 2; ++pass) {
        host("cudaPeekAtLastError", [&] { sink = cudaPeekAtLastError(); });
        host("cudaGetDevice", [&] { sink = cudaGetDevice(&device); });
        host("cudaFuncGetAttributes", [&] { sink = cudaFuncGetAttributes(&attributes, symbol); });
        host("cudaGetFuncBySymbol", [&] { sink = cudaGetFuncBySymbol(&function, symbol); });
        host("cuCtxGetId", [&] { sink = get_id(nullptr, &id); });
        host("cuFuncGetAttribute", [&] { sink = attribute(&value, 9, function); });
        const auto by_runtime = [&] { empty<<<1, 32>>>(data); };
        const auto by_driver = [&] { sink = launch(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr); };
        host("<<<>>>", by_runtime, 500, 49);
        host("cuLaunchKernel", by_driver, 500, 49);
        for (const int row : {1, 10}) {
            between_events("<<<>>>", row, by_runtime);
            between_events("cuLaunchKernel", row, by_driver);
        }
    }
    return 0;
}
