// Older programs: the lanes of a warp go in step without barriers, and nothing is volatile.
#include "check.h"

// The tail of a reduction, below one warp.
__global__ void reduction(const int *in, int *out)
{
    __shared__ int s[256];
    const unsigned t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 32; half >>= 1) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
    }
    if (t == 0) out[0] = s[0];
}

// A scan after Kogge and Stone; zeros before the warp's part stand for lanes that are not there.
__global__ void scan(const int *in, int *out)
{
    __shared__ int s[8 * 48];
    const int lane = threadIdx.x & 31, at = threadIdx.x / 32 * 48 + 16 + lane;
    s[at - 16] = 0;
    s[at] = in[threadIdx.x];
    __threadfence_block();
    s[at] += s[at - 1];
    __threadfence_block();
    s[at] += s[at - 2];
    __threadfence_block();
    s[at] += s[at - 4];
    __threadfence_block();
    s[at] += s[at - 8];
    __threadfence_block();
    s[at] += s[at - 16];
    __threadfence_block();
    out[threadIdx.x] = s[at];
}

// The same with the condition instead of zeros.
__global__ void scan_in_loop(const int *in, int *out)
{
    __shared__ int s[64];
    const int t = threadIdx.x, lane = t % 32;
    s[t] = in[t];
    for (int distance = 1; distance < 32; distance *= 2)
        if (lane >= distance) s[t] += s[t - distance];
    out[t] = s[t];
}

__global__ void bitonic_sort(const int *in, int *out)
{
    __shared__ int s[64];
    const int t = threadIdx.x, lane = t & 31;
    s[t] = in[t];
    for (int size = 2; size <= 32; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            const int mine = s[t], other = s[t ^ stride];
            const bool up = (lane & size) == 0, low = (lane & stride) == 0;
            s[t] = (mine < other) == (up == low) ? mine : other;
        }
    out[t] = s[t];
}

// 8 x 8 elements, transposed by eight lanes each in their own part of the array.
__global__ void transpose(const int *in, int *out)
{
    __shared__ int tile[4][8][9];
    const int x = threadIdx.x % 8, part = threadIdx.x / 8;
    for (int y = 0; y < 8; ++y) tile[part][y][x] = in[part * 64 + y * 8 + x];
    for (int y = 0; y < 8; ++y) out[part * 64 + y * 8 + x] = tile[part][x][y];
}

// All lanes load before any lane stores.
__global__ void permuted(const int *order, int *out)
{
    __shared__ int s[32];
    const int t = threadIdx.x;
    s[t] = 100 + t;
    s[order[t]] = s[t];
    out[t] = s[t];
}

// What lanes keep goes to the front: places are counted by a scan.
__global__ void compaction(const int *in, int *out)
{
    __shared__ int places[32], kept[32];
    const int t = threadIdx.x, keep = in[t] % 3 == 0;
    kept[t] = -1;
    places[t] = keep;
    for (int distance = 1; distance < 32; distance *= 2) {
        const int before = t >= distance ? places[t - distance] : 0;
        places[t] += before;
    }
    if (keep) kept[places[t] - 1] = in[t];
    out[t] = kept[t];
}

// Lanes with the same bin: the one that stored last is in, the others try again.
__global__ void histogram(const int *in, int *out)
{
    __shared__ unsigned bins[16];
    const unsigned t = threadIdx.x, tag = t << 27;
    if (t < 16) bins[t] = 0;
    const int bin = in[t] % 16;
    unsigned count;
    do {
        count = bins[bin] & 0x07ffffff;
        count = tag | (count + 1);
        bins[bin] = count;
    } while (bins[bin] != count);
    if (t < 16) out[t] = bins[t] & 0x07ffffff;
}

// One lane tells the others; lanes leave before, and loops end for some lanes first.
__global__ void diverging(const int *in, int *out)
{
    __shared__ int s[64], told[2];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    out[t] = -1;
    if (in[t] % 11 == 3) return;
    s[t] = 0;
    for (int turn = 0; turn < in[t] % 5; ++turn) s[warp * 32 + (lane + 1) % 32] = turn + 1;
    if (lane == 31) told[warp] = in[t];
    out[t] = s[t] * 1000 + told[warp];
}

static void fill(int *in, int count) { for (int i = 0; i < count; ++i) in[i] = i * 7919 % 1009 % 127; }

int main()
{
    int *in = device_array<int>(256), *out = device_array<int>(256), total = 0;
    fill(in, 256);
    reduction<<<1, 256>>>(in, out);
    finish();
    for (int i = 0; i < 256; ++i) total += in[i];
    EXPECT(out[0], total);
    scan<<<1, 256>>>(in, out);
    finish();
    for (int i = 0, sum = 0; i < 256; ++i) EXPECT(out[i], sum = (i % 32 ? sum : 0) + in[i]);
    scan_in_loop<<<1, 64>>>(in, out);
    finish();
    for (int i = 0, sum = 0; i < 64; ++i) EXPECT(out[i], sum = (i % 32 ? sum : 0) + in[i]);
    bitonic_sort<<<1, 64>>>(in, out);
    finish();
    for (int i = 0; i < 64; ++i) {
        int smaller = 0, equal = 0;
        for (int j = i & 32; j < (i & 32) + 32; ++j) smaller += in[j] < out[i], equal += in[j] == out[i];
        EXPECT(smaller <= i % 32 && i % 32 < smaller + equal, true);
    }
    transpose<<<1, 32>>>(in, out);
    finish();
    for (int i = 0; i < 256; ++i) EXPECT(out[i], in[i / 64 * 64 + i % 8 * 8 + i / 8 % 8]);
    int *order = device_array<int>(32);
    for (int i = 0; i < 32; ++i) order[i] = (i * 5 + 3) % 32;
    permuted<<<1, 32>>>(order, out);
    finish();
    for (int i = 0; i < 32; ++i) EXPECT(out[order[i]], 100 + i);
    compaction<<<1, 32>>>(in, out);
    finish();
    for (int i = 0, kept = 0; i < 32; ++i)
        if (in[i] % 3 == 0) EXPECT(out[kept++], in[i]);
    histogram<<<1, 32>>>(in, out);
    finish();
    for (int bin = 0; bin < 16; ++bin) {
        int count = 0;
        for (int i = 0; i < 32; ++i) count += in[i] % 16 == bin;
        EXPECT(out[bin], count);
    }
    diverging<<<1, 64>>>(in, out);
    finish();
    for (int i = 0; i < 64; ++i) {
        const int from = i / 32 * 32 + (i + 31) % 32, last = i | 31;
        const bool gone = in[i] % 11 == 3, silent = in[from] % 11 == 3 || in[from] % 5 == 0;
        EXPECT(in[last] % 11 == 3, false);
        EXPECT(out[i], gone ? -1 : (silent ? 0 : in[from] % 5) * 1000 + in[last]);
    }
    return verdict();
}
