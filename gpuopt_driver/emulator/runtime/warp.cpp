// Warp operations as meetings of lanes; see gpuopt_emu/warp.h for what lanes make of them.
#include "warp.h"

#include "check.h"
#include "driver_types.h"
#include "gpuopt_emu/warp.h"
#include "model.h"
#include "worker.h"

namespace gpuopt_emu {

static Group *new_group(Room *room) {
  if (Group *group = room->free_groups) {
    room->free_groups = group->next;
    return group;
  }
  Group *group = new Group();
  room->groups.push_back(group);
  return group;
}

static void unlink(Warp *warp, Group *group) {
  Group **link = &warp->groups;
  while (*link != group) link = &(*link)->next;
  *link = group->next;
}

static void complete(Block *block, Warp *warp, Group *group) {
  unlink(warp, group);
  if (checking) check_meeting(block, (unsigned)(warp - block->warps), group->arrived, group->kind == Meeting::sync);
  group->readers = (unsigned)__builtin_popcount(group->arrived);
  have_met(block);
  if (modelling && block->model) lanes_may_go(group->waiting);
  else block->ready.splice(group->waiting);
}

void complete_groups(Block *block, Warp *warp) {
  for (Group *group = warp->groups, *next; group; group = next) {
    next = group->next;
    if (group->mask && !(group->mask & ~group->arrived & ~warp->exited)) complete(block, warp, group);
  }
}

bool complete_unmasked_group(Block *block, unsigned warp) {
  // Of several places where lanes wait, the first in the program is inside the others' divergent region.
  Group *first = nullptr;
  for (Group *group = block->warps[warp].groups; group; group = group->next)
    if (!group->mask && (!first || group->place < first->place)) first = group;
  if (first) complete(block, &block->warps[warp], first);
  return first != nullptr;
}

bool complete_unmasked_groups(Block *block) {
  bool any = false;
  const unsigned warps = (block->threads + WARP - 1) / WARP;
  for (unsigned w = 0; w < warps; ++w) {
    any = complete_unmasked_group(block, w) || any;
  }
  return any;
}

static Place place_of(const Fiber *fiber, Site site) {
  unsigned deep = 1;
  for (const Path *path = fiber->path; path; path = path->outer) ++deep;
  Place place;
  place.count = deep < Place::DEPTH ? deep : (unsigned)Place::DEPTH;
  unsigned at = deep - 1;
  if (at < place.count) place.step[at] = (unsigned long long)site << 32;
  for (const Path *path = fiber->path; path; path = path->outer)
    if (--at < place.count) place.step[at] = (unsigned long long)path->site << 32 | path->turn;
  return place;
}

static Group *open_group(Block *block, Warp *warp, Meeting kind, unsigned mask) {
  Group *group = new_group(block->room);
  group->mask = mask;
  group->arrived = group->trues = group->readers = 0;
  group->kind = kind;
  group->has_result = false;
  group->waiting.head = nullptr;
  group->next = warp->groups;
  warp->groups = group;
  return group;
}

static __attribute__((noinline)) Group *unmasked_group(Block *block, Warp *warp, const Fiber *me, Meeting kind, Site site) {
  const unsigned bit = 1u << me->linear % WARP;
  const Place place = place_of(me, site);
  for (Group *group = warp->groups; group; group = group->next)
    if (!group->mask && group->kind == kind && !(group->arrived & bit) && group->place == place) return group;
  Group *group = open_group(block, warp, kind, 0);
  group->place = place;
  return group;
}

Group *join_group(Block *block, Fiber *me, Meeting kind, unsigned mask, unsigned long long value, Site site) {
  if (!block->listed) keep_lists(block);
  Warp *warp = &block->warps[me->linear / WARP];
  const unsigned lane = me->linear % WARP, bit = 1u << lane;
  if (checking) check_mask(block, mask);
  Group *group;
  if (mask) {
    if (!(mask & bit))
      fail(cudaErrorLaunchFailure, "warp operation with mask %08x called by lane %u, which is not in it", mask, lane);
    group = warp->groups;
    while (group && (group->mask != mask || group->kind != kind || group->arrived & bit)) group = group->next;
    if (!group) group = open_group(block, warp, kind, mask);
  } else {
    group = unmasked_group(block, warp, me, kind, site);
  }
  group->value[lane] = value;
  group->trues |= value ? bit : 0;
  const unsigned arrived = group->arrived |= bit;
  // Without a mask: once all that have not exited are here, nobody else can come.
  if (!((mask ? mask : ~0u) & ~arrived & ~warp->exited)) complete(block, warp, group);
  else group->waiting.append(me);
  return group;
}

void part_last(Group *group) {
  Room *room = current_block->room;
  group->next = room->free_groups;
  room->free_groups = group;
}

}  // namespace gpuopt_emu
