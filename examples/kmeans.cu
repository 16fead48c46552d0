// k-means: each point goes to the nearest centre (one point per thread), each centre to the mean of its points.
//
// A point's features lie side by side, as they come out of a file, so that a warp reads 32 lines at a time; the loops
// over clusters and features read the same lines again and again.

#include "example.h"

__global__ void assign(int points, int features, int clusters, const float *data, const float *centres, int *nearest)
{
    const size_t point = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (point < points) {
        int best = 0;
        float best_distance = 3.4e38f;
        for (int c = 0; c < clusters; ++c) {
            float distance = 0.0f;
            for (int f = 0; f < features; ++f) {
                const float difference = data[point * features + f] - centres[c * features + f];
                distance += difference * difference;
            }
            if (distance < best_distance) {
                best_distance = distance;
                best = c;
            }
        }
        nearest[point] = best;
    }
}

// One block per centre, one thread per feature.
__global__ void move(int points, int features, const float *data, const int *nearest, float *centres)
{
    const int c = blockIdx.x;
    for (int f = threadIdx.x; f < features; f += blockDim.x) {
        float sum = 0.0f;
        int members = 0;
        for (int point = 0; point < points; ++point)
            if (nearest[point] == c) {
                sum += data[(size_t)point * features + f];
                ++members;
            }
        if (members > 0)
            centres[c * features + f] = sum / members;
    }
}

enum Seed : unsigned { SEED_DATA = 1, SEED_CENTRES };

static void check_assignment(const Options &options, Results &results, int features, int clusters,
                             const std::vector<float> &centres, const std::vector<int> &nearest)
{
    for (size_t point : options.checked(nearest.size())) {
        std::vector<double> distances(clusters, 0.0);
        for (int c = 0; c < clusters; ++c)
            for (int f = 0; f < features; ++f) {
                const double difference = (double)input(point * features + f, SEED_DATA) - centres[c * features + f];
                distances[c] += difference * difference;
            }
        const double best = *std::min_element(distances.begin(), distances.end());
        const bool known = nearest[point] >= 0 && nearest[point] < clusters;
        // Of two centres that are equally far within the tolerance either may be taken.
        results.expect("distance", point, known ? distances[nearest[point]] : NAN, best, best);
    }
}

static void check_centres(Results &results, int features, int clusters, const std::vector<float> &before,
                          const std::vector<int> &nearest, const std::vector<float> &after)
{
    for (int c = 0; c < clusters; ++c) {
        const double members = (double)std::count(nearest.begin(), nearest.end(), c);
        for (int f = 0; f < features; ++f) {
            Sum sum;
            for (size_t point = 0; point < nearest.size(); ++point)
                if (nearest[point] == c)
                    sum.add(input(point * features + f, SEED_DATA));
            const int at = c * features + f;
            if (members > 0)
                results.expect("centres", at, after[at], sum.value / members, sum.magnitude / members);
            else
                results.expect("centres", at, after[at], before[at], 0.0);
        }
    }
}

int main(int argc, char **argv)
{
    Options options("kmeans", argc, argv);
    const int points = options.number("points", 512);
    const int features = options.number("features", 34);
    const int clusters = options.number("clusters", 5);
    const int threads = options.number("threads per block", 256);
    const int repeat = options.number("repeat", 1);
    options.finish();
    const size_t count = (size_t)points * features;

    float *data = filled_array(count, SEED_DATA);
    float *centres = filled_array((size_t)clusters * features, SEED_CENTRES);
    int *nearest = device_array<int>(points);

    const int blocks = (points - 1) / threads + 1;
    std::printf("kmeans: %d points, %d features, %d clusters, %d blocks of %d threads\n", points, features, clusters,
                blocks, threads);
    Stopwatch first, second;
    std::vector<float> before;
    for (int run = 0; run <= repeat; ++run) {
        before = to_host(centres, (size_t)clusters * features);
        first.start();
        assign<<<blocks, threads>>>(points, features, clusters, data, centres, nearest);
        first.stop();
        second.start();
        move<<<clusters, 64>>>(points, features, data, nearest, centres);
        second.stop();
    }
    first.report("kmeans", "assign", sizeof(float) * ((double)count + (double)clusters * features + points));
    second.report("kmeans", "move", sizeof(float) * ((double)count + points));

    Results results("kmeans", 1e-5);
    const std::vector<int> got_nearest = to_host(nearest, points);
    const std::vector<float> got_centres = to_host(centres, (size_t)clusters * features);
    results.add(got_nearest);
    results.add(got_centres);
    check_assignment(options, results, features, clusters, before, got_nearest);
    check_centres(results, features, clusters, before, got_nearest, got_centres);

    CHECK(cudaFree(data));
    CHECK(cudaFree(centres));
    CHECK(cudaFree(nearest));
    return results.finish();
}
