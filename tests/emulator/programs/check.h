// What the test programs share: expectations, and an array that host and device see.
#pragma once
#include <cstdio>
#include <cuda_runtime.h>

static int failures = 0;

#define EXPECT(actual, expected)                                                                            \
    do {                                                                                                    \
        const auto actual_ = (actual);                                                                      \
        const decltype(+actual_) expected_ = (expected);                                                    \
        if (!(actual_ == expected_) && ++failures < 20)                                                     \
            printf("%s:%d: %s is %g, expected %g\n", __FILE__, __LINE__, #actual, (double)actual_, (double)expected_); \
    } while (0)
#define EXPECT_STATUS(call, status) EXPECT((int)(call), (int)(status))

template <class T> T *device_array(size_t count)
{
    T *data = nullptr;
    EXPECT_STATUS(cudaMallocManaged(&data, count * sizeof(T)), cudaSuccess);
    EXPECT_STATUS(cudaMemset(data, 0, count * sizeof(T)), cudaSuccess);
    return data;
}

// Waits for what was launched; the launch must have been good.
inline void finish()
{
    EXPECT_STATUS(cudaGetLastError(), cudaSuccess);
    EXPECT_STATUS(cudaDeviceSynchronize(), cudaSuccess);
}

inline int verdict()
{
    if (failures) printf("%d wrong\n", failures);
    else printf("ok\n");
    return failures != 0;
}
