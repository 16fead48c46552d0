// Times every kernel of a program that is not changed for it, by CUPTI's activity records, whatever launched the kernel.
//
//     CUDA_INJECTION64_PATH=libkernel_times.so KERNEL_TIMES=FILE ./app     (kernel_times.py builds it, and reads FILE)
//
// FILE has a line of fields separated by tabs for each kernel, device, grid and block: name, device, grid, block, dynamic
// and static shared memory in bytes, registers of a thread, launches, then nanoseconds: sum, median, least. It is written
// again every 0.7 s, so that a program that is ended has its figures, too. `%p` in FILE stands for the process.
#include <cupti.h>
#include <cxxabi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

#if CUPTI_API_VERSION >= 130000
using KernelRecord = CUpti_ActivityKernel10;
#else
using KernelRecord = CUpti_ActivityKernel9;
#endif

constexpr size_t BUFFER_BYTES = 8 << 20, ALIGNMENT = 8;
constexpr size_t KEPT = 8192; // durations of a line, for its median

struct Times {
    unsigned long launches = 0;
    double sum = 0;
    unsigned long long least = ~0ULL;
    std::vector<unsigned long long> kept;

    void add(unsigned long long nanoseconds)
    {
        ++launches;
        sum += static_cast<double>(nanoseconds);
        least = std::min(least, nanoseconds);
        if (kept.size() < KEPT)
            kept.push_back(nanoseconds);
        else // an even sample: every launch is kept with the same probability
            if (const size_t at = static_cast<size_t>(next() % launches); at < KEPT)
                kept[at] = nanoseconds;
    }
    unsigned long long next() { return (state = state * 6364136223846793005ULL + 1442695040888963407ULL) >> 16; }
    unsigned long long state = 1;
};

std::map<std::string, Times> &lines()
{
    static auto *all = new std::map<std::string, Times>; // never destroyed: records come until the process ends
    return *all;
}
std::mutex &lock()
{
    static auto *one = new std::mutex;
    return *one;
}
size_t lost = 0;
pid_t owner = 0;

std::string readable(const char *name)
{
    int status = 0;
    char *text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    std::string result = status == 0 && text ? text : name;
    std::free(text);
    return result;
}

void CUPTIAPI buffer_wanted(uint8_t **buffer, size_t *size, size_t *most)
{
    *buffer = static_cast<uint8_t *>(std::aligned_alloc(ALIGNMENT, BUFFER_BYTES));
    *size = *buffer ? BUFFER_BYTES : 0;
    *most = 0;
}

void CUPTIAPI buffer_full(CUcontext context, uint32_t stream, uint8_t *buffer, size_t, size_t valid)
{
    std::lock_guard<std::mutex> held(lock());
    CUpti_Activity *record = nullptr;
    while (buffer && cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
        if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
            continue;
        const auto *kernel = reinterpret_cast<const KernelRecord *>(record);
        if (kernel->end < kernel->start || kernel->end == 0)
            continue;
        char where[200];
        std::snprintf(where, sizeof where, "\t%u\t%dx%dx%d\t%dx%dx%d\t%d\t%d\t%u", kernel->deviceId, kernel->gridX, kernel->gridY,
            kernel->gridZ, kernel->blockX, kernel->blockY, kernel->blockZ, kernel->dynamicSharedMemory,
            kernel->staticSharedMemory, static_cast<unsigned>(kernel->registersPerThread));
        lines()[(kernel->name ? kernel->name : "?") + std::string(where)].add(kernel->end - kernel->start);
    }
    size_t now = 0;
    if (cuptiActivityGetNumDroppedRecords(context, stream, &now) == CUPTI_SUCCESS)
        lost += now;
    std::free(buffer);
}

std::string file_name(const char *given)
{
    std::string name = given;
    for (size_t at; (at = name.find("%p")) != std::string::npos;)
        name.replace(at, 2, std::to_string(getpid()));
    return name;
}

void write()
{
    const char *given = std::getenv("KERNEL_TIMES");
    if (!given || !*given || owner != getpid()) // a child of fork has its parent's figures
        return;
    std::lock_guard<std::mutex> held(lock());
    const std::string name = file_name(given), partial = name + ".part";
    FILE *file = std::fopen(partial.c_str(), "w");
    if (!file)
        return;
    for (auto &[key, times] : lines()) {
        std::vector<unsigned long long> sorted = times.kept;
        const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
        std::nth_element(sorted.begin(), middle, sorted.end());
        const size_t tab = key.find('\t');
        std::fprintf(file, "%s%s\t%lu\t%.0f\t%llu\t%llu\n", readable(key.substr(0, tab).c_str()).c_str(), key.c_str() + tab,
            times.launches, times.sum, *middle, times.least);
    }
    if (lost)
        std::fprintf(file, "# %zu records were dropped\n", lost);
    const bool whole = std::fclose(file) == 0;
    if (whole)
        std::rename(partial.c_str(), name.c_str());
}

void finish()
{
    if (owner != getpid())
        return;
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    write();
}

} // namespace

extern "C" int InitializeInjection(void)
{
    if (cuptiActivityRegisterCallbacks(buffer_wanted, buffer_full) != CUPTI_SUCCESS ||
        cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS) {
        std::fprintf(stderr, "kernel_times: CUPTI refuses to record kernels\n");
        return 0;
    }
    owner = getpid();
    std::atexit(finish);
    std::thread([] {
        for (;;) {
            std::this_thread::sleep_for(std::chrono::milliseconds(700));
            cuptiActivityFlushAll(0);
            write();
        }
    }).detach();
    return 1;
}
