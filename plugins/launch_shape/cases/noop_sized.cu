// policy: form="split"
// How large a closure is, or whether it has members, would show what one more capture adds.
template <class F> __device__ int size_of(F)
{
    return sizeof(F);
}

static __global__ void itself(int *y)
{
    auto at = [=](int i) { return i + (int)threadIdx.x; };
    y[blockIdx.x * blockDim.x + threadIdx.x] = at(sizeof(at));
}

static __global__ void in_a_function(int *y)
{
    auto at = [&](int i) { return i + (int)threadIdx.x; };
    y[blockIdx.x * blockDim.x + threadIdx.x] = at(size_of(at));
}

static __global__ void a_trait(int *y)
{
    auto at = [=](int i) { return i + (int)threadIdx.x; };
    y[blockIdx.x * blockDim.x + threadIdx.x] = at(__is_empty(decltype(at)));
}

void run(int *y)
{
    itself<<<4, 64>>>(y);
    in_a_function<<<4, 64>>>(y);
    a_trait<<<4, 64>>>(y);
}
