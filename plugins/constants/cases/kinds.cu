// gpu: h200; policy: pick="always"
// run: grid=dim3(2,2) block=dim3(8,4,2) x=256 mode=Mode::mean way=DOWN flag=true small=-3 wide=18446744073709551615u n=4 last=99
// run: grid=dim3(2,2) block=dim3(8,4,2) x=256 mode=Mode::sum way=DOWN flag=true small=-3 wide=18446744073709551615u n=4 last=99
// Parameters of all kinds that are numbers; n is changed, and referred to.
enum class Mode : unsigned char { sum, mean };
enum Way { UP, DOWN = 7 };

__device__ void next(int &n) { n += gridDim.y; }

__global__ void mixed(long long *x, Mode mode, Way way, bool flag, short small, unsigned long long wide, int n, const char last)
{
    const int i = ((blockIdx.y * gridDim.x + blockIdx.x) * blockDim.z + threadIdx.z) * 32 + threadIdx.y * 8 + threadIdx.x;
    int *place = &n;
    long long s = mode == Mode::mean ? way : -way;
    while (n-- > 0) s += flag ? small : wide / 3;
    next(*place);
    auto more = [=] { return n + last; };
    x[i] = s * more() + (wide >> 63);
}

void all(long long *x)
{
    mixed<<<dim3(2, 2), dim3(8, 4, 2)>>>(x, Mode::mean, DOWN, true, -3, 0xffffffffffffffffu, 2 * 2, 'c');
}
