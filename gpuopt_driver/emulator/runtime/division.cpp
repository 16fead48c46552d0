// Divisions of whole numbers that a processor refuses, and a GPU does not: by 0, and of the least number by -1. On x86-64 they
// are signals, and get here the results that an H200 gives; CUDA leaves these open. An aarch64 processor has results of its own.
#include <signal.h>
#include <stdint.h>
#include <string.h>
#ifdef __x86_64__
#include <ucontext.h>
#endif

#include "gpuopt_emu/block.h"
#include "worker.h"

namespace gpuopt_emu {

static struct sigaction before_fpe;

#ifdef __x86_64__
// `div` or `idiv` of dx:ax, or of ax where the operand is a byte.
struct Division {
  unsigned bytes;  // of its operand; 0: it is no such instruction
  bool is_signed;
  uint64_t divisor;
  const uint8_t *next;  // the instruction behind
};
static uint64_t ones(unsigned bytes) { return ~0ull >> (64 - 8 * bytes); }

static greg_t &number(gregset_t &all, int register_number) {
  static const int places[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                               REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return all[places[register_number]];
}

static Division decoded(gregset_t &all) {
  const uint8_t *at = reinterpret_cast<const uint8_t *>(all[REG_RIP]);
  const bool half = *at == 0x66;
  at += half;
  uint8_t rex = 0;
  if ((*at & 0xf0) == 0x40) rex = *at++;
  const uint8_t opcode = *at++, form = *at++;
  const int mode = form >> 6, kind = form >> 3 & 7, low = form & 7;
  if ((opcode != 0xf6 && opcode != 0xf7) || kind < 6) return {0, false, 0, nullptr};
  const unsigned bytes = opcode == 0xf6 ? 1 : rex & 8 ? 8 : half ? 2 : 4;
  Division made = {bytes, kind == 7, 0, nullptr};
  if (mode == 3) {
    const bool high = bytes == 1 && !rex && low >= 4;  // ah, ch, dh, bh
    made.divisor = (uint64_t)number(all, high ? low - 4 : low | (rex & 1) << 3) >> (high ? 8 : 0) & ones(bytes);
    made.next = at;
    return made;
  }
  uint64_t address = 0;
  bool far_off = mode == 2, relative = false;
  if (low == 4) {  // a byte with scale, index and base follows
    const uint8_t scaled = *at++;
    const int index = (scaled >> 3 & 7) | (rex & 2) << 2, base = scaled & 7;
    if (index != 4) address = (uint64_t)number(all, index) << (scaled >> 6);
    if (base == 5 && mode == 0) far_off = true;
    else address += (uint64_t)number(all, base | (rex & 1) << 3);
  } else if (low == 5 && mode == 0) {
    far_off = relative = true;
  } else {
    address = (uint64_t)number(all, low | (rex & 1) << 3);
  }
  int32_t offset = 0;
  if (far_off) memcpy(&offset, at, 4), at += 4;
  else if (mode == 1) offset = (int8_t)*at++;
  if (relative) address = (uint64_t)(uintptr_t)at;
  made.next = at;
  memcpy(&made.divisor, reinterpret_cast<const void *>(address + (int64_t)offset), bytes);
  return made;
}

// Puts a GPU's results into the registers and goes on behind the instruction; false if it is no such one.
static bool answered(void *context) {
  gregset_t &all = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
  const Division division = decoded(all);
  const unsigned bytes = division.bytes;
  if (!bytes) return false;
  const uint64_t dividend = (uint64_t)all[REG_RAX] & ones(bytes), kept = bytes < 4 ? ~ones(bytes) : 0;
  uint64_t quotient = dividend, rest = 0;  // by -1, where the quotient is not one of its type
  if (division.divisor == 0) quotient = rest = bytes == 8 && !(dividend >> 32) ? ones(4) : ones(bytes);
  else if (!division.is_signed || division.divisor != ones(bytes)) return false;
  if (bytes == 1) {
    all[REG_RAX] = (greg_t)(((uint64_t)all[REG_RAX] & ~0xffffull) | rest << 8 | quotient);
  } else {
    all[REG_RAX] = (greg_t)(((uint64_t)all[REG_RAX] & kept) | quotient);
    all[REG_RDX] = (greg_t)(((uint64_t)all[REG_RDX] & kept) | rest);
  }
  all[REG_RIP] = (greg_t)(uintptr_t)division.next;
  return true;
}
#else
static bool answered(void *) { return false; }
#endif

static void on_division(int, siginfo_t *info, void *context) {
  if (current && info->si_code > 0 && answered(context)) return;
  sigaction(SIGFPE, &before_fpe, nullptr);  // the program's own affair: again
}

void answer_divisions() {
  struct sigaction action = {};
  action.sa_sigaction = on_division;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(SIGFPE, &action, &before_fpe);
}

}  // namespace gpuopt_emu
