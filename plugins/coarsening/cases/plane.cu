// gpu: h200; learn: on
// run: kernel=image::scale<float,3> grid=19,36 block=32,4 w=600 h=141 in=600*141 out=600*141
// Blocks in a plane; what a copied function, a macro and a lambda say of blocks is what the program launched.
#define COLUMN (blockIdx.x * blockDim.x + threadIdx.x)
namespace image {
__device__ unsigned row() { return blockIdx.y * blockDim.y + threadIdx.y; }
__device__ unsigned at(unsigned width) { return row() * width + COLUMN; }
template <class T, int SCALE> static __global__ void scale(const T *in, T *out, const unsigned w, unsigned h)
{
    if (COLUMN >= w || row() >= h)
        return;
    auto edge = [&](unsigned i) { return i == 0 || COLUMN + 1 == gridDim.x * blockDim.x; };
    out[at(w)] = edge(COLUMN) ? in[at(w)] : in[at(w)] * SCALE;
}
}

void all(const float *in, float *out, unsigned w, unsigned h)
{
    image::scale<float, 3><<<dim3(19, 36), dim3(32, 4)>>>(in, out, w, h);
}
