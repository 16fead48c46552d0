// Graphs in two streams whose kernels wait for each other's, whichever is launched first.
#include "check.h"

__global__ void answers(int *mine, int *other, int *turns, bool first)
{
    for (int turn = 1; turn <= 3; ++turn) {
        if (first) atomicExch(mine, turn);
        while (atomicAdd(other, 0) < turn) {}
        atomicExch(mine, turn);
    }
    *turns += 3;
}
__global__ void copies(const int *turns, int *to) { *to = *turns; }

static void wait_for(cudaStream_t *streams, int how)
{
    if (how == 0) {
        EXPECT_STATUS(cudaStreamSynchronize(streams[0]), cudaSuccess);
        EXPECT_STATUS(cudaStreamSynchronize(streams[1]), cudaSuccess);
    } else if (how == 1) {
        cudaEvent_t events[2];
        for (int i = 0; i < 2; ++i) cudaEventCreate(&events[i]), cudaEventRecord(events[i], streams[i]);
        for (int i = 0; i < 2; ++i) EXPECT_STATUS(cudaEventSynchronize(events[i]), cudaSuccess);
    }
    finish();
}

int main()
{
    int *flags, *values = device_array<int>(4);  // what the host allocates, and the device sees
    EXPECT_STATUS(cudaHostAlloc(&flags, 2 * sizeof(int), cudaHostAllocMapped), cudaSuccess);
    cudaStream_t streams[2];
    cudaGraphExec_t graphs[2];
    for (int i = 0; i < 2; ++i) {
        cudaGraph_t graph;
        cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
        EXPECT_STATUS(cudaStreamBeginCapture(streams[i], cudaStreamCaptureModeGlobal), cudaSuccess);
        answers<<<1, 1, 0, streams[i]>>>(flags + i, flags + 1 - i, values + i, i == 0);
        copies<<<1, 1, 0, streams[i]>>>(values + i, values + 2 + i);
        EXPECT_STATUS(cudaStreamEndCapture(streams[i], &graph), cudaSuccess);
        EXPECT_STATUS(cudaGraphInstantiate(&graphs[i], graph, 0), cudaSuccess);
    }
    for (int round = 0; round < 6; ++round) {
        flags[0] = flags[1] = 0;
        const int first = round % 2;
        EXPECT_STATUS(cudaGraphLaunch(graphs[first], streams[first]), cudaSuccess);
        EXPECT_STATUS(cudaGraphLaunch(graphs[1 - first], streams[1 - first]), cudaSuccess);
        wait_for(streams, round / 2);
        EXPECT(values[2], 3 * (round + 1));
        EXPECT(values[3], 3 * (round + 1));
    }
    return verdict();
}
