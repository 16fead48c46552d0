// Small kernels with well-known ways of using caches, for a simulator that takes seconds for each: kernels NAME [N]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

__global__ void saxpy(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.5f * x[i] + y[i];
}

__global__ void conv2d(const float *in, float *out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) sum += in[(y + dy) * n + x + dx] * (0.1f * (dx + 2) - 0.2f * dy);
  out[y * n + x] = sum;
}

__global__ void gemm(const float *a, const float *b, float *c, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}

__global__ void tiled(const float *a, const float *b, float *c, int n) {
  __shared__ float s[16][16], t[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  float sum = 0;
  for (int m = 0; m < n; m += 16) {
    s[ty][tx] = a[y * n + m + tx];
    t[ty][tx] = b[(m + ty) * n + x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += s[ty][k] * t[k][tx];
    __syncthreads();
  }
  c[y * n + x] = sum;
}

__global__ void transpose(const float *in, float *out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}

__global__ void rows(const float *a, const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; ++j) sum += a[i * n + j] * x[j];
  y[i] = sum;
}

__global__ void columns(const float *a, const float *x, float *y, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i * n + j] * x[i];
  y[j] = sum;
}

__global__ void sums(const float *x, float *y, int n) {
  __shared__ float part[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  for (int step = 128; step; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
  }
  if (!threadIdx.x) atomicAdd(y, part[0]);
}

__global__ void gather(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += x[((unsigned)i * 2654435761u + k * 40503u) % (unsigned)n];
  y[i] = sum;
}

// Every thread walks along lines of its own, all lanes of a warp at once.
__global__ void walks(const float *x, float *y, int lines) {
  float sum = 0;
  for (int j = 0; j < 32; ++j)
    for (int k = 0; k < lines; ++k) sum += x[(k * 1024 + threadIdx.x) * 32 + j];
  y[threadIdx.x] = sum;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "";
  const int n = argc > 2 ? atoi(argv[2]) : 128, all = n * n;
  float *a, *b, *c;
  std::vector<float> host(all);
  for (int i = 0; i < all; ++i) host[i] = (i * 37 % 101) / 101.0f;
  for (float **each : {&a, &b, &c}) {
    cudaMalloc(each, all * sizeof(float));
    cudaMemcpy(*each, host.data(), all * sizeof(float), cudaMemcpyHostToDevice);
  }
  const dim3 block(32, 8), grid((n + 31) / 32, (n + 7) / 8), square(16, 16), squares(n / 16, n / 16);
  const auto is = [=](const char *other) { return !strcmp(name, other); };
  if (is("saxpy")) saxpy<<<(all + 255) / 256, 256>>>(a, b, all);
  else if (is("conv2d")) conv2d<<<grid, block>>>(a, b, n);
  else if (is("gemm")) gemm<<<grid, block>>>(a, b, c, n);
  else if (is("tiled")) tiled<<<squares, square>>>(a, b, c, n);
  else if (is("transpose")) transpose<<<grid, block>>>(a, b, n);
  else if (is("rows")) rows<<<n / 64, 64>>>(a, b, c, n);
  else if (is("columns")) columns<<<n / 64, 64>>>(a, b, c, n);
  else if (is("sums")) sums<<<(all + 255) / 256, 256>>>(a, b, all);
  else if (is("gather")) gather<<<all / 256, 256>>>(a, b, all);
  else if (is("fits")) walks<<<1, 512>>>(a, b, 1);
  else if (is("fills")) walks<<<1, 1024>>>(a, b, 1);
  else if (is("overflows")) walks<<<1, 512>>>(a, b, 3);
  else if (is("thrashes")) walks<<<1, 1024>>>(a, b, 2);
  else return fprintf(stderr, "usage: %s NAME [N]\n", argv[0]), 2;
  const cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
