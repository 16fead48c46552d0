// gpu: h200; policy: factor=2, form="auto", margin=0
// run: grid=5 block=64 n=1000 x=4096 y=320
// Threads use `mine` where they do not come together, so nobody could take turns on it; each virtual block has its own.
__global__ void alone(int n, const int *x, int *y)
{
    __shared__ int mine[64], all[64 * 40];
    int t = threadIdx.x, at = x[(blockIdx.x * 64 + t) % n] & 1023;
    mine[t] = at;
    __syncthreads();
    if (t % 3 == 1) {
        for (int k = 0; k < 9; ++k) at = (x[at & 1023] + mine[(t + k) & 63]) & 1023;
    }
    all[t] = at;
    __syncthreads();
    at += all[63 - t];
    __syncthreads();
    if (t % 5 == 2) at += mine[(t * 7) & 63];
    y[blockIdx.x * 64 + t] = at;
}
void run(int n, const int *x, int *y) { alone<<<5, 64>>>(n, x, y); }
