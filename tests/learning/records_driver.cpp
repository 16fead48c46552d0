// What programs do with files of choices (choices.h), of the directory or file in GPUOPT_CHOICES: `load KEY DIGEST` prints
// what is known of a key, an arm a line; `store KEY DIGEST COUNT` appends COUNT records of one pair each.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using std::exp;
using std::getenv;
using std::log;
using std::memcpy;
using std::memset;
using std::sqrt;

#include "system.h"
#include "learner.h"
static inline unsigned long long mix(unsigned long long h, unsigned long long v) { return (h ^ v) * 0x9E3779B97F4A7C15ULL; }
#include "choices.h"

int main(int, char **argv) {
  using namespace gpuopt_rt;
  static learner l;
  l.start(std::strtoull(argv[2], 0, 16));
  l.digest = std::strtoull(argv[3], 0, 16);
  l.arm_of(0);
  if (argv[1][0] == 'l') {
    load(l);
    for (unsigned k = 0; k < l.count; ++k) {
      const arm &a = l.a[k];
      std::printf("%s|%u|%s|%u|%.17g|%.17g|%u|%.17g|%.17g\n", k ? a.version : "original", a.number, a.what, a.pairs.n,
                  a.pairs.mean, a.pairs.m2, a.firsts.n, a.firsts.mean, a.firsts.m2);
    }
    return 0;
  }
  std::snprintf(l.kernel, sizeof(l.kernel), "ns::gesummv<4> [with T = float]");
  std::snprintf(l.device, sizeof(l.device), "GPU;132 SMs;driver 13000");
  std::snprintf(l.launch, sizeof(l.launch), "grid 1,2,3 block 32,1,1 shared 0 args 1f3a5c77");
  const int k = l.arm_of(identity("cache_bypass+catt", 77));
  std::snprintf(l.a[k].version, sizeof(l.a[k].version), "cache_bypass+catt");
  std::snprintf(l.a[k].what, sizeof(l.a[k].what), "n=4,1,1,1 shared=0 carveout=-1");
  l.a[k].number = 77;
  for (int i = std::atoi(argv[4]); i > 0; --i) {
    l.a[0].own_pairs.add(11.5);
    l.a[k].own_pairs.add(0.25 + 1e-3 * i);
    l.a[k].own_firsts.add(11.25);
    l.launches += 5;
    l.lost += 1234.4;
    l.saved += 4321.6;
    store(l);
  }
}
