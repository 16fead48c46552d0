// Shared memory: variables of a kernel lie one after another from 0, dynamic memory after them; variables of device
// functions, which several kernels may use, have a part of their own.
#ifndef GPUOPT_EMU_SHARED_H
#define GPUOPT_EMU_SHARED_H

#include "block.h"

namespace gpuopt_emu {

// Bytes of static shared memory taken so far by one kernel's variables; `gaps` of them lie between variables for check
// mode to see accesses out of bounds.
struct SharedLayout {
  unsigned bytes, gaps;
};

// Takes room for a variable, whose tag's name is in `name`; returns its offset.
unsigned reserve_shared(SharedLayout &layout, size_t bytes, size_t alignment, const char *name);
// An offset, of a class so that it can be known before any object of the program is made: their constructors may launch.
struct SharedOffset {
  unsigned bytes;
};
template <class Variable> const char *shared_name() { return __PRETTY_FUNCTION__; }

// The layout of the kernel whose (local, unique) tag type is Kernel.
template <class Kernel> struct KernelShared {
  static SharedLayout layout;
};
template <class Kernel> SharedLayout KernelShared<Kernel>::layout;

// The part for variables of device functions.
extern SharedLayout common_layout;

template <class Kernel, class Variable, class T> struct SharedSlot {
  static const SharedOffset offset;
};
template <class Variable, class T> struct SharedSlot<void, Variable, T> {
  static const SharedOffset offset;
};
// The offsets are defined at the end of each unit (emulator/unit.py): g++ forgets priorities that are in precompiled headers.

// What a __shared__ variable's reference is bound to. Kernel: the kernel's tag, void in device functions.
template <class Kernel, class Variable> struct Shared {
  template <class T> operator T &() const {
    return *reinterpret_cast<T *>(current->block->shared + SharedSlot<Kernel, Variable, T>::offset.bytes);
  }
};
template <class Variable> struct Shared<void, Variable> {
  template <class T> operator T &() const {
    return *reinterpret_cast<T *>(current->block->common_shared + SharedSlot<void, Variable, T>::offset.bytes);
  }
};

// What the reference of an `extern __shared__` array is bound to.
struct DynamicShared {
  template <class T> operator T &() const { return *reinterpret_cast<T *>(current->block->dynamic_shared); }
};

// A __shared__ array or value declared outside functions is this object, with a tag type of its own.
template <class Tag, class T> struct SharedAtFile {
  alignas(T) unsigned char size_of_it[sizeof(T)];  // for sizeof
  operator T &() const { return Shared<void, Tag>(); }
  T *operator&() const { return &static_cast<T &>(*this); }
  const SharedAtFile &operator=(const T &value) const {
    static_cast<T &>(*this) = value;
    return *this;
  }
};
template <class Tag, class T, size_t Nn> struct SharedAtFile<Tag, T[Nn]> {
  typedef T Array[Nn];
  alignas(T) unsigned char size_of_it[sizeof(Array)];
  operator Array &() const { return Shared<void, Tag>(); }
  template <class Uu> explicit operator Uu *() const { return (Uu *)static_cast<Array &>(*this); }  // a cast, as of arrays
  Array *operator&() const { return &static_cast<Array &>(*this); }
};
template <class Tag, class T> struct SharedAtFile<Tag, T[]> {
  operator T *() const { return reinterpret_cast<T *>(current->block->dynamic_shared); }
  template <class Uu> explicit operator Uu *() const { return (Uu *)static_cast<T *>(*this); }
  T *operator&() const { return *this; }
};

// The memory that a name stands for where its type is asked for; a variable of a function that hides it is itself.
template <class Tag, class T> T &memory_of(const SharedAtFile<Tag, T> &name) { return name; }
template <class Tag, class T> T *memory_of(const SharedAtFile<Tag, T[]> &name) { return name; }
template <class Variable> Variable &memory_of(Variable &variable) { return variable; }

}  // namespace gpuopt_emu

#endif
