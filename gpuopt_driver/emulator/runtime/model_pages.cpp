#include "model_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

namespace gpuopt_emu {

static const size_t LARGE_PAGE = 2 << 20, CHUNK = 16 << 20, LARGEST = 512 << 10, CLASSES = 40;

namespace {
struct Free {
  Free *next;
};
}  // namespace

// Pieces that were given back, by class of size; models run in one OS thread at a time.
static Free *returned[CLASSES];
static char *chunk, *chunk_end;

// Sixteen classes by 64 bytes, then powers of two.
static size_t class_of(size_t bytes, size_t *rounded) {
  if (bytes <= 1024) {
    *rounded = (bytes + 63) & ~(size_t)63;
    return *rounded / 64 - 1;
  }
  size_t which = 16;
  for (*rounded = 2048; *rounded < bytes; *rounded *= 2) ++which;
  return which;
}

static char *map_pages(size_t bytes) {
  void *memory = mmap(nullptr, bytes + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    fprintf(stderr, "gpuopt model: no memory (%zu bytes)\n", bytes);
    abort();
  }
  char *const start = reinterpret_cast<char *>(((size_t)memory + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1));
  if (start != memory) munmap(memory, (size_t)(start - static_cast<char *>(memory)));
  const size_t behind = LARGE_PAGE - (size_t)(start - static_cast<char *>(memory));
  if (behind) munmap(start + bytes, behind);
  madvise(start, bytes, MADV_HUGEPAGE);
  return start;
}

static size_t whole_pages(size_t bytes) { return (bytes + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1); }

void *take_memory(size_t bytes) {
  if (bytes > LARGEST) return map_pages(whole_pages(bytes));
  size_t rounded;
  const size_t which = class_of(bytes ? bytes : 1, &rounded);
  if (Free *const piece = returned[which]) {
    returned[which] = piece->next;
    return piece;
  }
  if ((size_t)(chunk_end - chunk) < rounded) {
    chunk = map_pages(CHUNK);
    chunk_end = chunk + CHUNK;
  }
  char *const piece = chunk;
  chunk += rounded;
  return piece;
}

void give_memory(void *memory, size_t bytes) {
  if (bytes > LARGEST) {
    munmap(memory, whole_pages(bytes));
    return;
  }
  size_t rounded;
  const size_t which = class_of(bytes ? bytes : 1, &rounded);
  Free *const piece = static_cast<Free *>(memory);
  piece->next = returned[which];
  returned[which] = piece;
}

}  // namespace gpuopt_emu
