// OpenGL's buffers and textures for kernels. Where OpenGL's headers are not looked for, its commonest types are here.
#pragma once
#include "gpuopt_cuda.h"

#if __has_include(<GL/gl.h>)
#include <GL/gl.h>
#else
typedef unsigned int GLenum, GLuint, GLbitfield;
typedef int GLint, GLsizei;
typedef unsigned char GLboolean, GLubyte;
typedef float GLfloat;
typedef double GLdouble;
typedef void GLvoid;
#endif

GPUOPT_API(cudaGLGetDevices)
GPUOPT_API(cudaGraphicsGLRegisterBuffer)
GPUOPT_API(cudaGraphicsGLRegisterImage)
GPUOPT_API(cudaGLSetGLDevice)
GPUOPT_API(cudaGLRegisterBufferObject)
GPUOPT_API(cudaGLMapBufferObject)
GPUOPT_API(cudaGLMapBufferObjectAsync)
GPUOPT_API(cudaGLUnmapBufferObject)
GPUOPT_API(cudaGLUnmapBufferObjectAsync)
GPUOPT_API(cudaGLUnregisterBufferObject)
GPUOPT_API(cudaGLSetBufferObjectMapFlags)
