// Barriers of clusters, with signals at each instruction of theirs; and many of them, for which nobody sleeps.
#include <cooperative_groups.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "check.h"

namespace cg = cooperative_groups;

static volatile bool stepping;
static volatile long signals;
static const greg_t STEPS = 0x100;  // the processor's flag
static unsigned char given[512];  // signals at each instruction
static struct sigaction runtimes;

static __attribute__((noinline)) void step()
{
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | (stepping ? STEPS : 0));
}
static void on_step(int, siginfo_t *, void *context)
{
    greg_t *const registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
    const unsigned long at = registers[REG_RIP] - (unsigned long)&gpuopt_emu::cluster_barrier;
    if (!stepping) registers[REG_EFL] &= ~STEPS;
    else if (at < sizeof given && given[at]++ < 3) signals = signals + 1, pthread_kill(pthread_self(), SIGURG);  // comes when this handler ends
}
static void on_signal(int number, siginfo_t *info, void *context)
{
    step();  // so is done what goes on instead
    runtimes.sa_sigaction(number, info, context);
}

__global__ void __cluster_dims__(2) ring(int *out)
{
    __shared__ int mine[3];
    const cg::cluster_group cluster = cg::this_cluster();
    const int t = threadIdx.x, *const other = cluster.map_shared_rank(mine, 1 - cluster.block_rank());
    step();
    mine[t] = blockIdx.x * 10 + t;
    for (int i = 0; i < 3; ++i) {
        cluster.sync();
        const int seen = other[2 - t];
        cluster.sync();
        mine[t] += seen;
    }
    out[blockIdx.x * 3 + t] = mine[t];
}

__global__ void __cluster_dims__(4) often(int *out, int n)
{
    const cg::cluster_group cluster = cg::this_cluster();
    for (int i = 0; i < n; ++i) cluster.sync();
    if (threadIdx.x == 0) atomicAdd(out, 1);
}

int main(int argc, char **)
{
    int *out = device_array<int>(12);
    if (argc > 1) {
        often<<<8, 32>>>(out, 20000);
        finish();
        EXPECT(*out, 8);
        rusage used;
        getrusage(RUSAGE_SELF, &used);
        EXPECT(used.ru_nvcsw < 2000, true);
        return verdict();
    }
    ring<<<4, 3>>>(out);
    finish();
    sigaction(SIGURG, nullptr, &runtimes);
    struct sigaction action = runtimes;
    action.sa_sigaction = on_signal;
    sigaction(SIGURG, &action, nullptr);
    action.sa_sigaction = on_step;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGURG);
    sigaction(SIGTRAP, &action, nullptr);
    int expected[12];
    for (int i = 0; i < 12; ++i) expected[i] = out[i], out[i] = 0;
    stepping = true;
    ring<<<4, 3>>>(out);
    finish();
    stepping = false;
    for (int i = 0; i < 12; ++i) EXPECT(out[i], expected[i]);
    EXPECT(signals > 30, true);
    return verdict();
}
