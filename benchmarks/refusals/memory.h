// Memory: what cannot be allocated, freed, registered or asked.
#pragma once
#include "cases.h"

static cudaError_t allocate(size_t bytes)
{
    void *p = host;
    const cudaError_t status = cudaMalloc(&p, bytes);
    tell("pointer=%s", !p ? "null" : p == host ? "kept" : "set");
    if (status == cudaSuccess) cudaFree(p);
    return status;
}
CALL(malloc_0, allocate(0))
CALL(malloc_huge, allocate(HUGE_SIZE))
CALL(malloc_minus_1, allocate((size_t)-1))
CALL(malloc_null, cudaMalloc((void **)nullptr, 16))
CALL(malloc_null_0, cudaMalloc((void **)nullptr, 0))
CASE(malloc_managed_0) { void *p; return cudaMallocManaged(&p, 0); }
CASE(malloc_managed_flags) { void *p; return cudaMallocManaged(&p, 16, 9); }
CASE(malloc_managed_flags_0) { void *p; return cudaMallocManaged(&p, 16, 0); }
CASE(malloc_managed_huge) { void *p; return cudaMallocManaged(&p, (size_t)-1); }
CALL(malloc_managed_null, cudaMallocManaged((void **)nullptr, 16))
CASE(malloc_host_0) { void *p = host; const cudaError_t e = cudaMallocHost(&p, 0); tell("null=%d", !p); return e; }
CASE(malloc_host_minus_1) { void *p; return cudaMallocHost(&p, (size_t)-1); }
CALL(malloc_host_null, cudaMallocHost((void **)nullptr, 16))
CASE(host_alloc_flags) { void *p; return cudaHostAlloc(&p, 16, 1 << 10); }
CASE(malloc_pitch_0) { void *p; size_t pitch = 9; const cudaError_t e = cudaMallocPitch(&p, &pitch, 0, 4); tell("pitch=%zu", pitch); return e; }
CASE(malloc_pitch_height_0) { void *p; size_t pitch = 9; const cudaError_t e = cudaMallocPitch(&p, &pitch, 16, 0); tell("pitch=%zu", pitch); return e; }
CASE(malloc_pitch_huge) { void *p; size_t pitch; return cudaMallocPitch(&p, &pitch, HUGE_SIZE, HUGE_SIZE); }
CASE(malloc_pitch_null) { void *p; return cudaMallocPitch(&p, (size_t *)nullptr, 16, 4); }
CASE(malloc_3d_huge) { cudaPitchedPtr p; return cudaMalloc3D(&p, make_cudaExtent(HUGE_SIZE, 2, 2)); }
CASE(malloc_async_huge) { void *p; return cudaMallocAsync(&p, HUGE_SIZE, stream); }
CASE(malloc_async_0) { void *p = host; const cudaError_t e = cudaMallocAsync(&p, 0, stream); tell("null=%d", !p); return e; }
CASE(malloc_async_null) { return cudaMallocAsync((void **)nullptr, 16, stream); }
CASE(malloc_async_destroyed) { void *p; return cudaMallocAsync(&p, 16, destroyed_stream()); }

CALL(free_null, cudaFree(nullptr))
CALL(free_host, cudaFree(host))
CALL(free_pinned, cudaFree(pinned))
CALL(free_interior, cudaFree(large + 64))
CALL(free_interior_1, cudaFree(device + 1))
CALL(free_address_1, cudaFree((void *)1))
CALL(free_function, cudaFree((void *)fill))
CASE(free_symbol) { void *p; cudaGetSymbolAddress(&p, symbol); return cudaFree(p); }
CASE(free_twice) { void *p; cudaMalloc(&p, 64); cudaFree(p); return cudaFree(p); }
CASE(free_large_twice) { void *p; cudaMalloc(&p, LARGE); cudaFree(p); return cudaFree(p); }
CASE(free_managed_twice) { void *p; cudaMallocManaged(&p, 64); cudaFree(p); return cudaFree(p); }
CALL(free_host_null, cudaFreeHost(nullptr))
CALL(free_host_device, cudaFreeHost(device))
CALL(free_host_pageable, cudaFreeHost(host))
CALL(free_host_interior, cudaFreeHost(pinned + 16))
CALL(free_host_managed, cudaFreeHost(managed))
CASE(free_host_twice) { void *p; cudaMallocHost(&p, 64); cudaFreeHost(p); return cudaFreeHost(p); }
CALL(free_async_null, cudaFreeAsync(nullptr, stream))
CALL(free_async_host, cudaFreeAsync(host, stream))
CASE(free_async_of_malloc) { void *p; cudaMalloc(&p, 64); return cudaFreeAsync(p, stream); }
CASE(free_async_twice) { void *p; cudaMallocAsync(&p, 64, stream); cudaFreeAsync(p, stream); return cudaFreeAsync(p, stream); }
CASE(free_of_async_twice)
{
    void *p;
    cudaMallocAsync(&p, 64, stream);
    then("first", cudaFree(p));
    return cudaFree(p);
}

static char *page() { static char *p = (char *)aligned_alloc(4096, 8192); return p; }
static cudaError_t registered(cudaError_t (*call)())
{
    then("register", cudaHostRegister(page(), 4096, cudaHostRegisterDefault));
    const cudaError_t status = call();
    cudaHostUnregister(page());
    return status;
}
CALL(register_twice, registered([] { return cudaHostRegister(page(), 4096, cudaHostRegisterDefault); }))
CALL(register_overlapping, registered([] { return cudaHostRegister(page() + 64, 4096, cudaHostRegisterDefault); }))
CALL(register_inside, registered([] { return cudaHostRegister(page() + 64, 64, cudaHostRegisterDefault); }))
CALL(register_unregister_inside, registered([] { return cudaHostUnregister(page() + 64); }))
CALL(register_free_host, registered([] { return cudaFreeHost(page()); }))
CALL(register_0, cudaHostRegister(page(), 0, cudaHostRegisterDefault))
CALL(register_null, cudaHostRegister(nullptr, 4096, cudaHostRegisterDefault))
CALL(register_device, cudaHostRegister(device, 64, cudaHostRegisterDefault))
CALL(register_pinned, cudaHostRegister(pinned, 64, cudaHostRegisterDefault))
CALL(register_managed, cudaHostRegister(managed, 64, cudaHostRegisterDefault))
CALL(register_flags, cudaHostRegister(page(), 4096, 1 << 10))
CALL(register_address_4096, cudaHostRegister((void *)4096, 4096, cudaHostRegisterDefault))
CALL(register_minus_1, cudaHostRegister(page(), (size_t)-1, cudaHostRegisterDefault))
CALL(unregister_never, cudaHostUnregister(page()))
CALL(unregister_null, cudaHostUnregister(nullptr))
CALL(unregister_pinned, cudaHostUnregister(pinned))
CASE(unregister_twice)
{
    then("register", cudaHostRegister(page(), 4096, cudaHostRegisterDefault));
    then("first", cudaHostUnregister(page()));
    return cudaHostUnregister(page());
}
CASE(mapped_pointer_of_pageable) { void *p; return cudaHostGetDevicePointer(&p, host, 0); }
CASE(mapped_pointer_flags) { void *p; return cudaHostGetDevicePointer(&p, pinned, 1); }
CASE(mapped_pointer_null) { void *p; return cudaHostGetDevicePointer(&p, nullptr, 0); }
CASE(mapped_pointer_of_device) { void *p; return cudaHostGetDevicePointer(&p, device, 0); }
CASE(host_flags_of_pageable) { unsigned flags; return cudaHostGetFlags(&flags, host); }
CASE(host_flags_of_device) { unsigned flags; return cudaHostGetFlags(&flags, device); }

static cudaError_t attributes_of(const void *p)
{
    cudaPointerAttributes a;
    memset(&a, 9, sizeof a);
    const cudaError_t status = cudaPointerGetAttributes(&a, p);
    if (status == cudaSuccess) tell("type=%d device=%d", (int)a.type, a.device);
    return status;
}
CALL(pointer_of_null, attributes_of(nullptr))
CALL(pointer_of_host, attributes_of(host))
CALL(pointer_of_interior, attributes_of(large + 64))
CALL(pointer_of_end, attributes_of(large + LARGE))
CALL(pointer_of_address_1, attributes_of((void *)1))
CALL(pointer_null, cudaPointerGetAttributes(nullptr, device))
CASE(info_null) { size_t n; return cudaMemGetInfo(nullptr, &n); }
CALL(advise_device, cudaMemAdvise(device, 64, cudaMemAdviseSetReadMostly, cudaMemLocation{cudaMemLocationTypeDevice, 0}))
CALL(advise_nothing, cudaMemAdvise(managed, 0, cudaMemAdviseSetReadMostly, cudaMemLocation{cudaMemLocationTypeDevice, 0}))
CALL(advise_99, cudaMemAdvise(managed, 64, (cudaMemoryAdvise)99, cudaMemLocation{cudaMemLocationTypeDevice, 0}))
CALL(advise_absent, cudaMemAdvise(managed, 64, cudaMemAdviseSetAccessedBy, cudaMemLocation{cudaMemLocationTypeDevice, 99}))
CALL(advise_beyond, cudaMemAdvise(managed, LARGE, cudaMemAdviseSetReadMostly, cudaMemLocation{cudaMemLocationTypeDevice, 0}))
CALL(prefetch_device, cudaMemPrefetchAsync(device, 64, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, stream))
CALL(prefetch_nothing, cudaMemPrefetchAsync(managed, 0, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, stream))
CALL(prefetch_absent, cudaMemPrefetchAsync(managed, 64, cudaMemLocation{cudaMemLocationTypeDevice, 99}, 0, stream))
CALL(prefetch_flags, cudaMemPrefetchAsync(managed, 64, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 1, stream))
CALL(prefetch_null, cudaMemPrefetchAsync(nullptr, 64, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, stream))
CALL(prefetch_beyond, cudaMemPrefetchAsync(managed, LARGE, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, stream))
CALL(prefetch_destroyed, cudaMemPrefetchAsync(managed, 64, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, destroyed_stream()))
