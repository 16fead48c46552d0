/* What is done with resources of a graphics API once they are registered; included by cuda_runtime_api.h. */
#ifndef GPUOPT_EMU_GRAPHICS_API_H
#define GPUOPT_EMU_GRAPHICS_API_H

#include "graphics_types.h"

cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource);
cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t resource, unsigned int flags);
cudaError_t cudaGraphicsMapResources(int count, cudaGraphicsResource_t *resources, cudaStream_t stream
    GPUOPT_DEFAULT(0));
cudaError_t cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t *resources, cudaStream_t stream
    GPUOPT_DEFAULT(0));
cudaError_t cudaGraphicsResourceGetMappedPointer(void **pointer, size_t *size, cudaGraphicsResource_t resource);
cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t *array, cudaGraphicsResource_t resource, unsigned int
    index, unsigned int level);
cudaError_t cudaGraphicsResourceGetMappedMipmappedArray(cudaMipmappedArray_t *mipmapped, cudaGraphicsResource_t
    resource);

#endif
