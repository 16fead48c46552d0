// gpu: h200; policy: pick="always", form="spilling"
// run: grid=2 block=128 x=256 n=8
// Registers go to shared memory where they do not suffice.
extern "C" __global__ void kernel(int *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = x[i] % n;
}

void run(int *x)
{
    kernel<<<2, 128>>>(x, 8);
}
