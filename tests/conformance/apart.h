// Parts of a program, each in a process of its own: none finds what another has left behind, and one that dies ends alone.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

template <class Part> static void run_apart(const char *name, Part part)
{
    printf("== %s\n", name);
    fflush(stdout);
    const pid_t child = fork();
    if (!child) {
        alarm(100);
        part();
        fflush(stdout);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) printf("!! %s died of signal %d\n", name, WTERMSIG(status));
    else if (status) printf("!! %s ended with %d\n", name, WEXITSTATUS(status));
    fflush(stdout);
}
#define SECTION(part) run_apart(#part, part)
