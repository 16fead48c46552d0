// gpu: h200; learn: on
// Numbers that change, are read, or depend on what the program is given.
__global__ void scale(float *x, int n, int taps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < taps; ++k)
        if (i < n) x[i] *= 2;
}

void all(float *x, int n, int threads, const int *given)
{
    scale<<<(n + threads - 1) / threads, threads>>>(x, n, given[0]);
    for (int taps = 1; taps < 9; taps++)
        scale<<<n / threads, threads>>>(x, n, taps);
    int taps = 3;
    if (n > 7) taps = 5;
    scale<<<n, threads>>>(x, n, taps);
}
