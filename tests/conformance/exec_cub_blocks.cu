// CUB's block-wide differences of neighbours and shuffles, and the words that it sorts keys by.
// flags: -std=c++17
#include "show.h"
#include <cub/block/block_shuffle.cuh>
#include <cub/cub.cuh>

const int THREADS = 64, ITEMS = 3, N = THREADS * ITEMS;

struct Minus {
  template <class T> __device__ T operator()(T &a, T &b) { return a - b; }  // wants items that it could change
};

__global__ void differences(int *out) {
  using Adjacent = cub::BlockAdjacentDifference<int, THREADS>;
  __shared__ typename Adjacent::TempStorage storage;
  int in[ITEMS], found[ITEMS];
  for (int i = 0; i < ITEMS; ++i) {
    const int at = threadIdx.x * ITEMS + i;
    in[i] = at * at % 101;
  }
  const auto keep = [&](int row) {
    for (int i = 0; i < ITEMS; ++i) out[row * N + threadIdx.x * ITEMS + i] = found[i];
    __syncthreads();
  };
  Adjacent(storage).SubtractLeft(in, found, Minus());
  keep(0);
  Adjacent(storage).SubtractLeft(in, found, Minus(), 1000);
  keep(1);
  Adjacent(storage).SubtractLeftPartialTile(in, found, Minus(), 100);
  keep(2);
  Adjacent(storage).SubtractLeftPartialTile(in, found, Minus(), 100, 1000);
  keep(3);
  Adjacent(storage).SubtractRight(in, found, Minus());
  keep(4);
  Adjacent(storage).SubtractRight(in, found, Minus(), 1000);
  keep(5);
  Adjacent(storage).SubtractRightPartialTile(in, found, Minus(), 100);
  keep(6);
  Adjacent(storage).SubtractLeft(in, in, Minus());  // in place
  for (int i = 0; i < ITEMS; ++i) found[i] = in[i];
  keep(7);
}

__global__ void shuffles(int *out) {
  using Shuffle = cub::BlockShuffle<int, THREADS>;
  __shared__ typename Shuffle::TempStorage storage;
  const int mine = threadIdx.x;
  int got = -1, row = 0;
  const auto keep = [&](int value) {
    out[row++ * THREADS + mine] = value;
    __syncthreads();
  };
  Shuffle(storage).Offset(mine * mine, got, 1);
  keep(got);
  got = -1;
  Shuffle(storage).Offset(mine * mine, got, -5);
  keep(got);
  Shuffle(storage).Rotate(mine * mine, got, 9);
  keep(got);
  int in[ITEMS] = {3 * mine, 3 * mine + 1, 3 * mine + 2}, next[ITEMS] = {-1, -2, -3}, previous[ITEMS] = {-1, -2, -3};
  Shuffle(storage).Up(in, previous);
  keep(previous[0] * 10000 + previous[1] * 100 + previous[2]);
  Shuffle(storage).Down(in, next);
  keep(next[0] * 10000 + next[1] * 100 + next[2]);
}

template <class T> void twiddled(const char *name, const T (&keys)[6]) {
  using Traits = cub::Traits<T>;
  using Bits = typename Traits::UnsignedBits;
  unsigned long long shown[12];
  for (int i = 0; i < 6; ++i) {
    Bits bits;
    memcpy(&bits, &keys[i], sizeof bits);
    shown[i] = Traits::TwiddleIn(bits);
    shown[6 + i] = Traits::TwiddleOut(Traits::TwiddleIn(bits)) == bits;
  }
  show(name, shown, 12);
}

int main() {
  int *out = array<int>(8 * N);
  differences<<<1, THREADS>>>(out);
  static const char *names[] = {"left", "left of 1000", "left of 100", "left of 100 and 1000", "right", "right of 1000", "right of 100", "left in place"};
  for (int k = 0; k < 8; ++k) digest(names[k], out + k * N, N);
  show("the first ones", out, 12);
  shuffles<<<1, THREADS>>>(out);
  static const char *ways[] = {"offset 1", "offset -5", "rotate 9", "up", "down"};
  for (int k = 0; k < 5; ++k) digest(ways[k], out + k * THREADS, THREADS);
  twiddled<int>("int", {0, 1, -1, 2147483647, -2147483647 - 1, 77});
  twiddled<unsigned char>("unsigned char", {0, 1, 255, 127, 128, 77});
  twiddled<short>("short", {0, 1, -1, 32767, -32768, 77});
  twiddled<float>("float", {0.0f, -0.0f, 1.0f, -1.0f, 1e-40f, -3.5f});
  twiddled<double>("double", {0.0, -0.0, 1.0, -1.0, 1e-310, -3.5});
  twiddled<unsigned long long>("unsigned long long", {0, 1, ~0ull, 1ull << 63, 12345678901234ull, 77});
}
