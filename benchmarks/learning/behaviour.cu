// What programs do while launches are measured: many short launches, streams, threads, graphs, resets, forks, arguments
// that change all the time, several GPUs.   behaviour MODE LAUNCHES    prints milliseconds and a sum of the output's bits
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define CHECK(call) \
    do { \
        cudaError_t error_ = (call); \
        if (error_ != cudaSuccess) { \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_)); \
            std::exit(1); \
        } \
    } while (0)

__global__ void rows(const float *a, const float *b, float *y, int length, int stride)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < length; ++j) {
        y[i] += a[(size_t)i * stride + j] * 0.5f;
        y[i] += b[(size_t)i * stride + j] * 1.5f;
    }
}

__global__ void fill(float *data, size_t count, unsigned seed)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        data[i] = (float)(((unsigned)i * 2654435761u + seed) >> 16) / 65536.0f - 0.5f;
}

struct Work {
    int blocks, length, stride;
    float *a, *b, *y;

    Work(int blocks_, int length_) : blocks(blocks_), length(length_), stride(length_)
    {
        const size_t threads = (size_t)blocks * 256;
        CHECK(cudaMalloc(&a, threads * stride * sizeof(float)));
        CHECK(cudaMalloc(&b, threads * stride * sizeof(float)));
        CHECK(cudaMalloc(&y, threads * sizeof(float)));
        fill<<<256, 256>>>(a, threads * stride, 1);
        fill<<<256, 256>>>(b, threads * stride, 2);
        CHECK(cudaMemset(y, 0, threads * sizeof(float)));
        CHECK(cudaDeviceSynchronize());
    }
    void launch(cudaStream_t stream, int steps) const { rows<<<blocks, 256, 0, stream>>>(a, b, y, steps, stride); }
    unsigned long long bits() const
    {
        std::vector<unsigned> all((size_t)blocks * 256);
        CHECK(cudaMemcpy(all.data(), y, all.size() * sizeof(float), cudaMemcpyDeviceToHost));
        unsigned long long sum = 0;
        for (unsigned one : all)
            sum = (sum ^ one) * 1099511628211ull;
        return sum;
    }
};

static unsigned long long simple(int blocks, int length, int launches, bool changing)
{
    const Work work(blocks, length);
    for (int run = 0; run < launches; ++run)
        work.launch(0, changing ? 1 + run % length : length);
    CHECK(cudaDeviceSynchronize());
    return work.bits();
}

static unsigned long long in_streams(int launches)
{
    cudaStream_t streams[4];
    std::vector<Work> works;
    for (cudaStream_t &stream : streams) {
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        works.emplace_back(264, 48);
    }
    for (int run = 0; run < launches; ++run)
        works[run % 4].launch(streams[run % 4], 48);
    CHECK(cudaDeviceSynchronize());
    unsigned long long sum = 0;
    for (const Work &work : works)
        sum = sum * 31 + work.bits();
    return sum;
}

static unsigned long long in_threads(int launches)
{
    std::vector<unsigned long long> sums(4);
    std::vector<std::thread> threads;
    for (int number = 0; number < 4; ++number)
        threads.emplace_back([&sums, number, launches] {
            cudaStream_t stream;
            CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            const Work work(264, 32 + number);
            for (int run = 0; run < launches / 4; ++run)
                work.launch(stream, 32);
            CHECK(cudaStreamSynchronize(stream));
            sums[number] = work.bits();
        });
    unsigned long long sum = 0;
    for (int number = 0; number < 4; ++number) {
        threads[number].join();
        sum = sum * 31 + sums[number];
    }
    return sum;
}

// A capture that no other thread may disturb, while another thread's launches are measured; then replays.
static unsigned long long in_graph(int launches)
{
    const Work captured(264, 48), beside(264, 40);
    cudaStream_t stream, other;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    for (int run = 0; run < 40; ++run)
        beside.launch(other, 40);
    std::vector<cudaGraphExec_t> graphs;
    for (int number = 0; number < 10; ++number) {
        cudaGraph_t graph;
        cudaGraphExec_t executable;
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        for (int run = 0; run < 10; ++run) {
            captured.launch(stream, 48);
            std::thread([&] { beside.launch(other, 40); }).join();
        }
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&executable, graph, 0));
        graphs.push_back(executable);
    }
    for (int run = 0; run < launches / 10; ++run)
        CHECK(cudaGraphLaunch(graphs[run % graphs.size()], stream));
    CHECK(cudaDeviceSynchronize());
    return captured.bits() * 31 + beside.bits();
}

// What the host takes for launches: bursts that the queue holds, without the time that the GPU takes for them. Returns the
// milliseconds of as many launches by the burst in the middle.
static double by_host(int launches, cudaStream_t stream, unsigned long long &sum)
{
    const int burst = 100, bursts = launches / burst;
    const Work work(1, 8);
    std::vector<double> took;
    for (int number = 0; number < bursts; ++number) {
        const auto begin = std::chrono::steady_clock::now();
        for (int run = 0; run < burst; ++run)
            work.launch(stream, 8);
        took.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
        CHECK(cudaDeviceSynchronize());
    }
    sum = work.bits();
    std::nth_element(took.begin(), took.begin() + bursts / 2, took.end());
    return took[bursts / 2] * bursts;
}

// A launch on each GPU in turn.
static unsigned long long on_devices(int launches)
{
    int count = 0;
    CHECK(cudaGetDeviceCount(&count));
    std::vector<Work> works;
    for (int device = 0; device < count; ++device) {
        CHECK(cudaSetDevice(device));
        works.emplace_back(1056, 48);
    }
    for (int run = 0; run < launches; ++run) {
        CHECK(cudaSetDevice(run % count));
        works[run % count].launch(0, 48);
        if (run % (16 * count) == 16 * count - 1)
            for (int device = 0; device < count; ++device) {
                CHECK(cudaSetDevice(device));
                CHECK(cudaDeviceSynchronize());
            }
    }
    unsigned long long sum = 0;
    for (int device = 0; device < count; ++device) {
        CHECK(cudaSetDevice(device));
        CHECK(cudaDeviceSynchronize());
        sum = sum * 31 + works[device].bits();
    }
    return sum;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    const int launches = argc > 2 ? std::atoi(argv[2]) : 1000;
    const auto begin = std::chrono::steady_clock::now();
    unsigned long long sum = 0;
    double host = -1;
    if (!std::strcmp(mode, "fork")) {
        const pid_t child = fork();
        sum = simple(264, 48, launches, false);
        if (child == 0)
            std::exit(sum ? 0 : 1);
        int status = 1;
        waitpid(child, &status, 0);
        sum += (unsigned long long)status;
    } else {
        CHECK(cudaFree(nullptr));
    }
    const auto ready = std::chrono::steady_clock::now();
    if (!std::strcmp(mode, "short"))
        sum = simple(16, 8, launches, false);
    else if (!std::strcmp(mode, "usual"))
        sum = simple(1056, 48, launches, false);
    else if (!std::strcmp(mode, "arguments"))
        sum = simple(264, 64, launches, true);
    else if (!std::strcmp(mode, "streams"))
        sum = in_streams(launches);
    else if (!std::strcmp(mode, "host"))
        host = by_host(launches, nullptr, sum);
    else if (!std::strcmp(mode, "host-stream")) {
        cudaStream_t stream;
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        host = by_host(launches, stream, sum);
    } else if (!std::strcmp(mode, "devices"))
        sum = on_devices(launches);
    else if (!std::strcmp(mode, "threads"))
        sum = in_threads(launches);
    else if (!std::strcmp(mode, "graph"))
        sum = in_graph(launches);
    else if (!std::strcmp(mode, "reset")) {
        sum = simple(264, 48, launches / 2, false);
        CHECK(cudaDeviceReset());
        sum = sum * 31 + simple(264, 48, launches / 2, false);
    } else if (std::strcmp(mode, "fork")) {
        std::fprintf(stderr, "behaviour short|usual|host|host-stream|arguments|streams|threads|graph|reset|fork|devices LAUNCHES\n");
        return 2;
    }
    const double milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - (std::strcmp(mode, "fork") ? ready : begin))
            .count();
    std::printf("%.3f %016llx %s\n", host < 0 ? milliseconds : host, sum, cudaGetErrorString(cudaGetLastError()));
    return 0;
}
