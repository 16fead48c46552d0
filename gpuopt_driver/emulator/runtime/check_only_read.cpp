// Arrays that a launch only reads; see emulator/only_read.py. Who has read them need not be remembered: nobody writes there.
#include "check_only_read.h"

#include <algorithm>
#include <string.h>

#include "check_block.h"
#include "settings.h"

namespace gpuopt_emu {

using surveys::Survey;

namespace {
struct Told {
  std::vector<uintptr_t> reads, stores;
};
enum { NOBODY, SOMEBODY, TOLD };
}  // namespace

bool begin_bases(Block *block, Survey *survey) {
  Grid &grid = *block->grid;
  int nobody = NOBODY;
  if (!checking || !settings().surveys || block->started) return false;
  if (!grid.only_read.told.compare_exchange_strong(nobody, SOMEBODY)) return false;
  survey->stage = Survey::BASES;
  survey->work = new Told;
  return true;
}

void Survey::reads(const volatile void *array) { static_cast<Told *>(work)->reads.push_back((uintptr_t)array); }
void Survey::stores(const volatile void *array) { static_cast<Told *>(work)->stores.push_back((uintptr_t)array); }

void end_bases(Block *block, Survey *survey) {
  Told *const told = static_cast<Told *>(survey->work);
  OnlyRead &found = block->grid->only_read;
  const auto is_of = [](const Piece &piece, uintptr_t address) { return address - piece.base < piece.bytes; };
  // Wherever a pointer that is not known may lead, nothing is only read.
  bool known = true;
  std::vector<Piece> stored;
  for (const uintptr_t address : told->stores) {
    stored.push_back(Piece());
    known = known && (!address || piece_at(address, &stored.back()));
  }
  for (const uintptr_t address : told->reads) {
    Piece piece;
    if (!known || found.count == OnlyRead::MOST || !piece_at(address, &piece) || !piece.by_host) continue;
    if (std::any_of(stored.begin(), stored.end(), [&](const Piece &one) { return is_of(one, piece.base) || is_of(piece, one.base); }))
      continue;
    const auto same = [&](const Piece &one) { return one.base == piece.base; };
    if (std::none_of(found.at, found.at + found.count, same)) found.at[found.count++] = piece;
  }
  delete told;
  found.told = TOLD;
  block->check->only_read = only_read_by(*block->grid);
  survey->stage = Survey::START;
}

OnlyRead *only_read_by(Grid &grid) { return grid.only_read.told == TOLD && grid.only_read.count ? &grid.only_read : nullptr; }

void is_written(OnlyRead *arrays) {
  const unsigned count = arrays->count;
  arrays->count = 0;
  for (unsigned i = 0; i < count; ++i) end_quiet(arrays->at[i].base, arrays->at[i].bytes);
}

}  // namespace gpuopt_emu
