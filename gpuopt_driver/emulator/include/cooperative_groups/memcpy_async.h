// Copies by a group: one thread makes them at once, the others see them after wait().
#ifndef GPUOPT_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define GPUOPT_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"
#include "../gpuopt_emu/aligned_size.h"
#include "../gpuopt_emu/copies.h"

namespace cooperative_groups {

template <class Group, class T, class Uu, class Bytes>
static inline void memcpy_async(const Group &group, T *to, const Uu *from, const Bytes &bytes) {
  if (group.thread_rank() == 0) gpuopt_emu::copy((void *)to, (const void *)from, (size_t)bytes);
}
// With the number of elements that there is room for, and that there are.
template <class Group, class T, class Uu>
static inline void memcpy_async(const Group &group, T *to, size_t room, const Uu *from, size_t count) {
  if (group.thread_rank() == 0) gpuopt_emu::copy((void *)to, (const void *)from, sizeof(T) * (count < room ? count : room));
}
template <class Group> static inline void wait(const Group &group) { group.sync(); }
template <unsigned Stages, class Group> static inline void wait_prior(const Group &group) { group.sync(); }

}  // namespace cooperative_groups

#endif
