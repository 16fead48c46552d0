// The rest of what check mode remembers of a block, and its findings.
#ifndef GPUOPT_EMU_CHECK_BLOCK_H
#define GPUOPT_EMU_CHECK_BLOCK_H

#include <string>
#include <vector>

#include "check_access.h"

namespace gpuopt_emu {

// Up to where accesses of a block are ordered before a store that came after a fence: those of eras before `base`, and
// those of `thread` before `era`.
struct Release {
  uint32_t grid, block, base, era;
  unsigned thread;
};
// The block has read the location when so many releases had been made there.
struct Acquired {
  uintptr_t address;
  size_t releases;
};

// How often a race of a pair of places was found; null where it was not reported yet.
struct Counts {
  unsigned long long *race, *same_value;
};

struct More {
  std::vector<uint32_t> eras;
  std::vector<const Spot *> where;  // each thread's last barrier or warp operation
  std::vector<bool> in_headers;  // whether it came to another one since, in a function of our headers
  std::vector<Release> fenced;       // each thread's last fence; era 0: none
  std::vector<uint32_t> known;       // [warp][lane][other lane]: eras of the other before this one are ordered
  std::vector<Acquired> acquired;
  uint32_t grid, block;
  uint32_t run_start, next, run_end;
  unsigned run_length;
  // Shadow of shared memory, and for which kernel it is set up.
  std::vector<unsigned char> written, allowed;
  std::vector<Cell> cells, fine;
  const void *layout;
  size_t dynamic_bytes, window;
  // What is to be looked at again, and for how many accesses at most.
  Event event;
  unsigned patience;
  Stamp earlier;
  bool earlier_writes;
  unsigned char before[16];
  Counts counts;  // `race` is not null: of what is to be looked at again
};

uint32_t next_era(BlockCheck *check);
// Races of plain stores that are found again and again; see races_again.
void remember_race(const Event &event, Stamp earlier, const char *kind);
bool settle_again(More *more);  // false: it has not been told like this, or there is none
bool is_shared(const Event &event);

// What lies at an address.
struct Where {
  std::string array;        // name, "" if unknown
  std::string kind;         // "global memory", "shared memory", ...
  size_t bytes;             // of the array, 0 if unknown
  long long offset;         // in the array
  const Spot *allocated;   // or null
  const Spot *freed;       // or null
  bool is_freed, is_known;
};
Where where_is(const Block *block, uintptr_t address);
Where where_in_shared(const Block *block, uintptr_t address);
bool variable_at(uintptr_t address, Where *where);  // of the program; false where there is none

// Findings. Equal ones (kind and places) are reported once and counted.
struct Who {
  uint3 block, thread;
};
struct Finding {
  std::string kind;  // as tools read it: "race-global"
  bool error;        // else a note
  std::string kernel, text;
  bool on_device;
  Who who;
  const Spot *place;
  Where where;
  bool has_other;
  Who other;
  const Spot *other_place;
  std::string other_text;
};
void report(const Finding &finding);
unsigned long long surveyed_blocks();  // that were run in their fast form
unsigned long long blocks_in_loops();  // of split kernels, whose loops between barriers were checked
// Whether such a finding was reported before; then it is counted.
bool reported(const char *kind, const Spot *place, const Spot *other);
unsigned long long *count_of(const char *kind, const Spot *place, const Spot *other);  // null: not reported
bool told(const char *kind, const Spot *place, const Spot *other);  // a finding with these places
void report_invalid(const Event &event);    // an access to what must not be accessed; may end the launch
void report_unwritten(const Event &event);  // a read of what was never written
void each_unfreed(void (*visit)(const Spot *place, size_t bytes));
Finding finding_for(const Event &event, const char *kind, const Where &where);
Who who_is(const Grid *grid, uint32_t block, unsigned thread);
std::string said(const Spot *place);  // file:line
std::string quoted(const std::string &text);  // for JSON
bool same_place(const Spot *a, const Spot *b);

}  // namespace gpuopt_emu

#endif
