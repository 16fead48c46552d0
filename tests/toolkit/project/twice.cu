#ifdef SEPARATE
__device__ float twice(float value) { return 2 * value; }
#endif
