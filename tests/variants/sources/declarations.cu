// Kernels declared in many ways: each adds one to its block's number, and its versions a hundred.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <type_traits>

#define HIDDEN __attribute__((visibility("hidden")))
#define KERNEL HIDDEN __global__
#define LOCAL static __global__
#define CONSTANT const __grid_constant__
#define ARGUMENTS int *x, int one
#define ARGUMENT(type, name) type name

struct alignas(16) Pair {
    int one, two;
    int sum() const { return one + two; }
};
struct Own {
    friend __global__ void named_by_friend(int *x, Own own);
    int one;
};

// Parameters.
__global__ void grid_constant(const __grid_constant__ int one, int *x) { x[blockIdx.x] += /*step*/1 * one; }
__global__ void grid_constant_macro(int *x, CONSTANT Pair pair, Pair const __grid_constant__ other)
{
    x[blockIdx.x] += /*step*/1 * (pair.one + other.one - 1);
}
template <class T> __global__ void grid_constant_template(int *x, CONSTANT T one, T const __grid_constant__ two)
{
    x[blockIdx.x] += /*step*/1 * (two - one);
}
__global__ void unnamed(int *x, int, int *, int (*)[3], const int[], void (*)(int), Pair)
{
    x[blockIdx.x] += /*step*/1;
}
template <class T> __global__ void unnamed_template(T *x, T, const T (*)[2][3]) { x[blockIdx.x] += /*step*/1; }
__global__ void attributes([[maybe_unused]] int a, int *x, int b __attribute__((unused)), int c [[maybe_unused]])
{
    x[blockIdx.x] += /*step*/1;
}
__global__ void arrays(int x[], const int y[3], int z[][4], int f(int))
{
    x[blockIdx.x] += /*step*/1 + 0 * (y[0] + z[0][0] + (f != nullptr));
}
__global__ void from_macros(ARGUMENTS) { x[blockIdx.x] += /*step*/1 * one; }
__global__ void from_macro(ARGUMENT(int *, x), ARGUMENT(int, one)) { x[blockIdx.x] += /*step*/1 * one; }
template <class T> __global__ void from_macros_template(ARGUMENTS, T) { x[blockIdx.x] += /*step*/1 * one; }
__global__ void defaults(int *x, Pair pair = Pair{1, 2}, int n = (1 > 0 ? 1 : 2))
{
    x[blockIdx.x] += /*step*/1 * pair.one * n;
}
template <class T> __global__ void defaults_template(T *x, int one = 1) { x[blockIdx.x] += /*step*/1 * one; }
__global__ void defaults_declared(int *x, int one = 1, int two = sizeof(int) > 2 ? 2 : 3);
__global__ void defaults_declared(int *x, int one, int two) { x[blockIdx.x] += /*step*/1 * (two - one); }
__global__ void qualified(int *x, int one);
__global__ void qualified(int *const __restrict__ x, const int one) { x[blockIdx.x] += /*step*/1 * one; }
__global__ void named_by_friend(int *x, Own own) { x[blockIdx.x] += /*step*/1 * own.one; }

// Bounds and functions' own words.
__launch_bounds__(128, 2) __global__ void bounds_first(int *x) { x[blockIdx.x] += /*step*/1; }
__global__ __launch_bounds__((1 << 7), 2, 1) void bounds(int *x) { x[blockIdx.x] += /*step*/1; }
void __global__ __maxnreg__(64) registers(int *x) { x[blockIdx.x] += /*step*/1; }
__global__ void __cluster_dims__(1, 1, 1) clusters(int *x) { x[blockIdx.x] += /*step*/1; }
__global__ auto trailing(int *x) -> void { x[blockIdx.x] += /*step*/1; }
template <class T> __global__ auto trailing_template(T *x) -> std::enable_if_t<(sizeof(T) > 2)>
{
    x[blockIdx.x] += /*step*/1;
}
__global__ void(parenthesised)(int *x) { x[blockIdx.x] += /*step*/1; }
LOCAL void local_macro(int *x) { x[blockIdx.x] += /*step*/1; }

// Templates' heads.
template <class T, class = typename std::enable_if<(sizeof(T) > 2)>::type> __global__ void head_type(T *x)
{
    x[blockIdx.x] += /*step*/1;
}
template <class T, std::enable_if_t<(sizeof(T) > 2), int> = 0, int = 3> __global__ void head_value(T *x)
{
    x[blockIdx.x] += /*step*/1;
}
template <class T, bool B = (3 > 2 and not false), int N = 1 << 3> __global__ void head_operators(T *x)
{
    x[blockIdx.x] += /*step*/1 * B * (N / 8);
}

// Attributes.
[[maybe_unused]] __global__ void attribute_first(int *x) { x[blockIdx.x] += /*step*/1; }
template <class T> [[maybe_unused]] __global__ void attribute_behind_head(T *x) { x[blockIdx.x] += /*step*/1; }
template <class T> __attribute__((visibility("hidden"))) __global__ void hidden(T *x) { x[blockIdx.x] += /*step*/1; }
template <class T> [[gnu::visibility("hidden"), gnu::unused]] __global__ void hidden_list(T *x)
{
    x[blockIdx.x] += /*step*/1;
}
template <class T> KERNEL void hidden_macro(T *x) { const T visible = /*step*/1; x[blockIdx.x] += visible; }
HIDDEN __global__ void hidden_plain(int *x) { x[blockIdx.x] += /*step*/1; }
extern "C" __attribute__((visibility("default"), used)) __global__ void hidden_c(int *x) { x[blockIdx.x] += /*step*/1; }
__attribute__((noinline)) __global__ void no_inline(int *x) { x[blockIdx.x] += /*step*/1; }
__global__ [[maybe_unused]] void attribute_behind_global(int *x) { x[blockIdx.x] += /*step*/1; }
__global__ HIDDEN [[maybe_unused]] void attribute_behind_macro(int *x) { x[blockIdx.x] += /*step*/1; }
template <class T> __global__ __launch_bounds__(64) [[maybe_unused]] [[gnu::visibility("hidden")]] void attributes_behind_bounds(T *x)
{
    x[blockIdx.x] += /*step*/1;
}

// Namespaces.
namespace m {
typedef int I;
struct S {
    I one;
};
const int one = 1;
__global__ void outside(I *x, S s);
template <class T> __global__ void outside_template(T *x);
namespace n {
__global__ void outside_partly(I *x, int two = 2);
}
inline namespace v {
__global__ void outside_inline(I *x);
}
__global__ void n::outside_partly(I *x, int two) { x[blockIdx.x] += /*step*/1 * (two - one); }
} // namespace m
namespace q = m::n;
namespace m {
namespace n {
__global__ void outside_alias(I *x);
}
} // namespace m
__global__ void m::outside(I *x, S s) { x[blockIdx.x] += /*step*/1 * s.one * one; }
template <class T> __global__ void m::outside_template(T *x) { x[blockIdx.x] += /*step*/1 * one; }
__global__ void m::outside_inline(I *x) { x[blockIdx.x] += /*step*/1 * one; }
__global__ void q::outside_alias(I *x) { x[blockIdx.x] += /*step*/1 * one; }
namespace __attribute__((visibility("hidden"))) w {
__global__ void within(int *x) { x[blockIdx.x] += /*step*/1; }
} // namespace w

// Other spellings.
%:define ONE 1
namespace d <% __global__ void digraphs(int x<::>) <% x<:blockIdx.x:> += /*step*/1 * ONE; %> %>
__global__ void words(int *x) { if (not (x[0] < 0) and x[0] >= 0 or false) x[blockIdx.x] += /*step*/1; }

// Names of functions of the toolkit's and the standard library's headers.
using namespace std;
__global__ void norm(int *x, int one) { x[blockIdx.x] += /*step*/1 * one; }
__global__ void max(int *x) { x[blockIdx.x] += /*step*/1; }
__global__ void scan(int *x) { x[blockIdx.x] += /*step*/1; }
template <class T> __global__ void min(T *x, int one) { x[blockIdx.x] += /*step*/1 * one; }
template <class T> __global__ void reduce(T *x, T one) { x[blockIdx.x] += /*step*/1 * one; }

static int number = 0;
static void tell(int *x)
{
    cudaDeviceSynchronize();
    std::printf("%d: %d\n", number++, *x);
    x[0] = x[1] = 0;
}

int main()
{
    int *x;
    cudaMallocManaged(&x, 64);
    x[0] = x[1] = 0;
    const Pair pair = {1, 2};
    grid_constant<<<2, 1>>>(1, x), tell(x);
    grid_constant_macro<<<2, 1>>>(x, pair, pair), tell(x);
    grid_constant_template<<<2, 1>>>(x, 1, 2), tell(x);
    unnamed<<<2, 1>>>(x, 1, x, nullptr, x, nullptr, pair), tell(x);
    unnamed_template<int><<<2, 1>>>(x, 1, nullptr), tell(x);
    attributes<<<2, 1>>>(1, x, 2, 3), tell(x);
    arrays<<<2, 1>>>(x, x, reinterpret_cast<int(*)[4]>(x), nullptr), tell(x);
    from_macros<<<2, 1>>>(x, 1), tell(x);
    from_macro<<<2, 1>>>(x, 1), tell(x);
    from_macros_template<<<2, 1>>>(x, 1, 2.f), tell(x);
    defaults<<<2, 1>>>(x), tell(x);
    defaults_template<<<2, 1>>>(x), tell(x);
    defaults_declared<<<2, 1>>>(x), tell(x);
    qualified<<<2, 1>>>(x, 1), tell(x);
    named_by_friend<<<2, 1>>>(x, Own{1}), tell(x);
    bounds_first<<<2, 1>>>(x), tell(x);
    bounds<<<2, 1>>>(x), tell(x);
    registers<<<2, 1>>>(x), tell(x);
    clusters<<<2, 1>>>(x), tell(x);
    trailing<<<2, 1>>>(x), tell(x);
    trailing_template<<<2, 1>>>(x), tell(x);
    parenthesised<<<2, 1>>>(x), tell(x);
    local_macro<<<2, 1>>>(x), tell(x);
    head_type<<<2, 1>>>(x), tell(x);
    head_value<<<2, 1>>>(x), tell(x);
    head_operators<<<2, 1>>>(x), tell(x);
    attribute_first<<<2, 1>>>(x), tell(x);
    attribute_behind_head<<<2, 1>>>(x), tell(x);
    hidden<<<2, 1>>>(x), tell(x);
    hidden_list<<<2, 1>>>(x), tell(x);
    hidden_macro<int><<<2, 1>>>(x), tell(x);
    hidden_plain<<<2, 1>>>(x), tell(x);
    hidden_c<<<2, 1>>>(x), tell(x);
    no_inline<<<2, 1>>>(x), tell(x);
    attribute_behind_global<<<2, 1>>>(x), tell(x);
    attribute_behind_macro<<<2, 1>>>(x), tell(x);
    attributes_behind_bounds<<<2, 1>>>(x), tell(x);
    m::outside<<<2, 1>>>(x, m::S{1}), tell(x);
    m::outside_template<int><<<2, 1>>>(x), tell(x);
    m::n::outside_partly<<<2, 1>>>(x), tell(x);
    m::outside_inline<<<2, 1>>>(x), tell(x);
    q::outside_alias<<<2, 1>>>(x), tell(x);
    w::within<<<2, 1>>>(x), tell(x);
    d::digraphs<<<2, 1>>>(x), tell(x);
    words<<<2, 1>>>(x), tell(x);
    norm<<<2, 1>>>(x, 1), tell(x);
    max<<<2, 1>>>(x), tell(x);
    scan<<<2, 1>>>(x), tell(x);
    min<<<2, 1>>>(x, 1), tell(x);
    reduce<<<2, 1>>>(x, 1), tell(x);
}
