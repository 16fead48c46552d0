// What all probes share: checked calls, and one JSON object per line on standard output.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                             \
    do {                                                                        \
        const cudaError_t error = (call);                                       \
        if (error != cudaSuccess) {                                             \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
            std::exit(1);                                                       \
        }                                                                       \
    } while (0)

constexpr unsigned LINE = 128, SECTOR = 32; // bytes

template <class T> class Memory { // device memory, freed with its scope
  public:
    explicit Memory(size_t count) : count(count) { CHECK(cudaMalloc(&data, count * sizeof(T))); }
    explicit Memory(const std::vector<T> &host) : Memory(host.size())
    {
        CHECK(cudaMemcpy(data, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    Memory(const Memory &) = delete;
    ~Memory() { cudaFree(data); }
    operator T *() const { return data; }
    std::vector<T> host() const
    {
        std::vector<T> copy(count);
        CHECK(cudaMemcpy(copy.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
        return copy;
    }

  private:
    T *data = nullptr;
    size_t count;
};

template <class T> void print_list(const char *name, const std::vector<T> &values)
{
    std::printf(", \"%s\": [", name);
    for (size_t i = 0; i < values.size(); ++i)
        std::printf("%s%.10g", i ? ", " : "", double(values[i]));
    std::printf("]");
}
