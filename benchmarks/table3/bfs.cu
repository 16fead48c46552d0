// Breadth-first search by levels, a node per thread: an irregular walk over the node's edges, then the next frontier.
#define NODES 131072

struct Node {
    int first;
    int edges;
};

__global__ void bfs_kernel1(Node *nodes, int *edges, bool *mask, bool *next, bool *visited, int *cost)
{
    int tid = blockIdx.x * 512 + threadIdx.x;
    if (tid < NODES && mask[tid]) {
        mask[tid] = false;
        int last = nodes[tid].first + nodes[tid].edges;
        for (int i = nodes[tid].first; i < last; i++) {
            int id = edges[i];
            if (!visited[id]) {
                cost[id] = cost[tid] + 1;
                next[id] = true;
            }
        }
    }
}

__global__ void bfs_kernel2(bool *mask, bool *next, bool *visited, bool *over)
{
    int tid = blockIdx.x * 512 + threadIdx.x;
    if (tid < NODES && next[tid]) {
        mask[tid] = true;
        visited[tid] = true;
        *over = true;
        next[tid] = false;
    }
}

void run(Node *nodes, int *edges, bool *mask, bool *next, bool *visited, int *cost, bool *over)
{
    bfs_kernel1<<<80 * 4, 512>>>(nodes, edges, mask, next, visited, cost);
    bfs_kernel2<<<80 * 4, 512>>>(mask, next, visited, over);
}
