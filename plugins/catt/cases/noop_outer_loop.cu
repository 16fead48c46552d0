// gpu: h200
// Lines are found again after a whole inner loop: nothing that throttling would win back (measured).
__global__ void kernel(const float *points, const float *centres, int *nearest)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float best = 3e38f;
    int which = 0;
    for (int c = 0; c < 5; c++) {
        float distance = 0.0f;
        for (int f = 0; f < 34; f++) {
            float d = points[i * 34 + f] - centres[c * 34 + f];
            distance += d * d;
        }
        if (distance < best) {
            best = distance;
            which = c;
        }
    }
    nearest[i] = which;
}

void run(float *points, float *centres, int *nearest)
{
    kernel<<<2112, 256>>>(points, centres, nearest);
}
