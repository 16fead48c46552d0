// Launches with attributes (cudaLaunchKernelExC), clusters among them, and launches while a stream is captured.
#pragma once
#include "launches.h"

static cudaLaunchAttribute attribute_of(int id)
{
    cudaLaunchAttribute attribute;
    memset(&attribute, 0, sizeof attribute);
    attribute.id = (cudaLaunchAttributeID)id;
    return attribute;
}

static cudaError_t launch_with(const void *function, dim3 grid, const cudaLaunchAttribute *attributes, unsigned count,
                               size_t shared = 0, dim3 block = 32)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared;
    config.attrs = const_cast<cudaLaunchAttribute *>(attributes);
    config.numAttrs = count;
    void *arguments[] = {&device};
    return cudaLaunchKernelExC(&config, function, arguments);
}

static cudaError_t in_clusters(const void *function, dim3 grid, dim3 cluster)
{
    cudaLaunchAttribute attribute = attribute_of(cudaLaunchAttributeClusterDimension);
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    return launch_with(function, grid, &attribute, 1);
}
#define CLUSTERED (const void *)clustered

CALL(cluster_declared_valid, launch((const void *)paired, 4, 32))
CALL(cluster_declared_does_not_divide, launch((const void *)paired, 3, 32))
CALL(cluster_declared_and_same, in_clusters((const void *)paired, 4, 2))
CALL(cluster_declared_and_other, in_clusters((const void *)paired, 4, 4))
CALL(cluster_declared_and_1, in_clusters((const void *)paired, 4, 1))
CALL(cluster_of_2, in_clusters(CLUSTERED, 4, 2))
CALL(cluster_of_8, in_clusters(CLUSTERED, 8, 8))
CALL(cluster_of_3_in_3, in_clusters(CLUSTERED, 3, 3))
CALL(cluster_does_not_divide_x, in_clusters(CLUSTERED, 4, 3))
CALL(cluster_does_not_divide_y, in_clusters(CLUSTERED, dim3(2, 3), dim3(2, 2)))
CALL(cluster_does_not_divide_z, in_clusters(CLUSTERED, dim3(2, 2, 3), dim3(1, 1, 2)))
CALL(cluster_larger_than_grid, in_clusters(CLUSTERED, 1, 2))
CALL(cluster_of_0, in_clusters(CLUSTERED, 4, 0))
CALL(cluster_y_0, in_clusters(CLUSTERED, 4, dim3(2, 0)))
CALL(cluster_all_0, in_clusters(CLUSTERED, 4, dim3(0, 0, 0)))
CALL(cluster_of_9, in_clusters(CLUSTERED, 9, 9))
CALL(cluster_of_16_not_allowed, in_clusters(CLUSTERED, 16, 16))
CASE(cluster_of_16_allowed)
{
    then("set", cudaFuncSetAttribute(wide_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    return in_clusters((const void *)wide_cluster, 16, 16);
}
CASE(cluster_of_32_allowed)
{
    then("set", cudaFuncSetAttribute(wide_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    return in_clusters((const void *)wide_cluster, 32, 32);
}
CALL(cluster_grid_0, in_clusters(CLUSTERED, 0, 2))
CASE(cluster_threads_1025)
{
    cudaLaunchAttribute attribute = attribute_of(cudaLaunchAttributeClusterDimension);
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    return launch_with(CLUSTERED, 4, &attribute, 1, 0, 1025);
}
CASE(cluster_twice)
{
    cudaLaunchAttribute attributes[2] = {attribute_of(cudaLaunchAttributeClusterDimension), attribute_of(4)};
    attributes[0].val.clusterDim.x = attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
    attributes[1] = attributes[0];
    attributes[1].val.clusterDim.x = 2;
    return launch_with(CLUSTERED, 4, attributes, 2);
}
CASE(cluster_cooperative)
{
    cudaLaunchAttribute attributes[2] = {attribute_of(cudaLaunchAttributeClusterDimension),
                                         attribute_of(cudaLaunchAttributeCooperative)};
    attributes[0].val.clusterDim.x = 2;
    attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
    attributes[1].val.cooperative = 1;
    return launch_with((const void *)whole, 4, attributes, 2);
}
CASE(cluster_occupancy_0)
{
    cudaLaunchAttribute attribute = attribute_of(cudaLaunchAttributeClusterDimension);
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    int n = 9;
    const cudaError_t status = cudaOccupancyMaxActiveClusters(&n, CLUSTERED, &config);
    tell("clusters=%d", n);
    return status;
}
CASE(cluster_potential_null)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = 32;
    return cudaOccupancyMaxPotentialClusterSize((int *)nullptr, CLUSTERED, &config);
}

CALL(attributes_none, launch_with(FILL, 1, nullptr, 0))
CALL(attributes_null_of_1, launch_with(FILL, 1, nullptr, 1))
CALL(attributes_null_config, cudaLaunchKernelExC(nullptr, FILL, nullptr))
CASE(attributes_null_function) { return launch_with(nullptr, 1, nullptr, 0); }
CASE(attributes_grid_0) { return launch_with(FILL, 0, nullptr, 0); }
CASE(attributes_shared_300k) { return launch_with((const void *)dynamic, 1, nullptr, 0, 300 * 1024); }

#define WITH(name, attribute_id, member, value)                   \
    CASE(name)                                                    \
    {                                                             \
        cudaLaunchAttribute attribute = attribute_of(attribute_id); \
        attribute.val.member = value;                             \
        return launch_with(FILL, 2, &attribute, 1);               \
    }
CASE(attribute_ignored) { const auto attribute = attribute_of(cudaLaunchAttributeIgnore); return launch_with(FILL, 1, &attribute, 1); }
CASE(attribute_99) { const auto attribute = attribute_of(99); return launch_with(FILL, 1, &attribute, 1); }
CASE(attribute_minus_1) { const auto attribute = attribute_of(-1); return launch_with(FILL, 1, &attribute, 1); }
WITH(attribute_cooperative_1, cudaLaunchAttributeCooperative, cooperative, 1)
WITH(attribute_cooperative_2, cudaLaunchAttributeCooperative, cooperative, 2)
WITH(attribute_priority_100, cudaLaunchAttributePriority, priority, 100)
WITH(attribute_priority_minus_100, cudaLaunchAttributePriority, priority, -100)
WITH(attribute_serialization_1, cudaLaunchAttributeProgrammaticStreamSerialization, programmaticStreamSerializationAllowed, 1)
WITH(attribute_serialization_2, cudaLaunchAttributeProgrammaticStreamSerialization, programmaticStreamSerializationAllowed, 2)
WITH(attribute_programmatic_event_null, cudaLaunchAttributeProgrammaticEvent, programmaticEvent.event, nullptr)
WITH(attribute_completion_event_null, cudaLaunchAttributeLaunchCompletionEvent, launchCompletionEvent.event, nullptr)
WITH(attribute_domain_1, cudaLaunchAttributeMemSyncDomain, memSyncDomain, cudaLaunchMemSyncDomainRemote)
WITH(attribute_domain_9, cudaLaunchAttributeMemSyncDomain, memSyncDomain, (cudaLaunchMemSyncDomain)9)
WITH(attribute_scheduling_99, cudaLaunchAttributeClusterSchedulingPolicyPreference, clusterSchedulingPolicyPreference,
     (cudaClusterSchedulingPolicy)99)
WITH(attribute_carveout_50, cudaLaunchAttributePreferredSharedMemoryCarveout, sharedMemCarveout, 50)
WITH(attribute_carveout_101, cudaLaunchAttributePreferredSharedMemoryCarveout, sharedMemCarveout, 101)
WITH(attribute_carveout_minus_2, cudaLaunchAttributePreferredSharedMemoryCarveout, sharedMemCarveout, (unsigned)-2)
WITH(attribute_synchronization_99, cudaLaunchAttributeSynchronizationPolicy, syncPolicy, (cudaSynchronizationPolicy)99)
CASE(attribute_cooperative_too_large)
{
    cudaLaunchAttribute attribute = attribute_of(cudaLaunchAttributeCooperative);
    attribute.val.cooperative = 1;
    return launch_with((const void *)whole, 100000, &attribute, 1, 0, 1024);
}
CASE(attribute_window_ratio_2)
{
    cudaLaunchAttribute attribute = attribute_of(cudaLaunchAttributeAccessPolicyWindow);
    attribute.val.accessPolicyWindow = cudaAccessPolicyWindow{device, SMALL, 2.0f, cudaAccessPropertyPersisting,
                                                              cudaAccessPropertyStreaming};
    return launch_with(FILL, 1, &attribute, 1);
}
CASE(attribute_window_huge)
{
    cudaLaunchAttribute attribute = attribute_of(cudaLaunchAttributeAccessPolicyWindow);
    attribute.val.accessPolicyWindow = cudaAccessPolicyWindow{device, HUGE_SIZE, 1.0f, cudaAccessPropertyPersisting,
                                                              cudaAccessPropertyStreaming};
    return launch_with(FILL, 1, &attribute, 1);
}
#undef WITH

// What happens to a capture: the call's result, and what the end of the capture answers.
static cudaError_t captured(cudaError_t (*call)(), cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal)
{
    cudaStreamBeginCapture(stream, mode);
    const cudaError_t status = call();
    cudaGraph_t graph = nullptr;
    then("end", cudaStreamEndCapture(stream, &graph));
    tell("graph=%d", graph != nullptr);
    if (graph) cudaGraphDestroy(graph);
    return status;
}
CALL(capture_launch, captured([] { return launch(FILL, 1, 32, 0, stream); }))
CALL(capture_launch_grid_0, captured([] { return launch(FILL, 0, 32, 0, stream); }))
CALL(capture_launch_threads_2048, captured([] { return launch(FILL, 1, 2048, 0, stream); }))
CALL(capture_launch_shared_300k, captured([] { return launch((const void *)dynamic, 1, 32, 300 * 1024, stream); }))
CALL(capture_launch_null_function, captured([] { return launch(nullptr, 1, 32, 0, stream); }))
CALL(capture_launch_on_legacy, captured([] { return launch(FILL, 1, 32); }))
CALL(capture_launch_on_legacy_relaxed, captured([] { return launch(FILL, 1, 32); }, cudaStreamCaptureModeRelaxed))
CALL(capture_launch_on_per_thread, captured([] { return launch(FILL, 1, 32, 0, cudaStreamPerThread); }))
CALL(capture_cooperative, captured([] { return launch_whole(4, 64, 0, stream); }))
CALL(capture_cooperative_too_large, captured([] { return launch_whole(100000, 1024, 0, stream); }))
CALL(capture_synchronize, captured([] { return cudaStreamSynchronize(stream); }))
CALL(capture_synchronize_device, captured([] { return cudaDeviceSynchronize(); }))
CALL(capture_synchronize_device_relaxed, captured([] { return cudaDeviceSynchronize(); }, cudaStreamCaptureModeRelaxed))
CALL(capture_query, captured([] { return cudaStreamQuery(stream); }))
CALL(capture_malloc, captured([] { void *p; return cudaMalloc(&p, 16); }))
CALL(capture_malloc_relaxed, captured([] { void *p; return cudaMalloc(&p, 16); }, cudaStreamCaptureModeRelaxed))
CALL(capture_copy, captured([] { return cudaMemcpy(device, host, 16, cudaMemcpyHostToDevice); }))
CALL(capture_copy_async_pageable, captured([] { return cudaMemcpyAsync(device, host, 16, cudaMemcpyHostToDevice, stream); }))
CALL(capture_copy_null, captured([] { return cudaMemcpyAsync(nullptr, host, 16, cudaMemcpyHostToDevice, stream); }))
CALL(capture_set_null, captured([] { return cudaMemsetAsync(nullptr, 0, 16, stream); }))
CALL(capture_begin_again, captured([] { return cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal); }))
CALL(capture_begin_legacy, cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal))
CALL(capture_begin_mode_9, cudaStreamBeginCapture(stream, (cudaStreamCaptureMode)9))
CASE(capture_end_without) { cudaGraph_t graph; return cudaStreamEndCapture(stream, &graph); }
