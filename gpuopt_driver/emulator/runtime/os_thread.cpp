#include "os_thread.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <utility>
#include <vector>

namespace gpuopt_emu {

static thread_local bool ended;  // what other objects of the thread ask for when they are destroyed is kept

namespace {
struct ThreadEnds {
  std::vector<std::pair<void (*)(void *), void *>> *all = nullptr;
  ~ThreadEnds() {
    ended = true;
    for (size_t left = all ? all->size() : 0; left--;) (*all)[left].first((*all)[left].second);
    delete all;
    all = nullptr;
  }
};
}  // namespace

void at_thread_end(void (*end)(void *), void *object) {
  if (ended || syscall(SYS_gettid) == getpid()) return;
  static thread_local ThreadEnds ends;
  if (!ends.all) ends.all = new std::vector<std::pair<void (*)(void *), void *>>;
  ends.all->emplace_back(end, object);
}

}  // namespace gpuopt_emu
