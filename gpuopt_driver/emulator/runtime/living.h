// Objects that programs hold handles of: a handle of what was destroyed is none any more, and must not be followed.
#ifndef GPUOPT_EMU_LIVING_H
#define GPUOPT_EMU_LIVING_H

#include <mutex>
#include <unordered_set>

namespace gpuopt_emu {

template <class Object> class Living {
 public:
  Living() { change(true); }
  Living(const Living &) : Living() {}
  Living &operator=(const Living &) { return *this; }
  ~Living() { change(false); }

  static bool has(const Object *object) {
    All &all = everything();
    std::lock_guard<std::mutex> lock(all.mutex);
    return all.objects.count(object) != 0;
  }

 private:
  struct All {
    std::mutex mutex;
    std::unordered_set<const Object *> objects;
  };
  static All &everything() {
    static All *const all = new All;  // used before main, and after it
    return *all;
  }
  void change(bool begins) {
    All &all = everything();
    std::lock_guard<std::mutex> lock(all.mutex);
    if (begins) all.objects.insert(static_cast<const Object *>(this));
    else all.objects.erase(static_cast<const Object *>(this));
  }
};

// Whether a handle is of something that lives; null is of nothing.
template <class Object> bool lives(const Object *object) { return object && Living<Object>::has(object); }

}  // namespace gpuopt_emu

#endif
