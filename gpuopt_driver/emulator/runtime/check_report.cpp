// What check mode says: each finding once on stderr when it is found, all of them with their counts at the end.
#include <deque>
#include <errno.h>
#include <map>
#include <mutex>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tuple>
#include <unistd.h>

#include "check_block.h"
#include "driver_types.h"
#include "settings.h"
#include "state.h"
#include "os_thread.h"

namespace gpuopt_emu {

namespace {
struct Kept {
  Finding finding;
  unsigned long long count;
};
typedef std::tuple<std::string, std::string, std::string> Key;  // kind, place, other place
struct Findings {
  std::mutex mutex;
  std::deque<Kept> all;  // counts stay where they are
  std::map<Key, size_t> by_key;
  std::map<std::tuple<const char *, const Spot *, const Spot *>, size_t> seen;
};
}  // namespace

static Findings &findings() {
  static Findings *all = new Findings;
  return *all;
}

std::string said(const Spot *place) {
  return place ? std::string(place->file) + ":" + std::to_string(place->line) : "<unknown>";
}

bool same_place(const Spot *a, const Spot *b) {
  return a == b || (a && b && a->line == b->line && strcmp(a->file, b->file) == 0);
}

static std::string said(const uint3 &at) {
  return "(" + std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.z) + ")";
}
static std::string said(const Who &who) { return "thread " + said(who.thread) + " of block " + said(who.block); }

static std::string said_array(const Where &where) {
  if (where.array.empty()) return where.bytes ? "an array of " + std::to_string(where.bytes) + " bytes" : "";
  const std::string name = where.array.find(' ') == std::string::npos ? "'" + where.array + "'" : where.array;
  return name + " (" + std::to_string(where.bytes) + " bytes)";
}

Who who_is(const Grid *grid, uint32_t block, unsigned thread) {
  const dim3 g = grid->size, b = grid->block;
  return Who{uint3{block % g.x, block / g.x % g.y, block / g.x / g.y}, uint3{thread % b.x, thread / b.x % b.y, thread / b.x / b.y}};
}

Finding finding_for(const Event &event, const char *kind, const Where &where) {
  Finding finding = {};
  finding.kind = kind;
  finding.error = true;
  finding.kernel = event.block->grid->kernel->name;
  finding.on_device = true;
  finding.who = who_is(event.block->grid, event.check->more->block, thread_of(event.mine));
  finding.place = event.place;
  finding.where = where;
  finding.text = said(finding.who) + (is_atomic(event.kind) ? " updates " : writes(event.kind) ? " writes " : " reads ") +
                 std::to_string(event.bytes) + (event.bytes == 1 ? " byte" : " bytes");
  const std::string array = said_array(where);
  if (!array.empty()) finding.text += " at offset " + std::to_string(where.offset) + " of " + array;
  return finding;
}

static void print(const Finding &finding) {
  std::string text = said(finding.place) + (finding.error ? ": error: " : ": note: ") + finding.text + " [" + finding.kind + "]\n";
  if (finding.has_other)
    text += said(finding.other_place) + ": note: " + said(finding.other) + " " + finding.other_text + "\n";
  const Spot *caller = finding.place ? finding.place->caller : nullptr;
  for (unsigned i = 0; caller && i < 8; ++i, caller = caller->caller) text += said(caller) + ": note: called from here\n";
  if (finding.where.allocated) text += said(finding.where.allocated) + ": note: the array is allocated here\n";
  if (finding.where.freed) text += said(finding.where.freed) + ": note: it is freed here\n";
  if (!finding.kernel.empty()) text += said(finding.place) + ": note: in kernel " + finding.kernel + "\n";
  fflush(stdout);
  fputs(text.c_str(), stderr);
}

static void count(Kept &one) { __atomic_fetch_add(&one.count, 1, __ATOMIC_RELAXED); }

bool reported(const char *kind, const Spot *place, const Spot *other) {
  // Those that an OS thread came to last, so that races that are found again and again are quickly counted.
  struct Last {
    const char *kind;
    const Spot *place, *other;
    Kept *kept;
  };
  struct Lasts {
    Last of[16] = {};
  };
  static thread_local OfThread<Lasts> lasts;
  Last &last = lasts->of[((uintptr_t)place / sizeof *place + (uintptr_t)other / sizeof *other * 3 + (uintptr_t)kind) % 16];
  if (last.kept && last.kind == kind && last.place == place && last.other == other) return count(*last.kept), true;
  Findings &f = findings();
  std::lock_guard<std::mutex> lock(f.mutex);
  const auto found = f.seen.find(std::make_tuple(kind, place, other));
  if (found == f.seen.end()) {
    f.seen[std::make_tuple(kind, place, other)] = f.all.size();  // the next that is reported
    return false;
  }
  if (found->second < f.all.size()) {
    count(f.all[found->second]);
    last = Last{kind, place, other, &f.all[found->second]};
  }
  return true;
}

unsigned long long *count_of(const char *kind, const Spot *place, const Spot *other) {
  Findings &f = findings();
  std::lock_guard<std::mutex> lock(f.mutex);
  const auto found = f.by_key.find(Key(kind, said(place), said(other)));
  return found == f.by_key.end() ? nullptr : &f.all[found->second].count;
}

bool told(const char *kind, const Spot *place, const Spot *other) { return count_of(kind, place, other) != nullptr; }

void report(const Finding &finding) {
  Findings &f = findings();
  std::lock_guard<std::mutex> lock(f.mutex);
  const Key key(finding.kind, said(finding.place), finding.has_other ? said(finding.other_place) : "");
  const auto found = f.by_key.find(key);
  if (found != f.by_key.end()) {
    count(f.all[found->second]);
    for (auto &seen : f.seen)  // the same places by other records: a survey's, or those of another instance
      if (seen.second == f.all.size()) seen.second = found->second;
    return;
  }
  f.by_key[key] = f.all.size();
  f.all.push_back(Kept{finding, 1});
  print(finding);
}

void report_invalid(const Event &event) {
  const Where where = where_is(event.block, event.address);
  const bool kept = where.is_known;  // the bytes are ours, so the access does no harm
  if (!reported(where.is_freed ? "use-after-free" : "invalid-access", event.place, nullptr)) {
    Finding finding = finding_for(event, where.is_freed ? "use-after-free" : "invalid-access", where);
    if (where.is_freed) finding.text = "use of freed memory: " + finding.text;
    else if (where.is_known) finding.text = "access out of bounds: " + finding.text;
    else if (event.address < 4096) finding.text = "access through a null pointer: " + finding.text;
    else finding.text = "access to memory that is not the device's: " + finding.text;
    report(finding);
  }
  if (!kept) fail(cudaErrorIllegalAddress, "invalid access to address %p", (void *)event.address);
}

void report_unwritten(const Event &event) {
  if (reported("uninitialized-read", event.place, nullptr)) return;
  const Where where = where_is(event.block, event.address);
  Finding finding = finding_for(event, "uninitialized-read", where);
  finding.text = "read of " + where.kind + " that was never written: " + finding.text;
  report(finding);
}

void misaligned(const Event &event) {
  if (is_on_stack(event.address)) return;
  const Quiet quiet;
  if (!reported("misaligned-access", event.place, nullptr)) {
    Finding finding = finding_for(event, "misaligned-access", where_is(event.block, event.address));
    finding.text = "access to an address that is not a multiple of its size: " + finding.text;
    report(finding);
  }
  fail(cudaErrorMisalignedAddress, "misaligned access to address %p", (void *)event.address);
}

// JSON.

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (const char c : text) {
    char code[8];
    if (c == '"' || c == '\\') result += '\\', result += c;
    else if ((unsigned char)c < 32) snprintf(code, sizeof code, "\\u%04x", c), result += code;
    else result += c;
  }
  return result + "\"";
}

static std::string json(const uint3 &at) {
  return "[" + std::to_string(at.x) + ", " + std::to_string(at.y) + ", " + std::to_string(at.z) + "]";
}

static std::string json(const Spot *place) {
  if (!place) return "null";
  return "{\"file\": " + quoted(place->file) + ", \"line\": " + std::to_string(place->line) + "}";
}

static std::string json(const Kept &kept) {
  const Finding &f = kept.finding;
  std::string text = "{\"kind\": " + quoted(f.kind) + ", \"severity\": " + (f.error ? "\"error\"" : "\"note\"") +
                     ", \"count\": " + std::to_string(kept.count) + ", \"message\": " + quoted(f.text) +
                     ", \"place\": " + json(f.place);
  if (f.on_device)
    text += ", \"kernel\": " + quoted(f.kernel) + ", \"block\": " + json(f.who.block) + ", \"thread\": " + json(f.who.thread);
  std::string callers;
  const Spot *caller = f.place ? f.place->caller : nullptr;
  for (unsigned i = 0; caller && i < 32; ++i, caller = caller->caller) callers += (i ? ", " : "") + json(caller);
  text += ", \"called_from\": [" + callers + "]";
  if (f.has_other)
    text += ", \"other\": {\"place\": " + json(f.other_place) + ", \"block\": " + json(f.other.block) +
            ", \"thread\": " + json(f.other.thread) + ", \"message\": " + quoted(f.other_text) + "}";
  if (f.where.is_known)
    text += ", \"array\": {\"name\": " + quoted(f.where.array) + ", \"space\": " + quoted(f.where.kind) +
            ", \"bytes\": " + std::to_string(f.where.bytes) + ", \"offset\": " + std::to_string(f.where.offset) +
            ", \"allocated\": " + json(f.where.allocated) + ", \"freed\": " + json(f.where.freed) + "}";
  return text + "}";
}

static std::map<std::string, std::pair<const Spot *, std::pair<unsigned, size_t>>> *leaks;

static void find_leaks() {
  leaks = new std::map<std::string, std::pair<const Spot *, std::pair<unsigned, size_t>>>;
  each_unfreed([](const Spot *place, size_t bytes) {
    auto &leak = (*leaks)[said(place)];
    leak.first = place;
    ++leak.second.first;
    leak.second.second += bytes;
  });
}

static void write_json(const char *path, unsigned long long errors) {
  std::FILE *file = fopen(path, "w");
  if (!file) {
    fprintf(stderr, "gpuopt emulator: GPUOPT_EMU_REPORT=%s: cannot be written: %s\n", path, strerror(errno));
    return;
  }
  fprintf(file, "{\n\"version\": 1,\n\"mode\": \"check\",\n\"gpu\": %s,\n\"errors\": %llu,\n\"surveyed\": %llu,\n\"in_loops\": %llu,\n\"findings\": [",
          quoted(gpu().name).c_str(), errors, surveyed_blocks(), blocks_in_loops());
  const char *separator = "\n";
  for (const Kept &kept : findings().all) fprintf(file, "%s%s", separator, json(kept).c_str()), separator = ",\n";
  fputs("\n],\n\"leaks\": [", file);
  separator = "\n";
  for (const auto &leak : *leaks) {
    const Spot *place = leak.second.first;
    fprintf(file, "%s{\"place\": %s, \"array\": %s, \"allocations\": %u, \"bytes\": %zu}", separator, json(place).c_str(),
            quoted(place && place->text ? place->text : "").c_str(), leak.second.second.first, leak.second.second.second);
    separator = ",\n";
  }
  fputs("\n]\n}\n", file);
  fclose(file);
}

static std::string counted(unsigned long long number, const char *what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

// After everything else that the program does when it ends.
__attribute__((destructor)) static void end_checking() {
  if (!checking) return;
  unsigned long long errors = 0, places = 0, notes = 0;
  for (const Kept &kept : findings().all) {
    if (!kept.finding.error) ++notes;
    else errors += kept.count, ++places;
  }
  find_leaks();
  fflush(stdout);
  for (const auto &leak : *leaks) {
    const Spot *place = leak.second.first;
    const std::string name = place && place->text ? std::string(" of '") + place->text + "'" : "";
    fprintf(stderr, "%s: note: %s%s (%zu bytes) never freed [leak]\n", leak.first.c_str(),
            counted(leak.second.second.first, "allocation").c_str(), name.c_str(), leak.second.second.second);
  }
  fprintf(stderr, "gpuopt check: %s at %s, %s\n", counted(errors, "error").c_str(), counted(places, "place").c_str(),
          counted(notes + leaks->size(), "note").c_str());
  const char *path = getenv("GPUOPT_EMU_REPORT");
  if (path && *path) write_json(path, errors);
  const int status = settings().error_status;
  if (errors && status) {
    fflush(nullptr);
    _exit(status);
  }
}

}  // namespace gpuopt_emu
