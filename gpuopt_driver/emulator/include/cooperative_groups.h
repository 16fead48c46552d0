// Cooperative groups: grids, blocks, clusters, tiles of warps, coalesced threads.
#ifndef GPUOPT_COOPERATIVE_GROUPS_H
#define GPUOPT_COOPERATIVE_GROUPS_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

// Barriers are part of what calls them, so that check mode sees where threads wait.
#define GPUOPT_EMU_AT_CALL __attribute__((always_inline))

namespace cooperative_groups {

class thread_group;

// A group of threads of one block. `mask_` holds its lanes, 0 for whole blocks.
class thread_group {
 public:
  unsigned long long size() const { return mask_ ? lanes_in() : block_threads(); }
  unsigned long long num_threads() const { return size(); }
  unsigned long long thread_rank() const { return mask_ ? lanes_before() : gpuopt_emu::current->linear; }
  GPUOPT_EMU_AT_CALL void sync() const {
    if (mask_) __syncwarp(mask_);
    else __syncthreads();
  }
  bool is_valid() const { return true; }

 protected:
  explicit thread_group(unsigned mask) : mask_(mask) {}
  static unsigned block_threads() { return gpuopt_emu::current->block->threads; }
  unsigned lanes_in() const { return (unsigned)__builtin_popcount(mask_); }
  unsigned lanes_before() const { return (unsigned)__builtin_popcount(mask_ & ((1u << gpuopt_emu::lane()) - 1)); }
  unsigned mask_;

  friend thread_group tiled_partition(const thread_group &parent, unsigned size);
};

class thread_block : public thread_group {
 public:
  typedef unsigned arrival_token;
  thread_block() : thread_group(0) {}
  GPUOPT_EMU_AT_CALL static void sync() { __syncthreads(); }
  static arrival_token barrier_arrive() { return gpuopt_emu::split_arrive(); }
  static void barrier_wait(arrival_token &&token) { gpuopt_emu::split_wait(token); }
  static unsigned size() { return block_threads(); }
  static unsigned num_threads() { return block_threads(); }
  static unsigned thread_rank() { return gpuopt_emu::current->linear; }
  static dim3 group_index() { return gpuopt_emu::block_index(); }
  static dim3 thread_index() { return gpuopt_emu::thread_index(); }
  static dim3 group_dim() { return gpuopt_emu::block_size(); }
  static dim3 dim_threads() { return gpuopt_emu::block_size(); }
};
static inline thread_block this_thread_block() { return thread_block(); }
template <unsigned Threads = 1024> struct __attribute__((aligned(8))) block_tile_memory { char bytes[8]; };
template <unsigned Threads> static inline thread_block this_thread_block(block_tile_memory<Threads> &) {
  return thread_block();
}

class grid_group {
 public:
  static bool is_valid() { return gpuopt_emu::is_cooperative(); }
  static unsigned long long size() { return num_blocks() * gpuopt_emu::current->block->threads; }
  static unsigned long long num_threads() { return size(); }
  static unsigned long long num_blocks() {
    const dim3 grid = gpuopt_emu::grid_size();
    return (unsigned long long)grid.x * grid.y * grid.z;
  }
  static dim3 group_dim() { return gpuopt_emu::grid_size(); }
  static dim3 dim_blocks() { return gpuopt_emu::grid_size(); }
  static dim3 dim_threads() {
    const dim3 grid = gpuopt_emu::grid_size(), block = gpuopt_emu::block_size();
    return dim3(grid.x * block.x, grid.y * block.y, grid.z * block.z);
  }
  static dim3 thread_index() {
    const dim3 at = gpuopt_emu::block_index(), block = gpuopt_emu::block_size();
    const uint3 thread = gpuopt_emu::thread_index();
    return dim3(at.x * block.x + thread.x, at.y * block.y + thread.y, at.z * block.z + thread.z);
  }
  static dim3 block_index() { return gpuopt_emu::block_index(); }
  static unsigned long long block_rank() {
    const dim3 grid = gpuopt_emu::grid_size(), block = gpuopt_emu::block_index();
    return block.x + (unsigned long long)grid.x * (block.y + (unsigned long long)grid.y * block.z);
  }
  static unsigned long long thread_rank() {
    return block_rank() * gpuopt_emu::current->block->threads + gpuopt_emu::current->linear;
  }
  static unsigned long long num_clusters() { return num_blocks() / gpuopt_emu::cluster_blocks(); }
  static unsigned long long cluster_rank() {
    const dim3 count = dim_clusters(), at = cluster_index();
    return at.x + (unsigned long long)count.x * (at.y + (unsigned long long)count.y * at.z);
  }
  static dim3 dim_clusters() {
    const dim3 grid = gpuopt_emu::grid_size(), size = gpuopt_emu::cluster_size();
    return dim3(grid.x / size.x, grid.y / size.y, grid.z / size.z);
  }
  static dim3 cluster_index() {
    const dim3 block = gpuopt_emu::block_index(), size = gpuopt_emu::cluster_size();
    return dim3(block.x / size.x, block.y / size.y, block.z / size.z);
  }
  GPUOPT_EMU_AT_CALL static void sync() { gpuopt_emu::grid_barrier(); }
};
static inline grid_group this_grid() { return grid_group(); }

class cluster_group {
 public:
  typedef unsigned arrival_token;
  static void sync() { gpuopt_emu::cluster_barrier(); }
  static arrival_token barrier_arrive() { return 0; }
  static void barrier_wait(arrival_token &&) { sync(); }
  static void barrier_wait() { sync(); }
  static unsigned num_threads() { return num_blocks() * gpuopt_emu::current->block->threads; }
  static unsigned size() { return num_threads(); }
  static unsigned thread_rank() {
    return block_rank() * gpuopt_emu::current->block->threads + gpuopt_emu::current->linear;
  }
  static unsigned num_blocks() { return gpuopt_emu::cluster_blocks(); }
  static unsigned block_rank() { return gpuopt_emu::current->block->cluster_rank; }
  static dim3 block_index() { return gpuopt_emu::index_in_cluster(); }
  static dim3 dim_blocks() { return gpuopt_emu::cluster_size(); }
  static dim3 dim_threads() {
    const dim3 blocks = dim_blocks(), block = gpuopt_emu::block_size();
    return dim3(blocks.x * block.x, blocks.y * block.y, blocks.z * block.z);
  }
  static dim3 thread_index() {
    const dim3 at = block_index(), block = gpuopt_emu::block_size();
    const uint3 thread = gpuopt_emu::thread_index();
    return dim3(at.x * block.x + thread.x, at.y * block.y + thread.y, at.z * block.z + thread.z);
  }
  template <class T> static T *map_shared_rank(T *address, int rank) {
    return reinterpret_cast<T *>(gpuopt_emu::in_cluster(address, (unsigned)rank));
  }
  static unsigned query_shared_rank(const void *address) { return gpuopt_emu::rank_in_cluster(address); }
};
static inline cluster_group this_cluster() { return cluster_group(); }

// What groups inside one warp share; lane numbers are ranks in the group.
class warp_group : public thread_group {
 public:
  GPUOPT_EMU_AT_CALL int any(int predicate) const { return __any_sync(mask_, predicate); }
  GPUOPT_EMU_AT_CALL int all(int predicate) const { return __all_sync(mask_, predicate); }
  GPUOPT_EMU_AT_CALL unsigned ballot(int predicate) const { return pack(__ballot_sync(mask_, predicate)); }
  unsigned lanes() const { return mask_; }  // of the warp
  template <class T> GPUOPT_EMU_AT_CALL unsigned match_any(T value) const { return pack(__match_any_sync(mask_, value)); }
  template <class T> GPUOPT_EMU_AT_CALL unsigned match_all(T value, int &predicate) const {
    return pack(__match_all_sync(mask_, value, &predicate));
  }

 protected:
  explicit warp_group(unsigned mask) : thread_group(mask) {}
  // Bits of the group's lanes, moved together.
  unsigned pack(unsigned lanes) const {
    unsigned packed = 0, rank = 0;
    for (unsigned rest = mask_; rest; rest &= rest - 1, ++rank)
      if (lanes & rest & -rest) packed |= 1u << rank;
    return packed;
  }
  // The lane of the warp that has this rank in the group; the caller's own where there is none.
  unsigned lane_of(unsigned rank) const {
    unsigned rest = mask_;
    while (rest && rank--) rest &= rest - 1;
    return rest ? (unsigned)__builtin_ctz(rest) : gpuopt_emu::lane();
  }
};

template <unsigned Size, class Parent = void> class thread_block_tile;
template <unsigned Size> class thread_block_tile<Size, void> : public warp_group {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "tiles have 1, 2, 4, ... 1024 threads");

 public:
  thread_block_tile()
      : warp_group((Size == 32 ? ~0u : (1u << Size % 32) - 1) << gpuopt_emu::lane() / Size * Size),
        rank_(gpuopt_emu::current->linear / Size), count_((block_threads() + Size - 1) / Size) {}
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  unsigned thread_rank() const { return gpuopt_emu::lane() % Size; }
  unsigned meta_group_rank() const { return rank_; }
  unsigned meta_group_size() const { return count_; }
  template <class T> GPUOPT_EMU_AT_CALL T shfl(T value, int rank) const { return gpuopt_emu::shfl_of_any(mask_, value, rank, (int)Size); }
  template <class T> GPUOPT_EMU_AT_CALL T shfl_up(T value, unsigned by) const { return gpuopt_emu::shfl_up_of_any(mask_, value, by, (int)Size); }
  template <class T> GPUOPT_EMU_AT_CALL T shfl_down(T value, unsigned by) const { return gpuopt_emu::shfl_down_of_any(mask_, value, by, (int)Size); }
  template <class T> GPUOPT_EMU_AT_CALL T shfl_xor(T value, int by) const { return gpuopt_emu::shfl_xor_of_any(mask_, value, by, (int)Size); }

 protected:
  // A tile of a tile, also where it is kept as one that is not said to be: it counts its rank in the tile that was divided.
  void become_part_of(unsigned outer) {
    rank_ = gpuopt_emu::current->linear % outer / Size;
    count_ = outer / Size;
  }

 private:
  unsigned rank_, count_;
};

// What tiles of several warps share. (CUDA's need memory for it, block_tile_memory; these do not.)
template <unsigned Size> class multi_warp_tile {
  static_assert(Size <= 1024 && (Size & (Size - 1)) == 0, "tiles have 1, 2, 4, ... 1024 threads");

 public:
  static void sync() { gpuopt_emu::tile_barrier(Size); }
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  static bool is_valid() { return true; }
  static unsigned thread_rank() { return gpuopt_emu::current->linear % Size; }
  static unsigned meta_group_rank() { return gpuopt_emu::current->linear / Size; }
  static unsigned meta_group_size() { return (gpuopt_emu::current->block->threads + Size - 1) / Size; }
  template <class T> static T shfl(T value, int rank) {
    const gpuopt_emu::InTile<T> all(Size, value);
    return all[(unsigned)rank % all.threads()];
  }
  static int any(int predicate) { return count(predicate != 0) != 0; }
  static int all(int predicate) { return count(predicate == 0) == 0; }

 protected:
  static void become_part_of(unsigned) {}

 private:
  static unsigned count(bool predicate) {
    const gpuopt_emu::InTile<bool> all(Size, predicate);
    unsigned sum = 0;
    for (unsigned rank = 0; rank < all.threads(); ++rank) sum += all[rank];
    return sum;
  }
};
template <> class thread_block_tile<64, void> : public multi_warp_tile<64> {};
template <> class thread_block_tile<128, void> : public multi_warp_tile<128> {};
template <> class thread_block_tile<256, void> : public multi_warp_tile<256> {};
template <> class thread_block_tile<512, void> : public multi_warp_tile<512> {};
template <> class thread_block_tile<1024, void> : public multi_warp_tile<1024> {};

// A tile of a tile counts its rank in the tile that was divided.
template <unsigned Size, class Parent> class thread_block_tile : public thread_block_tile<Size, void> {};
template <unsigned Size, unsigned Outer, class Parent>
class thread_block_tile<Size, thread_block_tile<Outer, Parent>> : public thread_block_tile<Size, void> {
 public:
  thread_block_tile() { this->become_part_of(Outer); }
  unsigned meta_group_rank() const { return gpuopt_emu::current->linear % Outer / Size; }
  unsigned meta_group_size() const { return Outer / Size; }
};

class coalesced_group : public warp_group {
 public:
  explicit coalesced_group(unsigned mask, unsigned rank = 0, unsigned count = 1)
      : warp_group(mask), rank_(rank), count_(count) {}
  template <unsigned Size, class Parent> coalesced_group(const thread_block_tile<Size, Parent> &tile)
      : warp_group(tile.lanes()), rank_(tile.meta_group_rank()), count_(tile.meta_group_size()) {}
  unsigned size() const { return lanes_in(); }
  unsigned num_threads() const { return lanes_in(); }
  unsigned thread_rank() const { return lanes_before(); }
  unsigned meta_group_rank() const { return rank_; }
  unsigned meta_group_size() const { return count_; }
  template <class T> GPUOPT_EMU_AT_CALL T shfl(T value, unsigned rank) const { return gpuopt_emu::shfl_of_any(mask_, value, (int)lane_of(rank)); }
  template <class T> GPUOPT_EMU_AT_CALL T shfl_up(T value, unsigned by) const {
    const unsigned rank = thread_rank();
    return gpuopt_emu::shfl_of_any(mask_, value, (int)(rank >= by ? lane_of(rank - by) : gpuopt_emu::lane()));
  }
  template <class T> GPUOPT_EMU_AT_CALL T shfl_down(T value, unsigned by) const {
    return gpuopt_emu::shfl_of_any(mask_, value, (int)lane_of(thread_rank() + by));
  }
  // The group's tiles of `size` threads each, in the order of ranks.
  coalesced_group tile(unsigned size) const {
    const unsigned first = thread_rank() / size * size;
    unsigned lanes = 0, rank = 0;
    for (unsigned rest = mask_; rest; rest &= rest - 1, ++rank)
      if (rank >= first && rank < first + size) lanes |= rest & -rest;
    return coalesced_group(lanes, first / size, (this->size() + size - 1) / size);
  }

 private:
  unsigned rank_, count_;
};
static inline __attribute__((always_inline)) coalesced_group coalesced_threads(gpuopt_emu::Site site = __builtin_LINE()) {
  return coalesced_group(gpuopt_emu::active_lanes(site));
}
namespace gpuopt_numbered {  // what the rewriter calls
template <gpuopt_emu::Site Ss> static inline coalesced_group coalesced_threads_at() {
  return coalesced_group(gpuopt_emu::active_lanes(Ss));
}
}  // namespace gpuopt_numbered

// The threads of a group that have the same label, or predicate.
template <class Group, class Label> GPUOPT_EMU_AT_CALL static inline coalesced_group labeled_partition(const Group &group, Label label) {
  const unsigned mine = __match_any_sync(group.lanes(), label);
  const bool first = (mine & ((1u << gpuopt_emu::lane()) - 1)) == 0;
  const unsigned firsts = __ballot_sync(group.lanes(), first);  // one per label
  const unsigned rank = (unsigned)__builtin_popcount(firsts & ((mine & -mine) - 1));
  return coalesced_group(mine, rank, (unsigned)__builtin_popcount(firsts));
}
template <class Group> GPUOPT_EMU_AT_CALL static inline coalesced_group binary_partition(const Group &group, bool predicate) {
  const unsigned with = __ballot_sync(group.lanes(), predicate);
  return coalesced_group(predicate ? with : group.lanes() & ~with, predicate, 2);
}

template <unsigned Size, class Parent> static inline thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
  return thread_block_tile<Size, Parent>();
}
// A partition whose size is known when the program runs.
inline thread_group tiled_partition(const thread_group &, unsigned size) {
  const unsigned lanes = size >= 32 ? ~0u : (1u << size) - 1;
  return thread_group(lanes << gpuopt_emu::lane() / size * size);
}
inline coalesced_group tiled_partition(const coalesced_group &group, unsigned size) { return group.tile(size); }

namespace experimental {
using cooperative_groups::block_tile_memory;
using cooperative_groups::this_thread_block;
using cooperative_groups::tiled_partition;
}  // namespace experimental

template <class Group> GPUOPT_EMU_AT_CALL static inline void sync(const Group &group) { group.sync(); }
template <class Group> static inline auto thread_rank(const Group &group) -> decltype(group.thread_rank()) { return group.thread_rank(); }
template <class Group> static inline auto group_size(const Group &group) -> decltype(group.num_threads()) { return group.num_threads(); }

}  // namespace cooperative_groups

#include "gpuopt_emu/group_algorithms.h"

namespace cooperative_groups {

// One thread of the group calls the function.
template <class Group, class Call, class... Aa> static inline void invoke_one(const Group &group, Call &&call, Aa &&...a) {
  if (group.thread_rank() == 0) call(static_cast<Aa &&>(a)...);
}
// The same, and every thread has its result.
template <class Group, class Call, class... Aa>
static inline auto invoke_one_broadcast(const Group &group, Call &&call, Aa &&...a) -> typename std::decay<decltype(call(a...))>::type {
  typename std::decay<decltype(call(a...))>::type result{};
  if (group.thread_rank() == 0) result = call(static_cast<Aa &&>(a)...);
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups

#undef GPUOPT_EMU_AT_CALL

#endif
