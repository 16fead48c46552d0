#include "model_instruction.h"

#include <string.h>

#include <algorithm>
#include <map>
#include <utility>

namespace gpuopt_emu {

WarpInstruction numbered_instructions[WINDOWS];
static unsigned count_of_numbers;
typedef std::pair<uint64_t, uint64_t> Words;
static std::map<Words, uint16_t> numbers;

Issuing issuing[WINDOWS];

void add_issued(const WarpInstruction &what, uint64_t times) {
  Counters &counters = launch_sources[what.source].counters;
  const uint64_t slots = times * (what.before + 1u);
  counters.of[warp_instructions] += slots;
  counters.of[lane_instructions] += slots * what.lanes;
  counters.of[flops] += times * what.flops * what.lanes;
  if (what.space == Space::shared || what.space == Space::constant || writes(what.kind)) return;
  counters.of[load_requests] += times;
  if (what.passes == MANY_SECTORS) return;  // its load says how many
  counters.of[load_sectors] += times * what.passes;
  counters.of[load_hits] += times * what.passes;
}

void count_issued() {
  for (unsigned number = 0; number < count_of_numbers; ++number) {
    if (issuing[number].times) add_issued(numbered_instructions[number], issuing[number].times);
    issuing[number].times = 0;
  }
}

void forget_instructions() {
  std::fill_n(issuing, count_of_numbers, Issuing());
  count_of_numbers = 0;
  numbers.clear();
}

static __attribute__((noinline)) unsigned number_of(const WarpInstruction &instruction) {
  Words words;
  memcpy(&words.first, &instruction, sizeof words.first);
  memcpy(&words.second, reinterpret_cast<const char *>(&instruction) + sizeof words.first, sizeof words.second);
  const auto found = numbers.find(words);
  if (found != numbers.end()) return found->second;
  if (count_of_numbers == WINDOWS) return OTHER;
  numbered_instructions[count_of_numbers] = instruction;
  numbers.emplace(words, (uint16_t)count_of_numbers);
  return count_of_numbers++;
}

uint64_t *put_instruction(WarpInstruction instruction, uint16_t *recent, uint64_t *to) {
  const unsigned parts = instruction.parts;
  instruction.words = (unsigned char)std::max(parts, 1u);
  unsigned number = *recent;
  if (number >= count_of_numbers || memcmp(&numbered_instructions[number], &instruction, sizeof instruction))
    number = number_of(instruction);
  if (__builtin_expect(number == OTHER, 0)) {
    instruction.words = (unsigned char)(3 + parts);
    *to = (uint64_t)OTHER << NUMBER_SHIFT;
    memcpy(to + 1, &instruction, sizeof instruction);
    return to + instruction.words;
  }
  *recent = (uint16_t)number;
  const Part *const part = to + 3;
  to[0] = (uint64_t)number << NUMBER_SHIFT | (parts ? part[0] : 0);
  for (unsigned i = 1; i < parts; ++i) to[i] = part[i];
  return to + instruction.words;
}

uint32_t number_loads(uint64_t *words, size_t count, uint32_t numbers) {
  std::map<std::vector<uint64_t>, uint32_t> known;
  std::vector<uint64_t> lines;
  for (size_t at = 0; at < count;) {
    if (ends_window(words[at])) {
      ++at;
      continue;
    }
    const WarpInstruction &what = instruction_at(words + at).what;
    if (what.parts >= FEWEST_NUMBERED && reads(what.kind)) {
      unsigned sectors = 0;
      lines.clear();
      for (unsigned i = 0; i < what.parts; ++i) {
        lines.push_back(line_of(words[at + i]));
        sectors |= sectors_of(words[at + i]);
      }
      const auto found = known.emplace(lines, numbers + 1);
      if (found.second) ++numbers;
      put_number(words + at, NumberedLoad{found.first->second, sectors, false});
    }
    at += what.words;
  }
  return numbers;
}

}  // namespace gpuopt_emu
