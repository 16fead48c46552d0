/* OpenGL's buffers and textures for kernels. The program's own OpenGL is used, if it has one: nothing here needs it. */
#ifndef GPUOPT_CUDA_GL_INTEROP_H
#define GPUOPT_CUDA_GL_INTEROP_H
#define __CUDA_GL_INTEROP_H__ /* as programs ask for it */

#include "cuda_runtime_api.h"

#if __has_include(<GL/gl.h>)
#include <GL/gl.h>
#else
typedef unsigned int GLuint;
typedef unsigned int GLenum;
#endif

#ifdef __cplusplus
extern "C" {
#endif

cudaError_t cudaGLGetDevices(unsigned int *count, int *devices, unsigned int most, enum cudaGLDeviceList list);
cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **resource, GLuint buffer, unsigned int flags);
cudaError_t cudaGraphicsGLRegisterImage(struct cudaGraphicsResource **resource, GLuint image, GLenum target, unsigned
    int flags);

/* As before CUDA 3.0, by a buffer's name. */
cudaError_t cudaGLSetGLDevice(int device);
cudaError_t cudaGLRegisterBufferObject(GLuint buffer);
cudaError_t cudaGLMapBufferObject(void **pointer, GLuint buffer);
cudaError_t cudaGLMapBufferObjectAsync(void **pointer, GLuint buffer, cudaStream_t stream);
cudaError_t cudaGLUnmapBufferObject(GLuint buffer);
cudaError_t cudaGLUnmapBufferObjectAsync(GLuint buffer, cudaStream_t stream);
cudaError_t cudaGLUnregisterBufferObject(GLuint buffer);
cudaError_t cudaGLSetBufferObjectMapFlags(GLuint buffer, unsigned int flags);

#ifdef __cplusplus
}
#endif

#endif
