// Euler equations on an unstructured mesh, an element per thread: initial values, time step, fluxes over four faces, update.
#define FACES 4
#define VARIABLES 5
#define BLOCK 192

__constant__ float far_field[VARIABLES];

__global__ void initialize_kernel(int elements, float *variables)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    for (int j = 0; j < VARIABLES; j++) {
        variables[i + j * elements] = far_field[j];
    }
}

__global__ void step_factor_kernel(int elements, float *variables, float *areas, float *step_factors)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    float density = variables[i];
    float u = variables[i + elements] / density;
    float v = variables[i + 2 * elements] / density;
    step_factors[i] = 0.5f / (sqrtf(areas[i]) * (sqrtf(u * u + v * v) + 1.0f));
}

__global__ void flux_kernel(int elements, int *neighbours, float *normals, float *variables, float *fluxes)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    float density = variables[i];
    float momentum = variables[i + elements];
    float flux_density = 0.0f;
    float flux_momentum = 0.0f;
    for (int j = 0; j < FACES; j++) {
        int other = neighbours[i + j * elements];
        float x = normals[i + (j + 0 * FACES) * elements];
        float y = normals[i + (j + 1 * FACES) * elements];
        if (other >= 0) {
            flux_density += x * (variables[other] + density) + y * variables[other + elements];
            flux_momentum += y * (variables[other + 2 * elements] + momentum) - x * variables[other + 3 * elements];
        }
    }
    fluxes[i] = flux_density;
    fluxes[i + elements] = flux_momentum;
}

__global__ void time_step_kernel(int elements, float *old, float *variables, float *step_factors, float *fluxes)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    float factor = step_factors[i] / 3.0f;
    variables[i] = old[i] + factor * fluxes[i];
    variables[i + elements] = old[i + elements] + factor * fluxes[i + elements];
}

void run(int elements, int *neighbours, float *normals, float *variables, float *fluxes, float *areas, float *factors, float *old)
{
    initialize_kernel<<<80 * 10, BLOCK>>>(elements, variables);
    step_factor_kernel<<<80 * 10, BLOCK>>>(elements, variables, areas, factors);
    flux_kernel<<<80 * 10, BLOCK>>>(elements, neighbours, normals, variables, fluxes);
    time_step_kernel<<<80 * 10, BLOCK>>>(elements, old, variables, factors, fluxes);
}
