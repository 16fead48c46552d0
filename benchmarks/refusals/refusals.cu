// What CUDA's runtime answers where it refuses something: one line per case on standard output.
//
//     nvcc -arch=sm_90 -std=c++17 refusals.cu -o refusals && ./refusals
//
// NAME: CALL last=ERROR sync=ERROR usable=yes|no [what else the case tells]. CALL is what the call in question returned,
// `last` what cudaGetLastError() said behind it, `sync` what cudaDeviceSynchronize() did; then a kernel and a copy show
// whether the context can be used. A case that ends its process is told as `signal N`, one that takes too long as
// `time`; the cases behind it run in a new process. `./refusals NAME` runs one case.
#include "cases.h"
#include "launches.h"
#include "launch_attributes.h"
#include "copies.h"
#include "memory.h"
#include "streams.h"
#include "sticky.h"

#include <csignal>
#include <ctime>
#include <sys/resource.h>
#include <sys/wait.h>

const size_t STRANDS = 4;
const int ALL_SECONDS = 55, CASE_SECONDS = 8, CONTEXT_LOST = 3;

static bool prepare()
{
    host = (char *)calloc(SMALL, 1);
    host_other = (char *)calloc(SMALL, 1);
    cudaStreamCreate(&stream);
    cudaMalloc(&device, SMALL);
    cudaMalloc(&other, SMALL);
    cudaMalloc(&large, LARGE);
    cudaMallocHost(&pinned, SMALL);
    cudaMallocManaged(&managed, SMALL);
    cudaMemset(device, 0, SMALL);
    cudaMemset(large, 0, LARGE);
    return cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess;
}

static bool usable()
{
    static int *probe = nullptr;
    int value = 0;
    if (!probe && cudaMalloc(&probe, sizeof(int)) != cudaSuccess) return false;
    mark<<<1, 1>>>(probe, 12345);
    if (cudaGetLastError() != cudaSuccess) return false;
    return cudaMemcpy(&value, probe, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess && value == 12345;
}

// Uses what is no more, which may leave anything behind.
static bool is_risky(const char *name)
{
    for (const char *word : {"destroyed", "wrong", "twice", "as_stream", "stream_address"})
        if (strstr(name, word)) return true;
    return false;
}

// False where what follows needs another process.
static bool run(const Case &one)
{
    note.clear();
    alarm(CASE_SECONDS);
    printf("%s: ", one.name);
    fflush(stdout);
    const cudaError_t status = one.run(), last = cudaGetLastError(), sync = cudaDeviceSynchronize();
    cudaGetLastError();
    const bool whole = usable();
    printf("%s last=%s sync=%s usable=%s%s%s\n", cudaGetErrorName(status), cudaGetErrorName(last), cudaGetErrorName(sync),
           whole ? "yes" : "no", note.empty() ? "" : " ", note.c_str());
    fflush(stdout);
    alarm(0);
    return whole && !is_risky(one.name);
}

// Every STRANDS-th case from `at` on, and in a pipe the number of each before it runs.
static int run_from(size_t at, int told)
{
    if (!prepare()) {
        fprintf(stderr, "refusals: no usable device\n");
        return 1;
    }
    for (; at < cases().size(); at += STRANDS) {
        if (write(told, &at, sizeof at) != sizeof at) return 1;
        if (!run(cases()[at])) _exit(CONTEXT_LOST);
    }
    _exit(0);
}

static pid_t start(const char *program, size_t from, const int (&ends)[2])
{
    const pid_t child = fork();
    if (child) return child;
    close(ends[0]);
    const rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    execl("/proc/self/exe", program, "--from", std::to_string(from).c_str(), std::to_string(ends[1]).c_str(), (char *)nullptr);
    _exit(127);
}

// One of several strands of processes that run beside each other, each with its share of the cases.
static int run_strand(const char *program, size_t first)
{
    const time_t begin = time(nullptr);
    for (size_t next = first; next < cases().size();) {
        int ends[2], status = 0;
        if (time(nullptr) - begin > ALL_SECONDS - CASE_SECONDS || pipe(ends)) return 1;
        const pid_t child = start(program, next, ends);
        close(ends[1]);
        size_t current = cases().size();
        for (size_t at; read(ends[0], &at, sizeof at) == sizeof at;) current = at;
        close(ends[0]);
        waitpid(child, &status, 0);
        if (current == cases().size()) return 1;
        if (WIFEXITED(status) && !WEXITSTATUS(status)) return 0;
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) printf("time\n");
        else if (WIFSIGNALED(status)) printf("signal %d\n", WTERMSIG(status));
        else if (WEXITSTATUS(status) != CONTEXT_LOST) printf("exit %d\n", WEXITSTATUS(status));
        fflush(stdout);
        next = current + STRANDS;
    }
    return 0;
}

static int run_all(const char *program)
{
    FILE *outputs[STRANDS];
    pid_t strands[STRANDS];
    for (size_t i = 0; i < STRANDS; ++i) {
        outputs[i] = tmpfile();
        if (!outputs[i]) return 1;
        strands[i] = fork();
        if (strands[i]) continue;
        dup2(fileno(outputs[i]), STDOUT_FILENO);
        exit(run_strand(program, i));
    }
    int all = 0;
    for (const pid_t strand : strands) {
        int status = 0;
        waitpid(strand, &status, 0);
        all |= status;
    }
    for (FILE *output : outputs) rewind(output);
    char line[1000];
    for (size_t i = 0; i < cases().size(); ++i)
        if (fgets(line, sizeof line, outputs[i % STRANDS])) fputs(line, stdout);
        else printf("%s: not run\n", cases()[i].name);
    return all != 0;
}

int main(int count, char **arguments)
{
    if (count == 4 && !strcmp(arguments[1], "--from")) return run_from(strtoul(arguments[2], nullptr, 10), atoi(arguments[3]));
    if (count == 1) return run_all(arguments[0]);
    if (!prepare()) return 1;
    for (const Case &one : cases())
        if (!strcmp(one.name, arguments[1])) {
            run(one);
            return 0;
        }
    fprintf(stderr, "refusals: no case %s\n", arguments[1]);
    return 2;
}
