// gpu: h200; policy: fixed_tlp=[1, 0]
// Nobody calls a destructor by name, or the constructor of a base: barriers, atomics and writes there count all the same.
__device__ int turns;
struct Meeting { __device__ ~Meeting() { __syncthreads(); } };
struct Count { __device__ ~Count() { atomicAdd(&turns, 1); } };
struct Vote { int all; __device__ Vote() { all = __all_sync(~0u, 1); } };
struct Voted : Vote {};
__global__ void meets(int n, const float *A, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++) {
        Meeting meeting;
        y[i] += A[i * n + j] * x[j];
    }
}
__global__ void counts(int n, const float *A, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++) {
        Count count;
        y[i] += A[i * n + j] * x[j];
    }
}
__global__ void votes(int n, const float *A, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; j++) {
        Voted voted;
        y[i] += A[i * n + j] * x[j] * voted.all;
    }
}
void run(int n, const float *A, const float *x, float *y)
{
    meets<<<n / 64, 64>>>(n, A, x, y);
    counts<<<n / 64, 64>>>(n, A, x, y);
    votes<<<n / 64, 64>>>(n, A, x, y);
}
