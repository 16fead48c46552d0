// gpu: h200; policy: l1_bytes=16384, margin=1.0, minimum_warps=1
// run: kernel=solver::kernel grid=2 block=256 n=100 C=512*n L=n y=512
// Parameters may be called as they like.
namespace solver {
namespace {
__device__ float weight(float v) { return v * 0.25f + 1.0f; }
} // namespace

__global__ void kernel(int n, const float *C, const float *L, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int j = 0; j < n; ++j) {
        y[i] += weight(C[i * n + j]) * L[j];
    }
}

void run(int n, float *C, float *L, float *y)
{
    kernel<<<2, 256>>>(n, C, L, y);
}
} // namespace solver
