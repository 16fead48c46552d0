// Managed memory: advice and prefetches, which are kept and given back but move nothing, and its attachment to streams.
#include <map>
#include <mutex>
#include <string.h>

#include "allocations.h"
#include "streams.h"

namespace gpuopt_emu {

// What a program said of a page. Places are as cudaMemLocation has them; type 0: none.
struct Advice {
  bool read_mostly = false, by_device = false, by_host = false;
  cudaMemLocation preferred = {cudaMemLocationTypeInvalid, cudaInvalidDeviceId}, fetched = preferred;
};

static std::mutex advice_mutex;
static std::map<uintptr_t, Advice> advices{{0, Advice()}};  // from this address on, to the next one
static const uintptr_t ADVICE_PAGE = 4096;

// Needs the lock. What is from the address on becomes an entry of its own.
static std::map<uintptr_t, Advice>::iterator split_advice(uintptr_t address) {
  const auto after = advices.upper_bound(address), before = std::prev(after);
  return before->first == address ? before : advices.emplace_hint(after, address, before->second);
}

// Every page that these bytes touch.
template <class Change> static void advise(const void *pointer, size_t bytes, Change change) {
  std::lock_guard<std::mutex> lock(advice_mutex);
  const uintptr_t first = (uintptr_t)pointer / ADVICE_PAGE * ADVICE_PAGE;
  const uintptr_t end = ((uintptr_t)pointer + bytes + ADVICE_PAGE - 1) / ADVICE_PAGE * ADVICE_PAGE;
  const auto last = split_advice(end);
  for (auto item = split_advice(first); item != last; ++item) change(item->second);
}

void forget_advice(const void *pointer, size_t bytes) {
  std::lock_guard<std::mutex> lock(advice_mutex);
  if (advices.size() == 1) return;
  const auto last = split_advice((uintptr_t)pointer + bytes);
  const auto first = split_advice((uintptr_t)pointer);
  first->second = Advice();
  advices.erase(std::next(first), last);
}

static cudaError_t check_managed(const void *pointer, size_t bytes) {
  Allocation found;
  if (!bytes || !allocation_at(pointer, &found) || found.type != cudaMemoryTypeManaged) return cudaErrorInvalidValue;
  return fits(pointer, bytes) ? cudaSuccess : cudaErrorInvalidValue;
}

static bool is_host(const cudaMemLocation &place) {
  return place.type >= cudaMemLocationTypeHost && place.type <= cudaMemLocationTypeHostNumaCurrent;
}

static cudaError_t prefetch(const void *pointer, size_t bytes, const cudaMemLocation &place) {
  if (place.type == cudaMemLocationTypeDevice ? place.id != 0 : !is_host(place))
    return place.type == cudaMemLocationTypeDevice ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
  const cudaError_t error = check_managed(pointer, bytes);
  if (error == cudaSuccess) advise(pointer, bytes, [&](Advice &a) { a.fetched = place; });
  return error;
}

// The same place in all pages, or none.
static cudaMemLocation common(const std::vector<Advice> &pages, cudaMemLocation Advice::*member) {
  const cudaMemLocation &first = pages[0].*member;
  for (const Advice &page : pages)
    if ((page.*member).type != first.type || (page.*member).id != first.id) return Advice().*member;
  return first;
}

static std::vector<Advice> pages_of(const void *pointer, size_t bytes) {
  std::lock_guard<std::mutex> lock(advice_mutex);
  std::vector<Advice> found;
  for (auto item = std::prev(advices.upper_bound((uintptr_t)pointer)); item != advices.end() && item->first < (uintptr_t)pointer + bytes; ++item)
    found.push_back(item->second);
  return found;
}

// A place as one number: of the device, or -1 for the host.
static int number_of(const cudaMemLocation &place) {
  if (place.type == cudaMemLocationTypeInvalid) return cudaInvalidDeviceId;
  return place.type == cudaMemLocationTypeDevice ? place.id : cudaCpuDeviceId;
}

static cudaError_t range_attribute(int *data, size_t bytes, cudaMemRangeAttribute attribute, const void *pointer, size_t count) {
  const bool accessed = attribute == cudaMemRangeAttributeAccessedBy;
  if (!data || (accessed ? !bytes || bytes % 4 : bytes != 4)) return cudaErrorInvalidValue;
  const cudaError_t error = check_managed(pointer, count);
  if (error != cudaSuccess) return error;
  const std::vector<Advice> pages = pages_of(pointer, count);
  bool mostly = true, device = true, host = true;
  for (const Advice &page : pages) mostly &= page.read_mostly, device &= page.by_device, host &= page.by_host;
  const cudaMemLocation preferred = common(pages, &Advice::preferred), fetched = common(pages, &Advice::fetched);
  switch (attribute) {
    case cudaMemRangeAttributeReadMostly: *data = mostly; break;
    case cudaMemRangeAttributePreferredLocation: *data = number_of(preferred); break;
    case cudaMemRangeAttributeLastPrefetchLocation: *data = number_of(fetched); break;
    case cudaMemRangeAttributePreferredLocationType: *data = preferred.type; break;
    case cudaMemRangeAttributePreferredLocationId: *data = preferred.id; break;
    case cudaMemRangeAttributeLastPrefetchLocationType: *data = fetched.type; break;
    case cudaMemRangeAttributeLastPrefetchLocationId: *data = fetched.id; break;
    case cudaMemRangeAttributeAccessedBy: {
      size_t at = 0;
      if (device) data[at++] = 0;
      if (host && at < bytes / 4) data[at++] = cudaCpuDeviceId;
      while (at < bytes / 4) data[at++] = cudaInvalidDeviceId;
      break;
    }
    default: return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

// A host's number means nothing, but for a node.
static cudaMemLocation with_number(cudaMemLocation place) {
  if (place.type == cudaMemLocationTypeHost) place.id = cudaCpuDeviceId;
  return place;
}

static cudaMemLocation place_of(int device) {
  return device == cudaCpuDeviceId ? cudaMemLocation{cudaMemLocationTypeHost, 0} : cudaMemLocation{cudaMemLocationTypeDevice, device};
}

static bool is_default_stream(cudaStream_t stream) { return !stream || stream == cudaStreamLegacy; }

// Of all ranges or of none: `to` is null for batches that only discard.
static cudaError_t give_batch(void **pointers, size_t *bytes, size_t count, cudaMemLocation *to, size_t *from, size_t places,
                              unsigned long long flags, cudaStream_t stream, bool fetches) {
  GPUOPT_EMU_ENTER_QUIETLY();
  const cudaError_t refused = refuse_capturing(stream);
  if (refused != cudaSuccess) return refused;
  if (!pointers || !bytes || !count || flags || is_default_stream(stream)) return record(cudaErrorInvalidValue);
  if (fetches) {
    if (!to || !from || !places || places > count || from[0] || from[places - 1] >= count) return record(cudaErrorInvalidValue);
    for (size_t i = 1; i < places; ++i)
      if (from[i] <= from[i - 1]) return record(cudaErrorInvalidValue);
  }
  if (!stream_object(stream)) return record(cudaErrorInvalidResourceHandle);
  for (size_t i = 0; i < count; ++i)
    if (check_managed(pointers[i], bytes[i]) != cudaSuccess) return record(cudaErrorInvalidValue);
  size_t place = 0;
  for (size_t i = 0; fetches && i < count; ++i) {
    if (place + 1 < places && from[place + 1] == i) ++place;
    const cudaError_t error = prefetch(pointers[i], bytes[i], to[place]);
    if (error != cudaSuccess) return record(error);
  }
  return cudaSuccess;
}

}  // namespace gpuopt_emu

using namespace gpuopt_emu;

extern "C" {

cudaError_t cudaMemAdvise_v2(const void *pointer, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation place) {
  GPUOPT_EMU_ENTER();
  const cudaError_t refused = refuse_in_capture();
  if (refused != cudaSuccess) return refused;
  const bool preferred = advice == cudaMemAdviseSetPreferredLocation || advice == cudaMemAdviseUnsetPreferredLocation;
  const bool accessed = advice == cudaMemAdviseSetAccessedBy || advice == cudaMemAdviseUnsetAccessedBy;
  const bool wrong = place.type == cudaMemLocationTypeDevice ? (preferred || accessed) && place.id : !is_host(place);
  if (wrong || check_managed(pointer, bytes) != cudaSuccess) return record(cudaErrorInvalidValue);
  const cudaMemLocation kept = with_number(place);
  switch (advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
      advise(pointer, bytes, [&](Advice &a) { a.read_mostly = advice == cudaMemAdviseSetReadMostly; });
      return cudaSuccess;
    case cudaMemAdviseSetPreferredLocation:
      advise(pointer, bytes, [&](Advice &a) { a.preferred = kept.type <= cudaMemLocationTypeHost ? kept : Advice().preferred; });
      return cudaSuccess;
    case cudaMemAdviseUnsetPreferredLocation:
      advise(pointer, bytes, [](Advice &a) { a.preferred = Advice().preferred; });
      return cudaSuccess;
    case cudaMemAdviseSetAccessedBy:
    case cudaMemAdviseUnsetAccessedBy: {
      bool Advice::*const member = place.type == cudaMemLocationTypeDevice ? &Advice::by_device : &Advice::by_host;
      advise(pointer, bytes, [&](Advice &a) { a.*member = advice == cudaMemAdviseSetAccessedBy; });
      return cudaSuccess;
    }
  }
  return record(cudaErrorInvalidValue);
}
cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise_v2(pointer, bytes, advice, place_of(device));
}
cudaError_t cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes, cudaMemLocation place, unsigned int flags,
                                    cudaStream_t stream) {
  GPUOPT_EMU_ENTER();
  const cudaError_t refused = refuse_capturing(stream);
  if (refused != cudaSuccess) return refused;
  if (flags) return record(cudaErrorInvalidValue);
  if (!stream_object(stream)) return record(cudaErrorInvalidResourceHandle);
  return record(prefetch(pointer, bytes, with_number(place)));
}
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device, cudaStream_t stream) {
  return cudaMemPrefetchAsync_v2(pointer, bytes, place_of(device), 0, stream);
}
cudaError_t cudaMemPrefetchBatchAsync(void **pointers, size_t *bytes, size_t count, cudaMemLocation *to, size_t *from,
                                      size_t places, unsigned long long flags, cudaStream_t stream) {
  return give_batch(pointers, bytes, count, to, from, places, flags, stream, true);
}
cudaError_t cudaMemDiscardBatchAsync(void **pointers, size_t *bytes, size_t count, unsigned long long flags,
                                     cudaStream_t stream) {
  return give_batch(pointers, bytes, count, nullptr, nullptr, 0, flags, stream, false);
}
cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **pointers, size_t *bytes, size_t count, cudaMemLocation *to, size_t *from,
                                                size_t places, unsigned long long flags, cudaStream_t stream) {
  return give_batch(pointers, bytes, count, to, from, places, flags, stream, true);
}
cudaError_t cudaMemRangeGetAttribute(void *data, size_t bytes, cudaMemRangeAttribute attribute, const void *pointer,
                                     size_t count) {
  GPUOPT_EMU_ENTER();
  return record(range_attribute(static_cast<int *>(data), bytes, attribute, pointer, count));
}
cudaError_t cudaMemRangeGetAttributes(void **data, size_t *bytes, cudaMemRangeAttribute *attributes, size_t number,
                                      const void *pointer, size_t count) {
  GPUOPT_EMU_ENTER();
  if (!data || !bytes || !attributes || !number) return record(cudaErrorInvalidValue);
  for (size_t i = 0; i < number; ++i) {
    const cudaError_t error = range_attribute(static_cast<int *>(data[i]), bytes[i], attributes[i], pointer, count);
    if (error != cudaSuccess) return record(error);
  }
  return cudaSuccess;
}
// A whole allocation: `bytes` is its size, or 0.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes, unsigned int flags) {
  GPUOPT_EMU_ENTER();
  const cudaError_t refused = refuse_capturing(stream);
  if (refused != cudaSuccess) return refused;
  const bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
  Allocation found;
  if (!known || (flags == cudaMemAttachSingle && is_default_stream(stream))) return record(cudaErrorInvalidValue);
  if (!stream_object(stream)) return record(cudaErrorInvalidResourceHandle);
  if (!allocation_at(pointer, &found) || found.type != cudaMemoryTypeManaged) return record(cudaErrorInvalidValue);
  return found.base == pointer && (!bytes || bytes == found.bytes) ? cudaSuccess : record(cudaErrorInvalidValue);
}
}
