// Kernels whose launches are written down: kinds of parameters, instantiations, threads, a child of fork.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

// Macros of these names do no harm.
#define seen 4
#define see(x) x
#define watched 9
#define process 7

namespace outer {
enum Mode : unsigned char { PLAIN = 3, OTHER = 9 };
__global__ void kinds(int *x, Mode mode, bool flag, unsigned long long far, long long below, short, char16_t letter)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < mode; ++k) x[i] += k;
    for (int k = 0; k < (int)flag; ++k) x[i] += k;
    x[i] += i / (int)(far | 1) + i / (int)below + i / letter;
}
}

template <class T> __global__ void typed(int *x, T number, int stride)
{
    for (int k = 0; k < number; ++k) x[threadIdx.x] += (int)(threadIdx.x / stride);
}

__global__ void many(int *x, int n, int always, int offset)
{
    x[threadIdx.x + offset] = threadIdx.x / n + threadIdx.x % always;
}

__global__ void strided(int *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = i;
}

__global__ void nothing(int *x, int n) { x[threadIdx.x] = n; }

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int *x, size = argc > 2 ? atoi(argv[2]) : 4;
    cudaMalloc(&x, 4096);
    if (!strcmp(what, "kinds")) {
        outer::kinds<<<2, dim3(8, 2)>>>(x, argc > 1 ? outer::OTHER : outer::PLAIN, size > 3, 1ull << 63 | size, -size, 1, u'a');
        typed<int><<<1, size>>>(x, size, 3 * size);
        typed<float><<<1, size>>>(x, 1.5f, 3 * size);
    }
    if (!strcmp(what, "many"))
        for (int n = 1; n <= size; ++n) many<<<1, 32>>>(x, n, size, size - 1);
    if (!strcmp(what, "threads")) {
        std::thread all[4];
        for (std::thread &one : all) one = std::thread([=] { for (int n = 0; n < 500; ++n) many<<<1, 32>>>(x, 1 + n % 2, size, 1); });
        for (std::thread &one : all) one.join();
    }
    if (!strcmp(what, "fork")) {
        strided<<<size, 32>>>(x, 99);
        if (fork() == 0) return 0;
        wait(0);
    }
    nothing<<<1, size>>>(x, size);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
