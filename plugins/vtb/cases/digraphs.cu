// gpu: h200; policy: factor=2, form="turns"
// run: grid=4 block=64 n=256 a=n x=n
// Brackets and braces as digraphs, in the kernel and in the function that a version has a copy of.
__device__ float scaled(const float *a, int j)
<%
    __syncthreads();
    return a<:j + threadIdx.x:> * 2;
%>
__global__ void kernel(const float *a, float *x, int n)
<%
    __shared__ float tile<:64:>;
    float s = 0;
    for (int j = 0; j < n; j += 64)
    <%
        tile<:threadIdx.x:> = scaled(a, j);
        __syncthreads();
        for (int q = 0; q < 64; q++) <% s += tile<:q:>; %>
        __syncthreads();
    %>
    x<:blockIdx.x * blockDim.x + threadIdx.x:> = s;
%>

void run(const float *a, float *x, int n) { kernel<<<n / 64, 64>>>(a, x, n); }
