// Kernels whose memory traffic can be worked out by hand, one launch each. Arguments: names of those to run, else all.
#include <cstdio>
#include <cstring>

__constant__ float table[64];

__global__ void copies(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }
__global__ void strides2(const float *x, float *y) { y[threadIdx.x] = x[2 * threadIdx.x]; }
__global__ void strides32(const float *x, float *y) { y[threadIdx.x] = x[32 * threadIdx.x]; }
__global__ void broadcasts(const float *x, float *y) { y[threadIdx.x] = x[5]; }
__global__ void misaligned(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x + 1]; }
__global__ void wide(const float4 *x, float *y) { const float4 v = x[threadIdx.x]; y[threadIdx.x] = v.x + v.y + v.z + v.w; }
__global__ void twice(const float *x, float *y) {
  const float first = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = first + x[threadIdx.x];
}
__global__ void twice_at_l2(const float *x, float *y) {
  const float first = __ldcg(x + threadIdx.x);
  __syncthreads();
  y[threadIdx.x] = first + __ldcg(x + threadIdx.x);
}
__global__ void twice_by_ptx(const float *x, float *y) {
  float first, second;
  asm volatile("ld.global.L1::no_allocate.f32 %0, [%1];" : "=f"(first) : "l"(x + threadIdx.x));
  __syncthreads();
  asm volatile("ld.global.L1::no_allocate.f32 %0, [%1];" : "=f"(second) : "l"(x + threadIdx.x));
  y[threadIdx.x] = first + second;
}
__global__ void half_a_warp(const float *x, float *y) {
  if (threadIdx.x & 1) y[threadIdx.x] = x[threadIdx.x];
}
__global__ void goes_on(const float *x, float *y, int turns) {  // each turn needs what the one before stored last
  for (int i = 1; i <= turns; ++i) y[i * 32 + threadIdx.x] = x[i * 32 + threadIdx.x] + y[(i - 1) * 32 + threadIdx.x];
}
__global__ void parts_ways(const float *x, float *y) {  // a loop of another length in each lane, then all together
  float sum = 0;
  for (unsigned i = 0; i <= threadIdx.x; ++i) sum += x[i];
  y[threadIdx.x] = sum;
}
__global__ void conflicts(float *y, int stride) {
  __shared__ float s[1024];
  for (int i = threadIdx.x; i < 1024; i += 32) s[i] = i;
  __syncthreads();
  y[threadIdx.x] = s[stride * threadIdx.x % 1024];
}
__global__ void constants(float *y) { y[threadIdx.x] = table[3]; }
__global__ void counts(int *count) { atomicAdd(count, 1); }
__global__ void reads_changing(const volatile float *x, float *y) {
  const float first = x[threadIdx.x];
  y[threadIdx.x] = first + x[threadIdx.x];
}
__global__ void adds(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += 2 * x[i];
}
__global__ void walks_rows(const float *x, float *y, int n) {  // a row of 64 elements per thread
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < 64; ++i) sum += x[row * 64 + i];
  if (row < n) y[row] = sum;
}
__global__ void sums_below(const float *x, float *y, int rows, int columns) {  // reads what it writes; few lanes tell of all
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) return;
  for (int k = 0; k < 5; ++k) y[row * columns + column] += 1 + x[(row + k) * columns + 2 * column];
}
__global__ void borders(const float *x, float *y, int rows, int columns) {  // at the edges lanes do less than others of their warps
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) return;
  float sum = 0;
  for (int k = -1; k <= 1; ++k)
    if (column + k >= 0 && column + k < columns) sum += table[k + 1] * x[row * columns + column + k];
  y[row * columns + column] = sum;
}
__global__ void products_of_rows(const float *x, float *y, int n, int length) {  // two rows of one array, here and there the same
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < length; ++k) sum += x[row * length + k] * x[column * length + k];
  y[row * n + column] = sum;
}
__global__ void halves(const float *x, float *y) {  // barriers; the first warp's threads do not all do the same
  __shared__ float part[128];
  part[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
  for (int step = 64; step; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
  }
  if (!threadIdx.x) atomicAdd(y, part[0] + 1);
}
__global__ void shuffles(const float *x, float *y) {
  float sum = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) atomicAdd(y, sum);
}
__global__ void fetches(cudaTextureObject_t line, float *y) {
  const float first = tex1Dfetch<float>(line, threadIdx.x);
  __syncthreads();
  y[threadIdx.x] = first + tex1Dfetch<float>(line, threadIdx.x);
}
__global__ void samples(cudaTextureObject_t image, float *y) { y[threadIdx.x] = tex2D<float>(image, threadIdx.x + 0.5f, 3.5f); }
__global__ void where(int *sm) {
  unsigned number;
  asm("mov.u32 %0, %%smid;" : "=r"(number));
  if (threadIdx.x == 0) sm[blockIdx.x + gridDim.x * blockIdx.y] = (int)number;
}

int main(int argc, char **argv) {
  const auto wanted = [=](const char *name) {
    for (int i = 1; i < argc; ++i)
      if (!strcmp(argv[i], name)) return true;
    return argc == 1;
  };
  const int n = 1 << 16;
  float *x, *y;
  int *numbers;
  cudaMalloc(&x, 64 * 4096 * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&numbers, 4096 * sizeof(int));
  cudaMemset(x, 0, 64 * 4096 * sizeof(float));
  cudaMemset(y, 0, n * sizeof(float));
  cudaMemset(numbers, 0, 4096 * sizeof(int));
  cudaMemcpyToSymbol(table, y, sizeof table, 0, cudaMemcpyDeviceToDevice);
#define ONE(kernel, ...) if (wanted(#kernel)) kernel<<<1, 32>>>(__VA_ARGS__)
  ONE(copies, x, y);
  ONE(strides2, x, y);
  ONE(strides32, x, y);
  ONE(broadcasts, x, y);
  ONE(misaligned, x, y);
  ONE(wide, (const float4 *)x, y);
  ONE(twice, x, y);
  ONE(twice_at_l2, x, y);
  ONE(twice_by_ptx, x, y);
  ONE(half_a_warp, x, y);
  ONE(parts_ways, x, y);
  ONE(goes_on, x, y, 16);
  for (int stride = 0; wanted("conflicts") && stride <= 32; stride = stride ? 2 * stride : 1) conflicts<<<1, 32>>>(y, stride);
  ONE(constants, y);
  ONE(counts, numbers);
  ONE(reads_changing, x, y);
  if (wanted("adds")) adds<<<n / 64, 64>>>(x, y, n);
  if (wanted("walks_rows")) walks_rows<<<8, 512>>>(x, y, 4096);
  if (wanted("divided_by_launch")) {
    cudaLaunchAttribute all_shared[1];
    all_shared[0].id = cudaLaunchAttributePreferredSharedMemoryCarveout;
    all_shared[0].val.sharedMemCarveout = 100;
    cudaLaunchConfig_t config = {};
    config.gridDim = 8, config.blockDim = 512, config.attrs = all_shared;
    for (config.numAttrs = 0; config.numAttrs < 2; ++config.numAttrs) cudaLaunchKernelEx(&config, walks_rows, x, y, 4096);
    all_shared[0].val.sharedMemCarveout = (unsigned)-1;
    config.numAttrs = 1;
    if (cudaLaunchKernelEx(&config, walks_rows, x, y, 4096) != cudaErrorInvalidValue) return 1;
    cudaGetLastError();
    walks_rows<<<8, 512>>>(x, y, 4096);
  }
  const dim3 shapes[] = {dim3(32, 2), dim3(8, 8), dim3(4, 16), dim3(24, 2)};
  for (int i = 0; wanted("sums_below") && i < 4; ++i)
    sums_below<<<dim3(70 / shapes[i].x + 1, 70 / shapes[i].y + 1), shapes[i]>>>(x, y, 70, 70);
  for (int columns = 75; wanted("borders") && columns < 100; columns += 21) borders<<<dim3(3, 38), dim3(32, 8)>>>(x, y, 300, columns);
  if (wanted("products_of_rows")) products_of_rows<<<dim3(3, 48), dim3(32, 2)>>>(x, y, 96, 70);
  if (wanted("halves")) halves<<<16, 128>>>(x, y);
  if (wanted("shuffles")) shuffles<<<8, 128>>>(x, y);
  cudaResourceDesc resource = {};
  cudaTextureDesc how = {};
  cudaTextureObject_t line, image;
  cudaArray_t pixels;
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = x;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 4096;
  cudaCreateTextureObject(&line, &resource, &how, nullptr);
  cudaMallocArray(&pixels, &resource.res.linear.desc, 64, 8);
  resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = pixels;
  cudaCreateTextureObject(&image, &resource, &how, nullptr);
  ONE(fetches, line, y);
  ONE(samples, image, y);
  if (wanted("where")) where<<<dim3(8, 4), 32>>>(numbers);
  int sms[32];
  float first = 0;
  cudaMemcpy(sms, numbers, sizeof sms, cudaMemcpyDeviceToHost);
  cudaMemcpy(&first, y, sizeof first, cudaMemcpyDeviceToHost);
  for (int i = 0; wanted("where") && i < 32; ++i) printf("%d ", sms[i]);
  printf("%g %s\n", first, cudaGetErrorString(cudaGetLastError()));
  return 0;
}
