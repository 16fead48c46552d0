// Sorting as radix sorts do it: stable, by some bits of the keys.
#ifndef GPUOPT_EMU_CUB_SORT_H
#define GPUOPT_EMU_CUB_SORT_H

#include <algorithm>
#include <string.h>
#include <type_traits>
#include <utility>
#include <vector>

namespace cub {
namespace detail {

template <size_t Bytes> struct Word;
template <> struct Word<1> { typedef unsigned char type; };
template <> struct Word<2> { typedef unsigned short type; };
template <> struct Word<4> { typedef unsigned type; };
template <> struct Word<8> { typedef unsigned long long type; };

// A number whose order is the key's. Of floating-point types, among them half and bfloat16, both zeros are equal.
template <class Key> unsigned long long sortable(const Key &key) {
  typedef typename Word<sizeof(Key)>::type Bits;
  Bits bits;
  __builtin_memcpy(&bits, &key, sizeof key);
  const Bits sign = (Bits)((Bits)1 << (sizeof(Key) * 8 - 1));
  if (std::is_integral<Key>::value) return std::is_signed<Key>::value ? (Bits)(bits ^ sign) : bits;
  if (bits == sign) bits = 0;
  return bits & sign ? (Bits)~bits : (Bits)(bits | sign);
}

template <class Key, class Value>
void sort_by_bits(Key *keys, Value *values, size_t count, int begin, int end, bool descending) {
  struct Item {
    unsigned long long by;
    Key key;
    Value value;
  };
  std::vector<Item> all;
  all.reserve(count);
  const unsigned long long mask = end - begin >= 64 ? ~0ull : (1ull << (end - begin)) - 1;
  for (size_t i = 0; i < count; ++i) {
    const unsigned long long by = sortable(keys[i]) >> begin & mask;
    all.push_back(Item{descending ? mask - by : by, keys[i], values[i]});
  }
  std::stable_sort(all.begin(), all.end(), [](const Item &a, const Item &b) { return a.by < b.by; });
  for (size_t i = 0; i < count; ++i) {
    keys[i] = all[i].key;
    values[i] = all[i].value;
  }
}

}  // namespace detail
}  // namespace cub

#endif
