// What the loops of kernels seldom do: compiled here, not with each kernel.
#include "gpuopt_emu/launch.h"

namespace gpuopt_emu {

bool find_thread(Block *block, Fiber *fiber) { return block->first_thread(fiber); }

unsigned find_corners(const Block *block, uint3 (&more)[6]) {
  const dim3 size = block->size;
  unsigned found = 0;
  for (unsigned corner = 2; corner < 8; ++corner) {
    if ((corner & 2 && size.y == 1) || (corner & 4 && size.z == 1)) continue;
    more[found++] = uint3{corner & 1 ? size.x - 1 : 0, corner & 2 ? size.y - 1 : 0, corner & 4 ? size.z - 1 : 0};
  }
  return found;
}

}  // namespace gpuopt_emu
