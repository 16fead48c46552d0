// The kernels of the mapping paper's figure 4, with rows as long as its inputs' (4096 elements) in blocks of 16 x 16
// threads: run all, or one by name. 240 rows of blocks' worth of each input: one row of blocks for each of 15 SMs.
#include <cstdio>
#include <cstring>

#define PIXEL int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

__global__ void micro(int near, const float *in, float *out) {  // adds up neighbouring blocks
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < near; k++) s += in[i + k * blockDim.x];
  out[i] = s;
}
__global__ void matmul(int n, int depth, const float *A, const float *B, float *C) {
  PIXEL
  float s = 0;
  for (int k = 0; k < depth; k++) s += A[y * n + k] * B[k * n + x];
  C[y * n + x] = s;
}
__global__ void conv(int n, const float *in, float *out) {
  PIXEL
  if (x < 2 || y < 2 || x >= n - 2 || y >= n - 2) return;
  float s = 0;
  for (int a = -2; a <= 2; a++)
    for (int b = -2; b <= 2; b++) s += in[(y + a) * n + x + b] * (a * 5 + b + 13);
  out[y * n + x] = s;
}
__global__ void demosaic(int n, const float *in, float *out) {
  PIXEL
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  const int at = y * n + x;
  const float cross = (in[at - 1] + in[at + 1] + in[at - n] + in[at + n]) * 0.25f;
  const float corners = (in[at - n - 1] + in[at - n + 1] + in[at + n - 1] + in[at + n + 1]) * 0.25f;
  out[at] = (x + y) & 1 ? in[at] + cross : cross * 2 + corners - in[at];
}
__global__ void imregionmax(int n, const float *in, float *out) {
  PIXEL
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  float most = in[y * n + x];
  for (int a = -1; a <= 1; a++)
    for (int b = -1; b <= 1; b++) most = fmaxf(most, in[(y + a) * n + x + b]);
  out[y * n + x] = most == in[y * n + x];
}
__global__ void transpose(int n, const float *in, float *out) {  // half lines are read, and written
  __shared__ float tile[16][17];
  tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 16 + threadIdx.y) * n + blockIdx.x * 16 + threadIdx.x];
  __syncthreads();
  out[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void laplace(int n, const float *in, float *out) {
  PIXEL
  const int z = blockIdx.z, plane = n * n, at = z * plane + y * n + x;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= (int)gridDim.z - 1) return;
  out[at] = in[at - 1] + in[at + 1] + in[at - n] + in[at + n] + in[at - plane] + in[at + plane] - 6 * in[at];
}

int main(int argc, char **argv) {
  const int n = 4096, rows = 240;
  float *a, *b, *c;
  const size_t bytes = (size_t)n * n * sizeof(float);
  cudaMallocManaged(&a, bytes);
  cudaMallocManaged(&b, bytes);
  cudaMallocManaged(&c, bytes);
  const dim3 block(16, 16), grid(n / 16, rows / 16);
  const char *const names[] = { "micro", "matmul", "conv", "demosaic", "imregionmax", "transpose", "laplace" };
  for (const char *name : names) {
    if (argc > 1 && strcmp(argv[1], name)) continue;
    if (!strcmp(name, "micro")) micro<<<n * rows / 256, 256>>>(3, a, c);
    if (!strcmp(name, "matmul")) matmul<<<grid, block>>>(n, 64, a, b, c);
    if (!strcmp(name, "conv")) conv<<<grid, block>>>(n, a, c);
    if (!strcmp(name, "demosaic")) demosaic<<<grid, block>>>(n, a, c);
    if (!strcmp(name, "imregionmax")) imregionmax<<<grid, block>>>(n, a, c);
    if (!strcmp(name, "transpose")) transpose<<<grid, block>>>(n, a, c);
    if (!strcmp(name, "laplace")) laplace<<<dim3(16, 16, 18), block>>>(256, a, c);
    printf("%s %s\n", name, cudaGetErrorString(cudaDeviceSynchronize()));
  }
}
