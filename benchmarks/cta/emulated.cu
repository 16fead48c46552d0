// Kernels of the two papers' groups at sizes for the emulator: run all, or one by name. Each prints name and checksum.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define PIXEL int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

// Algorithm-related: blocks of a row (or column) read the same.
__global__ void matmul(int n, int depth, const float *A, const float *B, float *C) {
  PIXEL
  float s = 0;
  for (int k = 0; k < depth; k++) s += A[y * depth + k] * B[k * n + x];
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
  int at = y * n + x;
  float mean = (in[at - 1] + in[at + 1] + in[at - n] + in[at + n]) * 0.25f;
  out[at] = (x + y) & 1 ? in[at] : mean;
}
__global__ void imregionmax(int n, const float *in, float *out) {
  PIXEL
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  float most = in[y * n + x];
  for (int a = -1; a <= 1; a++)
    for (int b = -1; b <= 1; b++) most = fmaxf(most, in[(y + a) * n + x + b]);
  out[y * n + x] = most == in[y * n + x];
}
__global__ void add_neighbours(const float *in, float *out) {  // the micro-benchmark: own elements and the next block's
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + in[i + blockDim.x];
}
__global__ void laplace(int n, const float *in, float *out) {
  PIXEL
  int z = blockIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= (int)gridDim.z - 1) return;
  int at = (z * n + y) * n + x;
  out[at] = in[at - 1] + in[at + 1] + in[at - n] + in[at + n] + in[at - n * n] + in[at + n * n] - 6 * in[at];
}
// Cache-line-related: neighbours along y read one line.
__global__ void transpose(int n, const float *in, float *out) {
  PIXEL
  out[y * n + x] = in[x * n + y];
}
// Streaming.
__global__ void stream(const float *a, const float *b, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i] + b[i];
}
__global__ void scale(const float *a, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i] * 3;
}

static void say(const char *name, const float *out, size_t count) {
  cudaDeviceSynchronize();
  unsigned long long sum = 0;
  for (size_t i = 0; i < count; i++) { unsigned bits; memcpy(&bits, out + i, 4); sum += bits * (2 * i + 1); }
  printf("%s %016llx\n", name, sum);
}
int main(int argc, char **argv) {
  const int n = 256, images = 512, large = 768;
  const size_t count = (size_t)images * images, most = (size_t)large * large;
  float *a, *b, *c;
  cudaMallocManaged(&a, (most + 4096) * 4); cudaMallocManaged(&b, (most + 4096) * 4); cudaMallocManaged(&c, most * 4);
  for (size_t i = 0; i < most + 4096; i++) { a[i] = (float)(i * 7 % 31) - 15; b[i] = (float)(i * 5 % 29) - 14; }
  const dim3 block(16, 16), grid(n / 16, n / 16), wide(32, 8), over(images / 32, images / 8);
  const char *const names[] = { "matmul", "matmul_large", "conv", "demosaic", "imregionmax", "add_neighbours", "laplace", "transpose", "stream", "scale" };
  for (const char *name : names) {
    if (argc > 1 && strcmp(argv[1], name)) continue;
    memset(c, 0, most * 4);
    if (!strcmp(name, "matmul")) matmul<<<grid, block>>>(n, n, a, b, c);
    if (!strcmp(name, "matmul_large")) matmul<<<dim3(large / 16, large / 16), block>>>(large, 64, a, b, c);
    if (!strcmp(name, "conv")) conv<<<over, wide>>>(images, a, c);
    if (!strcmp(name, "demosaic")) demosaic<<<over, wide>>>(images, a, c);
    if (!strcmp(name, "imregionmax")) imregionmax<<<over, wide>>>(images, a, c);
    if (!strcmp(name, "add_neighbours")) add_neighbours<<<count / 256, 256>>>(a, c);
    if (!strcmp(name, "laplace")) laplace<<<dim3(2, 8, 64), wide>>>(64, a, c);
    if (!strcmp(name, "transpose")) transpose<<<dim3(images / 16, images / 16), block>>>(images, a, c);
    if (!strcmp(name, "stream")) stream<<<count / 256, 256>>>(a, b, c);
    if (!strcmp(name, "scale")) scale<<<count / 256, 256>>>(a, c);
    say(name, c, most);
  }
}
