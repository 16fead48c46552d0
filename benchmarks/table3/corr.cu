// Correlation matrix of M = 2K variables with N = 2K samples each: mean, deviation, centring (a sample per launch), products.
#define M 2048
#define N 2048

__global__ void mean_kernel(float *mean, float *data)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j >= 1 && j < M + 1) {
        mean[j] = 0.0f;
        for (int i = 1; i < N + 1; i++) {
            mean[j] += data[i * (M + 1) + j];
        }
        mean[j] /= (float)N;
    }
}

__global__ void std_kernel(float *mean, float *deviation, float *data)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j >= 1 && j < M + 1) {
        deviation[j] = 0.0f;
        for (int i = 1; i < N + 1; i++) {
            deviation[j] += (data[i * (M + 1) + j] - mean[j]) * (data[i * (M + 1) + j] - mean[j]);
        }
        deviation[j] = sqrtf(deviation[j] / (float)N);
    }
}

__global__ void reduce_kernel(int i, float *mean, float *deviation, float *data)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j >= 1 && j < M + 1) {
        data[i * (M + 1) + j] = (data[i * (M + 1) + j] - mean[j]) / (sqrtf((float)N) * deviation[j]);
    }
}

__global__ void corr_kernel(float *symmat, float *data)
{
    int j1 = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (j1 >= 1 && j1 < M) {
        symmat[j1 * (M + 1) + j1] = 1.0f;
        for (int j2 = j1 + 1; j2 < M + 1; j2++) {
            for (int i = 1; i < N + 1; i++) {
                symmat[j1 * (M + 1) + j2] += data[i * (M + 1) + j1] * data[i * (M + 1) + j2];
            }
            symmat[j2 * (M + 1) + j1] = symmat[j1 * (M + 1) + j2];
        }
    }
}

void run(float *mean, float *deviation, float *data, float *symmat)
{
    mean_kernel<<<M / 256, 256>>>(mean, data);
    std_kernel<<<M / 256, 256>>>(mean, deviation, data);
    for (int i = 1; i < N + 1; i++) {
        reduce_kernel<<<M / 256, 256>>>(i, mean, deviation, data);
    }
    corr_kernel<<<M / 256, 256>>>(symmat, data);
}
