// gpu: h200; learn: on
// Places at which a version cannot give the built-in variables another meaning.
struct Row { unsigned y = threadIdx.x; };
__device__ unsigned given(unsigned i = threadIdx.x) { return i; }
struct Member { __device__ unsigned at() const { return threadIdx.x; } };
__global__ void initialised(unsigned *x) { Row row; x[threadIdx.x] = row.y; }
__global__ void argument(unsigned *x) { x[threadIdx.x] = given(); }
__global__ void qualified(unsigned *x) { x[threadIdx.x] = ::threadIdx.x; }
__global__ void member(unsigned *x) { x[threadIdx.x] = Member().at(); }
__global__ void lambda(unsigned *x) { auto at = [] { return threadIdx.x; }; x[threadIdx.x] = at(); }

void all(unsigned *x)
{
    initialised<<<300, 64>>>(x);
    argument<<<300, 64>>>(x);
    qualified<<<300, 64>>>(x);
    member<<<300, 64>>>(x);
    lambda<<<300, 64>>>(x);
}
