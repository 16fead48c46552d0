// Objects of the program that live as long as the graphs that refer to them.
#include <limits.h>

#include <algorithm>
#include <mutex>

#include "graph.h"

struct CUuserObject_st {
  void *data;
  cudaHostFn_t destroy;
  unsigned references;
};

namespace gpuopt_emu {

static std::mutex objects_mutex;

static bool is_count(unsigned count) { return count && count <= INT_MAX; }

static void add_references(cudaUserObject_t object, unsigned count) {
  std::lock_guard<std::mutex> lock(objects_mutex);
  object->references += count;
}

// The last reference ends the object.
static cudaError_t drop_references(cudaUserObject_t object, unsigned count) {
  {
    std::lock_guard<std::mutex> lock(objects_mutex);
    if (count > object->references) return cudaErrorInvalidValue;
    object->references -= count;
    if (object->references) return cudaSuccess;
  }
  object->destroy(object->data);
  delete object;
  return cudaSuccess;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

CUgraph_st::~CUgraph_st() {
  forget_conditions(this);
  for (cudaUserObject_t object : objects) drop_references(object, 1);
}

extern "C" {

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *data, cudaHostFn_t destroy, unsigned int references,
                                 unsigned int flags) {
  GPUOPT_EMU_ENTER();
  if (!object || !destroy || !references || flags != cudaUserObjectNoDestructorSync)
    return record(cudaErrorInvalidValue);
  *object = new CUuserObject_st{data, destroy, references};
  return cudaSuccess;
}
cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
  GPUOPT_EMU_ENTER();
  if (!object || !is_count(count)) return record(cudaErrorInvalidValue);
  add_references(object, count);
  return cudaSuccess;
}
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
  GPUOPT_EMU_ENTER();
  return record(object && is_count(count) ? drop_references(object, count) : cudaErrorInvalidValue);
}
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count, unsigned int flags) {
  GPUOPT_EMU_ENTER();
  if (!lives(graph) || !object || !is_count(count) || flags > cudaGraphUserObjectMove) return record(cudaErrorInvalidValue);
  if (!flags) add_references(object, count);
  graph->objects.insert(graph->objects.end(), count, object);
  return cudaSuccess;
}
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count) {
  GPUOPT_EMU_ENTER();
  if (!lives(graph) || !object || !is_count(count)) return record(cudaErrorInvalidValue);
  auto &objects = graph->objects;
  if ((size_t)std::count(objects.begin(), objects.end(), object) < count) return record(cudaErrorInvalidValue);
  for (unsigned i = 0; i < count; ++i) objects.erase(std::find(objects.begin(), objects.end(), object));
  return record(drop_references(object, count));
}
}
