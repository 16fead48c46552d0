// What L1 keeps: one thread executes short programs of loads and stores and times each of them, so that hits and
// misses are seen one by one. Fills (lines or sectors), set index, replacement, stores, and every cache operator.
#include "probe.h"
#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

enum Operator : unsigned { CA, CG, CS, LU, CV, NO_ALLOCATE, EVICT_FIRST, EVICT_LAST, NC, STORE, OPERATORS };
static const char *const NAMES[OPERATORS] = {"ca", "cg", "cs", "lu", "cv", "no_allocate", "evict_first", "evict_last",
                                             "nc", "store"};
constexpr unsigned STEPS = 15360, SHIFT = 27; // a step: operator << SHIFT | sector
__constant__ unsigned program[STEPS];

#define LOAD(text) asm volatile(text " %0, [%1];" : "=r"(value) : "l"(address) : "memory")

__device__ __forceinline__ unsigned access(unsigned which, unsigned *address)
{
    unsigned value = 0;
    switch (which) {
    case CA: LOAD("ld.global.ca.u32"); break;
    case CG: LOAD("ld.global.cg.u32"); break;
    case CS: LOAD("ld.global.cs.u32"); break;
    case LU: LOAD("ld.global.lu.u32"); break;
    case CV: LOAD("ld.global.cv.u32"); break;
#if __CUDA_ARCH__ >= 700
    case NO_ALLOCATE: LOAD("ld.global.L1::no_allocate.u32"); break;
    case EVICT_FIRST: LOAD("ld.global.L1::evict_first.u32"); break;
    case EVICT_LAST: LOAD("ld.global.L1::evict_last.u32"); break;
#endif
    case NC: LOAD("ld.global.nc.u32"); break;
    case STORE: asm volatile("st.global.u32 [%0], %1;" ::"l"(address), "r"(0u) : "memory"); break;
    default: break;
    }
    return value;
}

__global__ void execute(unsigned *data, unsigned steps, unsigned short *out)
{
    __shared__ unsigned short took[STEPS];
    unsigned zero = 0; // what is loaded is 0: each step depends on the one before
    for (unsigned i = 0; i < steps; ++i) {
        const unsigned step = program[i];
        unsigned *const address = data + size_t(step & ((1u << SHIFT) - 1)) * (SECTOR / 4) + zero;
        const long long start = clock64();
        zero = access(step >> SHIFT, address);
        if (zero != 0) // waits for the value
            return;
        const long long end = clock64();
        took[i] = static_cast<unsigned short>(end - start > 65535 ? 65535 : end - start);
    }
    for (unsigned i = 0; i < steps; ++i)
        out[i] = took[i];
}

static std::vector<unsigned short> run(unsigned *data, const std::vector<unsigned> &steps)
{
    if (steps.size() > STEPS) {
        std::fprintf(stderr, "a program of %zu steps is too long\n", steps.size());
        std::exit(1);
    }
    Memory<unsigned short> out(STEPS);
    CHECK(cudaMemcpyToSymbol(program, steps.data(), steps.size() * sizeof(unsigned)));
    execute<<<1, 1>>>(data, unsigned(steps.size()), out);
    CHECK(cudaGetLastError());
    std::vector<unsigned short> took = out.host();
    took.resize(steps.size());
    return took;
}

static unsigned step(unsigned which, unsigned line, unsigned sector = 0)
{
    return which << SHIFT | (line * (LINE / SECTOR) + sector);
}

static void append(std::vector<unsigned> &steps, unsigned which, unsigned first, unsigned count, unsigned stride = 1)
{
    for (unsigned i = 0; i < count; ++i)
        steps.push_back(step(which, first + i * stride));
}

static double hits(const std::vector<unsigned short> &took, size_t from, size_t count, unsigned limit)
{
    size_t found = 0;
    for (size_t i = from; i < from + count; ++i)
        found += took[i] < limit;
    return double(found) / count;
}

// Hits among `count` lines, `stride` lines apart, in the third round through them.
static double third_round(unsigned *data, unsigned count, unsigned stride, unsigned limit)
{
    std::vector<unsigned> steps;
    for (int round = 0; round < 3; ++round)
        append(steps, CA, 0, count, stride);
    return hits(run(data, steps), 2 * count, count, limit);
}

static void short_programs(unsigned *data)
{
    const auto print = [&](const char *name, const std::vector<unsigned> &steps) {
        std::printf("{\"probe\": \"%s\"", name);
        print_list("cycles", run(data, steps));
        std::printf("}\n");
    };
    // The first accesses warm up the address translation (line 4096 is in another page of L1's, not of memory's).
    print("fill", {step(CA, 64), step(CA, 0, 0), step(CA, 0, 0), step(CA, 0, 1), step(CA, 0, 1), step(CA, 0, 2),
                   step(CA, 0, 3), step(CA, 1, 0)});
    print("store_present", {step(CA, 64), step(CA, 0), step(CA, 0), step(STORE, 0), step(CA, 0), step(CA, 0)});
    print("store_absent", {step(CA, 64), step(STORE, 0), step(CA, 0), step(CA, 0)});
    for (unsigned which = CA; which < STORE; ++which) {
        std::printf("{\"probe\": \"operator\", \"operator\": \"%s\"", NAMES[which]);
        print_list("then_ca", run(data, {step(CA, 64), step(which, 0), step(CA, 0), step(CA, 0)}));
        print_list("then_itself", run(data, {step(CA, 64), step(which, 0), step(which, 0), step(which, 0)}));
        print_list("after_ca", run(data, {step(CA, 64), step(CA, 0), step(which, 0), step(CA, 0)}));
        std::printf("}\n");
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        std::fprintf(stderr, "usage: lines L1_BYTES HIT_CYCLES\n  a load of fewer cycles than HIT_CYCLES is a hit\n");
        return 2;
    }
    const unsigned capacity = unsigned(std::strtoul(argv[1], nullptr, 10)) / LINE;
    const unsigned limit = unsigned(std::strtoul(argv[2], nullptr, 10));
    Memory<unsigned> data(size_t(1) << 28); // 1 GB, zeros
    CHECK(cudaMemset(data, 0, size_t(1) << 30));
    // Shared memory is for the times alone: the driver would make room for as many blocks as can be.
    CHECK(cudaFuncSetAttribute(execute, cudaFuncAttributePreferredSharedMemoryCarveout, 14));
    short_programs(data);

    std::vector<double> part, sequential;
    for (const double each : {0.5, 0.8, 0.9, 0.95, 0.98, 1.0, 1.02, 1.05, 1.1, 1.25, 1.5, 2.0}) {
        part.push_back(each);
        sequential.push_back(third_round(data, unsigned(capacity * each), 1, limit));
    }
    std::printf("{\"probe\": \"replacement\"");
    print_list("of_capacity", part);
    print_list("hits", sequential);
    std::printf("}\n");

    for (const double each : {1.05, 1.1, 1.25, 1.5}) { // hits of every round through somewhat too many lines
        const unsigned count = unsigned(capacity * each), rounds = STEPS / count;
        std::vector<unsigned> steps;
        std::vector<double> found;
        for (unsigned round = 0; round < rounds; ++round)
            append(steps, CA, 0, count);
        const std::vector<unsigned short> took = run(data, steps);
        for (unsigned round = 0; round < rounds; ++round)
            found.push_back(hits(took, round * count, count, limit));
        std::printf("{\"probe\": \"rounds\", \"of_capacity\": %.2f", each);
        print_list("hits", found);
        std::printf("}\n");
    }

    // Data in use, touched one to three times, then a stream of lines touched once: what is left of the data?
    for (const double size : {0.25, 0.5, 0.75})
        for (unsigned touches = 1; touches <= 3; ++touches) {
            const unsigned used = unsigned(capacity * size);
            std::vector<double> length, kept;
            for (const double times : {0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0}) {
                std::vector<unsigned> steps;
                for (unsigned touch = 0; touch < touches; ++touch)
                    append(steps, CA, 0, used);
                append(steps, CA, 1 << 20, unsigned(capacity * times));
                append(steps, CA, 0, used);
                if (steps.size() > STEPS)
                    continue;
                length.push_back(times);
                kept.push_back(hits(run(data, steps), steps.size() - used, used, limit));
            }
            std::printf("{\"probe\": \"protection\", \"used\": %.2f, \"touches\": %u", size, touches);
            print_list("stream", length);
            print_list("kept", kept);
            std::printf("}\n");
        }

    for (unsigned stride = 1; stride <= 4096; stride *= 2) {
        const unsigned most = std::min(STEPS / 3, (1u << 23) / stride); // of the memory there is
        unsigned fits = 1, fails = std::min(2 * capacity, most);
        while (fails - fits > 1) {
            const unsigned middle = (fits + fails) / 2;
            (third_round(data, middle, stride, limit) > 0.995 ? fits : fails) = middle;
        }
        std::printf("{\"probe\": \"index\", \"stride_lines\": %u, \"fits\": %u, \"hits_at_twice\": %.4f}\n", stride, fits,
                    third_round(data, std::min(2 * fits, most), stride, limit));
        std::fflush(stdout);
    }

    // Half of L1 is in use when a stream of twice its size comes by with each operator: what is left of it?
    for (unsigned which = CA; which < OPERATORS; ++which) {
        const unsigned half = capacity / 2;
        std::vector<double> kept;
        for (unsigned touches = 1; touches <= 2; ++touches) {
            std::vector<unsigned> steps;
            for (unsigned touch = 0; touch < touches; ++touch)
                append(steps, CA, 0, half);
            append(steps, which, 1 << 20, 2 * capacity);
            append(steps, CA, 0, half);
            kept.push_back(hits(run(data, steps), steps.size() - half, half, limit));
        }
        std::printf("{\"probe\": \"stream\", \"operator\": \"%s\"", NAMES[which]);
        print_list("kept", kept);
        std::printf("}\n");
    }
    return 0;
}
