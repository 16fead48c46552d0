// Reductions and scans of cooperative groups, which cooperative_groups.h includes. Values are joined in the order in which
// CUDA's headers join them, so that sums of floats are a GPU's: reductions of tiles lane by lane at halving distances, scans at
// doubling ones, other groups' reductions by a scan; tiles of several warps join what their warps have.
#ifndef GPUOPT_EMU_GROUP_ALGORITHMS_H
#define GPUOPT_EMU_GROUP_ALGORITHMS_H

namespace cooperative_groups {

template <class T = void> struct plus { T operator()(T a, T b) const { return a + b; } };
template <class T = void> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T = void> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T = void> struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <class T = void> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <class T = void> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };

namespace gpuopt_detail {

template <class T> using Value = typename std::decay<T>::type;

// Which of the functions below a group goes to.
static inline const coalesced_group &kind(const coalesced_group &group) { return group; }
template <unsigned Size, class Parent, typename std::enable_if<(Size > 32), int>::type = 0>
static inline const multi_warp_tile<Size> &kind(const thread_block_tile<Size, Parent> &tile) { return tile; }
template <unsigned Size, class Parent, typename std::enable_if<(Size <= 32), int>::type = 0>
static inline const thread_block_tile<Size, Parent> &kind(const thread_block_tile<Size, Parent> &tile) { return tile; }

// Words that a warp joins at once: in any order the same.
template <class Join, class T> struct AtOnce : std::false_type {};
#define GPUOPT_EMU_AT_ONCE(join, operation)                                                                       \
  template <class T> struct AtOnce<join<T>, T> : std::integral_constant<bool, std::is_integral<T>::value && sizeof(T) <= 4> { \
    typedef typename std::conditional<std::is_signed<T>::value, int, unsigned>::type Word;                        \
    static T of(unsigned lanes, T value) { return (T)__reduce_##operation##_sync(lanes, (Word)value); }           \
  };
GPUOPT_EMU_AT_ONCE(plus, add)
GPUOPT_EMU_AT_ONCE(less, min)
GPUOPT_EMU_AT_ONCE(greater, max)
#undef GPUOPT_EMU_AT_ONCE
#define GPUOPT_EMU_AT_ONCE(join, operation)                                                                       \
  template <class T> struct AtOnce<join<T>, T> : std::integral_constant<bool, std::is_integral<T>::value && sizeof(T) <= 4> { \
    static T of(unsigned lanes, T value) { return (T)__reduce_##operation##_sync(lanes, (unsigned)value); }       \
  };
GPUOPT_EMU_AT_ONCE(bit_and, and)
GPUOPT_EMU_AT_ONCE(bit_or, or)
GPUOPT_EMU_AT_ONCE(bit_xor, xor)
#undef GPUOPT_EMU_AT_ONCE

template <class Group, class T, class Join> static inline T scanned(const Group &group, T value, const Join &join) {
  for (unsigned distance = 1; distance < group.size(); distance <<= 1) {
    const T other = group.shfl_up(value, distance);
    if (distance <= group.thread_rank()) value = join(value, other);
  }
  return value;
}
// Of an inclusive scan an exclusive one.
template <class Join, class T> struct Subtracts : std::false_type {};
template <class T> struct Subtracts<plus<T>, T> : std::is_integral<T> {};
template <class Group, class T> static inline T moved_up(const Group &group, T scan, T value, std::true_type) {
  (void)group;
  return (T)(scan - value);
}
template <class Group, class T> static inline T moved_up(const Group &group, T scan, T, std::false_type) {
  const T before = group.shfl_up(scan, 1);
  return group.thread_rank() ? before : T();
}

template <class Group, class T, class Join> static inline T at_once(const Group &group, T value, const Join &, std::true_type) {
  return AtOnce<Join, T>::of(group.lanes(), value);
}
template <unsigned Size, class Parent, class T, class Join>
static inline T at_once(const thread_block_tile<Size, Parent> &tile, T value, const Join &join, std::false_type) {
  for (unsigned distance = Size >> 1; distance; distance >>= 1) value = join(value, tile.shfl_xor(value, (int)distance));
  return value;
}
template <class T, class Join> static inline T at_once(const coalesced_group &group, T value, const Join &join, std::false_type) {
  if (group.size() == 32) return at_once(thread_block_tile<32>(), value, join, std::false_type());
  return group.shfl(scanned(group, value, join), group.size() - 1);
}
template <class Group, class T, class Join> static inline T reduced(const Group &group, T value, const Join &join) {
  return at_once(group, value, join, std::integral_constant<bool, AtOnce<Join, T>::value>());
}

// What a tile of several warps makes of one value of each warp. The elements' order is that of the warps.
template <unsigned Size, class T> struct Warps {
  T value[Size / 32];
  unsigned count, own;
  Warps(const multi_warp_tile<Size> &tile, const T &of_warp) : own(tile.thread_rank() / 32) {
    const gpuopt_emu::InTile<T> all(Size, of_warp);
    count = (all.threads() + 31) / 32;
    for (unsigned w = 0; w < Size / 32; ++w) value[w] = w < count ? all[32 * w] : T();
  }
  template <class Join> T reduced(const Join &join) {
    for (unsigned distance = Size / 64; distance; distance >>= 1)
      for (unsigned w = 0; w < distance && w + distance < count; ++w) value[w] = join(value[w], value[w + distance]);
    return value[0];
  }
  template <class Join> void scan(const Join &join) {
    for (unsigned distance = 1; distance < count; distance <<= 1)
      for (unsigned w = count - 1; w >= distance; --w) value[w] = join(value[w], value[w - distance]);
  }
  // What the warps before the thread's own have.
  template <class Join> T before(const T &of_warp) const {
    return Subtracts<Join, T>::value ? less_by(value[own], of_warp, Subtracts<Join, T>()) : own ? value[own - 1] : T();
  }
  static T less_by(const T &scan, const T &of_warp, std::true_type) { return (T)(scan - of_warp); }
  static T less_by(const T &scan, const T &, std::false_type) { return scan; }
};
template <unsigned Size, class T, class Join> static inline T reduced(const multi_warp_tile<Size> &tile, T value, const Join &join) {
  return Warps<Size, T>(tile, reduced(thread_block_tile<32>(), value, join)).reduced(join);
}
template <unsigned Size, class T, class Join>
static inline T scanned_by_warps(const multi_warp_tile<Size> &tile, T value, const Join &join, bool exclusive) {
  const thread_block_tile<32> warp;
  T scan = scanned(warp, value, join);
  const T of_warp = warp.shfl(scan, 31);
  Warps<Size, T> warps(tile, of_warp);
  warps.scan(join);
  const T before = warps.template before<Join>(of_warp);
  if (exclusive) scan = warp.shfl_up(scan, 1);
  if (exclusive && warp.thread_rank() == 0) return before;
  return warps.own == 0 ? scan : join(scan, before);
}
template <class Group, class T, class Join> static inline T inclusive(const Group &group, T value, const Join &join) {
  return scanned(group, value, join);
}
template <unsigned Size, class T, class Join> static inline T inclusive(const multi_warp_tile<Size> &tile, T value, const Join &join) {
  return scanned_by_warps(tile, value, join, false);
}
template <class Group, class T, class Join> static inline T exclusive(const Group &group, T value, const Join &join) {
  return moved_up(group, scanned(group, value, join), value, std::integral_constant<bool, Subtracts<Join, T>::value>());
}
template <unsigned Size, class T, class Join> static inline T exclusive(const multi_warp_tile<Size> &tile, T value, const Join &join) {
  return scanned_by_warps(tile, value, join, true);
}

// The atomic's old value, and in it what the two make together.
template <class Atomic, class T, class Join> static inline T updated(Atomic &atomic, T value, const Join &join) {
  T old = atomic.load();
  while (!atomic.compare_exchange_weak(old, join(old, value))) {
  }
  return old;
}
template <class Group, class Atomic, class T, class Join>
static inline T scanned_into(const Group &group, Atomic &atomic, T value, const Join &join, bool exclusive) {
  T scan = scanned(group, value, join), old = T();
  if (group.thread_rank() == group.size() - 1) old = updated(atomic, scan, join);
  old = group.shfl(old, group.size() - 1);
  if (exclusive) scan = moved_up(group, scan, value, std::integral_constant<bool, Subtracts<Join, T>::value>());
  return join(old, scan);
}
template <unsigned Size, class Atomic, class T, class Join>
static inline T scanned_into(const multi_warp_tile<Size> &tile, Atomic &atomic, T value, const Join &join, bool exclusive) {
  const thread_block_tile<32> warp;
  T scan = scanned(warp, value, join);
  const T of_warp = warp.shfl(scan, 31);
  Warps<Size, T> warps(tile, of_warp);
  warps.scan(join);
  T old = T();
  if (tile.thread_rank() == 0) old = updated(atomic, warps.value[warps.count - 1], join);
  old = tile.shfl(old, 0);
  const T before = warps.own ? join(warps.template before<Join>(of_warp), old) : old;
  if (exclusive) scan = warp.shfl_up(scan, 1);
  return exclusive && warp.thread_rank() == 0 ? before : join(scan, before);
}

}  // namespace gpuopt_detail

// All threads of the group get the values joined.
template <class Group, class T, class Join> static inline auto reduce(const Group &group, T &&value, Join &&join)->gpuopt_detail::Value<T> {
  return gpuopt_detail::reduced(gpuopt_detail::kind(group), gpuopt_detail::Value<T>(value), gpuopt_detail::Value<Join>(join));
}
// One thread stores that, or joins it with what the atomic holds.
template <class Group, class Atomic, class T, class Join>
static inline void reduce_store_async(const Group &group, Atomic &&atomic, T &&value, Join &&join) {
  const gpuopt_detail::Value<T> result = gpuopt_detail::reduced(gpuopt_detail::kind(group), gpuopt_detail::Value<T>(value), gpuopt_detail::Value<Join>(join));
  if (group.thread_rank() == 0) atomic.store(result);
}
template <class Group, class Atomic, class T, class Join>
static inline void reduce_update_async(const Group &group, Atomic &&atomic, T &&value, Join &&join) {
  const gpuopt_detail::Value<T> result = gpuopt_detail::reduced(gpuopt_detail::kind(group), gpuopt_detail::Value<T>(value), gpuopt_detail::Value<Join>(join));
  if (group.thread_rank() == 0) gpuopt_detail::updated(atomic, result, join);
}

// Each thread gets the values of the ranks up to its own joined; the exclusive form leaves out its own. The updating ones go on
// from what the atomic holds, and leave all of it there.
#define GPUOPT_EMU_SCAN(name)                                                                                                     \
  template <class Group, class T, class Join> static inline auto name##_scan(const Group &group, T &&value, Join &&join)          \
      ->gpuopt_detail::Value<T> {                                                                                                 \
    return gpuopt_detail::name(gpuopt_detail::kind(group), gpuopt_detail::Value<T>(value), gpuopt_detail::Value<Join>(join));                          \
  }                                                                                                                               \
  template <class Group, class T> static inline auto name##_scan(const Group &group, T &&value)->gpuopt_detail::Value<T> {        \
    return gpuopt_detail::name(gpuopt_detail::kind(group), gpuopt_detail::Value<T>(value), plus<gpuopt_detail::Value<T>>());                           \
  }                                                                                                                               \
  template <class Group, class Atomic, class T, class Join>                                                                       \
  static inline auto name##_scan_update(const Group &group, Atomic &&atomic, T &&value, Join &&join)->gpuopt_detail::Value<T> {   \
    return gpuopt_detail::scanned_into(gpuopt_detail::kind(group), atomic, gpuopt_detail::Value<T>(value), gpuopt_detail::Value<Join>(join), GPUOPT_EMU_##name); \
  }                                                                                                                               \
  template <class Group, class Atomic, class T>                                                                                   \
  static inline auto name##_scan_update(const Group &group, Atomic &&atomic, T &&value)->gpuopt_detail::Value<T> {                \
    return name##_scan_update(group, atomic, value, plus<gpuopt_detail::Value<T>>());                                             \
  }
#define GPUOPT_EMU_inclusive false
#define GPUOPT_EMU_exclusive true
GPUOPT_EMU_SCAN(inclusive)
GPUOPT_EMU_SCAN(exclusive)
#undef GPUOPT_EMU_inclusive
#undef GPUOPT_EMU_exclusive
#undef GPUOPT_EMU_SCAN

}  // namespace cooperative_groups

// The same where a kernel is split (meetings.h): on fibers, and for all tiles of a block at once, `offered` by its threads.
template <unsigned Size, class T, class Join>
static inline T gpuopt_emu_reduce(gpuopt_emu::TileOf<Size>, const T &value, const Join &join) {
  return cooperative_groups::reduce(cooperative_groups::thread_block_tile<Size>(), value, join);
}
namespace gpuopt_emu {
template <class T> static inline T joined_at_once(const cooperative_groups::plus<T> &, T a, T b) { return (T)((unsigned)a + (unsigned)b); }
template <class T, class Join> static inline T joined_at_once(const Join &join, T a, T b) { return join(a, b); }
template <unsigned Size, class T, class Join> static inline void reduce_in(T *tile, int lanes, const Join &join, std::true_type) {
  T all = tile[0];
  for (int i = 1; i < lanes; ++i) all = joined_at_once(join, all, tile[i]);
  for (int i = 0; i < lanes; ++i) tile[i] = all;
}
template <unsigned Size, class T, class Join> static inline void reduce_in(T *tile, int lanes, const Join &join, std::false_type) {
  T before[Size];
  for (int distance = (int)Size / 2; distance; distance /= 2) {
    for (int i = 0; i < (int)Size; ++i) before[i] = i < lanes ? tile[i] : T();  // as shuffles give it
    for (int i = 0; i < lanes; ++i) tile[i] = join(before[i], before[i ^ distance]);
  }
}
template <unsigned Size, class T, class Join> static inline void reduce_in(T *offered, int threads, TileOf<Size>, const Join &join) {
  typedef std::integral_constant<bool, cooperative_groups::gpuopt_detail::AtOnce<Join, T>::value> Kind;
  for (; threads >= (int)Size; threads -= (int)Size, offered += Size) reduce_in<Size>(offered, (int)Size, join, Kind());
  if (threads > 0) reduce_in<Size>(offered, threads, join, Kind());
}
}  // namespace gpuopt_emu

#endif
