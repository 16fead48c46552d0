// What each OS thread has of its own: a pointer in its storage, so that a library with the runtime in it can be loaded by
// a program that runs (there is little room for such a library's storage then), and that what the thread ends with is said.
#ifndef GPUOPT_EMU_OS_THREAD_H
#define GPUOPT_EMU_OS_THREAD_H

namespace gpuopt_emu {

// Calls `end` with `object` when the calling thread ends; never for the program's first thread, which destroys the
// program's global objects after its own: they may still ask for all that there is.
void at_thread_end(void (*end)(void *), void *object);

// For `static thread_local OfThread<T> name`: the calling thread's T, made when it first asks.
template <class T> class OfThread {
 public:
  T &operator*() {
    if (!object_) {
      object_ = new T();
      at_thread_end([](void *own) { static_cast<OfThread *>(own)->end(); }, this);
    }
    return *object_;
  }
  T *operator->() { return &**this; }

 private:
  void end() {
    T *const object = object_;
    object_ = nullptr;
    delete object;
  }

  T *object_ = nullptr;
};

}  // namespace gpuopt_emu

#endif
