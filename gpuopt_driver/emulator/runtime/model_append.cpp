#include "model_append.h"

#include <string.h>

#include <algorithm>

#include "model_barrier_work.h"
#include "model_replay.h"
#include "model_work.h"
#include "state.h"
#include "trace.h"

namespace gpuopt_emu {

static unsigned appended_banks;
static bool constant_operands;
static Coalescing appended_coalescing;
static const unsigned MOST_WORDS = 1024;  // before they are copied to the queue
static const size_t MUCH = 1024;  // such a warp takes shorter windows, which holds memory down
static uint64_t appended[MOST_WORDS + MOST_WORDS_OF_ONE + MOST_WORDS_OF_WORK];

void begin_appending(Coalescing how, unsigned banks) {
  appended_coalescing = how;
  appended_banks = banks;
  forget_instructions();
  forget_barriers();
  constant_operands = model_figures[&gpu() - gpus].constant_operands;
}

Appender::Appender(ModelWarp *warp)
    : warp_(warp), stack_((uintptr_t)warp->lanes[0]->stack), stack_bytes_(warp->lanes[0]->stack_bytes),
      shared_((uintptr_t)warp->block->block->shared), shared_bytes_(warp->block->block->shared_bytes),
      current_((uintptr_t)&current), current_block_((uintptr_t)&current_block), end_(appended) {}

Appender::~Appender() {
  flush();
  warp_->accessed_much = accessed_ > MUCH;
}

void Appender::begin_window() {
  warp_->accessed_much = accessed_ > MUCH;
  accessed_ = 0;
  *end_++ = WINDOW_ENDS;
}

void Appender::pause(unsigned cycles) {
  WarpInstruction instruction = {};
  instruction.space = Space::nothing;
  instruction.before = (uint16_t)cycles;
  uint16_t recent = 0;
  end_ = put_instruction(instruction, &recent, end_);
}

// Of a loop of which a device compiler makes so many turns one: all that they load is there before the next ones begin.
void Appender::end_turn(unsigned of) {
  if (++warp_->turns_ended % of) return;
  accessed_ += 2;
  pause(0);
  if (end_ > appended + MOST_WORDS) flush();
}

size_t Appender::queued() const { return warp_->queue.size() + (size_t)(end_ - appended); }

void Appender::flush() {
  warp_->queue.insert(warp_->queue.end(), appended, end_);
  end_ = appended;
}

static uint64_t key_of(const Touch &touch, uint32_t lanes, const Addresses &a) {
  const uint64_t factor = Recent::FACTOR;
  uint64_t key = a.at[0] * factor + lanes + ((uint64_t)touch.bytes() << 32);
  if (!a.all) return (key ^ key >> 29) * factor + a.step;
  for (unsigned i = 1; i < a.count; ++i) key = (key ^ key >> 29) * factor + a.at[i];
  return key;
}

inline bool Appender::is_in_register(const Touch &touch, uint32_t lanes, const Addresses &a, uintptr_t array) {
  if (__builtin_expect(!is_strong(touch.kind()), 1))
    return warp_->recent.holds(key_of(touch, lanes, a), (uint32_t)(uintptr_t)touch.pc, array, touch.kind() == Access::write);
  warp_->recent.clear();
  return false;
}

// What is no access goes with the warp's next instruction.
inline void Appender::take_along(const CodeSite &site, unsigned more) {
  warp_->work_before = std::min(warp_->work_before + site.before + more, 0xffffu);
  warp_->flops_before += site.flops;
}

static inline unsigned transactions(Addresses &a, uint32_t lanes, unsigned bytes, Part *parts) {
  if (!a.all && appended_coalescing != Coalescing::half_warp) {
    if (!a.step) return one_range(a.at[0], a.at[0] + bytes, parts);
    if (a.step == bytes) return one_range(a.at[0], a.at[0] + a.count * bytes, parts);
    const bool aligned = bytes <= 16 && !(bytes & (bytes - 1)) && !((a.at[0] | a.step) & (bytes - 1));
    if (aligned && a.step >= 1 << LINE_SHIFT && a.step < 1ull << 40) return one_line_each(a.at[0], a.step, a.count, parts);
  }
  a.spell_out();
  return coalesce(appended_coalescing, a.at, a.count, lanes, bytes, parts);
}

// An instruction with such an operand is issued again for each other word, one right after the other.
__attribute__((noinline)) void Appender::repeat(const CodeSite &site, unsigned times, unsigned lanes) {
  WarpInstruction instruction = {};
  instruction.space = Space::nothing;
  instruction.passes = REPEATS;
  instruction.source = site.source;
  instruction.before = (uint16_t)times;
  instruction.lanes = (unsigned char)lanes;
  uint16_t recent = 0;
  accessed_ += 2;
  end_ = put_instruction(instruction, &recent, end_);
  if (end_ > appended + MOST_WORDS) flush();
}

// What the warp computed since its last access, which was in front of a barrier, becomes an instruction of its own.
__attribute__((noinline)) void Appender::compute_behind(WarpInstruction &instruction) {
  Part parts[MOST_PARTS];
  memcpy(parts, end_ + 3, instruction.parts * sizeof(Part));
  end_ = put_work_behind(instruction, warp_->barrier, end_);
  memcpy(end_ + 3, parts, instruction.parts * sizeof(Part));
  instruction.before = 0;
  warp_->barrier = 0;
}

void Appender::use_shared(WarpInstruction &instruction, CodeSite &site, const Touch &first, uint32_t lanes, Addresses &a) {
  const uint32_t all = a.count == 32 ? ~0u : (1u << a.count) - 1;
  instruction.space = Space::shared;
  a.shift(-shared_);
  a.spell_out();
  instruction.passes = (unsigned char)bank_passes(appended_banks, a.at, a.count, lanes, first.bytes());
  instruction.ideal = (unsigned char)std::max(1u, first.bytes() * (unsigned)__builtin_popcount(all) / (4 * appended_banks));
  if (instruction.ideal > instruction.passes) instruction.ideal = instruction.passes;
  if (site.space != Space::shared || site.source == ~0u) {
    site.space = Space::shared;
    site.first = site.last = 0;
    site.source = source_of(first.spot, -1, Space::shared);
  }
  instruction.source = site.source;
}

// The line of a part in one sector, and that sector too where all lanes access one aligned word, which is in one.
static inline uint64_t place_word(uintptr_t start, uintptr_t step) {
  const uint64_t line = (uint64_t)(start >> LINE_SHIFT) << 8;
  return step ? line : line | 1u << (start >> SECTOR_SHIFT & 3);
}

// What must be the same for the same to come of it: where in its line the first lane is, or, in one aligned word, nothing.
static inline unsigned offset_of(uintptr_t start, uintptr_t step, unsigned bytes) {
  return (unsigned)(start & (step ? 127 : bytes - 1));
}

// The same as `site` did lately in another line, if it is that.
inline bool Appender::add_again(const CodeSite &site, const Touch &first, uint32_t lanes, const Addresses &a) {
  const CodeSite::Again &again = site.again;
  const uintptr_t start = a.at[0] + site.shift;
  if (!again.parts || a.all || again.step != a.step || again.what != first.what >> 48 || again.lanes != lanes ||
      again.offset != offset_of(start, a.step, first.bytes()) || brings_more())
    return false;
  const uint64_t place = place_word(start, a.step);
  end_[0] = again.words[0] + place;
  end_[1] = again.words[1] + place;
  accessed_ += 2u + again.parts;
  end_ += again.parts;
  if (__builtin_expect(end_ > appended + MOST_WORDS, 0)) flush();
  return true;
}

// What add_again() may do from now on; the addresses have been shifted. `words` were written for it.
inline void Appender::remember(CodeSite &site, const Touch &first, uint32_t lanes, const Addresses &a, const uint64_t *words,
                               unsigned parts) {
  const unsigned bytes = first.bytes(), offset = offset_of(a.at[0], a.step, bytes);
  const bool one_word = bytes <= 16 && !(bytes & (bytes - 1)) && !offset;
  if (!parts || parts > 2 || (!a.step && !one_word) || *words >> NUMBER_SHIFT == OTHER) return;
  const uint64_t place = place_word(a.at[0], a.step);
  site.again = CodeSite::Again{a.step, lanes, (uint16_t)(first.what >> 48), (unsigned char)offset, (unsigned char)parts,
                               {words[0] - place, parts == 2 ? words[1] - place : 0}};
}

void Appender::add(const Touch &first, uint32_t lanes, Addresses &a) {
  const uintptr_t start = first.address();
  if (start - stack_ < stack_bytes_) return;  // what a GPU keeps in registers
  if (start - (uintptr_t)warp_->lanes[__builtin_ctz(lanes)] < sizeof(Lane)) return;  // threadIdx: g++ 16
  if (start == current_ || start == current_block_) {
    if (first.spot == &turns_of_loops) end_turn(first.bytes());
    return;
  }
  CodeSite &site = site_of(first.pc, first.spot);
  if (site.after != warp_->last_pc || !site.looked_at) look_at_work(site, warp_->last_pc), site.again.parts = 0;
  warp_->last_pc = first.pc;
  WarpInstruction instruction = {};
  instruction.kind = first.kind();
  instruction.lanes = (unsigned char)a.count;
  instruction.with = is_strong(first.kind()) ? Operator::cv : site.with;
  if (start - shared_ < shared_bytes_) {
    if (__builtin_expect(rehearsal != nullptr, 0)) rehearsal->accesses(a, queued(), true, site);
    use_shared(instruction, site, first, lanes, a);
  } else {
    if (start < site.first || start >= site.last) {
      if (start - (uintptr_t)warp_->block->block < sizeof(Block)) return;  // the runtime's own: g++ gives loads that it moves no line
      find_array(site, start), site.again.parts = 0;
    }
    if (__builtin_expect(rehearsal != nullptr, 0)) rehearsal->accesses(a, queued(), false, site);
    const bool in_register = is_in_register(first, lanes, a, site.first);
    if (!in_register && add_again(site, first, lanes, a)) return;
    instruction.space = site.space;
    instruction.source = site.source;
    if (site.shift) a.shift(site.shift);
    if (tracing) a.spell_out();
    if (site.space == Space::constant) {  // which always hits: it takes its turn with the warp's next instruction
      if (a.step) a.spell_out();
      ++sources()[site.source].counters.of[constant_requests];
      const unsigned words = a.all ? different_words(a.at, a.count) : 1;
      take_along(site, constant_operands ? 0 : words);
      if (constant_operands && words > 1) repeat(site, words - 1, a.count);
      if (tracing) trace_access(warp_, site, first.kind(), first.bytes(), instruction.space, lanes, a.at);
      return;
    }
    if (in_register) return take_along(site, 0);
    instruction.parts = (unsigned char)transactions(a, lanes, first.bytes(), end_ + 3);
    instruction.passes = (unsigned char)std::min(all_sectors(end_ + 3, instruction.parts), (unsigned)MANY_SECTORS);
  }
  if (tracing) trace_access(warp_, site, first.kind(), first.bytes(), instruction.space, lanes, a.at);
  instruction.before = (uint16_t)std::min(site.before + warp_->work_before, 0xffffu);
  instruction.flops = (uint16_t)std::min(site.flops + warp_->flops_before, 0xffffu);
  const bool alone = !a.all && !brings_more() && instruction.space != Space::shared && !tracing;
  warp_->work_before = warp_->flops_before = 0;
  if (__builtin_expect(warp_->barrier != 0, 0)) compute_behind(instruction);
  accessed_ += 2u + instruction.parts;
  uint64_t *const words = end_;
  end_ = put_instruction(instruction, &site.recent, end_);
  if (alone) remember(site, first, lanes, a, words, instruction.parts);
  if (__builtin_expect(end_ > appended + MOST_WORDS, 0)) flush();
}

}  // namespace gpuopt_emu
