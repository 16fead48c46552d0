// Bytes of many streams at once, in a temporary file: memory does not grow with what warps do between two ends of blocks.
#ifndef GPUOPT_EMU_TRACE_SPOOL_H
#define GPUOPT_EMU_TRACE_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include <string>

namespace gpuopt_emu {

// A stream's chunks in the file, each of which begins with the number of the next one.
struct Chain {
  static const uint64_t NONE = ~0ull;
  uint64_t first = NONE, last = NONE, bytes = 0;
};

class Spool {
 public:
  static const size_t CHUNK = 4096, ROOM = CHUNK - sizeof(uint64_t);

  // `directory`: where the file is, which has no name there.
  void open(const std::string &directory);
  void close();
  // Up to ROOM bytes more; only a stream's last piece may be shorter.
  void append(Chain &chain, const unsigned char *bytes, size_t count);
  // The chunk's bytes into `to` (ROOM of them); returns the next chunk.
  uint64_t read(uint64_t chunk, unsigned char *to) const;
  // The chunks may hold something else from now on.
  void release(const Chain &chain);

 private:
  void set_next(uint64_t chunk, uint64_t next);

  int file_ = -1;
  uint64_t chunks_ = 0, free_ = Chain::NONE;
};

}  // namespace gpuopt_emu

#endif
