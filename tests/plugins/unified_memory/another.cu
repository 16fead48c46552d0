// Launches a kernel that another file defines.
__global__ void share(int m, const float *A, float *y);

void from_another_file(int m, const float *A, float *y) { share<<<132 * 4, 256, 24576>>>(m, A, y); }
