// What the runtime API remembers: errors, and the GPU that is played.
#ifndef GPUOPT_EMU_STATE_H
#define GPUOPT_EMU_STATE_H

#include "cuda_runtime_api.h"

namespace gpuopt_emu {

// One GPU's figures; the table is made from the files under gpuopt_driver/arch.
struct Gpu {
  const char *name, *title;
  int major, minor, sms, clock_mhz;
  int threads_per_block, threads_per_sm, warps_per_sm, blocks_per_sm;
  int registers_per_sm, registers_per_block, registers_per_thread, register_unit;
  bool registers_per_warp;  // the allocation unit is for a warp, else for a block
  int warp_granularity;
  size_t shared_per_sm, shared_per_block, shared_per_block_optin, shared_reserved, shared_unit;
  size_t l2_bytes, l2_reported;  // what can be used, and what programs are told
  double dram_bytes_per_second;
  size_t dram_bytes;  // 0: not known
  int dram_bus_bits;  // 0: not known
  bool ecc;
};

extern const Gpu gpus[];
extern const unsigned gpu_count;

// The GPU by GPUOPT_EMU_GPU, else the one that the program was built for.
const Gpu &gpu();
inline bool has_clusters() { return gpu().major >= 9; }

// Remembers an error for cudaGetLastError and returns it; success changes nothing.
cudaError_t record(cudaError_t error);
cudaError_t &last_error();  // of the calling thread
extern thread_local bool runtime_used;  // by this thread, since it left its last context: the primary one is current then
void runtime_is_used();
// After an error of a kernel every call returns it until cudaDeviceReset. As kernels run beside the program on a GPU,
// the calls that do not wait for them (quiet_state) do not know of it before one that does (state) has returned it.
void set_broken(cudaError_t error);
void repair();
unsigned long long device_resets();  // so far
// What a kernel is; false where there is none at that address.
bool attributes_of(const void *function, cudaFuncAttributes &attributes);
void *driver_function(const char *name);  // null: no such function
bool has_failed();  // whether there was one, noticed or not
// The error that every call has to return, or cudaSuccess. First use checks the settings.
cudaError_t state();
cudaError_t quiet_state();

// Of a stream or a kernel node, by cudaLaunchAttributeID.
struct Attributes {
  cudaLaunchAttributeValue values[17];
  Attributes();
};

// While a function of the program's runs in the order of a stream: it must not call the API, and what its calls have
// returned is nothing to the thread that lends itself to it.
class HostFunction {
 public:
  HostFunction();
  ~HostFunction();
  HostFunction(const HostFunction &) = delete;
  HostFunction &operator=(const HostFunction &) = delete;

 private:
  cudaError_t last_;
};

}  // namespace gpuopt_emu

// For the API functions: leaves with the error of an earlier kernel, if there was one.
#define GPUOPT_EMU_ENTER_BY(state)                           \
  do {                                                       \
    const cudaError_t gpuopt_state = gpuopt_emu::state();    \
    if (gpuopt_state != cudaSuccess) return gpuopt_state;    \
  } while (0)
#define GPUOPT_EMU_ENTER() GPUOPT_EMU_ENTER_BY(state)
// For those that do not wait for kernels.
#define GPUOPT_EMU_ENTER_QUIETLY() GPUOPT_EMU_ENTER_BY(quiet_state)

#endif
