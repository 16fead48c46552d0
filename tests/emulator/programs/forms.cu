// Forms of declarations and launches that nvcc takes.
#include "check.h"

__global__ void __launch_bounds__(1 << 6) shifted(int *p) { p[threadIdx.x] = 1; }
__global__ void __launch_bounds__(128 >> 1, (1 << 1)) both_shifted(int *p) { p[threadIdx.x] = 2; }
template <int N> struct Limit {
    static constexpr int value = N;
    int v[N];
};
__global__ void __launch_bounds__(Limit<(1 << 6)>::value) of_template(int *p) { p[threadIdx.x] = 3; }
__launch_bounds__(64, 3 > 2 ? 2 : 1) __global__ void conditional(int *p, Limit<1 << 3> by) { p[threadIdx.x] = by.v[7]; }

__global__ void filled(int *p, int v) { p[threadIdx.x] = v + (int)blockDim.x; }
struct Size {
    int x;
    operator int() const { return x; }
};

// Digraphs: <% %> <: :>, and what only looks like one, in text: "<:" and '<%'.
namespace digraphs <%
struct Global <% int v<:4:>; %>;
template <class T> struct Holds { T of; };
__device__ int sum(const Global &one, Holds<::digraphs::Global> two) <% return one.v<:1:> + two.of.v[2]; %>
__global__ void kernel(int *p) <%
    Global one = <%<%1, 2, 3, 4%>%>;
    p<:threadIdx.x:> = sum(one, Holds<::digraphs::Global>{one}) + sizeof "<:" + ("<%"<:0:> == '<');
%>
%>

__global__ void to_pointers(const int *__restrict__ a, int *__restrict__ p)
{
    const int *const &at = a + threadIdx.x;
    p[threadIdx.x] = *at + a[1];
}

__constant__ float table[4];
__global__ void looked_up(float *to) { to[threadIdx.x] = table[threadIdx.x]; }

static void launches(int *p)
{
    filled<<<1, [] { return 64; }()>>>(p, 1);
    EXPECT(p[63], p[0]);
    filled<<<1, [](int n) -> int { int m = n; return m * 2; }(16)>>>(p, 1);
    finish();
    EXPECT(p[31], 33);
    filled<<<dim3{1, 1, 1}, Size{48}.x>>>(p, 2);
    finish();
    EXPECT(p[47], 50);
    filled<<<{1}, (Size{16} > 8 ? 16 : 8)>>>(p, 3);
    finish();
    EXPECT(p[15], 19);
}

int main()
{
    int *p = device_array<int>(256);
    for (int i = 0; i < 256; ++i) p[i] = 0;
    shifted<<<1, 64>>>(p);
    finish();
    EXPECT(p[63], 1);
    shifted<<<1, 65>>>(p);
    EXPECT_STATUS(cudaGetLastError(), cudaErrorInvalidValue);
    both_shifted<<<1, 64>>>(p);
    finish();
    EXPECT(p[63], 2);
    both_shifted<<<1, 65>>>(p);
    EXPECT_STATUS(cudaGetLastError(), cudaErrorInvalidValue);
    of_template<<<1, 64>>>(p);
    finish();
    EXPECT(p[63], 3);
    Limit<8> by = {};
    by.v[7] = 4;
    conditional<<<1, 64>>>(p, by);
    finish();
    EXPECT(p[63], 4);
    launches(p);
    digraphs::kernel<<<1, 4>>>(p);
    finish();
    EXPECT(p[3], 2 + 3 + 3 + 1);
    for (int i = 0; i < 64; ++i) p[128 + i] = 10 * i;
    to_pointers<<<1, 64>>>(p + 128, p);
    finish();
    EXPECT(p[5], 60);
    float host[4] = {1, 2, 3, 4}, *to = device_array<float>(4), back[4] = {};
    EXPECT_STATUS(cudaMemcpyToSymbolAsync(table, host, sizeof host), cudaSuccess);
    looked_up<<<1, 4>>>(to);
    EXPECT_STATUS(cudaMemcpyFromSymbolAsync(back, table, sizeof back), cudaSuccess);
    finish();
    EXPECT(to[2], 3);
    EXPECT(back[3], 4);
    EXPECT_STATUS(cudaMemcpyToSymbolAsync(table, host + 1, 4, 4), cudaSuccess);
    EXPECT_STATUS(cudaMemcpyFromSymbolAsync(back, table, 4, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    finish();
    EXPECT(back[0], 2);
    return verdict();
}
