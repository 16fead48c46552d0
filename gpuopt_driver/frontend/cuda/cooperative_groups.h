#pragma once
#include "gpuopt_cuda.h"
#include "cuda_fp16.h"
#include "cuda_bf16.h"
#pragma clang force_cuda_host_device begin

namespace cooperative_groups {

struct thread_group {
    unsigned size() const;
    unsigned long long num_threads() const;
    unsigned thread_rank() const;
    void sync() const;
    bool is_valid() const;
};

struct coalesced_group : thread_group {
    unsigned meta_group_size() const;
    unsigned meta_group_rank() const;
    template <class Value_> Value_ shfl(Value_, unsigned) const;
    template <class Value_> Value_ shfl_up(Value_, int) const;
    template <class Value_> Value_ shfl_down(Value_, int) const;
    int any(int) const;
    int all(int) const;
    unsigned ballot(int) const;
    template <class Value_> unsigned match_any(Value_) const;
};

struct thread_block : thread_group {
    dim3 group_index() const;
    dim3 thread_index() const;
    dim3 group_dim() const;
    dim3 dim_threads() const;
    unsigned barrier_arrive() const;
    void barrier_wait(unsigned) const;
};

struct grid_group : thread_group {
    unsigned long long thread_rank() const;
    unsigned block_rank() const;
    unsigned num_blocks() const;
    dim3 block_index() const;
    dim3 dim_blocks() const;
    dim3 group_dim() const;
};

struct multi_grid_group : thread_group {
    unsigned grid_rank() const;
    unsigned num_grids() const;
};

struct cluster_group : thread_group {
    unsigned block_rank() const;
    unsigned num_blocks() const;
    dim3 block_index() const;
    dim3 dim_blocks() const;
    template <class Value_> Value_* map_shared_rank(Value_*, int) const;
};

template <unsigned Size_, class Parent_ = void> struct thread_block_tile : thread_group {
    thread_block_tile() = default;
    template <class Other_> thread_block_tile(const thread_block_tile<Size_, Other_>&);
    unsigned meta_group_size() const;
    unsigned meta_group_rank() const;
    template <class Value_> Value_ shfl(Value_, int) const;
    template <class Value_> Value_ shfl_up(Value_, unsigned) const;
    template <class Value_> Value_ shfl_down(Value_, unsigned) const;
    template <class Value_> Value_ shfl_xor(Value_, unsigned) const;
    int any(int) const;
    int all(int) const;
    unsigned ballot(int) const;
    template <class Value_> unsigned match_any(Value_) const;
    template <class Value_> unsigned match_all(Value_, int&) const;
};
template <unsigned Bytes_> struct block_tile_memory { char data[Bytes_]; };

thread_block this_thread_block();
template <unsigned Bytes_> thread_block this_thread_block(block_tile_memory<Bytes_>&);
grid_group this_grid();
multi_grid_group this_multi_grid();
coalesced_group coalesced_threads();
cluster_group this_cluster();
thread_group this_thread();

template <unsigned Size_, class Group_> thread_block_tile<Size_, Group_> tiled_partition(const Group_&);
thread_group tiled_partition(const thread_group&, unsigned);
template <class Group_, class Value_> coalesced_group labeled_partition(const Group_&, Value_);
template <class Group_> coalesced_group binary_partition(const Group_&, bool);
template <class Group_> void sync(const Group_&);

template <class Value_> struct plus { Value_ operator()(Value_, Value_) const; };
template <class Value_> struct less { Value_ operator()(Value_, Value_) const; };
template <class Value_> struct greater { Value_ operator()(Value_, Value_) const; };
template <class Value_> struct bit_and { Value_ operator()(Value_, Value_) const; };
template <class Value_> struct bit_or { Value_ operator()(Value_, Value_) const; };
template <class Value_> struct bit_xor { Value_ operator()(Value_, Value_) const; };
template <class Group_, class Value_, class Op_> Value_ reduce(const Group_&, Value_, Op_);
template <class Group_, class Value_, class... Args_> Value_ inclusive_scan(const Group_&, Value_, Args_...);
template <class Group_, class Value_, class... Args_> Value_ exclusive_scan(const Group_&, Value_, Args_...);
template <class Group_, class... Args_> void memcpy_async(const Group_&, Args_...);
template <class Group_> void wait(const Group_&);
template <unsigned Size_, class Group_> void wait_prior(const Group_&);
template <class Group_, class Function_> void invoke_one(const Group_&, Function_&&);

namespace experimental {
using namespace cooperative_groups;
}

}  // namespace cooperative_groups

#pragma clang force_cuda_host_device end
