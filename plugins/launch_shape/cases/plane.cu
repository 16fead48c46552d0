// gpu: h200; learn: on
// run: grid=19,9 block=32,4 w=600 h=35 in=600*35 out=600*35
// Blocks in a plane are split along y; what a copied function and a macro say of threads is what the program launched.
#define COLUMN (blockIdx.x * blockDim.x + threadIdx.x)
namespace image {
__device__ unsigned row() { return blockIdx.y * blockDim.y + threadIdx.y; }
__device__ unsigned at(unsigned width) { return row() * width + COLUMN; }
template <class T, int SCALE> static __global__ void scale(const T *in, T *out, unsigned w, unsigned h)
{
    if (COLUMN >= w || row() >= h)
        return;
    auto edge = [&](unsigned i) { return i == 0 || COLUMN + 1 == gridDim.x * blockDim.x; };
    out[at(w)] = edge(COLUMN) ? in[at(w)] : in[at(w)] * SCALE;
}
}

void all(const float *in, float *out, unsigned w, unsigned h)
{
    image::scale<float, 3><<<dim3(19, 9), dim3(32, 4)>>>(in, out, w, h);
}
