// Invalid memory accesses of device threads: reported with kernel, block and thread, and the launch fails.
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "driver_types.h"
#include "gpuopt_emu/block.h"
#include "settings.h"
#include "worker.h"

namespace gpuopt_emu {

static const size_t SIGNAL_STACK = 64 * 1024;
static struct sigaction before_segv, before_bus;

static void on_fault(int signal, siginfo_t *info, void *) {
  if (Fiber *me = current) {
    Block *block = me->block;
    if (!block->exact && !block->suspended && block->started == block->threads) {
      // Perhaps in a loop that does not say which thread it is at: once more, to see.
      block->exact = block->again = true;
      switch_fiber(me, &block->room->worker->home);
    }
    const char *address = static_cast<char *>(info->si_addr);
    if (address < me->stack && address >= me->stack - 4096)
      fail(cudaErrorIllegalAddress, "stack overflow: more than %zu bytes (GPUOPT_EMU_STACK_KB)", settings().stack_bytes);
    fail(cudaErrorIllegalAddress, "invalid access to address %p", (const void *)address);
  }
  sigaction(signal, signal == SIGSEGV ? &before_segv : &before_bus, nullptr);  // the program's own affair: again
}

void *catch_faults_on_this_thread() {
  void *memory = mmap(nullptr, SIGNAL_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = SIGNAL_STACK;
  sigaltstack(&stack, nullptr);
  static const bool installed = [] {
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSEGV, &action, &before_segv);
    sigaction(SIGBUS, &action, &before_bus);
    answer_divisions();
    return true;
  }();
  (void)installed;
  return memory;
}

void release_signal_stack(void *memory) {
  if (!memory) return;
  stack_t off = {};
  off.ss_flags = SS_DISABLE;
  sigaltstack(&off, nullptr);
  munmap(memory, SIGNAL_STACK);
}

}  // namespace gpuopt_emu
