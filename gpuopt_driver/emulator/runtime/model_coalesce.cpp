#include "model_coalesce.h"

#include <string.h>

namespace gpuopt_emu {

static unsigned sectors_between(uintptr_t first, uintptr_t last) {  // both in one line
  const unsigned from = first >> SECTOR_SHIFT & 3, to = last >> SECTOR_SHIFT & 3;
  return (15u >> (3 - to)) & (15u << from) & 15u;
}

static unsigned scattered(const uintptr_t *address, unsigned count, unsigned bytes, Part *parts) {
  uint64_t lines[MOST_PARTS];
  unsigned char sectors[MOST_PARTS], covered[MOST_PARTS][4];
  unsigned n = 0, at = 0;
  uint64_t highest = 0;
  const auto add = [&](uintptr_t start, unsigned size) {
    const uint64_t line = start >> LINE_SHIFT;
    if (!n || lines[at] != line) {
      at = line > highest ? n : 0;
      while (at < n && lines[at] != line) ++at;
      if (at == n) {
        if (line > highest) highest = line;
        lines[n] = line;
        sectors[n] = 0;
        memset(covered[n], 0, 4);
        ++n;
      }
    }
    const unsigned s = start >> SECTOR_SHIFT & 3;
    sectors[at] |= (unsigned char)(1u << s);
    if (covered[at][s] < 128) covered[at][s] = (unsigned char)(covered[at][s] + size);
  };
  for (unsigned i = 0; i < count; ++i) {
    const unsigned head = 32 - (unsigned)(address[i] & 31);
    add(address[i], head < bytes ? head : bytes);
    if (head < bytes) add(address[i] + head, bytes - head);
  }
  for (unsigned i = 0; i < n; ++i) {
    unsigned full = 0;
    for (unsigned s = 0; s < 4; ++s)
      if (covered[i][s] >= 32) full |= 1u << s;
    parts[i] = make_part(lines[i], sectors[i], full);
  }
  return n;
}

static unsigned by_sectors(const uintptr_t *address, unsigned count, unsigned bytes, Part *parts) {
  uintptr_t apart = 0, other = 0;
  const auto look = [&](unsigned to) {
    for (unsigned i = 1; i < to; ++i) {
      apart |= (address[i] - address[i - 1]) ^ bytes;
      other |= address[i] ^ address[i - 1];
    }
  };
  if (count == 32) look(32);  // most are of whole warps, which a compiler does better with
  else look(count);
  if (!other) return one_range(address[0], address[0] + bytes, parts);
  if (!apart) return one_range(address[0], address[count - 1] + bytes, parts);
  return scattered(address, count, bytes, parts);
}

// Compute capability 1.2 and 1.3: each half of a warp asks for aligned segments of 32, 64 or 128 bytes, chosen by the
// size of what a thread accesses, and reduced while only one half of a segment is used.
static unsigned half_warp_segments(const uintptr_t *address, unsigned count, unsigned bytes, Part *parts) {
  const uintptr_t largest = bytes == 1 ? 32 : bytes == 2 ? 64 : 128;
  uint32_t left = count == 32 ? ~0u : (1u << count) - 1;
  unsigned n = 0;
  while (left) {
    const uintptr_t start = address[__builtin_ctz(left)] & ~(largest - 1);
    uintptr_t low = ~(uintptr_t)0, high = 0;
    for (uint32_t rest = left; rest; rest &= rest - 1) {
      const unsigned i = (unsigned)__builtin_ctz(rest);
      if ((address[i] & ~(largest - 1)) != start) continue;
      left &= ~(1u << i);
      if (address[i] < low) low = address[i];
      if (address[i] + bytes - 1 > high) high = address[i] + bytes - 1;
    }
    uintptr_t size = largest, from = start;
    while (size > 32 && (low & ~(size / 2 - 1)) == (high & ~(size / 2 - 1))) {
      size /= 2;
      from = low & ~(size - 1);
    }
    if (n < MOST_PARTS)
      parts[n++] = make_part(from >> LINE_SHIFT, sectors_between(from, from + size - 1), 0);
  }
  return n;
}

unsigned coalesce(Coalescing how, const uintptr_t *address, unsigned count, uint32_t lanes, unsigned bytes, Part *parts) {
  if (how != Coalescing::half_warp) return by_sectors(address, count, bytes, parts);
  const unsigned first = (unsigned)__builtin_popcount(lanes & 0xffff);
  unsigned n = first ? half_warp_segments(address, first, bytes, parts) : 0;
  if (count > first) n += half_warp_segments(address + first, count - first, bytes, parts + n);
  return n;
}

// Of the lanes [from, to): the most different words that one bank is asked for.
static unsigned worst_bank(unsigned banks, const uintptr_t *address, unsigned from, unsigned to, unsigned bytes) {
  uintptr_t words[32 * 4];
  unsigned char depth[32] = {}, n = 0, worst = 1;
  for (unsigned i = from; i < to; ++i)
    for (unsigned offset = 0; offset < bytes; offset += 4) {
      const uintptr_t word = (address[i] + offset) >> 2;
      unsigned k = 0;
      while (k < n && words[k] != word) ++k;
      if (k < n) continue;
      words[n++] = word;
      const unsigned char now = ++depth[word % banks];
      if (now > worst) worst = now;
    }
  return worst;
}

unsigned bank_passes(unsigned banks, const uintptr_t *address, unsigned count, uint32_t lanes, unsigned bytes) {
  // Lanes that one access serves: as many as there are banks for.
  const unsigned width = bytes <= 4 ? banks : banks * 4 / bytes;
  uintptr_t apart = 0, other = 0;
  for (unsigned i = 1; i < count; ++i) {
    apart |= (address[i] - address[i - 1]) ^ bytes;
    other |= address[i] ^ address[i - 1];
  }
  if (!other) return 1;
  unsigned passes = 0, from = 0;
  for (unsigned first = 0; first < 32; first += width) {
    const uint32_t group = width >= 32 ? ~0u : ((1u << width) - 1) << first;
    const unsigned to = from + (unsigned)__builtin_popcount(lanes & group);
    if (to == from) continue;
    passes += apart && bytes >= 4 ? worst_bank(banks, address, from, to, bytes)
              : apart             ? worst_bank(banks, address, from, to, 4)
                                  : 1;
    from = to;
  }
  return passes;
}

unsigned different_words(const uintptr_t *address, unsigned count) {
  unsigned n = 0;
  for (unsigned i = 0; i < count; ++i) {
    unsigned k = 0;
    while (k < i && address[k] >> 2 != address[i] >> 2) ++k;
    n += k == i;
  }
  return n;
}

}  // namespace gpuopt_emu
