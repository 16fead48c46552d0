// Poisson numbers by the inverse of their distribution: one for each number of a quasi-random sequence, and tables for
// cuRAND's discrete distributions.
#include <algorithm>
#include <vector>

#include "curand_kernel.h"

namespace gpuopt_emu {

// The share of counts up to `k`: the regularized incomplete gamma function Q(k + 1, mean), by its series or its continued
// fraction (Abramowitz and Stegun, 6.5.29 and 6.5.31, the latter evaluated as Lentz does).
static double share_up_to(double k, double mean) {
  const double a = k + 1, front = exp(a * log(mean) - mean - lgamma(a));
  if (mean < a + 1) {
    double term = 1 / a, sum = term;
    for (double n = a + 1; term > sum * 1e-17; ++n) sum += term *= mean / n;
    return 1 - sum * front;
  }
  double b = mean + 1 - a, c = 1e300, d = 1 / b, result = d;
  for (int i = 1; i < 100000; ++i) {
    const double part = -i * (i - a);
    b += 2;
    d = 1 / (part * d + b);
    c = b + part / c;
    result *= d * c;
    if (fabs(d * c - 1) < 1e-16) break;
  }
  return result * front;
}

unsigned poisson_quantile(double mean, double u) {
  const double z = upper_tail(u);
  double k = std::max(0.0, floor(mean + z * sqrt(mean) + (z * z - 1) / 6));
  while (share_up_to(k, mean) < u && k < mean + 50 * sqrt(mean) + 50) ++k;
  while (k > 0 && share_up_to(k - 1, mean) >= u) --k;
  return (unsigned)k;
}

}  // namespace gpuopt_emu

extern "C" {
curandStatus_t curandCreatePoissonDistribution(double mean, curandDiscreteDistribution_t *distribution) {
  if (!(mean > 0) || mean > 400000) return CURAND_STATUS_OUT_OF_RANGE;
  if (cudaPeekAtLastError() != cudaSuccess) return CURAND_STATUS_PREEXISTING_FAILURE;
  const double reach = 12 * sqrt(mean) + 40;
  const double first = std::max(0.0, floor(mean - reach));
  std::vector<double> shares;
  double share = 0, one = exp(first * log(mean) - mean - lgamma(first + 1));
  for (double k = first; k < mean + reach; one *= mean / ++k) shares.push_back(share += one);
  shares.back() = 2;  // what rounding has left goes to the last count
  curandDiscreteDistribution_st made = {(unsigned)first, (unsigned)shares.size(), nullptr};
  const size_t size = shares.size() * sizeof(double);
  if (cudaMalloc((void **)&made.shares, size) != cudaSuccess || cudaMalloc((void **)distribution, sizeof made) != cudaSuccess)
    return CURAND_STATUS_ALLOCATION_FAILED;
  cudaMemcpy((void *)made.shares, shares.data(), size, cudaMemcpyHostToDevice);
  cudaMemcpy(*distribution, &made, sizeof made, cudaMemcpyHostToDevice);
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t distribution) {
  if (!distribution) return CURAND_STATUS_NOT_INITIALIZED;
  curandDiscreteDistribution_st kept;
  cudaMemcpy(&kept, distribution, sizeof kept, cudaMemcpyDeviceToHost);
  cudaFree((void *)kept.shares);
  cudaFree(distribution);
  return CURAND_STATUS_SUCCESS;
}
}
