// Graphs: what they say of their nodes and edges, with room for all, for some and for none; edges made and taken away,
// circles, clones, and handles that are null or of another graph.
#include "api_print.h"
#include "apart.h"

static const int MOST = 8;

// Nodes by their place in `all`: -1 for null, -2 for one that is not in it.
static int place(cudaGraphNode_t node, const cudaGraphNode_t *all, int count)
{
    if (!node) return -1;
    for (int i = 0; i < count; ++i)
        if (all[i] == node) return i;
    return -2;
}
static void print(const char *what, const cudaGraphNode_t *nodes, size_t room, size_t count, const cudaGraphNode_t *all,
                  int number)
{
    printf("%s: %zu:", what, count);
    for (size_t i = 0; i < room; ++i) printf(" %d", place(nodes[i], all, number));
    printf("\n");
}
static void fill(cudaGraphNode_t *nodes)
{
    for (int i = 0; i < MOST; ++i) nodes[i] = (cudaGraphNode_t)(size_t)1;  // shows what was not written
}

// A diamond with a tail: 0 -> 1, 0 -> 2, 1 -> 3, 2 -> 3, 3 -> 4; and 5 alone.
static void diamond(cudaGraph_t graph, cudaGraphNode_t *n)
{
    MUST(cudaGraphAddEmptyNode(&n[0], graph, nullptr, 0));
    MUST(cudaGraphAddEmptyNode(&n[1], graph, &n[0], 1));
    MUST(cudaGraphAddEmptyNode(&n[2], graph, &n[0], 1));
    MUST(cudaGraphAddEmptyNode(&n[3], graph, &n[1], 2));
    MUST(cudaGraphAddEmptyNode(&n[4], graph, &n[3], 1));
    MUST(cudaGraphAddEmptyNode(&n[5], graph, nullptr, 0));
}

static void edges(cudaGraph_t graph, const cudaGraphNode_t *all, int number)
{
    cudaGraphNode_t from[32], to[32];
    size_t count = 32;
    MUST(cudaGraphGetEdges(graph, from, to, nullptr, &count));
    printf("%zu edges:", count);
    for (int a = 0; a < number; ++a)  // in no order that is promised
        for (int b = 0; b < number; ++b)
            for (size_t i = 0; i < count; ++i)
                if (place(from[i], all, number) == a && place(to[i], all, number) == b) printf(" %d-%d", a, b);
    printf("\n");
}

static void rooms()
{
    cudaGraph_t graph;
    cudaGraphNode_t n[6], got[MOST], to[MOST];
    MUST(cudaGraphCreate(&graph, 0));
    size_t count = 7;
    fill(got);
    SHOW(cudaGraphGetNodes(graph, nullptr, &count));
    printf("empty: %zu\n", count);
    count = 2;
    SHOW(cudaGraphGetNodes(graph, got, &count));
    print("empty, room for two", got, 3, count, n, 0);
    diamond(graph, n);
    count = 99;
    SHOW(cudaGraphGetNodes(graph, nullptr, &count));
    printf("number %zu\n", count);
    for (size_t room = 0; room <= MOST; room += room == 0 ? 3 : room == 3 ? 3 : 2) {
        fill(got);
        count = room;
        SHOW(cudaGraphGetNodes(graph, got, &count));
        print("nodes", got, MOST, count, n, 6);
        fill(got);
        count = room;
        SHOW(cudaGraphGetRootNodes(graph, got, &count));
        print("roots", got, MOST, count, n, 6);
        fill(got);
        count = room;
        SHOW(cudaGraphNodeGetDependencies(n[3], got, nullptr, &count));
        print("dependencies", got, MOST, count, n, 6);
        fill(got);
        count = room;
        SHOW(cudaGraphNodeGetDependentNodes(n[0], got, nullptr, &count));
        print("dependents", got, MOST, count, n, 6);
        fill(got);
        fill(to);
        count = room;
        SHOW(cudaGraphGetEdges(graph, got, to, nullptr, &count));
        print("from", got, MOST, count, n, 6);
        print("to", to, MOST, count, n, 6);
    }
    fill(got);
    count = 1;
    SHOW(cudaGraphNodeGetDependencies(n[3], got, nullptr, &count));
    print("room for one of two", got, 2, count, n, 6);
    count = 5;
    SHOW(cudaGraphNodeGetDependencies(n[0], nullptr, nullptr, &count));
    printf("of a root %zu\n", count);
    SHOW(cudaGraphNodeGetDependentNodes(n[4], nullptr, nullptr, &count));
    printf("of a leaf %zu\n", count);
    SHOW(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
    printf("edges %zu\n", count);
    cudaGraphEdgeData data[MOST];
    memset(data, 9, sizeof data);
    count = MOST;
    SHOW(cudaGraphNodeGetDependencies(n[3], got, data, &count));
    printf("edge data %d %d %d, %d\n", data[0].from_port, data[0].to_port, data[0].type, data[1].type);
    memset(data, 9, sizeof data);
    count = MOST;
    SHOW(cudaGraphGetEdges(graph, got, to, data, &count));
    printf("edge data %d %d %d, behind them %d\n", data[0].from_port, data[0].to_port, data[0].type, data[6].type);
    SHOW(cudaGraphDestroy(graph));
}

static void nulls()
{
    cudaGraph_t graph;
    cudaGraphNode_t n[6], got[MOST];
    cudaGraphNodeType type;
    size_t count = 0;
    MUST(cudaGraphCreate(&graph, 0));
    diamond(graph, n);
    SHOW(cudaGraphGetNodes(nullptr, nullptr, &count));
    SHOW(cudaGraphGetNodes(graph, got, nullptr));
    SHOW(cudaGraphGetRootNodes(nullptr, nullptr, &count));
    SHOW(cudaGraphGetRootNodes(graph, got, nullptr));
    SHOW(cudaGraphNodeGetDependencies(nullptr, nullptr, nullptr, &count));
    SHOW(cudaGraphNodeGetDependencies(n[0], got, nullptr, nullptr));
    SHOW(cudaGraphNodeGetDependentNodes(nullptr, nullptr, nullptr, &count));
    SHOW(cudaGraphNodeGetDependentNodes(n[0], got, nullptr, nullptr));
    SHOW(cudaGraphGetEdges(nullptr, nullptr, nullptr, nullptr, &count));
    SHOW(cudaGraphGetEdges(graph, got, nullptr, nullptr, &count));
    SHOW(cudaGraphGetEdges(graph, nullptr, got, nullptr, &count));
    SHOW(cudaGraphGetEdges(graph, got, got + 1, nullptr, nullptr));
    SHOW(cudaGraphNodeGetType(nullptr, &type));
    SHOW(cudaGraphNodeGetType(n[0], nullptr));
    SHOW(cudaGraphDestroyNode(nullptr));
    SHOW(cudaGraphDestroy(nullptr));
    SHOW(cudaGraphCreate(&graph, 1));
    SHOW(cudaGraphClone(nullptr, graph));
    cudaGraph_t clone;
    SHOW(cudaGraphClone(&clone, nullptr));
    SHOW(cudaGraphAddEmptyNode(nullptr, graph, nullptr, 0));
    SHOW(cudaGraphAddEmptyNode(&got[0], nullptr, nullptr, 0));
    SHOW(cudaGraphAddEmptyNode(&got[0], graph, nullptr, 1));
    SHOW(cudaGraphAddEmptyNode(&got[0], graph, n, 0));
    cudaGraphNode_t none = nullptr, twice[2] = {n[0], n[0]};
    SHOW(cudaGraphAddEmptyNode(&got[0], graph, &none, 1));
    SHOW(cudaGraphAddEmptyNode(&got[0], graph, twice, 2));
    SHOW(cudaGraphGetNodes(graph, nullptr, &count));
    printf("%zu nodes\n", count);
}

static void changes()
{
    cudaGraph_t graph, other;
    cudaGraphNode_t n[6], foreign, got[MOST];
    cudaGraphExec_t exec = nullptr;
    size_t count;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphCreate(&other, 0));
    MUST(cudaGraphAddEmptyNode(&foreign, other, nullptr, 0));
    diamond(graph, n);
    edges(graph, n, 6);
    SHOW(cudaGraphAddDependencies(graph, &n[0], &n[5], nullptr, 1));
    edges(graph, n, 6);
    SHOW(cudaGraphAddDependencies(graph, &n[0], &n[5], nullptr, 1));  // there already
    edges(graph, n, 6);
    SHOW(cudaGraphAddDependencies(graph, &n[0], &n[0], nullptr, 1));  // on itself
    SHOW(cudaGraphAddDependencies(graph, &foreign, &n[0], nullptr, 1));
    SHOW(cudaGraphAddDependencies(graph, &n[0], &foreign, nullptr, 1));
    SHOW(cudaGraphAddDependencies(other, &n[4], &n[5], nullptr, 1));
    SHOW(cudaGraphAddDependencies(nullptr, &n[0], &n[4], nullptr, 1));
    SHOW(cudaGraphAddDependencies(graph, nullptr, &n[4], nullptr, 1));
    SHOW(cudaGraphAddDependencies(graph, &n[0], nullptr, nullptr, 1));
    SHOW(cudaGraphAddDependencies(graph, nullptr, nullptr, nullptr, 0));
    edges(graph, n, 6);
    cudaGraphNode_t from[] = {n[0], n[0]}, to[] = {n[4], n[4]};
    SHOW(cudaGraphAddDependencies(graph, from, to, nullptr, 2));  // twice in one call
    edges(graph, n, 6);
    cudaGraphNode_t from_mixed[] = {n[2], n[0]}, to_mixed[] = {n[5], n[5]};
    SHOW(cudaGraphAddDependencies(graph, from_mixed, to_mixed, nullptr, 2));  // the first is new, the second is not
    edges(graph, n, 6);
    SHOW(cudaGraphRemoveDependencies(graph, &n[0], &n[5], nullptr, 1));
    SHOW(cudaGraphRemoveDependencies(graph, &n[0], &n[5], nullptr, 1));
    SHOW(cudaGraphRemoveDependencies(graph, &n[4], &n[5], nullptr, 1));
    SHOW(cudaGraphRemoveDependencies(graph, &foreign, &n[5], nullptr, 1));
    SHOW(cudaGraphRemoveDependencies(nullptr, &n[0], &n[1], nullptr, 1));
    SHOW(cudaGraphRemoveDependencies(graph, nullptr, nullptr, nullptr, 0));
    cudaGraphNode_t from_gone[] = {n[0], n[4]}, to_gone[] = {n[1], n[5]};
    SHOW(cudaGraphRemoveDependencies(graph, from_gone, to_gone, nullptr, 2));  // the second is not there
    edges(graph, n, 6);

    printf("a circle\n");
    SHOW(cudaGraphAddDependencies(graph, &n[4], &n[2], nullptr, 1));
    edges(graph, n, 6);
    SHOW(cudaGraphInstantiate(&exec, graph, 0));
    cudaGraphInstantiateParams params = {};
    params.result_out = cudaGraphInstantiateSuccess;
    SHOW(cudaGraphInstantiateWithParams(&exec, graph, &params));
    printf("result %d, node %d\n", (int)params.result_out, place(params.errNode_out, n, 6));
    SHOW(cudaGraphRemoveDependencies(graph, &n[4], &n[2], nullptr, 1));
    SHOW(cudaGraphInstantiate(&exec, graph, 0));

    printf("without a node\n");
    SHOW(cudaGraphDestroyNode(n[3]));
    n[3] = nullptr;
    edges(graph, n, 6);
    fill(got);
    count = MOST;
    SHOW(cudaGraphGetNodes(graph, got, &count));
    print("nodes", got, MOST, count, n, 6);
    fill(got);
    count = MOST;
    SHOW(cudaGraphGetRootNodes(graph, got, &count));
    print("roots", got, MOST, count, n, 6);
    SHOW(cudaGraphLaunch(exec, 0));  // what was made before is whole
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaGraphExecDestroy(exec));
}

static void clones()
{
    cudaGraph_t graph, child, clone, again;
    cudaGraphNode_t n[6], nested, inner, found = nullptr, got[MOST];
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphCreate(&child, 0));
    diamond(graph, n);
    MUST(cudaGraphAddEmptyNode(&inner, child, nullptr, 0));
    MUST(cudaGraphAddChildGraphNode(&nested, graph, &n[5], 1, child));
    cudaGraph_t embedded = nullptr;
    SHOW(cudaGraphChildGraphNodeGetGraph(nested, &embedded));
    printf("a graph of its own: %d\n", embedded && embedded != child);
    SHOW(cudaGraphClone(&clone, graph));
    SHOW(cudaGraphNodeFindInClone(&found, n[3], clone));
    printf("another node: %d\n", found && found != n[3]);
    size_t count = MOST;
    cudaGraphNodeType type;
    SHOW(cudaGraphNodeGetType(found, &type));
    SHOW(cudaGraphNodeGetDependencies(found, got, nullptr, &count));
    cudaGraphNode_t one = nullptr;
    MUST(cudaGraphNodeFindInClone(&one, n[1], clone));
    printf("%zu dependencies, the first is 1's: %d\n", count, got[0] == one);
    SHOW(cudaGraphNodeFindInClone(&found, inner, clone));
    size_t inside = 1;
    cudaGraphNode_t in_embedded;
    MUST(cudaGraphGetNodes(embedded, &in_embedded, &inside));
    printf("own node in the embedded graph: %d\n", in_embedded != inner);
    SHOW(cudaGraphNodeFindInClone(&found, in_embedded, clone));
    SHOW(cudaGraphNodeFindInClone(&found, n[0], graph));
    SHOW(cudaGraphNodeFindInClone(&found, n[0], child));
    SHOW(cudaGraphNodeFindInClone(nullptr, n[0], clone));
    SHOW(cudaGraphNodeFindInClone(&found, nullptr, clone));
    SHOW(cudaGraphNodeFindInClone(&found, n[0], nullptr));
    SHOW(cudaGraphClone(&again, clone));
    SHOW(cudaGraphNodeFindInClone(&found, n[0], again));
    SHOW(cudaGraphNodeFindInClone(&found, one, again));
    SHOW(cudaGraphDestroyNode(one));
    SHOW(cudaGraphNodeFindInClone(&found, n[1], clone));
    MUST(cudaGraphAddEmptyNode(&found, graph, nullptr, 0));
    cudaGraphNode_t late = found;
    SHOW(cudaGraphNodeFindInClone(&found, late, clone));
    SHOW(cudaGraphDestroyNode(n[2]));
    MUST(cudaGraphGetNodes(graph, nullptr, &count));
    MUST(cudaGraphGetNodes(clone, nullptr, &inside));
    printf("%zu and %zu nodes\n", count, inside);
    SHOW(cudaGraphDestroy(graph));
    SHOW(cudaGraphGetNodes(clone, nullptr, &inside));  // outlives what it was made from
    printf("%zu nodes\n", inside);
    SHOW(cudaGraphDestroy(clone));
    SHOW(cudaGraphDestroy(again));
    SHOW(cudaGraphDestroy(child));
}

static void dot()
{
    char name[] = "/tmp/graph_XXXXXX";
    const int opened = mkstemp(name);
    if (opened < 0) exit(1);
    cudaGraph_t graph;
    cudaGraphNode_t n[6];
    MUST(cudaGraphCreate(&graph, 0));
    diamond(graph, n);
    SHOW(cudaGraphDebugDotPrint(graph, name, cudaGraphDebugDotFlagsVerbose));
    FILE *file = fopen(name, "r");
    char text[8] = {};
    printf("read %zu: %s\n", fread(text, 1, 7, file), text);
    fclose(file);
    SHOW(cudaGraphDebugDotPrint(graph, name, 0));
    SHOW(cudaGraphDebugDotPrint(graph, name, cudaGraphDebugDotFlagsKernelNodeParams | cudaGraphDebugDotFlagsHandles));
    SHOW(cudaGraphDebugDotPrint(graph, name, 1u << 30));
    remove(name);
    SHOW(cudaGraphDebugDotPrint(graph, nullptr, 0));
    SHOW(cudaGraphDebugDotPrint(graph, "/no/such/directory/graph.dot", 0));
    SHOW(cudaGraphDebugDotPrint(nullptr, name, 0));
    cudaGraph_t empty;
    MUST(cudaGraphCreate(&empty, 0));
    SHOW(cudaGraphDebugDotPrint(empty, name, 0));
    remove(name);
}

int main()
{
    SECTION(rooms);
    SECTION(nulls);
    SECTION(changes);
    SECTION(clones);
    SECTION(dot);
}
