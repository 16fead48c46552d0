// gpu: h200; policy: form="agents"
// run: grid=dim3(3,5) block=dim3(16,8) n=37 A=n*n B=n*n C=n*n
// Digraphs, a definition outside of its namespace, attributes, annotations and defaults of parameters.
namespace m <%
__global__ void kernel(int n, const float *A, const float *B, float *C);
%>
[[maybe_unused]] __global__ void m::kernel(const __grid_constant__ int n, const float *A, const float *B, float *C)
<%
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n or j >= n) return;
    float s = 0;
    for (int k = 0; k < n; k++) <%
        s += A<:i * n + k:> * B<:k * n + j:>;
    %>
    C += i * n;
    C<:j:> = s;
%>

void run(int n, float *A, float *B, float *C)
{
    dim3 block(16, 8);
    m::kernel<<<dim3((n + 15) / 16, (n + 7) / 8), block>>>(n, A, B, C);
}
