// A 3 x 3 filter over an image (pixels outside it count as 0): one pixel per thread, the weights in constant memory.

#include "example.h"

#define RADIUS 1
#define WIDTH (2 * RADIUS + 1)

__constant__ float weights[WIDTH * WIDTH];

__global__ void conv2d(int rows, int columns, const float *image, float *filtered)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || column >= columns)
        return;
    float sum = 0.0f;
    for (int dy = -RADIUS; dy <= RADIUS; ++dy)
        for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
            const int y = row + dy;
            const int x = column + dx;
            if (y >= 0 && y < rows && x >= 0 && x < columns)
                sum += weights[(dy + RADIUS) * WIDTH + dx + RADIUS] * image[(size_t)y * columns + x];
        }
    filtered[(size_t)row * columns + column] = sum;
}

enum Seed : unsigned { SEED_IMAGE = 1 };

int main(int argc, char **argv)
{
    Options options("conv2d", argc, argv);
    const int rows = options.number("rows", 150);
    const int columns = options.number("columns", 200);
    const int block_x = options.number("block x", 32);
    const int block_y = options.number("block y", 8);
    const int repeat = options.number("repeat", 1);
    options.finish();
    const size_t count = (size_t)rows * columns;
    const float filter[WIDTH * WIDTH] = {0.2f, -0.3f, 0.4f, 0.5f, 0.6f, 0.7f, -0.8f, -0.9f, 0.1f};

    float *image = filled_array(count, SEED_IMAGE);
    float *filtered = device_array<float>(count);
    CHECK(cudaMemcpyToSymbol(weights, filter, sizeof filter));

    const dim3 block(block_x, block_y);
    const dim3 grid((columns - 1) / block.x + 1, (rows - 1) / block.y + 1);
    std::printf("conv2d: %d x %d, %u x %u blocks of %u x %u threads\n", rows, columns, grid.x, grid.y, block.x, block.y);
    Stopwatch watch;
    for (int run = 0; run <= repeat; ++run) {
        watch.start();
        conv2d<<<grid, block>>>(rows, columns, image, filtered);
        watch.stop();
    }
    watch.report("conv2d", "conv2d", sizeof(float) * 2.0 * count);

    Results results("conv2d", 1e-6);
    const std::vector<float> got = to_host(filtered, count);
    results.add(got);
    for (size_t row : options.checked(rows))
        for (size_t column : options.checked(columns)) {
            Sum sum;
            for (int dy = -RADIUS; dy <= RADIUS; ++dy)
                for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
                    const long y = (long)row + dy;
                    const long x = (long)column + dx;
                    if (y >= 0 && y < rows && x >= 0 && x < columns)
                        sum.add((double)filter[(dy + RADIUS) * WIDTH + dx + RADIUS] *
                                input((size_t)y * columns + x, SEED_IMAGE));
                }
            results.expect("filtered", row * columns + column, got[row * columns + column], sum.value, sum.magnitude);
        }

    CHECK(cudaFree(image));
    CHECK(cudaFree(filtered));
    return results.finish();
}
