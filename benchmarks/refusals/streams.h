// Events, streams, graphs and the device.
#pragma once
#include "cases.h"

static cudaEvent_t event_of(unsigned flags = 0)
{
    cudaEvent_t event = nullptr;
    cudaEventCreateWithFlags(&event, flags);
    return event;
}
static cudaEvent_t recorded(cudaStream_t on = nullptr, unsigned flags = 0)
{
    const cudaEvent_t event = event_of(flags);
    cudaEventRecord(event, on);
    return event;
}
static cudaEvent_t destroyed_event()
{
    const cudaEvent_t event = event_of();
    cudaEventDestroy(event);
    return event;
}
static cudaError_t elapsed(cudaEvent_t from, cudaEvent_t to) { float ms; return cudaEventElapsedTime(&ms, from, to); }

CALL(elapsed_both_unrecorded, elapsed(event_of(), event_of()))
CALL(elapsed_from_unrecorded, elapsed(event_of(), recorded()))
CALL(elapsed_to_unrecorded, elapsed(recorded(), event_of()))
CASE(elapsed_finished)
{
    const cudaEvent_t from = recorded(), to = recorded();
    cudaDeviceSynchronize();
    return elapsed(from, to);
}
CASE(elapsed_unfinished)
{
    const cudaEvent_t from = recorded(stream);
    cudaLaunchHostFunc(stream, sleep_a_while, nullptr);
    return elapsed(from, recorded(stream));
}
CASE(elapsed_no_timing)
{
    const cudaEvent_t from = recorded(nullptr, cudaEventDisableTiming), to = recorded();
    cudaDeviceSynchronize();
    return elapsed(from, to);
}
CALL(elapsed_no_timing_unrecorded, elapsed(event_of(cudaEventDisableTiming), event_of()))
CALL(elapsed_null_from, elapsed(nullptr, event_of()))
CALL(elapsed_null_result, cudaEventElapsedTime(nullptr, recorded(), recorded()))
CALL(elapsed_destroyed, elapsed(destroyed_event(), recorded()))
CALL(event_create_null, cudaEventCreate((cudaEvent_t *)nullptr))
CASE(event_create_flags) { cudaEvent_t e; return cudaEventCreateWithFlags(&e, 1 << 10); }
CASE(event_create_interprocess_timed) { cudaEvent_t e; return cudaEventCreateWithFlags(&e, cudaEventInterprocess); }
CALL(event_record_null, cudaEventRecord(nullptr, stream))
CALL(event_record_destroyed, cudaEventRecord(destroyed_event(), stream))
CALL(event_record_destroyed_stream, cudaEventRecord(event_of(), destroyed_stream()))
CALL(event_record_flags, cudaEventRecordWithFlags(event_of(), stream, 8))
CALL(event_record_external, cudaEventRecordWithFlags(event_of(), stream, cudaEventRecordExternal))
CALL(event_query_unrecorded, cudaEventQuery(event_of()))
CALL(event_query_null, cudaEventQuery(nullptr))
CASE(event_query_unfinished)
{
    cudaLaunchHostFunc(stream, sleep_a_while, nullptr);
    return cudaEventQuery(recorded(stream));
}
CALL(event_synchronize_unrecorded, cudaEventSynchronize(event_of()))
CALL(event_synchronize_null, cudaEventSynchronize(nullptr))
CALL(event_destroy_null, cudaEventDestroy(nullptr))
CALL(event_destroy_twice, cudaEventDestroy(destroyed_event()))
CALL(event_wait_unrecorded, cudaStreamWaitEvent(stream, event_of(), 0))
CALL(event_wait_null, cudaStreamWaitEvent(stream, nullptr, 0))
CALL(event_wait_flags, cudaStreamWaitEvent(stream, recorded(), 8))

CALL(stream_create_null, cudaStreamCreate(nullptr))
CASE(stream_create_flags) { cudaStream_t s; return cudaStreamCreateWithFlags(&s, 8); }
CASE(stream_create_priority_100) { cudaStream_t s; return cudaStreamCreateWithPriority(&s, 0, 100); }
CALL(stream_destroy_null, cudaStreamDestroy(nullptr))
CALL(stream_destroy_legacy, cudaStreamDestroy(cudaStreamLegacy))
CALL(stream_destroy_per_thread, cudaStreamDestroy(cudaStreamPerThread))
CALL(stream_destroy_twice, cudaStreamDestroy(destroyed_stream()))
CALL(stream_destroy_wrong, cudaStreamDestroy((cudaStream_t)host_data))
CALL(stream_query_idle, cudaStreamQuery(stream))
CALL(stream_query_null, cudaStreamQuery(nullptr))
CALL(stream_query_destroyed, cudaStreamQuery(destroyed_stream()))
CASE(stream_query_busy) { cudaLaunchHostFunc(stream, sleep_a_while, nullptr); return cudaStreamQuery(stream); }
CASE(stream_query_legacy_busy) { cudaLaunchHostFunc(stream, sleep_a_while, nullptr); return cudaStreamQuery(nullptr); }
CASE(stream_destroy_busy)
{
    const cudaStream_t made = [] { cudaStream_t s; cudaStreamCreate(&s); return s; }();
    cudaLaunchHostFunc(made, sleep_a_while, nullptr);
    return cudaStreamDestroy(made);
}
CALL(stream_synchronize_destroyed, cudaStreamSynchronize(destroyed_stream()))
CALL(stream_host_function_null, cudaLaunchHostFunc(stream, nullptr, nullptr))
CALL(stream_callback_flags, cudaStreamAddCallback(stream, [](cudaStream_t, cudaError_t, void *) {}, nullptr, 1))
CALL(stream_callback_null, cudaStreamAddCallback(stream, nullptr, nullptr, 0))
CALL(stream_priority_null, cudaStreamGetPriority(stream, nullptr))
CASE(stream_priority_destroyed) { int p; return cudaStreamGetPriority(destroyed_stream(), &p); }
CALL(stream_attach_device, cudaStreamAttachMemAsync(stream, device, 0, cudaMemAttachSingle))
CALL(stream_attach_flags, cudaStreamAttachMemAsync(stream, managed, 0, 9))
CASE(stream_call_in_host_function)  // forbidden there
{
    static cudaError_t inside;
    cudaLaunchHostFunc(stream, [](void *) { inside = cudaMemset(device, 0, 16); }, nullptr);
    const cudaError_t status = cudaStreamSynchronize(stream);
    then("inside", inside);
    return status;
}

static cudaGraph_t graph_of(int nodes)
{
    cudaGraph_t graph = nullptr;
    cudaGraphCreate(&graph, 0);
    for (int i = 0; i < nodes; ++i) {
        cudaGraphNode_t node;
        cudaGraphAddEmptyNode(&node, graph, nullptr, 0);
    }
    return graph;
}
static cudaError_t add_kernel(const void *function, dim3 grid, dim3 block, unsigned shared = 0, void **arguments = nullptr)
{
    static void *all[] = {&device};
    cudaKernelNodeParams p = {};
    p.func = const_cast<void *>(function);
    p.gridDim = grid;
    p.blockDim = block;
    p.sharedMemBytes = shared;
    p.kernelParams = arguments ? arguments : all;
    const cudaGraph_t graph = graph_of(0);
    cudaGraphNode_t node;
    const cudaError_t status = cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p);
    if (status == cudaSuccess) {
        cudaGraphExec_t exec = nullptr;
        then("instantiate", cudaGraphInstantiate(&exec, graph, 0));
        if (exec) then("launch", cudaGraphLaunch(exec, stream));
    }
    return status;
}
static cudaGraphExec_t exec_of(cudaGraph_t graph)
{
    cudaGraphExec_t exec = nullptr;
    cudaGraphInstantiate(&exec, graph, 0);
    return exec;
}
CASE(graph_create_flags) { cudaGraph_t g; return cudaGraphCreate(&g, 1); }
CALL(graph_create_null, cudaGraphCreate(nullptr, 0))
CALL(graph_launch_empty, cudaGraphLaunch(exec_of(graph_of(0)), stream))
CALL(graph_launch_null, cudaGraphLaunch(nullptr, stream))
CALL(graph_launch_destroyed_stream, cudaGraphLaunch(exec_of(graph_of(1)), destroyed_stream()))
CASE(graph_launch_destroyed)
{
    const cudaGraphExec_t exec = exec_of(graph_of(1));
    cudaGraphExecDestroy(exec);
    return cudaGraphLaunch(exec, stream);
}
CASE(graph_instantiate_null) { cudaGraphExec_t e; return cudaGraphInstantiate(&e, nullptr, 0); }
CALL(graph_instantiate_null_result, cudaGraphInstantiate((cudaGraphExec_t *)nullptr, graph_of(1), 0))
CASE(graph_instantiate_flags) { cudaGraphExec_t e; return cudaGraphInstantiate(&e, graph_of(1), 1 << 20); }
CASE(graph_instantiate_destroyed)
{
    const cudaGraph_t graph = graph_of(1);
    cudaGraphDestroy(graph);
    cudaGraphExec_t exec;
    return cudaGraphInstantiate(&exec, graph, 0);
}
CALL(graph_destroy_null, cudaGraphDestroy(nullptr))
CASE(graph_destroy_twice) { const cudaGraph_t graph = graph_of(1); cudaGraphDestroy(graph); return cudaGraphDestroy(graph); }
CALL(graph_exec_destroy_null, cudaGraphExecDestroy(nullptr))
CALL(graph_kernel_valid, add_kernel((const void *)fill, 1, 32))
CALL(graph_kernel_grid_0, add_kernel((const void *)fill, 0, 32))
CALL(graph_kernel_threads_2048, add_kernel((const void *)fill, 1, 2048))
CALL(graph_kernel_shared_300k, add_kernel((const void *)fill, 1, 32, 300 * 1024))
CALL(graph_kernel_null_function, add_kernel(nullptr, 1, 32))
CALL(graph_kernel_host_function, add_kernel((const void *)do_nothing, 1, 32))
CASE(graph_cycle)
{
    const cudaGraph_t graph = graph_of(0);
    cudaGraphNode_t a, b;
    cudaGraphAddEmptyNode(&a, graph, nullptr, 0);
    cudaGraphAddEmptyNode(&b, graph, &a, 1);
    then("edge", cudaGraphAddDependencies(graph, &b, &a, nullptr, 1));
    cudaGraphExec_t exec;
    return cudaGraphInstantiate(&exec, graph, 0);
}
CASE(graph_edge_to_itself)
{
    const cudaGraph_t graph = graph_of(0);
    cudaGraphNode_t a;
    cudaGraphAddEmptyNode(&a, graph, nullptr, 0);
    return cudaGraphAddDependencies(graph, &a, &a, nullptr, 1);
}
CASE(graph_edge_twice)
{
    const cudaGraph_t graph = graph_of(0);
    cudaGraphNode_t a, b;
    cudaGraphAddEmptyNode(&a, graph, nullptr, 0);
    cudaGraphAddEmptyNode(&b, graph, &a, 1);
    return cudaGraphAddDependencies(graph, &a, &b, nullptr, 1);
}
CASE(graph_add_null_dependency)
{
    cudaGraphNode_t node;
    return cudaGraphAddEmptyNode(&node, graph_of(0), nullptr, 1);
}
CASE(graph_foreign_dependency)
{
    cudaGraphNode_t foreign, node;
    cudaGraphAddEmptyNode(&foreign, graph_of(0), nullptr, 0);
    return cudaGraphAddEmptyNode(&node, graph_of(0), &foreign, 1);
}
CASE(graph_copy_null)
{
    cudaGraphNode_t node;
    return cudaGraphAddMemcpyNode1D(&node, graph_of(0), nullptr, 0, nullptr, host, 64, cudaMemcpyHostToDevice);
}
CASE(graph_copy_beyond)
{
    cudaGraphNode_t node;
    return cudaGraphAddMemcpyNode1D(&node, graph_of(0), nullptr, 0, large, large, LARGE + 1, cudaMemcpyDeviceToDevice);
}
CASE(graph_set_element_3)
{
    cudaGraphNode_t node;
    const cudaMemsetParams p = {device, 0, 0, 3, 16, 1};
    return cudaGraphAddMemsetNode(&node, graph_of(0), nullptr, 0, &p);
}
static cudaError_t update(cudaGraph_t from, cudaGraph_t to)
{
    const cudaGraphExec_t exec = exec_of(from);
    cudaGraphExecUpdateResultInfo info = {};
    const cudaError_t status = cudaGraphExecUpdate(exec, to, &info);
    tell("result=%d", (int)info.result);
    return status;
}
CALL(graph_update_same, update(graph_of(1), graph_of(1)))
CALL(graph_update_more_nodes, update(graph_of(1), graph_of(2)))
CALL(graph_update_fewer_nodes, update(graph_of(2), graph_of(1)))
CASE(graph_update_other_kind)
{
    const cudaGraph_t to = graph_of(0);
    cudaGraphNode_t node;
    const cudaHostNodeParams p = {do_nothing, nullptr};
    cudaGraphAddHostNode(&node, to, nullptr, 0, &p);
    return update(graph_of(1), to);
}
CASE(graph_update_null) { cudaGraphExecUpdateResultInfo info; return cudaGraphExecUpdate(nullptr, graph_of(1), &info); }

CALL(device_set_99, cudaSetDevice(99))
CALL(device_set_minus_1, cudaSetDevice(-1))
CALL(device_get_null, cudaGetDevice(nullptr))
CALL(device_count_null, cudaGetDeviceCount(nullptr))
CASE(device_attribute_9999) { int v; return cudaDeviceGetAttribute(&v, (cudaDeviceAttr)9999, 0); }
CASE(device_attribute_minus_1) { int v; return cudaDeviceGetAttribute(&v, (cudaDeviceAttr)-1, 0); }
CASE(device_attribute_of_99) { int v; return cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 99); }
CALL(device_attribute_null, cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0))
CASE(device_properties_99) { cudaDeviceProp p; return cudaGetDeviceProperties(&p, 99); }
CALL(device_properties_null, cudaGetDeviceProperties(nullptr, 0))
CALL(device_flags_256, cudaSetDeviceFlags(256))
CALL(device_flags_both, cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield))
CASE(device_limit_99) { size_t n; return cudaDeviceGetLimit(&n, (cudaLimit)99); }
CALL(device_set_limit_99, cudaDeviceSetLimit((cudaLimit)99, 1))
CALL(device_set_limit_stack_huge, cudaDeviceSetLimit(cudaLimitStackSize, HUGE_SIZE))
CALL(device_set_limit_heap_huge, cudaDeviceSetLimit(cudaLimitMallocHeapSize, HUGE_SIZE))
CALL(device_set_limit_depth, cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 2))
CALL(device_cache_99, cudaDeviceSetCacheConfig((cudaFuncCache)99))
CASE(device_by_pci) { int d; return cudaDeviceGetByPCIBusId(&d, "no such"); }
CALL(device_pci_short, cudaDeviceGetPCIBusId(host, 4, 0))
CALL(device_valid_99, [] { int list[] = {99}; return cudaSetValidDevices(list, 1); }())
CASE(device_choose_null) { int d; return cudaChooseDevice(&d, nullptr); }
