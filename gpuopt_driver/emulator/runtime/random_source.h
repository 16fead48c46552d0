// A generator of cuRAND's host library: the numbers of one sequence in the order in which the library delivers them.
#pragma once
#include <memory>

#include "curand.h"
#include "curand_kernel.h"

namespace gpuopt_emu {

struct Source {
  virtual ~Source() {}
  virtual void restart(unsigned long long seed, unsigned long long offset) = 0;
  virtual unsigned integer() = 0;
  virtual float uniform() = 0;
  virtual double uniform_double() = 0;
  virtual unsigned poisson(double mean) = 0;
  // Normal numbers: two from two numbers (Box and Muller), or one from one (by the inverse of their distribution).
  virtual bool pairs() const { return true; }
  virtual void pair(float2 *) {}
  virtual void pair_double(double2 *) {}
  virtual float normal() { return 0; }
  virtual double normal_double() { return 0; }
  virtual bool jumps() const { return true; }  // whether an offset can be set
  // What only quasi-random ones have.
  virtual unsigned long long long_integer() { return 0; }
  virtual void dimension(unsigned) {}          // the next numbers are this dimension's, from where the last call ended
  virtual void advance(unsigned long long) {}  // that many numbers have been taken of each dimension
};

std::unique_ptr<Source> twister();                  // MT19937
std::unique_ptr<Source> sobol(curandRngType type);  // nothing where `type` is none of the quasi-random ones

}  // namespace gpuopt_emu
