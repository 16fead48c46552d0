// What the examples share: error checks, command lines, input data, timing, checksums, comparison with the CPU.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        const cudaError_t status_ = (call);                                                                  \
        if (status_ != cudaSuccess) {                                                                        \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status_)); \
            std::exit(1);                                                                                    \
        }                                                                                                    \
    } while (0)

// The input data: element `index` of the array number `seed`, in [-1, 1), the same on host and device.
__host__ __device__ inline float input(size_t index, unsigned seed)
{
    unsigned bits = (unsigned)index * 2654435761u ^ (unsigned)(index >> 32) * 40503u ^ seed * 2246822519u;
    bits = (bits ^ bits >> 16) * 2146121005u;
    bits = (bits ^ bits >> 15) * 2221713035u;
    bits ^= bits >> 16;
    return (float)(bits >> 8) * (1.0f / 8388608.0f) - 1.0f;
}

// Writes the array number `seed`. Any grid will do: each thread takes every (number of threads)-th element.
static __global__ void fill(float *data, size_t count, unsigned seed)
{
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
        data[i] = input(i, seed);
}

// An uninitialised array of `count` elements on the device.
template <class T> T *device_array(size_t count)
{
    void *data = nullptr;
    CHECK(cudaMalloc(&data, count * sizeof(T)));
    return static_cast<T *>(data);
}

// Puts the array number `seed` into device memory.
inline void fill_device(float *data, size_t count, unsigned seed)
{
    const unsigned blocks = (unsigned)std::min<size_t>((count + 255) / 256, 2048);
    fill<<<blocks, 256>>>(data, count, seed);
    CHECK(cudaGetLastError());
}

inline float *filled_array(size_t count, unsigned seed)
{
    float *data = device_array<float>(count);
    fill_device(data, count, seed);
    return data;
}

template <class T> std::vector<T> to_host(const T *data, size_t count)
{
    std::vector<T> copy(count);
    CHECK(cudaMemcpy(copy.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return copy;
}

// The command line: positive whole numbers in a fixed order, each with a default, and --no-check anywhere.
class Options {
public:
    Options(const char *program, int argc, char **argv) : program_(program)
    {
        for (int i = 1; i < argc; ++i)
            if (std::strcmp(argv[i], "--no-check") == 0)
                full_check_ = false;
            else
                given_.push_back(argv[i]);
    }

    int number(const char *name, int fallback)
    {
        names_.push_back(name);
        if (names_.size() > given_.size())
            return fallback;
        char *end = nullptr;
        const long value = std::strtol(given_[names_.size() - 1], &end, 10);
        if (*end != '\0' || value < 1 || value > 0x7fffffff)
            wrong_ = true;
        return (int)value;
    }

    // Call it after the last number: ends the program where the command line does not fit.
    void finish() const
    {
        if (!wrong_ && given_.size() <= names_.size())
            return;
        std::fprintf(stderr, "usage: %s", program_);
        for (const char *name : names_)
            std::fprintf(stderr, " [%s]", name);
        std::fprintf(stderr, " [--no-check]\n");
        std::exit(2);
    }

    // The elements (rows, columns) to compare with the CPU: all `count`, or a few of them after --no-check.
    std::vector<size_t> checked(size_t count) const
    {
        const size_t some = full_check_ ? count : std::min<size_t>(count, 16);
        std::vector<size_t> indices;
        for (size_t i = 0; i < some; ++i)
            indices.push_back(some == 1 ? 0 : i * (count - 1) / (some - 1));
        return indices;
    }

private:
    const char *program_;
    std::vector<const char *> given_;
    std::vector<const char *> names_;
    bool full_check_ = true;
    bool wrong_ = false;
};

// Times runs on the default stream with events; the first run is a warm-up and does not count.
class Stopwatch {
public:
    Stopwatch()
    {
        CHECK(cudaEventCreate(&begin_));
        CHECK(cudaEventCreate(&end_));
    }
    ~Stopwatch()
    {
        cudaEventDestroy(begin_);
        cudaEventDestroy(end_);
    }
    void start() { CHECK(cudaEventRecord(begin_)); }
    void stop()
    {
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(end_));
        CHECK(cudaEventSynchronize(end_));
        float milliseconds = 0;
        CHECK(cudaEventElapsedTime(&milliseconds, begin_, end_));
        runs_.push_back(milliseconds);
    }
    // Prints the median of the runs, and the rate for `bytes`: what the kernel must move at the least.
    void report(const char *program, const char *kernel, double bytes) const
    {
        std::vector<float> sorted(runs_.begin() + 1, runs_.end());
        std::sort(sorted.begin(), sorted.end());
        const double milliseconds = sorted[sorted.size() / 2];
        std::printf("%s: %s %.4f ms, %.1f GB/s\n", program, kernel, milliseconds,
                    milliseconds > 0 ? bytes / milliseconds * 1e-6 : 0.0);
    }

private:
    cudaEvent_t begin_, end_;
    std::vector<float> runs_;
};

// Collects the results: their hash, to compare two builds bit for bit, and their comparison with the CPU.
// How far a sum of `terms` floats, added one after the other, may be off, as a part of the terms' magnitudes: rounding
// errors walk at random, so they grow with the square root of their number.
inline double sum_tolerance(double terms)
{
    return 6e-8 * (16.0 + 2.0 * std::sqrt(terms));
}

class Results {
public:
    Results(const char *program, double tolerance) : program_(program), tolerance_(tolerance) {}

    template <class T> void add(const std::vector<T> &values)
    {
        static_assert(sizeof(T) == 4, "hashed by 32-bit words");
        for (const T &value : values) {
            std::uint32_t word;
            std::memcpy(&word, &value, sizeof word);
            hash_ = (hash_ ^ word) * 1099511628211u;  // FNV-1a
        }
    }

    // `got` must be within tolerance * `magnitude` of `wanted`; magnitude is the sum of the terms' magnitudes.
    void expect(const char *array, size_t index, double got, double wanted, double magnitude)
    {
        if (std::fabs(got - wanted) <= tolerance_ * magnitude)
            return;  // written so that a NaN is wrong
        if (++wrong_ == 1)
            std::printf("%s: wrong: %s[%zu] is %.9g, expected %.9g within %.2g\n", program_, array, index, got,
                        wanted, tolerance_ * magnitude);
    }

    // Prints the hash and the verdict; returns the exit status.
    int finish() const
    {
        std::printf("%s: checksum %016llx\n", program_, (unsigned long long)hash_);
        if (wrong_ > 0)
            std::printf("%s: FAILED, %zu values are wrong\n", program_, wrong_);
        else
            std::printf("%s: ok\n", program_);
        return wrong_ > 0 ? 1 : 0;
    }

private:
    const char *program_;
    double tolerance_;
    std::uint64_t hash_ = 14695981039346656037u;
    size_t wrong_ = 0;
};

// A sum in double precision, with the sum of its terms' magnitudes.
struct Sum {
    double value = 0;
    double magnitude = 0;
    void add(double term)
    {
        value += term;
        magnitude += std::fabs(term);
    }
};
