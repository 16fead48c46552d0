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

void forget_instructions() {
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

}  // namespace gpuopt_emu
