// The driver API: arrays with their descriptors, copies of rectangles and boxes, virtual memory management.
// flags: -lcuda
#include "api_print.h"
#include <cstring>
#include <cuda.h>

__global__ void add(int *p, int n) {
  for (int i = 0; i < n; ++i) p[i] += i + 1;
}

#define RESULT(call)                               \
  do {                                             \
    const char *name_ = nullptr;                   \
    cuGetErrorName(call, &name_);                  \
    printf("%s: %s\n", #call, name_ ? name_ : "?"); \
  } while (0)
#define GOOD(call) \
  if (CUresult error_ = call) printf("%s:%d: %s is %d\n", __FILE__, __LINE__, #call, (int)error_)

static void arrays() {
  CUDA_ARRAY_DESCRIPTOR wanted = {}, found = {};
  wanted.Width = 6, wanted.Height = 3, wanted.Format = CU_AD_FORMAT_FLOAT, wanted.NumChannels = 2;
  CUarray array, box;
  GOOD(cuArrayCreate(&array, &wanted));
  GOOD(cuArrayGetDescriptor(&found, array));
  printf("array: %zu x %zu, format %d, %u channels\n", found.Width, found.Height, (int)found.Format, found.NumChannels);
  CUDA_ARRAY3D_DESCRIPTOR deep = {}, seen = {};
  deep.Width = 4, deep.Height = 3, deep.Depth = 2, deep.Format = CU_AD_FORMAT_SIGNED_INT16, deep.NumChannels = 4;
  deep.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  GOOD(cuArray3DCreate(&box, &deep));
  GOOD(cuArray3DGetDescriptor(&seen, box));
  printf("box: %zu x %zu x %zu, format %d, %u channels, flags %u\n", seen.Width, seen.Height, seen.Depth, (int)seen.Format,
         seen.NumChannels, seen.Flags);
  cudaChannelFormatDesc channels;
  MUST(cudaGetChannelDesc(&channels, (cudaArray_t)box));
  printf("to the runtime: %d %d %d %d, kind %d\n", channels.x, channels.y, channels.z, channels.w, (int)channels.f);
  wanted.NumChannels = 3;
  RESULT(cuArrayCreate(&array, &wanted));

  float host[8][12], back[3][12];
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 12; ++x) host[y][x] = (float)(y * 100 + x);
  memset(back, 0, sizeof back);
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = host, copy.srcPitch = sizeof host[0], copy.srcXInBytes = 8, copy.srcY = 2;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array, copy.dstXInBytes = 16, copy.dstY = 1;
  copy.WidthInBytes = 24, copy.Height = 2;
  GOOD(cuMemcpy2D(&copy));
  CUDA_MEMCPY2D rest = {};
  rest.srcMemoryType = CU_MEMORYTYPE_ARRAY, rest.srcArray = array, rest.srcXInBytes = 16, rest.srcY = 1;
  rest.dstMemoryType = CU_MEMORYTYPE_HOST, rest.dstHost = back, rest.dstPitch = sizeof back[0];
  rest.WidthInBytes = 24, rest.Height = 2;
  GOOD(cuMemcpy2D(&rest));
  for (int y = 0; y < 2; ++y) printf("row %d: %g %g %g %g %g %g\n", y, back[y][0], back[y][1], back[y][2], back[y][3], back[y][4], back[y][5]);

  short cells[2][3][4][4], same[2][3][4][4];
  for (int i = 0; i < 96; ++i) ((short *)cells)[i] = (short)(i * 3);
  memset(same, 0, sizeof same);
  CUDA_MEMCPY3D in = {}, out = {};
  in.srcMemoryType = CU_MEMORYTYPE_HOST, in.srcHost = cells, in.srcPitch = 32, in.srcHeight = 3;
  in.dstMemoryType = CU_MEMORYTYPE_ARRAY, in.dstArray = box;
  in.WidthInBytes = 32, in.Height = 3, in.Depth = 2;
  GOOD(cuMemcpy3D(&in));
  out.srcMemoryType = CU_MEMORYTYPE_ARRAY, out.srcArray = box, out.srcXInBytes = 8, out.srcY = 1, out.srcZ = 1;
  out.dstMemoryType = CU_MEMORYTYPE_HOST, out.dstHost = same, out.dstPitch = 32, out.dstHeight = 3, out.dstZ = 1, out.dstXInBytes = 16;
  out.WidthInBytes = 16, out.Height = 2, out.Depth = 1;
  GOOD(cuMemcpy3D(&out));
  printf("box: %d %d %d, %d %d\n", same[1][0][2][0], same[1][1][3][3], same[1][2][2][0], same[0][0][2][0], same[1][0][1][0]);
  RESULT(cuArrayDestroy(box));
  wanted.Width = 16, wanted.Height = 0, wanted.NumChannels = 1, wanted.Format = CU_AD_FORMAT_UNSIGNED_INT32;
  CUarray line;
  GOOD(cuArrayCreate(&line, &wanted));
  unsigned numbers[16], few[4] = {};
  for (unsigned i = 0; i < 16; ++i) numbers[i] = i * i;
  GOOD(cuMemcpyHtoA(line, 0, numbers, sizeof numbers));
  GOOD(cuMemcpyAtoH(few, line, 5 * sizeof(unsigned), sizeof few));
  printf("line: %u %u %u %u\n", few[0], few[1], few[2], few[3]);
  RESULT(cuArrayDestroy(line));
}

static void mappings() {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  size_t unit = 0;
  GOOD(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  printf("granularity: %zu\n", unit);
  const size_t count = unit / sizeof(int);
  CUmemGenericAllocationHandle first, second, again;
  RESULT(cuMemCreate(&first, unit / 2, &properties, 0));
  properties.location.id = 1000;
  RESULT(cuMemCreate(&first, unit, &properties, 0));
  properties.location.id = 0;
  RESULT(cuMemCreate(&first, unit, &properties, 0));
  RESULT(cuMemCreate(&second, 2 * unit, &properties, 0));
  CUdeviceptr range = 0, other = 0;
  RESULT(cuMemAddressReserve(&range, 3 * unit, 0, 0, 0));
  RESULT(cuMemAddressReserve(&other, 2 * unit, 4 * unit, 0, 0));
  printf("aligned: %d\n", other % (4 * unit) == 0);
  RESULT(cuMemMap(range, unit, 0, first, 0));
  RESULT(cuMemMap(range, unit, 0, second, 0));
  RESULT(cuMemMap(range + unit, 2 * unit, 0, second, 0));
  CUmemAccessDesc access = {};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  RESULT(cuMemSetAccess(range, 3 * unit, &access, 1));
  unsigned long long flags = 0;
  GOOD(cuMemGetAccess(&flags, &properties.location, range + unit));
  printf("access: %llu\n", flags);
  GOOD(cuMemsetD32(range, 5, 3 * count));
  int *const p = (int *)range;
  add<<<1, 1>>>(p + count - 2, 4);  // over the edge between the two
  SHOW(cudaDeviceSynchronize());
  int seen[6];
  GOOD(cuMemcpyDtoH(seen, range + (count - 3) * sizeof(int), sizeof seen));
  printf("over the edge: %d %d %d %d %d %d\n", seen[0], seen[1], seen[2], seen[3], seen[4], seen[5]);
  cudaPointerAttributes attributes;
  MUST(cudaPointerGetAttributes(&attributes, p + count));
  printf("type: %d\n", (int)attributes.type);
  RESULT(cuMemRelease(first));
  RESULT(cuMemRetainAllocationHandle(&again, p + 1));
  CUmemAllocationProp known = {};
  GOOD(cuMemGetAllocationPropertiesFromHandle(&known, again));
  printf("properties: %d %d %d %d\n", (int)known.type, (int)known.location.type, known.location.id, (int)known.requestedHandleTypes);
  // The same memory at another place, and by another handle.
  int file = -1;
  CUmemGenericAllocationHandle shared;
  RESULT(cuMemExportToShareableHandle(&file, again, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  RESULT(cuMemImportFromShareableHandle(&shared, (void *)(size_t)file, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  RESULT(cuMemMap(other, unit, 0, shared, 0));
  RESULT(cuMemSetAccess(other, unit, &access, 1));
  add<<<1, 1>>>((int *)other + count - 2, 2);
  SHOW(cudaDeviceSynchronize());
  GOOD(cuMemcpyDtoH(seen, range + (count - 3) * sizeof(int), sizeof seen));
  printf("by another address: %d %d %d %d\n", seen[0], seen[1], seen[2], seen[3]);
  RESULT(cuMemRelease(again));
  RESULT(cuMemRelease(shared));
  RESULT(cuMemAddressFree(range, 3 * unit));
  RESULT(cuMemUnmap(other, unit));
  RESULT(cuMemAddressFree(other, 2 * unit));
  RESULT(cuMemUnmap(range, 3 * unit));
  // Another order of the same memory.
  RESULT(cuMemMap(range, 2 * unit, 0, second, 0));
  RESULT(cuMemSetAccess(range, 2 * unit, &access, 1));
  GOOD(cuMemcpyDtoH(seen, range, sizeof seen));
  printf("again: %d %d %d %d\n", seen[0], seen[1], seen[2], seen[3]);
  RESULT(cuMemUnmap(range, 2 * unit));
  RESULT(cuMemRelease(second));
  RESULT(cuMemAddressFree(range, 3 * unit));
}

int main() {
  MUST(cudaFree(0));
  arrays();
  mappings();
  return 0;
}
