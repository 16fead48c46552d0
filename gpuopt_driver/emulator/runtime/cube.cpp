#include "cube.h"

#include <math.h>
#include <stdlib.h>

namespace gpuopt_emu {

unsigned face_of(const float *at, float *where) {
  const float x = at[0], y = at[1], z = at[2], ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
  float m, s, t;
  unsigned face;
  if (ax >= ay && ax >= az) {
    face = x >= 0 ? 0 : 1;
    m = ax, s = x >= 0 ? -z : z, t = -y;
  } else if (ay >= az) {
    face = y >= 0 ? 2 : 3;
    m = ay, s = x, t = y >= 0 ? z : -z;
  } else {
    face = z >= 0 ? 4 : 5;
    m = az, s = z >= 0 ? x : -x, t = -y;
  }
  where[0] = (s / m + 1) / 2;
  where[1] = (t / m + 1) / 2;
  return face;
}

// The direction of a place on a face: s and t from -size to size, the face itself at a distance of size.
static void direction_of(unsigned face, long s, long t, long size, long *to) {
  const long sign = face & 1 ? -size : size;
  switch (face / 2) {
    case 0: to[0] = sign, to[1] = -t, to[2] = face & 1 ? s : -s; break;
    case 1: to[0] = s, to[1] = sign, to[2] = face & 1 ? -t : t; break;
    default: to[0] = face & 1 ? -s : s, to[1] = -t, to[2] = sign; break;
  }
}

bool cross_edge(long size, unsigned *face, long *x, long *y) {
  const bool beyond_x = *x < 0 || *x >= size, beyond_y = *y < 0 || *y >= size;
  if (!beyond_x && !beyond_y) return true;
  if (beyond_x && beyond_y) return false;
  long to[3];
  direction_of(*face, 2 * *x + 1 - size, 2 * *y + 1 - size, size, to);
  const unsigned old = *face / 2;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (axis == old || labs(to[axis]) <= size) continue;
    // Folded over the edge: the old face is now at right angles, half an element behind it.
    to[old] += to[old] < 0 ? 1 : -1;
    const long sign = to[axis] < 0 ? -1 : 1;
    *face = 2 * axis + (sign < 0);
    const long s = axis == 0 ? -sign * to[2] : axis == 1 ? to[0] : sign * to[0];
    const long t = axis == 1 ? sign * to[2] : -to[1];
    *x = (s + size - 1) / 2;
    *y = (t + size - 1) / 2;
    return true;
  }
  return true;
}

}  // namespace gpuopt_emu
