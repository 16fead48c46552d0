// OpenGL's buffers and textures in kernels; fake_gl.cpp is the OpenGL, or there is none (-DNO_GL).
#include <cuda_gl_interop.h>

#include "check.h"

#define CHECK(condition) EXPECT((bool)(condition), true)

__global__ void twice(float *data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 2;
}
__global__ void invert(cudaSurfaceObject_t image, int width, int height) {
  const int x = threadIdx.x, y = threadIdx.y;
  if (x >= width || y >= height) return;
  uchar4 texel;
  surf2Dread(&texel, image, x * 4, y);
  surf2Dwrite(make_uchar4(255 - texel.x, texel.y, x, y), image, x * 4, y);
}

#ifdef NO_GL
int main() {
  cudaGraphicsResource *resource = nullptr;
  CHECK(cudaGraphicsGLRegisterBuffer(&resource, 1, 0) == cudaErrorInvalidGraphicsContext);
  CHECK(cudaGetLastError() == cudaErrorInvalidGraphicsContext);
  CHECK(cudaGraphicsGLRegisterImage(&resource, 1, 0x0DE1, 0) == cudaErrorInvalidGraphicsContext);
  CHECK(cudaGLRegisterBufferObject(1) == cudaErrorInvalidGraphicsContext);
  CHECK(cudaGraphicsMapResources(1, &resource) == cudaErrorInvalidResourceHandle);
  CHECK(!resource && cudaGLSetGLDevice(0) == cudaSuccess && cudaGLSetGLDevice(1) == cudaErrorInvalidDevice);
  return verdict();
}
#else
extern "C" {
void fake_current(int is);
unsigned fake_buffer(unsigned name, const char *data, size_t bytes);
const char *fake_contents(unsigned name);
unsigned fake_texture(unsigned name, unsigned target, int width, int height, int faces, int levels, int floats);
unsigned char *fake_texels(unsigned name, int face, int level);
void fake_bind(unsigned target, unsigned name);
unsigned fake_bound(unsigned target);
}

static void buffers() {
  float data[100];
  for (int i = 0; i < 100; ++i) data[i] = (float)i;
  const GLuint buffer = fake_buffer(7, (const char *)data, sizeof data);
  const auto at = [&](int i) { return ((const float *)fake_contents(buffer))[i]; };
  cudaGraphicsResource *resource = nullptr;
  CHECK(cudaGraphicsGLRegisterBuffer(&resource, 8, 0) == cudaErrorInvalidResourceHandle);
  CHECK(cudaGraphicsGLRegisterBuffer(&resource, buffer, 4) == cudaErrorInvalidValue);
  CHECK(cudaGraphicsGLRegisterBuffer(nullptr, buffer, 0) == cudaErrorInvalidValue);
  fake_bind(0x8892, 3);
  CHECK(cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsNone) == cudaSuccess);
  float *mapped = nullptr;
  size_t bytes = 0;
  CHECK(cudaGraphicsResourceGetMappedPointer((void **)&mapped, &bytes, resource) == cudaErrorNotMapped);
  CHECK(cudaGraphicsUnmapResources(1, &resource) == cudaErrorNotMapped);
  cudaGraphicsResource *const same[] = {resource, resource};
  CHECK(cudaGraphicsMapResources(2, (cudaGraphicsResource **)same) == cudaErrorAlreadyMapped);
  CHECK(cudaGraphicsMapResources(1, &resource) == cudaSuccess);
  CHECK(cudaGraphicsMapResources(1, &resource) == cudaErrorAlreadyMapped);
  CHECK(cudaGraphicsResourceGetMappedPointer((void **)&mapped, &bytes, resource) == cudaSuccess);
  CHECK(bytes == sizeof data);
  cudaArray_t array = nullptr;
  CHECK(cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0) == cudaErrorNotMappedAsArray);
  twice<<<1, 128>>>(mapped, 100);
  CHECK(at(99) == 99);  // it is OpenGL's again when it is unmapped
  CHECK(cudaGraphicsResourceSetMapFlags(resource, cudaGraphicsMapFlagsReadOnly) == cudaErrorAlreadyMapped);
  CHECK(cudaGraphicsUnmapResources(1, &resource) == cudaSuccess);
  CHECK(at(1) == 2 && at(99) == 198 && fake_bound(0x8892) == 3);

  CHECK(cudaGraphicsResourceSetMapFlags(resource, cudaGraphicsMapFlagsReadOnly) == cudaSuccess);
  CHECK(cudaGraphicsMapResources(1, &resource) == cudaSuccess);
  float *again = nullptr;
  CHECK(cudaGraphicsResourceGetMappedPointer((void **)&again, nullptr, resource) == cudaSuccess && again == mapped);
  twice<<<1, 128>>>(again, 100);
  CHECK(cudaGraphicsUnmapResources(1, &resource) == cudaSuccess && at(1) == 2);

  float more[200] = {5};
  fake_buffer(buffer, (const char *)more, sizeof more);  // as glBufferData makes it anew
  CHECK(cudaGraphicsMapResources(1, &resource) == cudaSuccess);
  CHECK(cudaGraphicsResourceGetMappedPointer((void **)&mapped, &bytes, resource) == cudaSuccess);
  CHECK(bytes == sizeof more);
  float first = 0;
  CHECK(cudaMemcpy(&first, mapped, sizeof first, cudaMemcpyDeviceToHost) == cudaSuccess && first == 5);
  fake_current(0);
  CHECK(cudaGraphicsUnmapResources(1, &resource) == cudaSuccess);  // only read: nothing to give back
  CHECK(cudaGraphicsMapResources(1, &resource) == cudaErrorInvalidGraphicsContext);
  fake_current(1);
  CHECK(cudaGraphicsUnregisterResource(resource) == cudaSuccess);
  CHECK(cudaGraphicsUnregisterResource(resource) == cudaErrorInvalidResourceHandle);

  CHECK(cudaGLSetGLDevice(0) == cudaSuccess && cudaGLRegisterBufferObject(buffer) == cudaSuccess);
  CHECK(cudaGLRegisterBufferObject(buffer) == cudaErrorInvalidValue);
  CHECK(cudaGLMapBufferObject((void **)&mapped, buffer) == cudaSuccess);
  twice<<<1, 128>>>(mapped, 100);
  CHECK(cudaGLUnmapBufferObject(buffer) == cudaSuccess && at(0) == 10);
  CHECK(cudaGLUnregisterBufferObject(buffer) == cudaSuccess);
  CHECK(cudaGLMapBufferObject((void **)&mapped, buffer) == cudaErrorInvalidResourceHandle);
}

static void invert_image(cudaArray_t array, int width, int height) {
  cudaResourceDesc desc = {};
  desc.resType = cudaResourceTypeArray;
  desc.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  CHECK(cudaCreateSurfaceObject(&surface, &desc) == cudaSuccess);
  invert<<<1, dim3(16, 16)>>>(surface, width, height);
  CHECK(cudaDestroySurfaceObject(surface) == cudaSuccess);
}

static void textures() {
  cudaGraphicsResource *resource = nullptr;
  cudaArray_t array = nullptr;
  cudaMipmappedArray_t mipmapped = nullptr;
  CHECK(cudaGraphicsGLRegisterImage(&resource, 99, 0x0DE1, 0) == cudaErrorInvalidResourceHandle);
  CHECK(cudaGraphicsGLRegisterImage(&resource, 99, 0x8D41, 0) == cudaErrorNotSupported);
  CHECK(cudaGraphicsGLRegisterImage(&resource, 99, 0x1234, 0) == cudaErrorInvalidValue);
  const GLuint flat = fake_texture(1, 0x0DE1, 13, 6, 1, 2, 0);
  fake_texels(flat, 0, 0)[(5 * 13 + 12) * 4] = 9;
  fake_texels(flat, 0, 0)[(5 * 13 + 12) * 4 + 1] = 77;
  fake_bind(0x88EC, 42);  // a buffer that the program unpacks from
  CHECK(cudaGraphicsGLRegisterImage(&resource, flat, 0x0DE1, cudaGraphicsRegisterFlagsSurfaceLoadStore) == cudaSuccess);
  CHECK(cudaGraphicsMapResources(1, &resource) == cudaSuccess);
  void *pointer = nullptr;
  size_t bytes = 0;
  CHECK(cudaGraphicsResourceGetMappedPointer(&pointer, &bytes, resource) == cudaErrorNotMappedAsPointer);
  CHECK(cudaGraphicsSubResourceGetMappedArray(&array, resource, 1, 0) == cudaErrorInvalidValue);
  CHECK(cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 2) == cudaErrorInvalidValue);
  CHECK(cudaGraphicsResourceGetMappedMipmappedArray(&mipmapped, resource) == cudaSuccess);
  CHECK(cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0) == cudaSuccess);
  cudaChannelFormatDesc desc;
  cudaExtent extent;
  CHECK(cudaArrayGetInfo(&desc, &extent, nullptr, array) == cudaSuccess);
  CHECK(desc.x == 8 && desc.w == 8 && desc.f == cudaChannelFormatKindUnsigned && extent.width == 13 && extent.height == 6);
  invert_image(array, 13, 6);
  CHECK(cudaGraphicsUnmapResources(1, &resource) == cudaSuccess);
  const unsigned char *const texel = fake_texels(flat, 0, 0) + (5 * 13 + 12) * 4;
  CHECK(texel[0] == 246 && texel[1] == 77 && texel[2] == 12 && texel[3] == 5 && fake_texels(flat, 0, 1)[0] == 0);
  CHECK(fake_bound(0x88EC) == 42 && cudaGraphicsUnregisterResource(resource) == cudaSuccess);

  for (const GLenum target : {0x8513u, 0x8C1Au}) {  // faces of a cube, layers
    const GLuint several = fake_texture(2, target, 8, 8, 6, 1, 0);
    CHECK(cudaGraphicsGLRegisterImage(&resource, several, target, cudaGraphicsRegisterFlagsSurfaceLoadStore) == cudaSuccess);
    CHECK(cudaGraphicsMapResources(1, &resource) == cudaSuccess);
    CHECK(cudaGraphicsResourceGetMappedMipmappedArray(&mipmapped, resource) == cudaErrorNotSupported);
    CHECK(cudaGraphicsSubResourceGetMappedArray(&array, resource, 4, 0) == cudaSuccess);
    invert_image(array, 8, 8);
    CHECK(cudaGraphicsUnmapResources(1, &resource) == cudaSuccess);
    CHECK(fake_texels(several, 4, 0)[0] == 251 && fake_texels(several, 5, 0)[0] == 5 && fake_texels(several, 3, 0)[0] == 3);
    CHECK(cudaGraphicsUnregisterResource(resource) == cudaSuccess);
  }

  const GLuint floats = fake_texture(3, 0x0DE1, 4, 4, 1, 1, 1);
  ((float *)fake_texels(floats, 0, 0))[5] = 2.5f;
  CHECK(cudaGraphicsGLRegisterImage(&resource, floats, 0x0DE1, cudaGraphicsRegisterFlagsReadOnly) == cudaSuccess);
  CHECK(cudaGraphicsMapResources(1, &resource) == cudaSuccess);
  CHECK(cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0) == cudaSuccess);
  CHECK(cudaGetChannelDesc(&desc, array) == cudaSuccess && desc.x == 32 && !desc.y && desc.f == cudaChannelFormatKindFloat);
  float row[4] = {};
  CHECK(cudaMemcpy2DFromArray(row, sizeof row, array, 0, 1, sizeof row, 1, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(row[1] == 2.5f);
  CHECK(cudaGraphicsUnmapResources(1, &resource) == cudaSuccess && cudaGraphicsUnregisterResource(resource) == cudaSuccess);
}

int main() {
  buffers();
  textures();
  return verdict();
}
#endif
