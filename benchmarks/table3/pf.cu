// Particle filter: likelihood of every particle from the pixels around it, sums, weights, and resampling.
#define PARTICLES 131072
#define ONES 32
#define SIDE 128
#define FRAMES 10

__global__ void likelihood_kernel(float *arrayX, float *arrayY, int *ind, int *offsets, unsigned char *image, float *likelihood,
                                  float *weights, float *partial_sums)
{
    __shared__ float buffer[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < PARTICLES) {
        for (int y = 0; y < ONES; y++) {
            int x0 = (int)arrayX[i] + offsets[y * 2 + 1];
            int y0 = (int)arrayY[i] + offsets[y * 2];
            ind[i * ONES + y] = x0 * SIDE * FRAMES + y0 * FRAMES;
        }
        float sum = 0.0f;
        for (int y = 0; y < ONES; y++) {
            float a = (float)image[ind[i * ONES + y]] - 100.0f;
            float b = (float)image[ind[i * ONES + y]] - 228.0f;
            sum += (a * a - b * b) / 50.0f;
        }
        likelihood[i] = sum / (float)ONES;
        weights[i] = weights[i] * expf(likelihood[i]);
    }
    buffer[threadIdx.x] = i < PARTICLES ? weights[i] : 0.0f;
    __syncthreads();
    for (unsigned int s = 256; s > 0; s >>= 1) {
        if (threadIdx.x < s) {
            buffer[threadIdx.x] += buffer[threadIdx.x + s];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial_sums[blockIdx.x] = buffer[0];
    }
}

__global__ void sum_kernel(float *partial_sums, int blocks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) {
        float sum = 0.0f;
        for (int x = 0; x < blocks; x++) {
            sum += partial_sums[x];
        }
        partial_sums[0] = sum;
    }
}

__global__ void normalize_kernel(float *weights, float *partial_sums, float *cdf)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < PARTICLES) {
        weights[i] = weights[i] / partial_sums[0];
    }
    if (i == 0) {
        cdf[0] = weights[0];
        for (int x = 1; x < PARTICLES; x++) {
            cdf[x] = weights[x] + cdf[x - 1];
        }
    }
}

__global__ void find_index_kernel(float *arrayX, float *arrayY, float *cdf, float *u, float *xj, float *yj)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < PARTICLES) {
        int index = -1;
        for (int x = 0; x < PARTICLES; x++) {
            if (cdf[x] >= u[i]) {
                index = x;
                break;
            }
        }
        if (index == -1) {
            index = PARTICLES - 1;
        }
        xj[i] = arrayX[index];
        yj[i] = arrayY[index];
    }
}

void run(float *arrayX, float *arrayY, int *ind, int *offsets, unsigned char *image, float *likelihood, float *weights,
         float *partial_sums, float *cdf, float *u, float *xj, float *yj)
{
    likelihood_kernel<<<80 * 3, 512>>>(arrayX, arrayY, ind, offsets, image, likelihood, weights, partial_sums);
    sum_kernel<<<80 * 4, 512>>>(partial_sums, 240);
    normalize_kernel<<<80 * 4, 512>>>(weights, partial_sums, cdf);
    find_index_kernel<<<80 * 4, 512>>>(arrayX, arrayY, cdf, u, xj, yj);
}
