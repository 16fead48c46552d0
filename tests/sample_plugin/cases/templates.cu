// gpu: h200
// run: kernel=shift<float> grid=2 block=64 values=128 by=1.0f
// run: kernel=shift<int> grid=2 block=64 values=128 by=3
namespace work {
template <class T> __global__ void shift(T *values, T by)
{
    values[blockIdx.x * blockDim.x + threadIdx.x] += by;
}
}

void shift_both(float *f, int *i)
{
    work::shift<<<2, 64>>>(f, 1.0f);
    work::shift<int><<<2, 64>>>(i, 3);
}
