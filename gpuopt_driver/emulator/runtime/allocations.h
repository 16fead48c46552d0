// What the program has allocated: one list of device, host and managed memory, to judge pointers by.
#ifndef GPUOPT_EMU_ALLOCATIONS_H
#define GPUOPT_EMU_ALLOCATIONS_H

#include "state.h"

namespace gpuopt_emu {

struct Allocation {
  char *base;
  size_t bytes;
  cudaMemoryType type;
  unsigned flags;             // of cudaHostAlloc, cudaMallocManaged, cudaHostRegister
  unsigned long long number;  // counts allocations from 1
  bool registered;            // not ours to give back: the program's own, by cudaHostRegister, or mapped
  bool live;                  // false: a graph's memory between its free and its next alloc
};

enum : unsigned { GRAPH_MEMORY = 1u << 31 };  // flag of memory that belongs to a graph

// Memory aligned to 512 bytes. The error is not recorded.
cudaError_t allocate(size_t bytes, cudaMemoryType type, unsigned flags, Allocation *made);
// What was allocated at exactly this address is given back, if it is of a type that `wanted` accepts.
enum class Wanted { device_or_managed, host };
cudaError_t release(void *pointer, Wanted wanted);
// The same as cudaFree and cudaFreeHost do it, but without waiting for anything.
cudaError_t take_back(void *pointer, Wanted wanted);
// A graph's memory stays where it is while the graph lives.
void set_live(void *pointer, bool live);

// The allocation that holds the address. False, with *found untouched, if there is none.
bool allocation_at(const void *address, Allocation *found);
// Whether `bytes` from the address on are inside its allocation, where it has one that we know.
bool fits(const void *address, size_t bytes);
// Whether the device has it: allocated, registered, or a variable, which is somewhere in the program's static data, as
// the program's own are. Of what a kernel does, and of thrust's vectors, it is not known: true.
bool is_devices(const void *address);
void each_allocation(void (*visit)(const Allocation &allocation, void *data), void *data);

cudaError_t add_registered(void *pointer, size_t bytes, unsigned flags);
cudaError_t remove_registered(void *pointer);
// A variable of the device's; nothing is told to check and model mode, which know it otherwise. False where the program
// has no variable there.
bool add_variable(const void *address, size_t bytes);

// Memory of mappings.cpp, which is taken and mapped apart. `written`: something may be in it already.
bool take_physical(size_t bytes);
void give_physical(size_t bytes);
void add_mapped(char *base, size_t bytes, cudaMemoryType type, bool written);
void remove_mapped(char *base);

// Forgets what was said of managed memory's pages.
void forget_advice(const void *pointer, size_t bytes);
// Tells the memory's pool, if it came from one, that it was freed.
void left_pool(void *pointer, size_t bytes);

size_t capacity();       // bytes that this machine has
size_t memory_of_gpu();  // bytes that the GPU is said to have
size_t available();      // of these, what can still be had here
size_t red_zone_bytes();  // kept free before and after each allocation; 0 unless accesses are checked

}  // namespace gpuopt_emu

#endif
