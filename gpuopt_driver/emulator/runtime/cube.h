// The faces of cubemaps: which one a direction meets, and what is beyond a face's edge.
#ifndef GPUOPT_EMU_CUBE_H
#define GPUOPT_EMU_CUBE_H

namespace gpuopt_emu {

// The face that a direction meets, and where: coordinates in [0, 1].
unsigned face_of(const float *at, float *where);
// The element beyond an edge of a face is one of the next face's: replaces face and place. False beyond a corner, where
// there is none. `size`: elements along an edge.
bool cross_edge(long size, unsigned *face, long *x, long *y);

}  // namespace gpuopt_emu

#endif
