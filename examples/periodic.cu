// A filter on an image without borders: what leaves it on one side comes in on the other.
//
// The kernel takes sizes and radius as arguments, and each thread divides by them: twice for its pixel, once for each
// tap. The launch gives them as constants, with which divisions are multiplications and loops are unrolled.
// Other sizes: nvcc -DROWS=4096 -DCOLUMNS=4100 -DRADIUS=3.

#include "example.h"

#ifndef ROWS
#define ROWS 75
#endif
#ifndef COLUMNS
#define COLUMNS 120
#endif
#ifndef RADIUS
#define RADIUS 2
#endif
#define BLOCK 256

__global__ void filter(int rows, int columns, int radius, const float *weights, const float *image, float *filtered)
{
    const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
    if (pixel >= rows * columns)
        return;
    const int row = pixel / columns;
    const int column = pixel % columns;
    const float *weight = weights;
    float sum = 0.0f;
    for (int dy = -radius; dy <= radius; ++dy) {
        const int y = (row + dy + rows) % rows;
        for (int dx = -radius; dx <= radius; ++dx) {
            const int x = (column + dx + columns) % columns;
            sum += *weight++ * image[y * columns + x];
        }
    }
    filtered[pixel] = sum;
}

enum Seed : unsigned { SEED_WEIGHTS = 1, SEED_IMAGE };

int main(int argc, char **argv)
{
    Options options("periodic", argc, argv);
    const int repeat = options.number("repeat", 1);
    options.finish();
    static_assert((long long)ROWS * COLUMNS < 0x80000000LL, "the kernel indexes with int");
    static_assert(2 * RADIUS + 1 <= ROWS && 2 * RADIUS + 1 <= COLUMNS, "no pixel is met twice");

    const int side = 2 * RADIUS + 1;
    const size_t count = (size_t)ROWS * COLUMNS;
    float *weights = filled_array(side * side, SEED_WEIGHTS);
    float *image = filled_array(count, SEED_IMAGE);
    float *filtered = device_array<float>(count);

    const int grid = (ROWS * COLUMNS + BLOCK - 1) / BLOCK;
    std::printf("periodic: %d x %d, radius %d, %d blocks of %d threads\n", ROWS, COLUMNS, RADIUS, grid, BLOCK);
    Stopwatch watch;
    for (int run = 0; run <= repeat; ++run) {
        watch.start();
        filter<<<grid, BLOCK>>>(ROWS, COLUMNS, RADIUS, weights, image, filtered);
        watch.stop();
    }
    watch.report("periodic", "filter", sizeof(float) * 2.0 * count);

    Results results("periodic", sum_tolerance(side * side));
    const std::vector<float> got = to_host(filtered, count);
    results.add(got);
    for (size_t pixel : options.checked(count)) {
        const long row = pixel / COLUMNS, column = pixel % COLUMNS;
        Sum sum;
        for (int dy = -RADIUS; dy <= RADIUS; ++dy)
            for (int dx = -RADIUS; dx <= RADIUS; ++dx) {
                const size_t y = (row + dy + ROWS) % ROWS, x = (column + dx + COLUMNS) % COLUMNS;
                sum.add((double)input((dy + RADIUS) * side + dx + RADIUS, SEED_WEIGHTS) *
                        input(y * COLUMNS + x, SEED_IMAGE));
            }
        results.expect("filtered", pixel, got[pixel], sum.value, sum.magnitude);
    }

    CHECK(cudaFree(weights));
    CHECK(cudaFree(image));
    CHECK(cudaFree(filtered));
    return results.finish();
}
