// Copies and fills that are refused: pointers, directions, sizes, pitches, symbols, freed memory, streams.
#pragma once
#include "cases.h"

const cudaMemcpyKind TO_DEVICE = cudaMemcpyHostToDevice, TO_HOST = cudaMemcpyDeviceToHost;
const cudaMemcpyKind ON_DEVICE = cudaMemcpyDeviceToDevice, ON_HOST = cudaMemcpyHostToHost;

CALL(copy_null_to, cudaMemcpy(nullptr, host, 64, TO_DEVICE))
CALL(copy_null_from, cudaMemcpy(device, nullptr, 64, TO_DEVICE))
CALL(copy_null_both, cudaMemcpy(nullptr, nullptr, 64, TO_DEVICE))
CALL(copy_null_default, cudaMemcpy(nullptr, host, 64, cudaMemcpyDefault))
CALL(copy_null_nothing, cudaMemcpy(nullptr, nullptr, 0, TO_DEVICE))
CALL(copy_nothing, cudaMemcpy(device, host, 0, TO_DEVICE))
CALL(copy_nothing_kind_9, cudaMemcpy(device, host, 0, (cudaMemcpyKind)9))
CALL(copy_kind_9, cudaMemcpy(device, host, 64, (cudaMemcpyKind)9))
CALL(copy_kind_minus_1, cudaMemcpy(device, host, 64, (cudaMemcpyKind)-1))
CALL(copy_null_kind_9, cudaMemcpy(nullptr, host, 64, (cudaMemcpyKind)9))
CALL(copy_swapped_to_host, cudaMemcpy(device, host, 64, TO_HOST))
CALL(copy_swapped_to_device, cudaMemcpy(host, device, 64, TO_DEVICE))
CALL(copy_host_as_device, cudaMemcpy(host, host_other, 64, TO_DEVICE))
CALL(copy_host_as_device_from, cudaMemcpy(host, host_other, 64, TO_HOST))
CALL(copy_host_on_device, cudaMemcpy(host, host_other, 64, ON_DEVICE))
CALL(copy_device_as_host, cudaMemcpy(device, other, 64, TO_DEVICE))
CALL(copy_device_as_host_to, cudaMemcpy(device, other, 64, TO_HOST))
CALL(copy_device_on_host, cudaMemcpy(device, other, 64, ON_HOST))
CALL(copy_to_device_on_host, cudaMemcpy(device, host, 64, ON_HOST))
CALL(copy_from_device_on_host, cudaMemcpy(host, device, 64, ON_HOST))
CALL(copy_to_device_default, cudaMemcpy(device, host, 64, cudaMemcpyDefault))
CALL(copy_host_default, cudaMemcpy(host, host_other, 64, cudaMemcpyDefault))
CALL(copy_pinned_as_device, cudaMemcpy(pinned, host, 64, TO_DEVICE))
CALL(copy_pinned_on_device, cudaMemcpy(device, pinned, 64, ON_DEVICE))
CALL(copy_managed_swapped, cudaMemcpy(managed, host, 64, TO_HOST))
CALL(copy_host_on_device_to_managed, cudaMemcpy(managed, host, 64, ON_DEVICE))

CALL(copy_beyond_to, cudaMemcpy(device, large, SMALL + 1, ON_DEVICE))
CALL(copy_beyond_to_512, cudaMemcpy(device, large, 1536, ON_DEVICE))
CALL(copy_beyond_to_1m, cudaMemcpy(device, large, 1 << 20, ON_DEVICE))
CALL(copy_beyond_from, cudaMemcpy(large, device, SMALL + 1, ON_DEVICE))
CALL(copy_beyond_large, cudaMemcpy(large, large, LARGE + 1, ON_DEVICE))
CALL(copy_beyond_large_offset, cudaMemcpy(large + 64, device, LARGE - 63, ON_DEVICE))
CALL(copy_beyond_large_to_host, [] { static char room[LARGE + 4096]; return cudaMemcpy(room, large, LARGE + 1, TO_HOST); }())
CALL(copy_beyond_large_from_host, [] { static char room[LARGE + 4096]; return cudaMemcpy(large, room, LARGE + 1, TO_DEVICE); }())
CALL(copy_beyond_pinned, cudaMemcpy(large, pinned, LARGE, TO_DEVICE))
CALL(copy_minus_1, cudaMemcpy(device, other, (size_t)-1, ON_DEVICE))
CALL(copy_minus_1_to_device, cudaMemcpy(device, host, (size_t)-1, TO_DEVICE))
CALL(copy_minus_1_to_host, cudaMemcpy(host, device, (size_t)-1, TO_HOST))
CALL(copy_huge_to_device, cudaMemcpy(device, host, HUGE_SIZE, TO_DEVICE))
CALL(copy_before_device, cudaMemcpy(large - 1, host, 2, TO_DEVICE))
CALL(copy_overlapping, cudaMemcpy(device + 16, device, 64, ON_DEVICE))
CALL(copy_to_itself, cudaMemcpy(device, device, 64, ON_DEVICE))
CALL(copy_device_address_1, cudaMemcpy((void *)1, host, 64, TO_DEVICE))
CALL(copy_device_address_1_from, cudaMemcpy(host, (void *)1, 64, TO_HOST))
CALL(copy_to_device_from_address_1, cudaMemcpy(device, (void *)1, 64, TO_DEVICE))

static char *freed()
{
    static char *p = nullptr;
    if (!p) {
        cudaMalloc(&p, LARGE);
        cudaFree(p);
    }
    return p;
}
CALL(copy_freed_to, cudaMemcpy(freed(), host, 64, TO_DEVICE))
CALL(copy_freed_from, cudaMemcpy(host, freed(), 64, TO_HOST))
CALL(copy_freed_on_device, cudaMemcpy(device, freed(), 64, ON_DEVICE))
CALL(copy_freed_default, cudaMemcpy(host, freed(), 64, cudaMemcpyDefault))
CALL(set_freed, cudaMemset(freed(), 0, 64))

#define ASYNC(name, on)                                                                                   \
    CALL(async_##name, cudaMemcpyAsync(device, host, 64, TO_DEVICE, on))                                   \
    CALL(async_null_##name, cudaMemcpyAsync(nullptr, host, 64, TO_DEVICE, on))                             \
    CALL(async_swapped_##name, cudaMemcpyAsync(device, host, 64, TO_HOST, on))                             \
    CALL(async_beyond_##name, cudaMemcpyAsync(large, large, LARGE + 1, ON_DEVICE, on))                     \
    CALL(async_pinned_beyond_##name, cudaMemcpyAsync(large, pinned, LARGE + 1, TO_DEVICE, on))             \
    CALL(async_set_null_##name, cudaMemsetAsync(nullptr, 0, 64, on))                                       \
    CALL(async_set_beyond_##name, cudaMemsetAsync(large, 0, LARGE + 1, on))
ASYNC(null, nullptr)
ASYNC(legacy, cudaStreamLegacy)
ASYNC(per_thread, cudaStreamPerThread)
ASYNC(created, stream)
#undef ASYNC
CALL(async_destroyed, cudaMemcpyAsync(device, host, 64, TO_DEVICE, destroyed_stream()))
CALL(async_nothing_destroyed, cudaMemcpyAsync(device, host, 0, TO_DEVICE, destroyed_stream()))
CALL(async_wrong_stream, cudaMemcpyAsync(device, host, 64, TO_DEVICE, (cudaStream_t)host_data))
CALL(async_set_destroyed, cudaMemsetAsync(device, 0, 64, destroyed_stream()))

CALL(set_valid, cudaMemset(device, 300, 64))
CALL(set_negative_value, cudaMemset(device, -1, 64))
CALL(set_odd_size, cudaMemset(device + 1, 7, 13))
CALL(set_nothing, cudaMemset(device, 0, 0))
CALL(set_null, cudaMemset(nullptr, 0, 64))
CALL(set_null_nothing, cudaMemset(nullptr, 0, 0))
CALL(set_host, cudaMemset(host, 0, 64))
CALL(set_pinned, cudaMemset(pinned, 0, 64))
CALL(set_managed, cudaMemset(managed, 0, 64))
CALL(set_beyond, cudaMemset(device, 0, SMALL + 1))
CALL(set_beyond_large, cudaMemset(large, 0, LARGE + 1))
CALL(set_minus_1, cudaMemset(device, 0, (size_t)-1))
CALL(set_2d_narrow, cudaMemset2D(device, 8, 0, 12, 2))
CALL(set_2d_narrow_one_row, cudaMemset2D(device, 8, 0, 12, 1))
CALL(set_2d_pitch_0, cudaMemset2D(device, 0, 0, 12, 2))
CALL(set_2d_beyond, cudaMemset2D(large, 1024, 0, 1024, 4097))
CALL(set_2d_null, cudaMemset2D(nullptr, 16, 0, 12, 2))
CALL(set_2d_nothing, cudaMemset2D(device, 16, 0, 0, 2))
CALL(set_2d_minus_1, cudaMemset2D(device, 16, 0, 12, (size_t)-1))
CALL(set_3d_low, cudaMemset3D(make_cudaPitchedPtr(device, 16, 16, 1), 0, make_cudaExtent(16, 2, 2)))
CALL(set_3d_narrow, cudaMemset3D(make_cudaPitchedPtr(device, 8, 8, 2), 0, make_cudaExtent(16, 2, 2)))
CALL(set_3d_null, cudaMemset3D(make_cudaPitchedPtr(nullptr, 16, 16, 2), 0, make_cudaExtent(16, 2, 2)))
CALL(set_3d_nothing, cudaMemset3D(make_cudaPitchedPtr(device, 16, 16, 2), 0, make_cudaExtent(16, 0, 2)))
CALL(set_3d_beyond, cudaMemset3D(make_cudaPitchedPtr(large, 1024, 1024, 64), 0, make_cudaExtent(1024, 64, 65)))

CALL(copy_2d_narrow_from, cudaMemcpy2D(device, 16, host, 8, 12, 2, TO_DEVICE))
CALL(copy_2d_narrow_to, cudaMemcpy2D(device, 8, host, 16, 12, 2, TO_DEVICE))
CALL(copy_2d_narrow_one_row, cudaMemcpy2D(device, 8, host, 8, 12, 1, TO_DEVICE))
CALL(copy_2d_pitch_0, cudaMemcpy2D(device, 0, host, 0, 12, 2, TO_DEVICE))
CALL(copy_2d_valid, cudaMemcpy2D(device, 16, host, 16, 12, 2, TO_DEVICE))
CALL(copy_2d_nothing, cudaMemcpy2D(device, 16, host, 16, 0, 2, TO_DEVICE))
CALL(copy_2d_narrow_nothing, cudaMemcpy2D(device, 8, host, 8, 12, 0, TO_DEVICE))
CALL(copy_2d_null_to, cudaMemcpy2D(nullptr, 16, host, 16, 12, 2, TO_DEVICE))
CALL(copy_2d_null_from, cudaMemcpy2D(device, 16, nullptr, 16, 12, 2, TO_DEVICE))
CALL(copy_2d_swapped, cudaMemcpy2D(device, 16, host, 16, 12, 2, TO_HOST))
CALL(copy_2d_kind_9, cudaMemcpy2D(device, 16, host, 16, 12, 2, (cudaMemcpyKind)9))
CALL(copy_2d_narrow_kind_9, cudaMemcpy2D(device, 8, host, 16, 12, 2, (cudaMemcpyKind)9))
CALL(copy_2d_beyond_to, cudaMemcpy2D(large, 1024, large, 1024, 1024, 4097, ON_DEVICE))
CALL(copy_2d_pitch_huge, cudaMemcpy2D(device, HUGE_SIZE, host, 16, 12, 2, TO_DEVICE))
CALL(copy_2d_pitch_minus_1, cudaMemcpy2D(device, (size_t)-1, host, 16, 12, 2, TO_DEVICE))
CALL(copy_2d_height_minus_1, cudaMemcpy2D(device, 16, other, 16, 12, (size_t)-1, ON_DEVICE))
CALL(copy_2d_async_narrow, cudaMemcpy2DAsync(device, 8, host, 16, 12, 2, TO_DEVICE, stream))

static cudaError_t copy_3d(cudaPitchedPtr to, cudaPitchedPtr from, cudaExtent extent, cudaMemcpyKind kind, cudaPos at = {})
{
    cudaMemcpy3DParms copy = {};
    copy.dstPtr = to;
    copy.srcPtr = from;
    copy.extent = extent;
    copy.kind = kind;
    copy.dstPos = at;
    return cudaMemcpy3D(&copy);
}
static cudaPitchedPtr rows(void *p, size_t pitch, size_t height) { return make_cudaPitchedPtr(p, pitch, pitch, height); }
CALL(copy_3d_valid, copy_3d(rows(device, 16, 4), rows(host, 16, 4), make_cudaExtent(12, 4, 2), TO_DEVICE))
CALL(copy_3d_null, cudaMemcpy3D(nullptr))
CALL(copy_3d_empty_parameters, [] { cudaMemcpy3DParms none = {}; return cudaMemcpy3D(&none); }())
CALL(copy_3d_null_to, copy_3d(rows(nullptr, 16, 4), rows(host, 16, 4), make_cudaExtent(12, 4, 2), TO_DEVICE))
CALL(copy_3d_narrow, copy_3d(rows(device, 8, 4), rows(host, 16, 4), make_cudaExtent(12, 4, 2), TO_DEVICE))
CALL(copy_3d_low, copy_3d(rows(device, 16, 2), rows(host, 16, 4), make_cudaExtent(12, 4, 2), TO_DEVICE))
CALL(copy_3d_position, copy_3d(rows(device, 16, 4), rows(host, 16, 4), make_cudaExtent(12, 4, 2), TO_DEVICE, make_cudaPos(8, 0, 0)))
CALL(copy_3d_position_y, copy_3d(rows(device, 16, 4), rows(host, 16, 4), make_cudaExtent(12, 4, 2), TO_DEVICE, make_cudaPos(0, 3, 0)))
CALL(copy_3d_beyond, copy_3d(rows(large, 1024, 64), rows(large, 1024, 64), make_cudaExtent(1024, 64, 65), ON_DEVICE))
CALL(copy_3d_kind_9, copy_3d(rows(device, 16, 4), rows(host, 16, 4), make_cudaExtent(12, 4, 2), (cudaMemcpyKind)9))
CALL(copy_3d_swapped, copy_3d(rows(device, 16, 4), rows(host, 16, 4), make_cudaExtent(12, 4, 2), TO_HOST))

static cudaError_t with_array(cudaError_t (*call)(cudaArray_t))
{
    cudaArray_t array = nullptr;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &format, 16, 4);
    const cudaError_t status = call(array);
    cudaFreeArray(array);
    return status;
}
CALL(array_valid, with_array([](cudaArray_t a) { return cudaMemcpy2DToArray(a, 0, 0, host, 64, 64, 3, TO_DEVICE); }))
CALL(array_too_wide, with_array([](cudaArray_t a) { return cudaMemcpy2DToArray(a, 0, 0, host, 65, 65, 3, TO_DEVICE); }))
CALL(array_odd_width, with_array([](cudaArray_t a) { return cudaMemcpy2DToArray(a, 0, 0, host, 64, 63, 3, TO_DEVICE); }))
CALL(array_odd_offset, with_array([](cudaArray_t a) { return cudaMemcpy2DToArray(a, 2, 0, host, 64, 60, 3, TO_DEVICE); }))
CALL(array_too_high, with_array([](cudaArray_t a) { return cudaMemcpy2DToArray(a, 0, 2, host, 64, 64, 3, TO_DEVICE); }))
CALL(array_narrow_pitch, with_array([](cudaArray_t a) { return cudaMemcpy2DToArray(a, 0, 0, host, 60, 64, 3, TO_DEVICE); }))
CALL(array_swapped, with_array([](cudaArray_t a) { return cudaMemcpy2DToArray(a, 0, 0, host, 64, 64, 3, TO_HOST); }))
CALL(array_null, cudaMemcpy2DToArray(nullptr, 0, 0, host, 64, 64, 3, TO_DEVICE))
CALL(array_null_from, with_array([](cudaArray_t a) { return cudaMemcpy2DFromArray(nullptr, 64, a, 0, 0, 64, 3, TO_HOST); }))
CASE(array_width_0) { cudaArray_t a; const auto f = cudaCreateChannelDesc<float>(); return cudaMallocArray(&a, &f, 0, 4); }
CASE(array_huge) { cudaArray_t a; const auto f = cudaCreateChannelDesc<float>(); return cudaMallocArray(&a, &f, 1 << 20, 4); }
CASE(array_bits_7) { cudaArray_t a; const auto f = cudaCreateChannelDesc(7, 0, 0, 0, cudaChannelFormatKindUnsigned); return cudaMallocArray(&a, &f, 4, 4); }
CALL(array_free_null, cudaFreeArray(nullptr))
CASE(array_free_twice)
{
    cudaArray_t a = nullptr;
    const auto format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&a, &format, 16, 4);
    cudaFreeArray(a);
    return cudaFreeArray(a);
}

CALL(symbol_valid, cudaMemcpyToSymbol(symbol, host, 64))
CALL(symbol_beyond, cudaMemcpyToSymbol(symbol, host, 65))
CALL(symbol_offset_beyond, cudaMemcpyToSymbol(symbol, host, 64, 4))
CALL(symbol_offset_at_end, cudaMemcpyToSymbol(symbol, host, 0, 64))
CALL(symbol_offset_nothing, cudaMemcpyToSymbol(symbol, host, 0, 100))
CALL(symbol_offset_minus_1, cudaMemcpyToSymbol(symbol, host, 4, (size_t)-1))
CALL(symbol_null_from, cudaMemcpyToSymbol(symbol, nullptr, 64))
CALL(symbol_kind_to_host, cudaMemcpyToSymbol(symbol, host, 64, 0, TO_HOST))
CALL(symbol_kind_9, cudaMemcpyToSymbol(symbol, host, 64, 0, (cudaMemcpyKind)9))
CALL(symbol_kind_on_device, cudaMemcpyToSymbol(symbol, host, 64, 0, ON_DEVICE))
CALL(symbol_null, cudaMemcpyToSymbol((const void *)nullptr, host, 4))
CALL(symbol_unknown, cudaMemcpyToSymbol((const void *)host_data, host, 4))
CALL(symbol_unknown_nothing, cudaMemcpyToSymbol((const void *)host_data, host, 0))
CALL(symbol_device_pointer, cudaMemcpyToSymbol((const void *)device, host, 4))
CALL(symbol_from_beyond, cudaMemcpyFromSymbol(host, table, 16, 17))
CALL(symbol_from_null_to, cudaMemcpyFromSymbol(nullptr, table, 16))
CALL(symbol_async_unknown, cudaMemcpyToSymbolAsync((const void *)host_data, host, 4, 0, TO_DEVICE, stream))
CASE(symbol_address_unknown) { void *p; return cudaGetSymbolAddress(&p, (const void *)host_data); }
CASE(symbol_address_null) { void *p; return cudaGetSymbolAddress(&p, (const void *)nullptr); }
CASE(symbol_size_unknown) { size_t n; return cudaGetSymbolSize(&n, (const void *)host_data); }

static int absent()
{
    int count = 0;
    cudaGetDeviceCount(&count);
    return count;
}
CALL(peer_copy_same, cudaMemcpyPeer(device, 0, other, 0, 64))
CALL(peer_copy_absent, cudaMemcpyPeer(device, 0, other, absent(), 64))
CALL(peer_copy_to_absent, cudaMemcpyPeer(device, absent(), other, 0, 64))
CALL(peer_copy_minus_1, cudaMemcpyPeer(device, -1, other, 0, 64))
CALL(peer_copy_absent_nothing, cudaMemcpyPeer(device, absent(), other, 0, 0))
CALL(peer_copy_null, cudaMemcpyPeer(nullptr, 0, other, 0, 64))
CALL(peer_copy_async_absent, cudaMemcpyPeerAsync(device, absent(), other, 0, 64, stream))
CALL(peer_enable_absent, cudaDeviceEnablePeerAccess(absent(), 0))
CALL(peer_enable_itself, cudaDeviceEnablePeerAccess(0, 0))
CALL(peer_enable_flags, cudaDeviceEnablePeerAccess(0, 1))
CALL(peer_disable_itself, cudaDeviceDisablePeerAccess(0))
CALL(peer_disable_absent, cudaDeviceDisablePeerAccess(absent()))
CASE(peer_can_itself) { int can = 9; const cudaError_t e = cudaDeviceCanAccessPeer(&can, 0, 0); tell("can=%d", can); return e; }
CASE(peer_can_absent) { int can = 9; const cudaError_t e = cudaDeviceCanAccessPeer(&can, 0, absent()); tell("can=%d", can); return e; }
CALL(peer_can_null, cudaDeviceCanAccessPeer(nullptr, 0, 0))
