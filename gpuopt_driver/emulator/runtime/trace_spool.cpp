#include "trace_spool.h"

#include <errno.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

#include "settings.h"

namespace gpuopt_emu {

void Spool::open(const std::string &directory) {
  std::string name = directory + "/.spool-XXXXXX";
  file_ = mkstemp(&name[0]);
  if (file_ < 0) fatal("GPUOPT_EMU_TRACE=%s: cannot write there: %s", directory.c_str(), strerror(errno));
  unlink(name.c_str());
  chunks_ = 0;
  free_ = Chain::NONE;
}

void Spool::close() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

void Spool::set_next(uint64_t chunk, uint64_t next) {
  if (pwrite(file_, &next, sizeof next, (off_t)(chunk * CHUNK)) != (ssize_t)sizeof next)
    fatal("a trace cannot be written: %s", strerror(errno));
}

void Spool::append(Chain &chain, const unsigned char *bytes, size_t count) {
  struct {
    uint64_t next;
    unsigned char bytes[ROOM];
  } piece;
  static_assert(sizeof piece == CHUNK, "a chunk of the file");
  uint64_t chunk = chunks_;
  if (free_ == Chain::NONE) {
    ++chunks_;
  } else {
    chunk = free_;
    free_ = read(chunk, piece.bytes);
  }
  piece.next = Chain::NONE;
  memcpy(piece.bytes, bytes, count);
  memset(piece.bytes + count, 0, ROOM - count);
  if (pwrite(file_, &piece, CHUNK, (off_t)(chunk * CHUNK)) != (ssize_t)CHUNK)
    fatal("a trace cannot be written: %s", strerror(errno));
  if (chain.last == Chain::NONE) chain.first = chunk;
  else set_next(chain.last, chunk);
  chain.last = chunk;
  chain.bytes += count;
}

uint64_t Spool::read(uint64_t chunk, unsigned char *to) const {
  uint64_t next;
  if (pread(file_, &next, sizeof next, (off_t)(chunk * CHUNK)) != (ssize_t)sizeof next ||
      pread(file_, to, ROOM, (off_t)(chunk * CHUNK + sizeof next)) != (ssize_t)ROOM)
    fatal("a trace cannot be read back: %s", strerror(errno));
  return next;
}

void Spool::release(const Chain &chain) {
  if (chain.first == Chain::NONE) return;
  set_next(chain.last, free_);
  free_ = chain.first;
}

}  // namespace gpuopt_emu
