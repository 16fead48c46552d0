// k-means, 819200 points of 34 features: transposition, then the nearest of five centres for each point.
#define POINTS 819200
#define FEATURES 34
#define CLUSTERS 5

__global__ void invert_kernel(float *input, float *output)
{
    int point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point < POINTS) {
        for (int i = 0; i < FEATURES; i++) {
            output[point + POINTS * i] = input[point * FEATURES + i];
        }
    }
}

__global__ void nearest_kernel(float *features, float *centres, int *membership)
{
    int point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point < POINTS) {
        float best = 3.4e38f;
        int index = -1;
        for (int i = 0; i < CLUSTERS; i++) {
            float distance = 0.0f;
            for (int j = 0; j < FEATURES; j++) {
                float diff = features[point * FEATURES + j] - centres[i * FEATURES + j];
                distance += diff * diff;
            }
            if (distance < best) {
                best = distance;
                index = i;
            }
        }
        membership[point] = index;
    }
}

void run(float *input, float *output, float *centres, int *membership)
{
    invert_kernel<<<POINTS / 256, 256>>>(input, output);
    nearest_kernel<<<POINTS / 256, 256>>>(input, centres, membership);
}
