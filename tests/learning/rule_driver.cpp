// Reads launches with their arms, and says what the rule of learner.h makes of each. One launch a line: the number of
// arms, then for each the count, mean and squares of pairs and of first launches. One answer a line: leader, settled,
// and for each arm but the original whether it is out, its gain and half of its interval.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>

using std::exp;
using std::log;
using std::memset;
using std::sqrt;

#include "learner.h"

int main() {
  using namespace gpuopt_rt;
  static learner l;
  for (unsigned count; std::scanf("%u", &count) == 1;) {
    l.start(1);
    for (unsigned k = 0; k < count; ++k) {
      arm &a = l.a[l.arm_of(k)];
      a.present = true;
      if (std::scanf("%u %lf %lf %u %lf %lf", &a.pairs.n, &a.pairs.mean, &a.pairs.m2, &a.firsts.n, &a.firsts.mean,
                     &a.firsts.m2) != 6)
        return 1;
      a.pairs.forget(4 * MOST_PAIRS);
      a.firsts.forget(4 * MOST_PAIRS);
    }
    l.judge();
    std::printf("%u %d", l.leader, (int)l.settled);
    for (unsigned k = 1; k < count; ++k) {
      double half;
      const double mean = l.gain(k, half);
      std::printf(" %d %.17g %.17g", (int)l.a[k].dropped, mean, half);
    }
    std::printf("\n");
  }
}
