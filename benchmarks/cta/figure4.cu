// The kernels of the mapping paper's figure 4, written anew: run all, or one by name. The paper gives the size of the inputs. Its
// matmul, conv, demosaic, imregionmax and tr are named as those that come with the compiler of Yang et al. (PLDI 2010), so they
// have those shapes here: blocks of 16 x 16 threads, an output for each, 32 x 32 taps, rows 32 (conv) or 16 elements (demosaic,
// imregionmax) longer than the image. laplace follows lps of ISPASS-2009, which the paper cites: blocks of 32 x 4, a plane and its
// rim in shared memory one plane ahead. A launch is a part of the input: one row of blocks for each of 15 multiprocessors, rows as
// far apart as the input's. DEPTH is matmul's; the paper's is 4096 (of 64, hardly any line is lost before the kernel ends).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define PIXEL int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

__global__ void micro(int near, const float *in, float *out) {  // adds up neighbouring blocks
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  for (int k = 0; k < near; k++) s += in[i + k * blockDim.x];
  out[i] = s;
}
__global__ void matmul(int n, int depth, const float *A, const float *B, float *C) {
  PIXEL
  float s = 0;
  for (int k = 0; k < depth; k++) s += A[y * n + k] * B[k * n + x];
  C[y * n + x] = s;
}
__global__ void conv(int n, int wide, int high, const float *in, const float *taps, float *out) {
  PIXEL
  float s = 0;
  for (int j = 0; j < high; j++)
    for (int i = 0; i < wide; i++) s += in[(y + high - j) * (n + 32) + x + wide - i] * taps[j * wide + i];
  out[y * n + x] = s;
}
__global__ void demosaic(int n, const float *in, float *out) {
  PIXEL
  const int row = n + 16, at = (y + 1) * row + x + 1;
  const float cross = (in[at - 1] + in[at + 1] + in[at - row] + in[at + row]) * 0.25f;
  const float corners = (in[at - row - 1] + in[at - row + 1] + in[at + row - 1] + in[at + row + 1]) * 0.25f;
  out[y * n + x] = (x + y) & 1 ? in[at] + cross : cross * 2 + corners - in[at];
}
__global__ void imregionmax(int n, const float *in, float *out) {
  PIXEL
  const int row = n + 16;
  float most = 0;
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) most = fmaxf(most, in[(y + j) * row + x + i]);
  out[y * n + x] = most == in[(y + 1) * row + x + 1];
}
__global__ void transpose(int n, const float *in, float *out) {  // half lines are read, and written
  __shared__ float tile[16][17];
  tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 16 + threadIdx.y) * n + blockIdx.x * 16 + threadIdx.x];
  __syncthreads();
  out[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
#define RIM(Plane, Z) /* the rows above and below by the first two warps, the columns at the sides by the others */ \
  if (threadIdx.y < 2 && above_below) u[Plane][threadIdx.y * 5][tx] = in[(Z) * plane + (blockIdx.y * 4 + threadIdx.y * 5 - 1) * n + x]; \
  if (threadIdx.y >= 2 && side) \
    u[Plane][threadIdx.x][(threadIdx.y - 2) * 33] = \
        in[(Z) * plane + (blockIdx.y * 4 + threadIdx.x - 1) * n + blockIdx.x * 32 + (threadIdx.y - 2) * 33 - 1];
__global__ void laplace(int n, const float *in, float *out) {  // a plane and its rim are read one plane ahead
  __shared__ float u[3][6][34];
  PIXEL
  const int plane = n * n, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int row = blockIdx.y * 4 + (threadIdx.y < 2 ? threadIdx.y * 5 : threadIdx.x) - 1;
  const int column = blockIdx.x * 32 + (threadIdx.y - 2) * 33 - 1;
  const bool above_below = row >= 0 && row < n, side = threadIdx.x < 6 && above_below && column >= 0 && column < n;
  const bool inside = x > 0 && y > 0 && x < n - 1 && y < n - 1;
  u[0][ty][tx] = in[y * n + x];
  RIM(0, 0)
  for (int z = 0; z < n; z++) {
    const int below = (z + 2) % 3, here = z % 3, above = (z + 1) % 3;
    if (z < n - 1) {
      u[above][ty][tx] = in[(z + 1) * plane + y * n + x];
      RIM(above, z + 1)
    }
    __syncthreads();
    float all = u[here][ty][tx];
    if (inside && z > 0 && z < n - 1)
      all = (u[here][ty][tx - 1] + u[here][ty][tx + 1] + u[here][ty - 1][tx] + u[here][ty + 1][tx] + u[below][ty][tx] +
             u[above][ty][tx]) / 6;
    out[z * plane + y * n + x] = all;
    __syncthreads();
  }
}

// Local alignment: how far every read agrees with a text, from each of its letters on that have `least` more behind them, by
// the text's suffix tree.
struct Node {
  int child[4], begin, end;  // of the text, on the edge that leads here
};
__global__ void mum(int reads, int length, int least, const Node *tree, const char *text, const char *read, int *longest) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= reads) return;
  int most = 0;
  for (int from = 0; from + least <= length; from++) {
    int at = 0, matched = 0;
    bool same = true;
    while (same && from + matched < length) {
      at = tree[at].child[(int)read[r * length + from + matched]];
      if (!at) break;
      for (int k = tree[at].begin; same && k < tree[at].end && from + matched < length; k++) {
        same = text[k] == read[r * length + from + matched];
        if (same) matched++;
      }
    }
    most = max(most, matched);
  }
  longest[r] = most;
}
static int common(const char *text, int n, int a, int b) {
  int k = 0;
  while (a + k < n && b + k < n && text[a + k] == text[b + k]) k++;
  return k;
}
static int grow(std::vector<Node> &tree, const std::vector<int> &sorted, const char *text, int n, int low, int high, int depth) {
  const int me = (int)tree.size(), deep = high - low == 1 ? n - sorted[low] : common(text, n, sorted[low], sorted[high - 1]);
  tree.push_back(Node{{0, 0, 0, 0}, sorted[low] + depth, sorted[low] + deep});
  for (int next; low < high; low = next) {
    next = low + 1;
    if (sorted[low] + deep >= n) continue;
    while (next < high && sorted[next] + deep < n && text[sorted[next] + deep] == text[sorted[low] + deep]) next++;
    const int below = grow(tree, sorted, text, n, low, next, deep);
    tree[me].child[(int)text[sorted[low] + deep]] = below;
  }
  return me;
}
static void match(int n, int reads, int length) {
  Node *nodes;
  char *text, *read;
  int *longest;
  cudaMallocManaged(&text, n);
  cudaMallocManaged(&read, reads * length);
  cudaMallocManaged(&longest, reads * sizeof(int));
  unsigned random = 1;
  const auto next = [&] { return (random = random * 1664525u + 1013904223u) >> 8; };
  for (int i = 0; i < n; i++) text[i] = next() >> 8 & 3;
  for (int r = 0; r < reads; r++) {
    const int from = next() % (n - length);
    for (int i = 0; i < length; i++) read[r * length + i] = next() % 16 ? text[from + i] : next() >> 8 & 3;  // one in 16 differs
  }
  std::vector<int> sorted(n);
  for (int i = 0; i < n; i++) sorted[i] = i;
  std::sort(sorted.begin(), sorted.end(), [&](int a, int b) {
    const int k = common(text, n, a, b);
    return a + k < n && b + k < n ? text[a + k] < text[b + k] : a > b;
  });
  std::vector<Node> tree;
  grow(tree, sorted, text, n, 0, n, 0);
  cudaMallocManaged(&nodes, tree.size() * sizeof(Node));
  std::copy(tree.begin(), tree.end(), nodes);
  mum<<<(reads + 255) / 256, 256>>>(reads, length, 20, nodes, text, read, longest);
  cudaDeviceSynchronize();
  long long sum = 0;
  for (int r = 0; r < reads; r++) sum += longest[r];
  printf("nodes %zu, mean of the longest matches %.3f\n", tree.size(), (double)sum / reads);
}

int main(int argc, char **argv) {  // [KERNEL [ROWS [COLUMNS [DEPTH]]]]: the analysis takes grids for square
  const int n = 4096, depth = argc > 4 ? atoi(argv[4]) : 512, rows = argc > 2 ? atoi(argv[2]) : 240, columns = argc > 3 ? atoi(argv[3]) : 1024;
  float *a, *b, *c;
  const size_t bytes = (size_t)n * (n + 32) * sizeof(float);
  cudaMallocManaged(&a, bytes);
  cudaMallocManaged(&b, bytes);
  cudaMallocManaged(&c, bytes);
  const char *const names[] = { "micro", "matmul", "conv", "demosaic", "imregionmax", "transpose", "mum", "laplace" };
  for (const char *name : names) {
    if (argc > 1 && strcmp(argv[1], name)) continue;
    const dim3 block(16, 16), grid(strcmp(name, "conv") ? columns / 16 : columns / 64, rows / 16);
    if (!strcmp(name, "micro")) micro<<<columns * rows / 256, 256>>>(3, a, c);
    if (!strcmp(name, "matmul")) matmul<<<grid, block>>>(n, depth, a, b, c);
    if (!strcmp(name, "conv")) conv<<<grid, block>>>(n, 32, 32, a, b, c);
    if (!strcmp(name, "demosaic")) demosaic<<<grid, block>>>(2 * n, a, c);
    if (!strcmp(name, "imregionmax")) imregionmax<<<grid, block>>>(n, a, c);
    if (!strcmp(name, "transpose")) transpose<<<grid, block>>>(n, a, c);
    if (!strcmp(name, "mum")) match(50000, 25600, 25);
    if (!strcmp(name, "laplace")) laplace<<<dim3(5, 40), dim3(32, 4)>>>(160, a, c);
    printf("%s %s\n", name, cudaGetErrorString(cudaDeviceSynchronize()));
  }
}
