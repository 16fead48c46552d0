#pragma once
#include "gpuopt_cuda.h"
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
    template <class T> T shfl(T, unsigned) const;
    template <class T> T shfl_up(T, int) const;
    template <class T> T shfl_down(T, int) const;
    int any(int) const;
    int all(int) const;
    unsigned ballot(int) const;
    template <class T> unsigned match_any(T) const;
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
    template <class T> T* map_shared_rank(T*, int) const;
};

template <unsigned N, class Parent = void> struct thread_block_tile : thread_group {
    thread_block_tile() = default;
    template <class Other> thread_block_tile(const thread_block_tile<N, Other>&);
    unsigned meta_group_size() const;
    unsigned meta_group_rank() const;
    template <class T> T shfl(T, int) const;
    template <class T> T shfl_up(T, unsigned) const;
    template <class T> T shfl_down(T, unsigned) const;
    template <class T> T shfl_xor(T, unsigned) const;
    int any(int) const;
    int all(int) const;
    unsigned ballot(int) const;
    template <class T> unsigned match_any(T) const;
    template <class T> unsigned match_all(T, int&) const;
};
template <unsigned Bytes> struct block_tile_memory { char data[Bytes]; };

thread_block this_thread_block();
template <unsigned Bytes> thread_block this_thread_block(block_tile_memory<Bytes>&);
grid_group this_grid();
multi_grid_group this_multi_grid();
coalesced_group coalesced_threads();
cluster_group this_cluster();
thread_group this_thread();

template <unsigned N, class G> thread_block_tile<N, G> tiled_partition(const G&);
thread_group tiled_partition(const thread_group&, unsigned);
template <class G, class T> coalesced_group labeled_partition(const G&, T);
template <class G> coalesced_group binary_partition(const G&, bool);
template <class G> void sync(const G&);

template <class T> struct plus { T operator()(T, T) const; };
template <class T> struct less { T operator()(T, T) const; };
template <class T> struct greater { T operator()(T, T) const; };
template <class T> struct bit_and { T operator()(T, T) const; };
template <class T> struct bit_or { T operator()(T, T) const; };
template <class T> struct bit_xor { T operator()(T, T) const; };
template <class G, class T, class O> T reduce(const G&, T, O);
template <class G, class T, class... A> T inclusive_scan(const G&, T, A...);
template <class G, class T, class... A> T exclusive_scan(const G&, T, A...);
template <class G, class... A> void memcpy_async(const G&, A...);
template <class G> void wait(const G&);
template <unsigned N, class G> void wait_prior(const G&);
template <class G, class F> void invoke_one(const G&, F&&);

namespace experimental {
using namespace cooperative_groups;
}

}  // namespace cooperative_groups

#pragma clang force_cuda_host_device end
