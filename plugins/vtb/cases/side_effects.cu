// gpu: h200; policy: factor=2, margin=0.0, form="turns"
// run: main
// What changes the test, a target or the order of other statements stays where it was: inside the turn.
#include <cstdio>

__device__ unsigned take(int &left)
{
    --left;
    return left * 7u + 1u;
}

__device__ unsigned next(unsigned &state)
{
    state = state * 5u + 3u;
    return state;
}

__global__ void guarded(unsigned *y)
{
    __shared__ unsigned s[64];
    int t = threadIdx.x, left = 1;
    if (left > 0) s[t] = take(left);
    __syncthreads();
    y[blockIdx.x * 64 + t] = s[t ^ 1] + left;
}

__global__ void target(unsigned *y)
{
    __shared__ unsigned s[64][4];
    int t = threadIdx.x;
    unsigned state = t;
    for (int i = 0; i < 4; ++i) s[t][state & 3] = next(state);
    __syncthreads();
    y[blockIdx.x * 64 + t] = s[t ^ 1][0] + s[t ^ 1][1] * 3 + s[t ^ 1][2] * 5 + s[t ^ 1][3] * 7;
}

__global__ void comma(const unsigned *x, unsigned *y)
{
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    unsigned state = t;
    s[t] = x[t], next(state);
    __syncthreads();
    y[blockIdx.x * 64 + t] = s[t ^ 1] + state;
}

__global__ void plain(const unsigned *x, unsigned *y)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    unsigned state = t;
    if (x[t & 1] < 64u || true) state += 3u;
    s[t] = x[t] + next(state);
    __syncthreads();
    y[blockIdx.x * 64 + t] = s[t ^ 1] + state;
}

static void show(const char *name, const unsigned *y)
{
    unsigned h[256], sum = 0;
    cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost);
    for (unsigned one : h) sum = sum * 31 + one;
    printf("%s %u\n", name, sum);
}

int main()
{
    unsigned *x, *y, h[64];
    cudaMalloc(&x, 256), cudaMalloc(&y, 1024);
    for (unsigned i = 0; i < 64; ++i) h[i] = i * 37 % 64;
    cudaMemcpy(x, h, sizeof h, cudaMemcpyHostToDevice);
    guarded<<<4, 64>>>(y);
    show("guarded", y);
    target<<<4, 64>>>(y);
    show("target", y);
    comma<<<4, 64>>>(x, y);
    show("comma", y);
    plain<<<4, 64>>>(x, y);
    show("plain", y);
}
