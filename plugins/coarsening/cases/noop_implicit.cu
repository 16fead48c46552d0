// gpu: h200; learn: on
// Places at which a version cannot give the built-in variables another meaning.
struct Row { unsigned y = blockIdx.x; };
__device__ unsigned given(unsigned i = blockIdx.x) { return i; }
struct Member { __device__ unsigned at() const { return blockIdx.x; } };
__global__ void initialised(unsigned *x) { Row row; x[blockIdx.x] = row.y; }
__global__ void argument(unsigned *x) { x[blockIdx.x] = given(); }
__global__ void qualified(unsigned *x) { x[blockIdx.x] = ::blockIdx.x; }
__global__ void member(unsigned *x) { x[blockIdx.x] = Member().at(); }
__global__ void lambda(unsigned *x) { auto at = [] { return blockIdx.x; }; x[blockIdx.x] = at(); }

void all(unsigned *x)
{
    initialised<<<300, 64>>>(x);
    argument<<<300, 64>>>(x);
    qualified<<<300, 64>>>(x);
    member<<<300, 64>>>(x);
    lambda<<<300, 64>>>(x);
}
