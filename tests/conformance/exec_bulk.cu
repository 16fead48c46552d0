// The bulk copy engine and barriers that count bytes, in PTX; kernels that may begin before others end; nv/target.
// flags: -std=c++17
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>
#include <nv/target>

namespace cg = cooperative_groups;
typedef unsigned long long word;

static __device__ unsigned at(const void *shared) { return (unsigned)__cvta_generic_to_shared(shared); }
static __device__ void init(word *barrier, unsigned count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(barrier)), "r"(count) : "memory");
}
static __device__ word arrive_expecting(word *barrier, unsigned bytes)
{
    word state;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(at(barrier)), "r"(bytes) : "memory");
    return state;
}
static __device__ word arrive(word *barrier)
{
    word state;
    asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(at(barrier)) : "memory");
    return state;
}
static __device__ void wait_parity(word *barrier, unsigned parity)
{
    unsigned done = 0;
    while (!done)
        asm volatile(
            "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.b32 %0, 1, 0, p;\n}"
            : "=r"(done) : "r"(at(barrier)), "r"(parity) : "memory");
}
static __device__ bool ended(word *barrier, word state)
{
    unsigned done;
    asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.shared::cta.b64 p, [%1], %2;\nselp.b32 %0, 1, 0, p;\n}"
                 : "=r"(done) : "r"(at(barrier)), "l"(state) : "memory");
    return done;
}
static __device__ void load(void *shared, const void *global, unsigned bytes, word *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"(at(shared)), "l"(global), "r"(bytes), "r"(at(barrier)) : "memory");
}

// Tiles come in while others are worked on; what is made goes out by the engine, too.
__global__ void tiles(const int *in, int *out, int count)
{
    __shared__ alignas(128) int tile[2][64];
    __shared__ alignas(128) int made[64];
    __shared__ word full[2];
    const int t = threadIdx.x;
    if (t == 0) {
        init(&full[0], 1), init(&full[1], 1);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (t == 0) arrive_expecting(&full[0], 256), load(tile[0], in, 256, &full[0]);
    for (int i = 0; i < count; ++i) {
        const int now = i & 1, next = now ^ 1;
        if (t == 0 && i + 1 < count) arrive_expecting(&full[next], 256), load(tile[next], in + (i + 1) * 64, 256, &full[next]);
        wait_parity(&full[now], i / 2 & 1);
        if (t == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        __syncthreads();
        made[t] = tile[now][63 - t] * 2 + i;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + i * 64), "r"(at(made)), "r"(256) : "memory");
            asm volatile("cp.async.bulk.commit_group;");
        }
    }
    if (t == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// A phase ends when all have arrived and all bytes are there, in whatever order.
__global__ void phases(const int *in, int *out)
{
    __shared__ alignas(128) int s[16];
    __shared__ word barrier;
    if (threadIdx.x == 0) {
        init(&barrier, 2);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        const word state = arrive(&barrier);
        out[0] = ended(&barrier, state);
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at(&barrier)), "r"(64) : "memory");
        const word same = arrive(&barrier);  // all have arrived, the bytes have not
        out[1] = ended(&barrier, same);
        load(s, in, 32, &barrier), load(s + 8, in + 8, 32, &barrier);
        wait_parity(&barrier, 0);
        out[2] = ended(&barrier, state);
        out[3] = s[0] + s[15];
        const word later = arrive_expecting(&barrier, 0);
        out[4] = ended(&barrier, later);
        arrive(&barrier);
        out[5] = ended(&barrier, later);
    }
}

// From one block's shared memory to its neighbour's, whose barrier counts the bytes.
__global__ void __cluster_dims__(2, 1, 1) neighbours(int *out)
{
    __shared__ alignas(128) int mine[32], theirs[32];
    __shared__ word barrier;
    const cg::cluster_group cluster = cg::this_cluster();
    mine[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
    if (threadIdx.x == 0) init(&barrier, 1), arrive_expecting(&barrier, 128);
    asm volatile("fence.proxy.async;" ::: "memory");
    cluster.sync();
    if (threadIdx.x == 0) {
        const unsigned other = cluster.block_rank() ^ 1;
        unsigned to, counts;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(at(theirs)), "r"(other));
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(counts) : "r"(at(&barrier)), "r"(other));
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     ::"r"(to), "r"(at(mine)), "r"(128), "r"(counts) : "memory");
    }
    wait_parity(&barrier, 0);
    out[blockIdx.x * 32 + threadIdx.x] = theirs[31 - threadIdx.x];
    cluster.sync();
}

__global__ void first(int *p)
{
    p[threadIdx.x] = threadIdx.x;
    cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void second(int *p)
{
    cudaGridDependencySynchronize();
    p[32 + threadIdx.x] = p[31 - threadIdx.x] + 1;
}

__host__ __device__ static int side()
{
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return 1;), (return 2;))
}
__device__ static int generation()
{
    NV_DISPATCH_TARGET(NV_PROVIDES_SM_90, (return 90;), NV_PROVIDES_SM_70, (return 70;), NV_ANY_TARGET, (return 1;))
}
__global__ void where(int *p)
{
    p[0] = side(), p[1] = generation();
    NV_IF_TARGET(NV_IS_HOST, (p[2] = 5;))
    NV_IF_TARGET(NV_PROVIDES_SM_80, (p[3] = 6;))
}

int main()
{
    int *in, *out;
    cudaMallocManaged(&in, 8192), cudaMallocManaged(&out, 8192);
    for (int i = 0; i < 2048; ++i) in[i] = i * 7 % 101, out[i] = 0;
    tiles<<<1, 64>>>(in, out, 9);
    printf("tiles: %s", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 9 * 64; i += 37) printf(" %d", out[i]);
    phases<<<1, 32>>>(in, out);
    printf("\nphases: %s", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 6; ++i) printf(" %d", out[i]);
    neighbours<<<4, 32>>>(out);
    printf("\nneighbours: %s", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 128; i += 31) printf(" %d", out[i]);
    cudaLaunchConfig_t config = {};
    config.gridDim = 1, config.blockDim = 32;
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[0].val.programmaticStreamSerializationAllowed = 1;
    first<<<1, 32>>>(out);
    config.attrs = attribute, config.numAttrs = 1;
    printf("\nsecond: %s", cudaGetErrorName(cudaLaunchKernelEx(&config, second, out)));
    printf(" %s", cudaGetErrorName(cudaDeviceSynchronize()));
    printf(" %d %d\n", out[32], out[63]);
    for (int i = 0; i < 4; ++i) out[i] = 0;
    where<<<1, 1>>>(out);
    printf("where: %s", cudaGetErrorName(cudaDeviceSynchronize()));
    printf(" %d %d %d %d, %d\n", out[0], out[1], out[2], out[3], side());
    cudaFree(in), cudaFree(out);
    return 0;
}
