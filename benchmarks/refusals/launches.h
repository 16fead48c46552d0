// Launches that are refused: sizes, shared memory, attributes, functions, streams, arguments, clusters, captures.
#pragma once
#include "cases.h"

__global__ void __launch_bounds__(128) bounded(int *p) { p[threadIdx.x % 32] = 2; }
__global__ void dynamic(int *p)
{
    extern __shared__ int s[];
    s[0] = 2;
    p[0] = s[0];
}
__global__ void opted_in(int *p)  // its limit is raised by cases
{
    extern __shared__ int s[];
    s[0] = 3;
    p[0] = s[0];
}
__global__ void has_static(int *p)
{
    __shared__ int s[10 * 1024];
    s[threadIdx.x] = 4;
    __syncthreads();
    p[0] = s[0];
}
__global__ void __cluster_dims__(2, 1, 1) paired(int *p) { p[threadIdx.x % 32] = 5; }
__global__ void clustered(int *p) { p[threadIdx.x % 32] = 6; }
__global__ void wide_cluster(int *p) { p[threadIdx.x % 32] = 7; }
__global__ void whole(int *p)
{
    cooperative_groups::this_grid().sync();
    p[0] = 8;
}

// The way without a syntax of its own: the call has a result.
static cudaError_t launch(const void *function, dim3 grid, dim3 block, size_t shared = 0, cudaStream_t on = nullptr)
{
    void *arguments[] = {&device};
    return cudaLaunchKernel(function, grid, block, arguments, shared, on);
}
#define FILL (const void *)fill

CALL(launch_valid, launch(FILL, 1, 32))
CALL(launch_grid_x_0, launch(FILL, 0, 32))
CALL(launch_grid_y_0, launch(FILL, dim3(1, 0), 32))
CALL(launch_grid_z_0, launch(FILL, dim3(1, 1, 0), 32))
CALL(launch_block_x_0, launch(FILL, 1, 0))
CALL(launch_block_y_0, launch(FILL, 1, dim3(1, 0)))
CALL(launch_block_z_0, launch(FILL, 1, dim3(1, 1, 0)))
CALL(launch_grid_and_block_0, launch(FILL, 0, 0))
CALL(launch_grid_x_beyond, launch(FILL, 0x80000000u, 1))
CALL(launch_grid_x_minus_1, launch(FILL, (unsigned)-1, 1))
CALL(launch_grid_y_limit, launch((const void *)nothing, dim3(1, 65535), 1))
CALL(launch_grid_y_beyond, launch(FILL, dim3(1, 65536), 1))
CALL(launch_grid_z_beyond, launch(FILL, dim3(1, 1, 65536), 1))
CALL(launch_block_x_1024, launch(FILL, 1, 1024))
CALL(launch_block_x_beyond, launch(FILL, 1, 1025))
CALL(launch_block_y_beyond, launch(FILL, 1, dim3(1, 1025)))
CALL(launch_block_z_64, launch(FILL, 1, dim3(1, 1, 64)))
CALL(launch_block_z_beyond, launch(FILL, 1, dim3(1, 1, 65)))
CALL(launch_threads_beyond, launch(FILL, 1, dim3(32, 33)))
CALL(launch_threads_overflow, launch(FILL, 1, dim3(65536, 65536)))
CALL(launch_bounds_kept, launch((const void *)bounded, 1, 128))
CALL(launch_bounds_beyond, launch((const void *)bounded, 1, 129))

CALL(launch_shared_default, launch((const void *)dynamic, 1, 32, 48 * 1024))
CALL(launch_shared_default_beyond, launch((const void *)dynamic, 1, 32, 48 * 1024 + 1))
CALL(launch_shared_opt_in_not_asked, launch((const void *)dynamic, 1, 32, 227 * 1024))
CALL(launch_shared_opt_in_beyond, launch((const void *)dynamic, 1, 32, 227 * 1024 + 1))
CALL(launch_shared_300k, launch((const void *)dynamic, 1, 32, 300 * 1024))
CALL(launch_shared_minus_1, launch((const void *)dynamic, 1, 32, (size_t)-1))
CALL(launch_shared_4g, launch((const void *)dynamic, 1, 32, (size_t)1 << 32))
CALL(launch_shared_4g_and_64, launch((const void *)dynamic, 1, 32, ((size_t)1 << 32) + 64))
CALL(launch_shared_with_static, launch((const void *)has_static, 1, 32, 8 * 1024))
CALL(launch_shared_with_static_beyond, launch((const void *)has_static, 1, 32, 8 * 1024 + 1))
CASE(launch_shared_attribute)
{
    then("set", cudaFuncSetAttribute(opted_in, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
    return launch((const void *)opted_in, 1, 32, 100 * 1024);
}
CASE(launch_shared_attribute_beyond)
{
    then("set", cudaFuncSetAttribute(opted_in, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 * 1024));
    return launch((const void *)opted_in, 1, 32, 100 * 1024 + 1);
}
CASE(launch_shared_attribute_below_default)
{
    then("set", cudaFuncSetAttribute(opted_in, cudaFuncAttributeMaxDynamicSharedMemorySize, 16 * 1024));
    return launch((const void *)opted_in, 1, 32, 16 * 1024 + 1);
}
CASE(launch_shared_attribute_refused)  // the earlier limit is kept
{
    then("set", cudaFuncSetAttribute(opted_in, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
    then("more", cudaFuncSetAttribute(opted_in, cudaFuncAttributeMaxDynamicSharedMemorySize, 300 * 1024));
    return launch((const void *)opted_in, 1, 32, 64 * 1024);
}

// The same through <<<>>>, where only what stays tells.
CASE(syntax_grid_0) { fill<<<0, 32>>>((int *)device); return cudaPeekAtLastError(); }
CASE(syntax_block_0) { fill<<<1, 0>>>((int *)device); return cudaPeekAtLastError(); }
CASE(syntax_threads_2048) { fill<<<1, 2048>>>((int *)device); return cudaPeekAtLastError(); }
CASE(syntax_bounds_beyond) { bounded<<<1, 129>>>((int *)device); return cudaPeekAtLastError(); }
CASE(syntax_shared_300k) { dynamic<<<1, 32, 300 * 1024>>>((int *)device); return cudaPeekAtLastError(); }
CASE(syntax_grid_minus_1) { fill<<<(unsigned)-1, 32>>>((int *)device); return cudaPeekAtLastError(); }
CASE(syntax_cluster_of_2_in_3) { paired<<<3, 32>>>((int *)device); return cudaPeekAtLastError(); }
CASE(syntax_destroyed_stream) { fill<<<1, 32, 0, destroyed_stream()>>>((int *)device); return cudaPeekAtLastError(); }
CASE(syntax_error_then_valid)  // a launch that is right leaves the error
{
    fill<<<1, 2048>>>((int *)device);
    fill<<<1, 32>>>((int *)device);
    return cudaPeekAtLastError();
}
CASE(syntax_error_then_other_error)
{
    fill<<<1, 2048>>>((int *)device);
    then("set", cudaSetDevice(99));
    return cudaPeekAtLastError();
}

CALL(launch_null_function, launch(nullptr, 1, 32))
CALL(launch_host_function, launch((const void *)do_nothing, 1, 32))
CALL(launch_host_data, launch(host_data, 1, 32))
CALL(launch_device_pointer, launch(device, 1, 32))
CALL(launch_address_1, launch((const void *)1, 1, 32))
CALL(launch_symbol, launch((const void *)&symbol, 1, 32))
CALL(launch_null_function_grid_0, launch(nullptr, 0, 32))
CALL(launch_null_arguments, cudaLaunchKernel((const void *)fill, 1, 32, nullptr, 0, nullptr))
CALL(launch_null_arguments_of_none, cudaLaunchKernel((const void *)nothing, 1, 32, nullptr, 0, nullptr))
CASE(launch_null_argument)
{
    void *arguments[] = {nullptr};
    return cudaLaunchKernel(FILL, 1, 32, arguments, 0, nullptr);
}

CALL(launch_destroyed_stream, launch(FILL, 1, 32, 0, destroyed_stream()))
CALL(launch_destroyed_stream_grid_0, launch(FILL, 0, 32, 0, destroyed_stream()))
CALL(launch_wrong_stream, launch(FILL, 1, 32, 0, (cudaStream_t)host_data))
CALL(launch_stream_address_4660, launch(FILL, 1, 32, 0, (cudaStream_t)0x1234))
CALL(launch_legacy_stream, launch(FILL, 1, 32, 0, cudaStreamLegacy))
CALL(launch_per_thread_stream, launch(FILL, 1, 32, 0, cudaStreamPerThread))
CASE(launch_event_as_stream)
{
    cudaEvent_t event;
    cudaEventCreate(&event);
    return launch(FILL, 1, 32, 0, (cudaStream_t)event);
}

// Attributes of functions.
#define SET(name, function, attribute, value) \
    CALL(name, cudaFuncSetAttribute((const void *)function, (cudaFuncAttribute)attribute, value))
const int DYNAMIC = cudaFuncAttributeMaxDynamicSharedMemorySize, CARVEOUT = cudaFuncAttributePreferredSharedMemoryCarveout;
SET(function_dynamic_minus_1, opted_in, DYNAMIC, -1)
SET(function_dynamic_least, opted_in, DYNAMIC, INT32_MIN)
SET(function_dynamic_0, opted_in, DYNAMIC, 0)
SET(function_dynamic_limit, opted_in, DYNAMIC, 227 * 1024)
SET(function_dynamic_beyond, opted_in, DYNAMIC, 227 * 1024 + 1)
SET(function_dynamic_with_static, has_static, DYNAMIC, 187 * 1024)
SET(function_dynamic_with_static_beyond, has_static, DYNAMIC, 187 * 1024 + 1)
SET(function_carveout_default, opted_in, CARVEOUT, -1)
SET(function_carveout_minus_2, opted_in, CARVEOUT, -2)
SET(function_carveout_100, opted_in, CARVEOUT, 100)
SET(function_carveout_101, opted_in, CARVEOUT, 101)
SET(function_attribute_99, opted_in, 99, 1)
SET(function_attribute_0, opted_in, 0, 1)
SET(function_attribute_minus_1, opted_in, -1, 1)
SET(function_of_null, nullptr, DYNAMIC, 1024)
SET(function_of_host, do_nothing, DYNAMIC, 1024)
SET(function_of_data, host_data, DYNAMIC, 1024)
SET(function_cluster_width_0, clustered, cudaFuncAttributeRequiredClusterWidth, 0)
SET(function_cluster_width_2, clustered, cudaFuncAttributeRequiredClusterWidth, 2)
SET(function_cluster_width_minus_1, clustered, cudaFuncAttributeRequiredClusterWidth, -1)
SET(function_cluster_width_of_declared, paired, cudaFuncAttributeRequiredClusterWidth, 4)
SET(function_non_portable_2, wide_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 2)
SET(function_non_portable_minus_1, wide_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, -1)
SET(function_scheduling_99, clustered, cudaFuncAttributeClusterSchedulingPolicyPreference, 99)
CALL(function_attributes_null, cudaFuncGetAttributes(nullptr, FILL))
CASE(function_attributes_of_null) { cudaFuncAttributes a; return cudaFuncGetAttributes(&a, (const void *)nullptr); }
CASE(function_attributes_of_host) { cudaFuncAttributes a; return cudaFuncGetAttributes(&a, (const void *)do_nothing); }
CALL(function_cache_99, cudaFuncSetCacheConfig(FILL, (cudaFuncCache)99))
CALL(function_cache_of_null, cudaFuncSetCacheConfig((const void *)nullptr, cudaFuncCachePreferL1))
CASE(function_name_null) { return cudaFuncGetName(nullptr, FILL); }
CASE(function_name_of_null) { const char *name; return cudaFuncGetName(&name, nullptr); }
CASE(occupancy_block_0) { int n; return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, FILL, 0, 0); }
CASE(occupancy_block_minus_1) { int n; return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, FILL, -1, 0); }
CASE(occupancy_block_2048)
{
    int n = 9;
    const cudaError_t status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, FILL, 2048, 0);
    tell("blocks=%d", n);
    return status;
}
CASE(occupancy_shared_300k)
{
    int n = 9;
    const cudaError_t status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, FILL, 32, 300 * 1024);
    tell("blocks=%d", n);
    return status;
}
CASE(occupancy_null) { return cudaOccupancyMaxActiveBlocksPerMultiprocessor((int *)nullptr, FILL, 32, 0); }
CASE(occupancy_of_null) { int n; return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, (const void *)nullptr, 32, 0); }
CASE(occupancy_flags_8) { int n; return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, FILL, 32, 0, 8); }

// Cooperative launches.
static cudaError_t launch_whole(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t on = nullptr)
{
    void *arguments[] = {&device};
    return cudaLaunchCooperativeKernel((const void *)whole, grid, block, arguments, shared, on);
}
CALL(cooperative_valid, launch_whole(4, 64))
CALL(cooperative_too_large, launch_whole(100000, 1024))
CALL(cooperative_grid_0, launch_whole(0, 64))
CALL(cooperative_block_0, launch_whole(4, 0))
CALL(cooperative_block_1025, launch_whole(4, 1025))
CALL(cooperative_grid_y_beyond, launch_whole(dim3(1, 65536), 64))
CALL(cooperative_shared_300k, launch_whole(4, 64, 300 * 1024))
CALL(cooperative_destroyed_stream, launch_whole(4, 64, 0, destroyed_stream()))
CALL(cooperative_null_function, cudaLaunchCooperativeKernel((const void *)nullptr, 1, 32, nullptr, 0, nullptr))
CALL(cooperative_null_arguments, cudaLaunchCooperativeKernel((const void *)whole, 1, 32, nullptr, 0, nullptr))

#undef SET
