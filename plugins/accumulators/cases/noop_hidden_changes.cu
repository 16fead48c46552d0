// What an index is made of changes where nothing is assigned to it: in a narrow type that wraps, in a bit-field, through
// a choice of two variables, in a lambda's own copy. Where the loop reads is then not known.
struct Bits { unsigned low : 4, high : 28; };
__global__ void narrow(float *y, const float *x, int n)
{
    const int i = threadIdx.x;
    for (unsigned char c = 250; c != (unsigned char)n; ++c)
        y[i] += x[c * 64 + i];
}
__global__ void field(float *y, const float *x, int n)
{
    const int i = threadIdx.x;
    Bits p;
    p.low = 12;
    for (; p.low != 3; p.low++)
        y[i] += x[p.low * 64 + i];
}
__global__ void chosen(float *y, const float *x, int n)
{
    const int i = threadIdx.x;
    int odd = 0, even = 7;
    for (int j = 0; j < n; ++j) {
        y[i] += x[(j & 1 ? odd : even) * 64 + i];
        (j & 1 ? odd : even)++;
    }
}
__global__ void copied(float *y, const float *x, int n)
{
    const int i = threadIdx.x;
    auto next = [k = i]() mutable { return k++; };
    int k = 0;
    auto other = [k]() mutable { return k++; };
    for (int j = 0; j < n; ++j)
        y[i] += x[other() * 64 + i];
    y[i] += next();
}
__global__ void led_into(float *y, const float *x, int n, int c)
{
    const int i = threadIdx.x;
    switch (c) {
    case 0:
        for (int j = 0; j < n; ++j) {
            y[i] += x[j * 64 + i];
    case 1:
            y[i] += 1.0f;
        }
    }
}
void all(float *y, const float *x, int n)
{
    narrow<<<1, 64>>>(y, x, n);
    field<<<1, 64>>>(y, x, n);
    chosen<<<1, 64>>>(y, x, n);
    copied<<<1, 64>>>(y, x, n);
    led_into<<<1, 64>>>(y, x, n, 1);
}
