// The device's properties, as the runtime tells them.
#include "probe.h"

static void print(const char *name, double value) { std::printf(", \"%s\": %.15g", name, value); }

static double attribute(cudaDeviceAttr which)
{
    int value = 0;
    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

int main()
{
    cudaDeviceProp of;
    int driver = 0, runtime = 0;
    CHECK(cudaGetDeviceProperties(&of, 0));
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    std::printf("{\"probe\": \"device\", \"name\": \"%s\"", of.name);
    print("driver", driver);
    print("runtime", runtime);
    print("major", of.major);
    print("minor", of.minor);
    print("sms", of.multiProcessorCount);
    print("clock_mhz", attribute(cudaDevAttrClockRate) / 1e3);
    print("memory_clock_mhz", attribute(cudaDevAttrMemoryClockRate) / 1e3);
    print("memory_bus_bits", attribute(cudaDevAttrGlobalMemoryBusWidth));
    print("threads_per_block", of.maxThreadsPerBlock);
    print("threads_per_sm", of.maxThreadsPerMultiProcessor);
    print("blocks_per_sm", attribute(cudaDevAttrMaxBlocksPerMultiprocessor));
    print("registers_per_sm", of.regsPerMultiprocessor);
    print("registers_per_block", of.regsPerBlock);
    print("shared_per_sm", double(of.sharedMemPerMultiprocessor));
    print("shared_per_block", double(of.sharedMemPerBlock));
    print("shared_per_block_optin", double(of.sharedMemPerBlockOptin));
    print("shared_reserved_per_block", attribute(cudaDevAttrReservedSharedMemoryPerBlock));
    print("l2_bytes", of.l2CacheSize);
    print("memory_bytes", double(of.totalGlobalMem));
    std::printf("}\n");
    return 0;
}
